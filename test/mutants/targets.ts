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

const INTERPRET = [
  'adapters/bank-file/interpret-words.test.ts',
  'adapters/bank-file/interpret.test.ts',
]

export const TARGETS: readonly Target[] = [
  target('values/money/decimal.ts', ['values/money/decimal.test.ts']),
  target('values/money/currency.ts', ['values/money/currency.test.ts']),
  target('values/money/json.ts', ['values/money/json.test.ts']),
  target(
    'ledger/rules.ts',
    ['ledger/rules.test.ts'],
    ['test/api/balance-transaction.test.ts'],
    ALL,
  ),
  target(
    'statements/balance-transaction/rules.ts',
    ['statements/balance-transaction/rules.test.ts'],
    [],
    ALL,
  ),
  target(
    'statements/balance-transaction/columns.ts',
    ['statements/balance-transaction/rules.test.ts'],
    [],
    ALL,
  ),
  target(
    'payouts/postings.ts',
    ['payouts/postings.test.ts', 'ledger/rules.test.ts', 'payouts/create/create.test.ts'],
    [],
    ALL,
  ),
  target('conversions/rules.ts', ['conversions/rules.test.ts'], ['test/api/conversion.test.ts']),
  target('conversions/postings.ts', ['conversions/rules.test.ts'], [], ALL),
  target('prices/rate/calendar.ts', ['prices/rate/calendar.test.ts']),
  target('prices/rate/guard.ts', ['prices/rate/guard.test.ts']),
  target('prices/rate/rules.ts', ['prices/rate/rules.test.ts', 'quotes/rules.test.ts']),
  target('prices/fee/rules.ts', ['prices/fee/rules.test.ts', 'quotes/rules.test.ts']),
  target(
    'quotes/calculation.ts',
    ['quotes/calculation.test.ts'],
    ['test/api/quote-explain.test.ts'],
  ),
  target('quotes/basis.ts', ['quotes/basis.test.ts'], ['test/api/quote-explain.test.ts']),
  target('quotes/rules.ts', ['quotes/rules.test.ts'], ['test/api/quote.test.ts']),
  target('quotes/terms.ts', ['quotes/terms.test.ts'], ['test/api/quote.test.ts']),
  target('controls/limit/rules.ts', [
    'controls/limit/rules.test.ts',
    'controls/limit/window.test.ts',
  ]),
  target('controls/limit/words.ts', ['controls/limit/words.test.ts']),
  target('payouts/states.ts', ['payouts/advance/apply.test.ts']),
  target(
    'payouts/create/fields.ts',
    ['payouts/create/pricing.test.ts', 'payouts/create/create.test.ts'],
    PAYOUT_API,
  ),
  target(
    'payouts/create/pricing.ts',
    ['payouts/create/pricing.test.ts', 'payouts/create/create.test.ts'],
    PAYOUT_API,
  ),
  target(
    'payouts/create/duplicate.ts',
    ['payouts/create/duplicate.test.ts'],
    ['test/api/payout-duplicate.test.ts'],
  ),
  target('payouts/create/create.ts', ['payouts/create/create.test.ts'], PAYOUT_API),
  target('payouts/advance/apply.ts', ['payouts/advance/apply.test.ts'], ADVANCE_API),
  target('payouts/advance/succeed-or-fail.ts', ['payouts/advance/apply.test.ts'], ADVANCE_API),
  target('payouts/advance/progress.ts', ['payouts/advance/apply.test.ts'], ADVANCE_API),
  target('payouts/advance/report.ts', [], ATTEMPTS_API),
  target('payouts/advance/by-rail.ts', [], ATTEMPTS_API),
  target('payouts/advance/attempt-changes.ts', [], ATTEMPTS_API),
  target('payouts/advance/by-account.ts', ['payouts/advance/apply.test.ts'], ADVANCE_API),
  target('payouts/advance/by-operator.ts', ['payouts/advance/apply.test.ts'], ADVANCE_API),
  target('rails/rules.ts', ['rails/rules.test.ts']),
  target('adapters/connector/steps.ts', ['adapters/connector/steps.test.ts']),
  target('adapters/evm/fees.ts', ['adapters/evm/fees.test.ts']),
  target('adapters/evm/agree.ts', ['adapters/evm/agree.test.ts']),
  target('adapters/evm/rlp.ts', ['adapters/evm/rlp.test.ts', 'adapters/evm/transaction.test.ts']),
  target('adapters/bank-file/codes.ts', ['adapters/bank-file/interpret.test.ts']),
  target('adapters/bank-file/evidence.ts', INTERPRET),
  target('adapters/bank-file/interpret.ts', INTERPRET),
  target('parties/entity/comparable.ts', ['parties/entity/comparable.test.ts']),
  target('parties/entity/duplicates.ts', ['parties/entity/duplicates.test.ts']),
  target('parties/entity/rules.ts', ['parties/entity/rules.test.ts'], ['test/api/entity.test.ts']),
  target(
    'http/idempotency/rules.ts',
    ['http/idempotency/rules.test.ts'],
    ['test/api/idempotency.test.ts'],
  ),
]
