// Imports payouts: each row of a file is one payout, made once.
import type { Account } from '../accounts/rules.ts'
import { copyState, counterName, type Sum } from '../controls/limit/limit.ts'
import type { Decided } from '../engine/operation.ts'
import { actOfImport } from '../ledger/audit/recorded.ts'
import { bookOf } from '../ledger/rules.ts'
import { checkRequest } from '../payouts/create/fields.ts'
import { PayoutRequest } from '../payouts/request.ts'
import type { PayoutStatus } from '../payouts/states.ts'
import { openReference, payoutReference, type Reference } from '../runtime/reference.ts'
import { Lists } from '../screening/lists-in-memory.ts'
import { invalidField, type Problem } from '../values/errors.ts'
import { nameOf } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { findCurrency } from '../values/money/currency.ts'
import { MAX_AMOUNT, parseMajor } from '../values/money/decimal.ts'
import { type BodyCheck, openBodyCheck } from './body-check.ts'
import { type Column, type ColumnSet, columnsOf } from './file.ts'
import { HashNumbers } from './keys.ts'
import {
  FileKeys,
  type PaidRow,
  type PayoutKeys,
  type PayRow,
  type PayRowState,
  payRows,
} from './paid-once.ts'
import { type Import, type Rows, type RunEnd, runImport } from './run.ts'
import type { Cost, ImportedPayout } from './store.ts'

export interface PayoutRow {
  /** From 1; the last line of a row that spans several. */
  readonly line: number
  readonly result: 'made' | 'held' | 'imported_before' | 'refused'
  readonly payout: string | null
  /** The status of the payout now; null if there is none yet. */
  readonly status: PayoutStatus | null
  /** True if this row makes the payout and an earlier row of the file asks for the same payment. */
  readonly alike: boolean
  /** What the payout costs, or would cost if the balance sufficed. */
  readonly cost: Cost | null
  readonly problems: readonly Problem[]
}

const NOTHING = { payout: null, status: null, alike: false, cost: null, problems: [] } as const

interface PayoutImport extends Import<PayoutRow> {
  readonly sender_bic: string
  /** The person who runs the import; '' of a system log-in, which others may share. */
  readonly made_by: string
  /** Whether to pay rows that look as if they were paid before. */
  readonly allow_duplicates: boolean
  /** Called with the balances before the first row of a dry run. */
  onBalances(available: ReadonlyMap<string, bigint>): void
}

export async function importPayouts(options: PayoutImport): Promise<RunEnd> {
  const { sql } = options
  // Accounts, rates and fees stay current while the import runs. A row that needs outdated data is
  // refused.
  const reference = await openReference(sql)
  const lists = new Lists(sql, () => {})
  try {
    await lists.read()
    return await runImport(options, new PayoutRows(options, reference, lists))
  } finally {
    await lists.idle()
    await reference.close()
  }
}

/** Dry run: stands for a payout that an earlier row would have made. */
const NOT_WRITTEN: ImportedPayout = {
  payout_id: '',
  status: 'processing',
  created_at: '',
  currency: '',
  amount: 0n,
  holding_currency: '',
  total_debit: 0n,
}

/** More than any balance. */
const UNLIMITED = 1n << 62n

class PayoutRows implements Rows<PayRow, PayRowState, PaidRow, PayoutRow> {
  readonly operation: ReturnType<typeof payRows>
  readonly #options: PayoutImport
  readonly #reference: Reference
  readonly #problemsOf: BodyCheck
  readonly #keys: FileKeys
  /** Dry run: the balances after the rows so far. */
  readonly #balances = new Map<string, bigint>()
  /** Dry run: the line that would have made each payment, by the payment's key. */
  readonly #payments = new HashNumbers()
  /** Dry run: the quotes that earlier rows would have used, by `account_id/quote`. */
  readonly #used_quotes = new Set<string>()
  /** Dry run: the sums that limits would have counted, by the name of the counter. */
  readonly #sums = new Map<string, Sum[]>()
  #has_begun = false

