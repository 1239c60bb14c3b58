// Compares every payout with its journals, its statement lines, and its quote or the price that it
// carries. Compares every journal of a payout with the payout. The walk of the books comes before.
import { numberedId } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { JournalKind, Posting } from '../ledger/rules.ts'
import { POSTING_COLUMNS, type PostingColumns, readPostings } from '../ledger/store.ts'
import {
  failurePostings,
  type PostedFigures,
  payoutPostings,
  reversalPostings,
  settlementPostings,
} from '../payout/postings.ts'
import type { PayoutStatus } from '../payout/states.ts'
import { BOOKED_KINDS } from './bookings.ts'
import { checkPapers, PAPERS_COLUMNS, type PapersRow } from './payout-papers.ts'
import { checkCarried, PRICED_COLUMNS, type PricedPayout } from './quotes.ts'
import { matchReceipts } from './receipts.ts'
import {
  journalProblem,
  ofAccount,
  payoutProblem,
  quoteProblem,
  STATED_PAYOUTS,
  statement,
  type Verifying,
  words,
} from './rows.ts'
import { openStream } from './stream.ts'

/** `in_transit`: destination amounts of payouts neither settled nor given back, by currency. */
export interface PayoutsSeen {
  payouts: number
  /** How many of the payouts carry their quotes. */
  carried: number
  receipts: number
  readonly in_transit: Map<string, bigint>
}

interface PayoutRow extends PapersRow, PricedPayout {
  quote_id: string
  /** From the row of its quote; null if the quote has no row. */
  fx_income_holding: bigint | null
  fx_income_destination: bigint | null
  balance_transaction_id: string
  beneficiary_id: string
  /** Whether the account has that beneficiary. */
  beneficiary_found: boolean
  /** Null if the payout has no state. */
  status: PayoutStatus | null
  quote_status: 'active' | 'used' | null
  /** First column in which the quote differs: `name, the payout's value, the quote's`. */
  quote_differs: string[] | null
}

/** A journal that a payout caused, with its statement line if it has one. */
interface EffectRow extends PostingColumns {
  account_id: string
  source: string
  number: bigint
  kind: JournalKind
  created_at: Instant
  undoes: string | null
  currency: string
  amount: bigint
  fixed_fee: bigint
  variable_fee: bigint
}

/** Columns that a payout took from its quote, as [quote's, payout's]. */
const TAKEN = [
  ['payout_type', 'type'],
  ['payout_amount', 'amount'],
  ['payout_currency', 'currency'],
  ['holding_currency', 'holding_currency'],
  ['holding_amount', 'holding_amount'],
  ['fixed_fee_holding', 'fixed_fee'],
  ['variable_fee_holding', 'variable_fee'],
  ['destination_currency', 'destination_currency'],
  ['destination_amount', 'destination_amount'],
  ['holding_to_payout', 'holding_to_payout'],
  ['payout_to_destination', 'payout_to_destination'],
] as const

const DIFFERENCE = TAKEN.map(
  ([ofQuote, ofPayout]) => `when q.${ofQuote} is distinct from p.${ofPayout}
    then array['${ofQuote}', p.${ofPayout}::text, q.${ofQuote}::text]`,
).join(' ')

const PAYOUTS = statement`
  select p.account_id, p.id, p.quote_id, p.type, p.amount, p.currency, p.holding_currency,
    p.holding_amount, p.fixed_fee, p.variable_fee, p.destination_currency, p.destination_amount,
    p.balance_transaction_id, p.beneficiary_id, n.id is not null as beneficiary_found, p.status,
    q.fx_income_holding, q.fx_income_destination, q.status as quote_status,
    case ${DIFFERENCE} end as quote_differs, ${PAPERS_COLUMNS}, ${PRICED_COLUMNS}
  from ${STATED_PAYOUTS} p left join quotes q on q.account_id = p.account_id and q.id = p.quote_id
  left join beneficiaries n on n.account_id = p.account_id and n.id = p.beneficiary_id
  where ${ofAccount('p.account_id')} order by p.account_id, p.id`

const EFFECT_JOURNALS = statement`
  select j.account_id, j.source, j.number, j.kind, ${POSTING_COLUMNS}, j.created_at, j.undoes,
    j.currency, j.amount, j.fixed_fee, j.variable_fee
  from journals j
  where j.kind <> all ('${BOOKED_KINDS}') and ${ofAccount('j.account_id')}
  order by j.account_id, j.source collate "C", j.number`

