// The mutated files, and the tests that must catch their mutants: first tests of the rules alone,
// then, for the survivors, tests of the API on PostgreSQL.

export interface Target {
  readonly file: string
  readonly rules: readonly string[]
  readonly api: readonly string[]
  /** The percentage of the mutants that must be caught. */
  readonly wanted: number
}

/** The percentage for most files; files that move a balance may have no survivor. */
const MOST = 90
const ALL = 100

const target = (
  file: string,
  rules: readonly string[],
  api: readonly string[] = [],
  wanted = MOST,
): Target => ({ file: `src/${file}`, rules: rules.map(r => `src/${r}`), api, wanted })

const PAYOUT_API = ['test/api/payout.test.ts', 'test/api/payout-quote.test.ts']
const ADVANCE_API = [
  'test/api/settlement.test.ts',
  'test/api/payout-cancel.test.ts',
  'test/api/payout-action.test.ts',
]

const ATTEMPTS_API = ['test/live/attempts.test.ts', 'test/live/over-attempts.test.ts']

const INTERPRET = ['bank-file/interpret-words.test.ts', 'bank-file/interpret.test.ts']

export const TARGETS: readonly Target[] = [
  target('money/decimal.ts', ['money/decimal.test.ts']),
  target('money/currency.ts', ['money/currency.test.ts']),
  target('money/json.ts', ['money/json.test.ts']),
  target(
    'ledger/rules.ts',
    ['ledger/rules.test.ts'],
    ['test/api/balance-transaction.test.ts'],
    ALL,
  ),
  target('balance-transaction/rules.ts', ['balance-transaction/rules.test.ts'], [], ALL),
  target('balance-transaction/columns.ts', ['balance-transaction/rules.test.ts'], [], ALL),
  target(
    'payout/postings.ts',
    ['payout/postings.test.ts', 'ledger/rules.test.ts', 'payout/create.test.ts'],
    [],
    ALL,
  ),
  target('price/rate/calendar.ts', ['price/rate/calendar.test.ts']),
  target('price/rate/guard.ts', ['price/rate/guard.test.ts']),
  target('price/rate/rules.ts', ['price/rate/rules.test.ts', 'quote/rules.test.ts']),
  target('price/fee/rules.ts', ['price/fee/rules.test.ts', 'quote/rules.test.ts']),
  target('quote/calculation.ts', ['quote/calculation.test.ts'], ['test/api/quote-explain.test.ts']),
  target('quote/basis.ts', ['quote/basis.test.ts'], ['test/api/quote-explain.test.ts']),
  target('quote/rules.ts', ['quote/rules.test.ts'], ['test/api/quote.test.ts']),
  target('quote/terms.ts', ['quote/terms.test.ts'], ['test/api/quote.test.ts']),
  target('limit/rules.ts', ['limit/rules.test.ts', 'limit/window.test.ts']),
  target('limit/words.ts', ['limit/words.test.ts']),
  target('payout/states.ts', ['payout/step.test.ts']),
  target('payout/fields.ts', ['payout/pricing.test.ts', 'payout/create.test.ts'], PAYOUT_API),
  target('payout/pricing.ts', ['payout/pricing.test.ts', 'payout/create.test.ts'], PAYOUT_API),
  target(
    'payout/duplicate.ts',
    ['payout/duplicate.test.ts'],
    ['test/api/payout-duplicate.test.ts'],
  ),
  target('payout/create.ts', ['payout/create.test.ts'], PAYOUT_API),
  target('payout/step.ts', ['payout/step.test.ts'], ADVANCE_API),
  target('payout/step-money.ts', ['payout/step.test.ts'], ADVANCE_API),
  target('payout/progress.ts', ['payout/step.test.ts'], ADVANCE_API),
  target('payout/report.ts', [], ATTEMPTS_API),
  target('payout/attempt-step.ts', [], ATTEMPTS_API),
  target('rail/rules.ts', ['rail/rules.test.ts']),
  target('connector/steps.ts', ['connector/steps.test.ts']),
  target('bank-file/codes.ts', ['bank-file/interpret.test.ts']),
  target('bank-file/evidence.ts', INTERPRET),
  target('bank-file/interpret.ts', INTERPRET),
  target('entity/comparable.ts', ['entity/comparable.test.ts']),
  target('entity/duplicates.ts', ['entity/duplicates.test.ts']),
  target('entity/rules.ts', ['entity/rules.test.ts'], ['test/api/entity.test.ts']),
  target(
    'http/idempotency/rules.ts',
    ['http/idempotency/rules.test.ts'],
    ['test/api/idempotency.test.ts'],
  ),
]
