// Compares every payout with its journals, lines, quote and price, and every journal of a payout
// with it. The walk of the books comes before.
import type { JournalKind, Posting } from '../ledger/rules.ts'
import { POSTING_COLUMNS, type PostingColumns } from '../ledger/store.ts'
import {
  failurePostings,
  type PostedFigures,
  payoutPostings,
  reversalPostings,
  settlementPostings,
  withKept,
} from '../payouts/postings.ts'
import type { PayoutStatus } from '../payouts/states.ts'
import { PREFIX_END, TIME_END } from '../statements/event/row.ts'
import { idBound, numberedId } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { OF_NO_PAYOUT } from './bookings.ts'
import { checkMessages, MESSAGE_COLUMNS, type MessageRow } from './payout-messages.ts'
import { checkCarried, PRICED_COLUMNS, type PricedPayout } from './quotes.ts'
import { matchReceipts } from './receipts.ts'
import {
  journalProblem,
  ofAccount,
  otherPostings,
  payoutProblem,
  postingsText,
  quoteProblem,
  STATED_PAYOUTS,
  statement,
  type Verification,
} from './rows.ts'
import { openStream, type RowStream } from './stream.ts'

export interface PayoutTotals {
  payouts: number
  carried: number
  receipts: number
  /** Destination amounts of payouts without settlement or failure, by currency. */
  readonly in_transit: Map<string, bigint>
}

export interface PayoutRow extends MessageRow, PricedPayout {
  quote_id: string
  /** From its quote's row; null without one. */
  fx_income_holding: bigint | null
  fx_income_destination: bigint | null
  /** The end of the price's validity. */
  price_end: Instant | null
  balance_transaction_id: string
  beneficiary_id: string
  beneficiary_found: boolean
  /** Null for a payout without a state. */
  status: PayoutStatus | null
  quote_status: 'active' | 'used' | null
  /** Its name, the payout's value, the quote's. */
  quote_differs: string[] | null
}

/** With its line if it has one. */
export interface PayoutJournal extends PostingColumns {
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
  /** As text; null for nothing. */
  rate_difference: string | null
}