  constructor(options: PayoutImport, reference: Reference, lists: Lists) {
    const check = (body: unknown) => checkRequest(body as PayoutRequest, options.account)
    this.operation = payRows(payoutReference(reference, lists, options.sender_bic))
    this.#options = options
    this.#reference = reference
    this.#problemsOf = openBodyCheck(PayoutRequest, check)
    this.#keys = new FileKeys(options.name)
  }

  read(sent: unknown) {
    const { file, allow_duplicates: allow_duplicate } = this.#options
    const row = file.columns === null ? { body: sent, problems: [] } : completeRow(sent as object)
    const problems = [...row.problems, ...this.#problemsOf(row.body)]
    if (problems.length > 0) return { problems }
    const body = row.body as PayoutRequest
    const keys = this.#keys.next(body)
    const account = this.#account()
    const request = allow_duplicate ? { ...body, allow_duplicate } : body
    const { account_id } = account
    const { made_by, maker } = this.#options
    return { command: { account_id, account, request, made_by, maker, claim: null, keys } }
  }

  #account(): Account {
    const { account_id } = this.#options.account
    const account = this.#reference.current().accounts.get(account_id)
    if (account === undefined) throw new Error(`account ${account_id} is gone`)
    return account
  }

  acts(outcomes: readonly PaidRow[]) {
    const made = outcomes.flatMap(({ made }) => made?.payout ?? [])
    return actOfImport('payouts', this.#options.name, made)
  }

  writtenResult(line: number, { keys }: PayRow, paid: PaidRow, since: Instant | null): PayoutRow {
    const { made, payout } = paid
    const is_made_now = made !== null || (since !== null && payout.created_at >= since)
    return is_made_now ? madeRow(line, keys, payout) : importedBefore(line, payout)
  }

  refusedResult(line: number, problems: readonly Problem[], cost: Cost | null = null): PayoutRow {
    return { ...NOTHING, line, result: 'refused', cost, problems }
  }

  addEarlier({ inner, imported }: PayRowState, { account_id, keys, request }: PayRow): void {
    const { balances } = bookOf(inner.books, account_id)
    if (!this.#has_begun) this.#options.onBalances(balances)
    this.#has_begun = true
    for (const [currency, left] of this.#balances) balances.set(currency, left)
    for (const [name, sums] of this.#sums) inner.limits.sums.set(name, sums)
    const name = nameOf({ account_id, id: request.quote ?? '' })
    const quote = inner.quotes.get(name)
    if (quote !== undefined && this.#used_quotes.has(name)) {
      inner.quotes.set(name, { ...quote, status: 'used' })
    }
    const { previous_payment } = keys
    if (previous_payment !== null && this.#payments.get(previous_payment) !== 0) {
      imported.set(nameOf({ account_id, id: previous_payment }), NOT_WRITTEN)
    }
  }

  dryResult(line: number, row: PayRow, decided: Decided<PaidRow>, state: PayRowState): PayoutRow {
    if ('refusal' in decided) {
      const { problems } = decided.refusal
      const lacks_balance = problems.some(({ reason }) => reason === 'insufficient_balance')
      return this.refusedResult(line, problems, lacks_balance ? this.#costOf(row, state) : null)
    }
    const { made, payout } = decided.outcome
    if (made === null) return importedBefore(line, payout)
    state.new_keys.length = 0
    this.#payments.set(row.keys.payment, line)
    if (made.used_quote !== null) this.#used_quotes.add(nameOf(made.used_quote))
    const { balances } = bookOf(state.inner.books, row.account_id)
    for (const [currency, left] of balances) this.#balances.set(currency, left)
    const { sums } = state.inner.limits
    for (const name of made.uses.map(counterName)) this.#sums.set(name, sums.get(name) ?? [])
    return { ...madeRow(line, row.keys, payout), payout: null, status: null }
  }

  /** Decides the row again, on a copy of the state with unlimited balances. */
  #costOf(row: PayRow, { inner, imported }: PayRowState): Cost {
    const book = bookOf(inner.books, row.account_id)
    const balances = new Map([...book.balances.keys()].map(currency => [currency, UNLIMITED]))
    const unlimited_book = { ...book, balances, changed: new Set<string>() }
    const copy = {
      ...inner,
      books: new Map([...inner.books, [row.account_id, unlimited_book]]),
      quotes: new Map(inner.quotes),
      fingerprints: new Map(inner.fingerprints),
      limits: copyState(inner.limits),
    }
    const state = { inner: copy, imported: new Map(imported), new_keys: [] }
    return this.operation.decide(state, row).payout
  }
}

function madeRow(line: number, keys: PayoutKeys, made: ImportedPayout): PayoutRow {
  const { payout_id: payout, status } = made
  const result = status === 'compliance_hold' ? 'held' : 'made'
  const alike = keys.previous_payment !== null
  return { ...NOTHING, line, result, payout, status, alike, cost: made }
}

function importedBefore(line: number, before: ImportedPayout): PayoutRow {
  const { payout_id: payout, status } = before
  return { ...NOTHING, line, result: 'imported_before', payout, status, cost: before }
}

/** An amount in major units, such as 1250.00; `amount` is in minor units. */
const MAJOR = 'amount_major'

const DETAILS = 'beneficiary_details.'
const DESTINATION = `${DETAILS}destination_details.`

/** Shorter names for paths that begin so. The first entry that fits is used. */
const SHORTER: readonly (readonly [long: string, short: string])[] = [
  [`${DESTINATION}type`, 'beneficiary.destination_type'],
  [`${DESTINATION}bank.`, 'beneficiary.'],
  [DESTINATION, 'beneficiary.'],
  [DETAILS, 'beneficiary.'],
  ['local.', ''],
]

function shorter(name: string): string {
  const [long, short] = SHORTER.find(([long]) => name.startsWith(long)) ?? ['', '']
  return short + name.slice(long.length)
}

/** The short name of the column that fills a member, such as `beneficiary.iban`. */
export const payoutColumn = (member: string): string => shorter(member)

export const PAYOUT_COLUMNS: ColumnSet = payoutColumns()

function payoutColumns(): ColumnSet {
  const required = [['amount', MAJOR], ['currency'], ['purpose']]
  const set = columnsOf(PayoutRequest, required)
  const names = set.names.map(shorter)
  const major: Column = { path: [MAJOR], kind: 'text' }
  const short = [...set.columns].map(([name, column]) => [shorter(name), column] as const)
  const open = [...set.open].map(([name, path]) => [shorter(name), path] as const)
  return {
    ...set,
    names: [...names.slice(0, 1), MAJOR, ...names.slice(1)],
    columns: new Map([...set.columns, ...short, [MAJOR, major]]),
    open: new Map([...set.open, ...open]),
  }
}

type Body = Record<string, unknown>

/**
 * Sets the amount in minor units, and the type of a destination if the row fills in one kind.
 * Checks amount_major, which the API does not have; if it is wrong, the amount is 1, so that the
 * other checks still run.
 */
export function completeRow(row: object): { body: Body; problems: readonly Problem[] } {
  const { [MAJOR]: major, ...body } = withDestinationType(row as Body)
  if (major === undefined) return { body, problems: [] }
  if (body.amount !== undefined) {
    return { body, problems: [invalidField('amount', `Send exactly one of amount and ${MAJOR}.`)] }
  }
  // The check of `currency` refuses an unknown currency.
  const exponent = findCurrency(String(body.currency))?.exponent
  if (exponent === undefined) return { body: { ...body, amount: 1 }, problems: [] }
  const amount = parseMajor(String(major), exponent)
  if (amount !== undefined) {
    return {
      body: { ...body, amount: amount > MAX_AMOUNT ? Number.NaN : Number(amount) },
      problems: [],
    }
  }
  const digits = exponent === 0 ? 'digits alone' : `digits, and at most ${exponent} after a point`
  const message = `${MAJOR} is not an amount in ${body.currency}: ${digits}.`
  return { body: { ...body, amount: 1 }, problems: [invalidField(MAJOR, message)] }
}

function withDestinationType(row: Body): Body {
  const details = row.beneficiary_details as Body | undefined
  const destination = details?.destination_details as Body | undefined
  if (destination === undefined || destination.type !== undefined) return row
  const [type, ...more] = Object.keys(destination)
  if (type === undefined || more.length > 0) return row
  const destination_details = { type, ...destination }
  return { ...row, beneficiary_details: { ...details, destination_details } }
}