/** The journals of a payout, in order, by its status. */
const EFFECTS: Readonly<Record<PayoutStatus, readonly JournalKind[]>> = {
  pending_approval: ['payout'],
  processing: ['payout'],
  requires_action: ['payout'],
  compliance_hold: ['payout'],
  succeeded: ['payout', 'settlement'],
  failed: ['payout', 'failure'],
  reversed: ['payout', 'settlement', 'reversal'],
}

/** Matches payouts of one account, or of all; `tick` is called once a journal. */
export async function matchPayouts(of: Verifying, tick: () => void): Promise<PayoutsSeen> {
  const { findings } = of
  const payouts = await openStream<PayoutRow>(of, PAYOUTS)
  const effects = await openStream<EffectRow>(of, EFFECT_JOURNALS)
  const seen: PayoutsSeen = { payouts: 0, carried: 0, receipts: 0, in_transit: new Map() }
  while (payouts.row !== undefined || effects.row !== undefined) {
    const payout = payouts.row
    const first = effects.row
    const order = first === undefined ? -1 : payout === undefined ? 1 : compare(payout, first)
    if (payout !== undefined && order < 0) {
      findings.add(payoutProblem(payout, 'a payout journal', 'none').problem)
      await payouts.next()
      continue
    }
    const group: EffectRow[] = []
    for (let row = effects.row; row !== undefined && isSame(row, first); row = effects.row) {
      // A payout has three journals at most. A fourth is wrong whatever it is, so no more are
      // gathered.
      if (group.length < 4) group.push(row)
      tick()
      await effects.next()
    }
    if (payout === undefined || order > 0) {
      findings.guard(placeOf(group[0]), () => checkForeign(group))
      continue
    }
    const place = { table: 'payouts', account_id: payout.account_id, key: payout.id }
    findings.guard(place, () => checkPayout(payout, group))
    seen.payouts += 1
    if (payout.quote_id === '') seen.carried += 1
    if (group.length === 1 && !isDirect(payout, group)) {
      const { destination_currency: currency } = payout
      // Null only if somebody edited the row, which is named above.
      const amount: bigint | null = payout.destination_amount
      seen.in_transit.set(currency, (seen.in_transit.get(currency) ?? 0n) + (amount ?? 0n))
    }
    await payouts.next()
  }
  await payouts.close()
  await effects.close()
  seen.receipts = await matchReceipts(of)
  return seen
}

function checkPayout(payout: PayoutRow, effects: readonly EffectRow[]): void {
  const income = payout.quote_id === '' ? checkCarried(payout) : checkQuote(payout)
  if (!payout.beneficiary_found) {
    throw payoutProblem(payout, `beneficiary ${payout.beneficiary_id} in its account`, 'none')
  }
  checkEffects(payout, effects, income)
  checkPapers(payout)
}

function placeOf(effect: EffectRow | undefined) {
  const account_id = effect?.account_id ?? ''
  return { table: 'journals', account_id, key: `number ${effect?.number}` }
}

/** Below zero when the payout sorts before the journal's source. */
function compare(payout: PayoutRow, { account_id, source }: EffectRow): number {
  if (payout.account_id !== account_id) return payout.account_id < account_id ? -1 : 1
  if (payout.id !== source) return payout.id < source ? -1 : 1
  return 0
}

function isSame(row: EffectRow, first: EffectRow | undefined): boolean {
  return row.account_id === first?.account_id && row.source === first.source
}

/** Journals whose source is no payout of the account: one receipt of another account's payout. */
function checkForeign([first, second]: readonly EffectRow[]): void {
  if (first === undefined) return
  const { source } = first
  if (first.kind !== 'receipt') throw journalProblem(first, `a payout ${source}`, 'none')
  if (second !== undefined) {
    throw journalProblem(second, `one journal of ${source}`, `a ${second.kind} besides`)
  }
}

/** What the exchanges earn. The payout's own columns do not have it. */
type Income = Pick<PostedFigures, 'fx_income_holding' | 'fx_income_destination'>