/** [the quote's name, the payout's]. */
const COPIED_COLUMNS = [
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

const DIFFERENCE = COPIED_COLUMNS.map(
  ([ofQuote, ofPayout]) => `when q.${ofQuote} is distinct from p.${ofPayout}
    then array['${ofQuote}', p.${ofPayout}::text, q.${ofQuote}::text]`,
).join(' ')

/** `stated` is the SQL of payouts with their states. */
export const payoutsOf = (stated: string) => statement`
  select p.account_id, p.id, p.quote_id, p.type, p.amount, p.currency, p.holding_currency,
    p.holding_amount, p.fixed_fee, p.variable_fee, p.destination_currency, p.destination_amount,
    p.balance_transaction_id, p.beneficiary_id, n.id is not null as beneficiary_found, p.status,
    q.fx_income_holding, q.fx_income_destination, q.status as quote_status,
    coalesce(q.valid_until, p.created_at + p.quote_validity_s * interval '1 second') as price_end,
    case ${DIFFERENCE} end as quote_differs, ${MESSAGE_COLUMNS}, ${PRICED_COLUMNS}
  from ${stated} p left join quotes q on q.account_id = p.account_id and q.id = p.quote_id
  left join beneficiaries n on n.account_id = p.account_id and n.id = p.beneficiary_id
  where ${ofAccount('p.account_id')} order by p.account_id, p.id`

export const JOURNAL_COLUMNS = `j.account_id, j.source, j.number, j.kind, ${POSTING_COLUMNS},
  j.created_at, j.undoes, j.currency, j.amount, j.fixed_fee, j.variable_fee,
  j.metadata ->> 'rate_difference' as rate_difference`

const PAYOUT_JOURNALS = statement`
  select ${JOURNAL_COLUMNS} from journals j
  where j.kind <> all ('{${[...OF_NO_PAYOUT].join(',')}}') and ${ofAccount('j.account_id')}
  order by j.account_id, j.source collate "C", j.number`

/** The journals that a payout of each status has, in order. */
const JOURNAL_KINDS: Readonly<Record<PayoutStatus, readonly JournalKind[]>> = {
  pending_approval: ['payout'],
  processing: ['payout'],
  requires_action: ['payout'],
  compliance_hold: ['payout'],
  succeeded: ['payout', 'settlement'],
  failed: ['payout', 'failure'],
  reversed: ['payout', 'settlement', 'reversal'],
}

/** Calls `tick` once for each journal. */
export async function matchPayouts(run: Verification, tick: () => void): Promise<PayoutTotals> {
  const payouts = await openStream<PayoutRow>(run, payoutsOf(STATED_PAYOUTS))
  const journals = await openStream<PayoutJournal>(run, PAYOUT_JOURNALS)
  const totals = await matchRows(payouts, journals, { findings: run.findings, tick })
  totals.receipts = await matchReceipts(run)
  return totals
}

interface Matching {
  readonly findings: Verification['findings']
  readonly tick: () => void
  /** The payouts whose settlement is among no journals here: all else is judged. */
  readonly settledElsewhere?: ReadonlySet<string>
}

/** Closes both streams. */
export async function matchRows(
  payouts: RowStream<PayoutRow>,
  journals: RowStream<PayoutJournal>,
  { findings, tick, settledElsewhere }: Matching,
): Promise<PayoutTotals> {
  const totals: PayoutTotals = { payouts: 0, carried: 0, receipts: 0, in_transit: new Map() }
  while (payouts.row !== undefined || journals.row !== undefined) {
    const payout = payouts.row
    const first = journals.row
    const order = first === undefined ? -1 : payout === undefined ? 1 : compare(payout, first)
    if (payout !== undefined && order < 0) {
      findings.add(payoutProblem(payout, 'a payout journal', 'none').problem)
      await payouts.next()
      continue
    }
    const group: PayoutJournal[] = []
    for (let row = journals.row; row !== undefined && isSame(row, first); row = journals.row) {
      // A payout has at most three: a fourth one proves the fault.
      if (group.length < 4) group.push(row)
      tick()
      await journals.next()
    }
    if (payout === undefined || order > 0) {
      findings.guard(placeOf(group[0]), () => checkForeign(group))
      continue
    }
    const place = { table: 'payouts', account_id: payout.account_id, key: payout.id }
    const elsewhere = settledElsewhere?.has(payout.id) ?? false
    findings.guard(place, () => checkPayout(payout, group, elsewhere))
    totals.payouts += 1
    if (payout.quote_id === '') totals.carried += 1
    if (group.length === 1 && !isDirect(payout, group)) {
      const { destination_currency: currency } = payout
      // Only an edited row has null here, and the check above has reported it.
      const amount: bigint | null = payout.destination_amount
      totals.in_transit.set(currency, (totals.in_transit.get(currency) ?? 0n) + (amount ?? 0n))
    }
    await payouts.next()
  }
  await payouts.close()
  await journals.close()
  return totals
}

function checkPayout(
  payout: PayoutRow,
  journals: readonly PayoutJournal[],
  elsewhere: boolean,
): void {
  const income = payout.quote_id === '' ? checkCarried(payout) : checkQuote(payout)
  if (!payout.beneficiary_found) {
    throw payoutProblem(payout, `beneficiary ${payout.beneficiary_id} in its account`, 'none')
  }
  checkJournals(payout, journals, income, elsewhere)
  checkMessages(payout)
  checkId(payout)
}

/** An id from a book has the time of its row, because lists are ordered by id. */
function checkId(payout: PayoutRow): void {
  const made = idBound('pot', payout.created_at, 'before')
  if (payout.id.startsWith(made)) return
  const found = payout.id.slice(PREFIX_END, TIME_END)
  throw payoutProblem(payout, `an id of the time ${made.slice(PREFIX_END)}`, found)
}

function placeOf(journal: PayoutJournal | undefined) {
  const account_id = journal?.account_id ?? ''
  return { table: 'journals', account_id, key: `number ${journal?.number}` }
}

/** Negative when the payout sorts before the journal's source. */
function compare(payout: PayoutRow, { account_id, source }: PayoutJournal): number {
  if (payout.account_id !== account_id) return payout.account_id < account_id ? -1 : 1
  if (payout.id !== source) return payout.id < source ? -1 : 1
  return 0
}

function isSame(row: PayoutJournal, first: PayoutJournal | undefined): boolean {
  return row.account_id === first?.account_id && row.source === first.source
}

/** No payout of the account: it must be one receipt of another account's payout. */
function checkForeign([first, second]: readonly PayoutJournal[]): void {
  if (first === undefined) return
  const { source } = first
  if (first.kind !== 'receipt') throw journalProblem(first, `a payout ${source}`, 'none')
  if (second !== undefined) {
    throw journalProblem(second, `one journal of ${source}`, `a ${second.kind} besides`)
  }
}

/** The income from exchange, which no column of the payout has. */
type Income = Pick<PostedFigures, 'fx_income_holding' | 'fx_income_destination'>

function checkQuote(payout: PayoutRow): Income {
  const { account_id, quote_id, id, quote_status, quote_differs } = payout
  const wrong = (expected: string, found: string) =>
    quoteProblem({ account_id, id: quote_id }, expected, found)
  if (quote_status === null) throw wrong(`the quote of payout ${id}`, 'none')
  if (quote_status !== 'used') throw wrong(`status used, by payout ${id}`, quote_status)
  if (quote_differs !== null) {
    const [column, expected, found] = quote_differs
    throw wrong(`${column} ${expected}, as in payout ${id}`, String(found))
  }
  const { fx_income_holding, fx_income_destination } = payout
  if (fx_income_holding === null || fx_income_destination === null) {
    throw wrong('the income of its exchanges', 'none')
  }
  return { fx_income_holding, fx_income_destination }
}

/** A held payout passes through in_transit, as payouts to rails do. */
function isDirect(payout: PayoutRow, journals: readonly PayoutJournal[]): boolean {
  const { type, status } = payout
  return type === 'service_account' && status === 'succeeded' && journals.length === 1
}

/** No rail has such a payout, and nobody reverses it. */
const STATUSES_TO_ACCOUNT: ReadonlySet<PayoutStatus> = new Set([
  'pending_approval',
  'compliance_hold',
  'succeeded',
  'failed',
])

function checkJournals(
  payout: PayoutRow,
  journals: readonly PayoutJournal[],
  income: Income,
  elsewhere: boolean,
): void {
  const toAccount = payout.type === 'service_account'
  const direct = !elsewhere && isDirect(payout, journals)
  const { status } = payout
  if (status === null) {
    throw payoutProblem(payout, 'a row of open_payouts or payout_outcomes', 'none')
  }
  const kinds: readonly string[] | undefined = direct ? ['payout'] : JOURNAL_KINDS[status]
  if (kinds === undefined || (toAccount && !STATUSES_TO_ACCOUNT.has(status))) {
    throw payoutProblem(payout, 'a status that its type can have', status)
  }
  const expected = kinds.filter(kind => !(elsewhere && kind === 'settlement')).join(', ')
  const found = journals.map(journal => journal.kind).join(', ')
  if (found !== expected) {
    throw payoutProblem(payout, `journals ${expected}, as it is ${status}`, found)
  }
  const creation = checkPostings(journals[0], creationPostings(payout, income, direct))
  const taken = [-payout.holding_amount, -payout.fixed_fee, -payout.variable_fee]
  for (const journal of journals) {
    switch (journal.kind) {
      case 'payout':
        checkDebit(journal, payout)
        checkLine(journal, payout, null, taken)
        break
      case 'settlement':
        checkPostings(journal, settlementPostings(payout, toAccount))
        break
      default: {
        const back =
          journal.kind === 'failure' ? failurePostings(creation) : reversalPostings(creation)
        const kept = keptOf(journal, payout)
        checkPostings(journal, withKept(back, payout.holding_currency, kept))
        const given = [payout.holding_amount - kept, payout.fixed_fee, payout.variable_fee]
        checkLine(journal, payout, payout.balance_transaction_id, given)
      }
    }
  }
}

/** Less than the whole, only of a payout that converts, and only after the end of its price. */
function keptOf(journal: PayoutJournal, payout: PayoutRow): bigint {
  const { rate_difference, created_at } = journal
  if (rate_difference === null) return 0n
  const kept = /^[1-9]\d{0,18}$/.test(rate_difference) ? BigInt(rate_difference) : 0n
  const { holding_currency, currency, destination_currency, price_end } = payout
  const converts = holding_currency !== currency || currency !== destination_currency
  const isOver = price_end !== null && price_end <= created_at
  if (kept > 0n && kept < payout.holding_amount && converts && isOver) return kept
  const expected = 'a difference of rates, after the end of the price of a payout that converts'
  throw journalProblem(journal, expected, rate_difference)
}

/** The postings of a payout's creation, from its stored integers. */
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

/** Throws unless the journal has exactly these postings, without zeros. Returns them. */
function checkPostings(journal: PayoutJournal | undefined, all: readonly Posting[]): Posting[] {
  if (journal === undefined) throw new Error('a payout without journals')
  const expected = all.filter(posting => posting.amount !== 0n)
  const found = otherPostings(journal, expected)
  if (found !== undefined) throw journalProblem(journal, postingsText(...expected), found)
  return expected
}

/** The id follows from the journal's row. */
function checkDebit(journal: PayoutJournal, payout: PayoutRow): void {
  const { balance_transaction_id: id } = payout
  const found = numberedId('btr', journal, journal.number)
  if (found !== id) {
    throw payoutProblem(payout, `its debit ${id} on journal ${journal.number}`, found)
  }
}

/** `amounts` are the amount and two fees, in the holding currency. */
function checkLine(
  journal: PayoutJournal,
  payout: PayoutRow,
  undone: string | null,
  amounts: readonly bigint[],
): void {
  const { undoes, currency, amount, fixed_fee, variable_fee } = journal
  const undoing = (id: string | null) => (id === null ? '' : `, undoing ${id}`)
  const expected = `${amounts.join(', ')} ${payout.holding_currency}${undoing(undone)}`
  const found = `${amount}, ${fixed_fee}, ${variable_fee} ${currency}${undoing(undoes)}`
  if (found !== expected) throw journalProblem(journal, expected, found)
}