function checkQuote(payout: PayoutRow): Income {
  const { account_id, quote_id, id, quote_status, quote_differs } = payout
  const wrong = (expected: string, found: string) =>
    quoteProblem({ account_id, id: quote_id }, expected, found)
  if (quote_status === null) throw wrong(`the quote of payout ${id}`, 'none')
  if (quote_status !== 'used') throw wrong(`status used, by payout ${id}`, quote_status)
  if (quote_differs !== null) {
    const [column, expected, found] = quote_differs
    throw wrong(`${column} ${expected}, as payout ${id} has it`, String(found))
  }
  const { fx_income_holding, fx_income_destination } = payout
  if (fx_income_holding === null || fx_income_destination === null) {
    throw wrong('what its exchanges earn', 'none')
  }
  return { fx_income_holding, fx_income_destination }
}

/**
 * Whether a payout to another account has credited it at once, in its only journal. A held one
 * passes through in_transit, as all other payouts do.
 */
function isDirect(payout: PayoutRow, effects: readonly EffectRow[]): boolean {
  const { type, status } = payout
  return type === 'service_account' && status === 'succeeded' && effects.length === 1
}

/** The statuses of a payout to another account: it is never with a rail, and is not reversed. */
const STATUSES_TO_ACCOUNT: ReadonlySet<PayoutStatus> = new Set([
  'pending_approval',
  'compliance_hold',
  'succeeded',
  'failed',
])

function checkEffects(payout: PayoutRow, effects: readonly EffectRow[], income: Income): void {
  const toAccount = payout.type === 'service_account'
  const direct = isDirect(payout, effects)
  const { status } = payout
  if (status === null) {
    throw payoutProblem(payout, 'a row of open_payouts or payout_outcomes', 'none')
  }
  const kinds: readonly string[] | undefined = direct ? ['payout'] : EFFECTS[status]
  if (kinds === undefined || (toAccount && !STATUSES_TO_ACCOUNT.has(status))) {
    throw payoutProblem(payout, 'a status this type can have', status)
  }
  const expected = kinds.join(', ')
  const found = effects.map(effect => effect.kind).join(', ')
  if (found !== expected) {
    throw payoutProblem(payout, `journals ${expected}, being ${status}`, found)
  }
  const creation = checkPostings(effects[0], creationPostings(payout, income, direct))
  const taken = [-payout.holding_amount, -payout.fixed_fee, -payout.variable_fee]
  for (const effect of effects) {
    switch (effect.kind) {
      case 'payout':
        checkDebit(effect, payout)
        checkLine(effect, payout, null, taken)
        break
      case 'settlement':
        checkPostings(effect, settlementPostings(payout, toAccount))
        break
      default: {
        const back =
          effect.kind === 'failure' ? failurePostings(creation) : reversalPostings(creation)
        checkPostings(effect, back)
        const given = taken.map(amount => -amount)
        checkLine(effect, payout, payout.balance_transaction_id, given)
      }
    }
  }
}

/** The creation's postings from the payout's stored integers. */
function creationPostings(payout: PayoutRow, income: Income, direct: boolean): Posting[] {
  const figures = {
    ...payout,
    ...income,
    fixed_fee_holding: payout.fixed_fee,
    variable_fee_holding: payout.variable_fee,
    payout_currency: payout.currency,
    payout_amount: payout.amount,
  }
  return payoutPostings(figures, direct)
}

/** The journal must have exactly these postings, zeros left out, in this order; returns them. */
function checkPostings(effect: EffectRow | undefined, all: readonly Posting[]): Posting[] {
  if (effect === undefined) throw new Error('a payout without journals')
  const expected = all.filter(posting => posting.amount !== 0n)
  const found = words(...(readPostings(effect) ?? []))
  if (found !== words(...expected)) throw journalProblem(effect, words(...expected), found)
  return expected
}

/** The id of the debit is made from the row of its journal. */
function checkDebit(effect: EffectRow, payout: PayoutRow): void {
  const { balance_transaction_id: id } = payout
  const found = numberedId('btr', effect, effect.number)
  if (found !== id) {
    throw payoutProblem(payout, `its debit ${id} on journal ${effect.number}`, found)
  }
}

/** The line must undo `undone`, and have this amount and these fees in the holding currency. */
function checkLine(
  effect: EffectRow,
  payout: PayoutRow,
  undone: string | null,
  amounts: readonly bigint[],
): void {
  const { undoes, currency, amount, fixed_fee, variable_fee } = effect
  const undoing = (id: string | null) => (id === null ? '' : `, undoing ${id}`)
  const expected = `${amounts.join(', ')} ${payout.holding_currency}${undoing(undone)}`
  const found = `${amount}, ${fixed_fee}, ${variable_fee} ${currency}${undoing(undoes)}`
  if (found !== expected) throw journalProblem(effect, expected, found)
}
