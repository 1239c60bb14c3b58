// Holds every payout against the journals, statement lines and quote it must have, and every
// journal of a payout against the payout. The books themselves have been walked before.
import type { TransactionSql } from '../db/connect.ts'
import type { JournalKind, Posting } from '../ledger/rules.ts'
import {
  failurePostings,
  payoutPostings,
  receiptPostings,
  reversalPostings,
  settlementPostings,
} from '../payout/postings.ts'
import type { PayoutStatus } from '../payout/states.ts'
import type { PayoutType } from '../quote/rules.ts'
import { BOOKED_KINDS } from './bookings.ts'
import { ofAccount, POSTING_COLUMNS, type PostingColumns, readPostings, words } from './books.ts'
import { checkPapers, PAPERS_COLUMNS, type PapersRow } from './payout-papers.ts'
import { BadRow } from './problem.ts'
import { openStream } from './stream.ts'

/** `in_transit`: destination amounts of payouts neither settled nor given back, by currency. */
export interface PayoutsSeen {
  payouts: number
  receipts: number
  readonly in_transit: Map<string, bigint>
}

interface PayoutRow extends PapersRow {
  account_id: string
  id: string
  quote_id: string
  type: PayoutType
  amount: bigint
  currency: string
  holding_currency: string
  holding_amount: bigint
  fixed_fee: bigint
  variable_fee: bigint
  destination_currency: string
  destination_amount: bigint
  /** Those of its quote, which are null only where there is no quote. */
  fx_income_holding: bigint
  fx_income_destination: bigint
  balance_transaction_id: string
  beneficiary_id: string
  /** Whether the account has that beneficiary. */
  beneficiary_found: boolean
  status: PayoutStatus
  quote_status: 'active' | 'used' | null
  /** First column in which the quote differs: `name, the payout's value, the quote's`. */
  quote_differs: string[] | null
}

/** A journal a payout caused, with its statement line when it has one. */
interface EffectRow extends PostingColumns {
  account_id: string
  source: string
  number: bigint
  kind: JournalKind
  line_id: string | null
  line_source: string
  line_currency: string
  amount: bigint
  fixed_fee: bigint
  variable_fee: bigint
}

interface ReceiptRow extends PostingColumns {
  account_id: string
  id: string
  destination_currency: string
  destination_amount: bigint
  receiver: string | null
  line_id: string | null
  /** Null when the line is not of a receipt journal of this payout. */
  journal_number: bigint | null
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
  ([ofQuote, ofPayout]) => `when q.${ofQuote} <> p.${ofPayout}
    then array['${ofQuote}', p.${ofPayout}::text, q.${ofQuote}::text]`,
).join(' ')

const payoutsOf = (account_id: string | null) => `
  select p.account_id, p.id, p.quote_id, p.type, p.amount, p.currency, p.holding_currency,
    p.holding_amount, p.fixed_fee, p.variable_fee, p.destination_currency, p.destination_amount,
    p.balance_transaction_id, p.beneficiary_id, n.id is not null as beneficiary_found, p.status,
    q.fx_income_holding, q.fx_income_destination, q.status as quote_status,
    case ${DIFFERENCE} end as quote_differs, ${PAPERS_COLUMNS}
  from payouts p left join quotes q on q.account_id = p.account_id and q.id = p.quote_id
  left join beneficiaries n on n.account_id = p.account_id and n.id = p.beneficiary_id
  where ${ofAccount('p.account_id', account_id)} order by p.account_id, p.id`

const effectsOf = (account_id: string | null) => `
  select j.account_id, j.source, j.number, j.kind, ${POSTING_COLUMNS}, b.id as line_id,
    b.source as line_source, b.currency as line_currency, b.amount, b.fixed_fee, b.variable_fee
  from journals j left join balance_transactions b
    on b.account_id = j.account_id and b.journal_number = j.number
  where j.kind <> all ('${BOOKED_KINDS}') and ${ofAccount('j.account_id', account_id)}
  order by j.account_id, j.source collate "C", j.number`

const receiptsOf = (account_id: string | null) => `
  select p.account_id, p.id, p.destination_currency, p.destination_amount,
    r.account_id as receiver, b.id as line_id, j.number as journal_number, ${POSTING_COLUMNS}
  from payouts p
  left join accounts r on r.deposit_address =
    p.beneficiary_details #>> '{destination_details,service_account,deposit_address}'
  left join balance_transactions b
    on b.account_id = r.account_id and b.source = p.id and b.type = 'payout'
  left join journals j on j.account_id = b.account_id and j.number = b.journal_number
    and j.kind = 'receipt' and j.source = p.id
  where p.type = 'service_account' and p.status = 'succeeded'
    and ${ofAccount('p.account_id', account_id)}
  order by p.account_id, p.id`

/** The journals a payout has, in order, by what has become of it. */
const EFFECTS: Readonly<Record<PayoutStatus, readonly JournalKind[]>> = {
  processing: ['payout'],
  requires_action: ['payout'],
  compliance_hold: ['payout'],
  succeeded: ['payout', 'settlement'],
  failed: ['payout', 'failure'],
  reversed: ['payout', 'settlement', 'reversal'],
}

/** Matches payouts of one account, or of all; `tick` is called once a journal. Throws BadRow. */
export async function matchPayouts(
  tx: TransactionSql,
  account_id: string | null,
  tick: () => void,
): Promise<PayoutsSeen> {
  const payouts = await openStream<PayoutRow>(tx, payoutsOf(account_id), [account_id])
  // No index leads from a journal to its line. Where one account has most of the rows, PostgreSQL
  // guesses that looking for each by itself is cheap, and reads all of the account every time.
  await tx.unsafe('set local enable_nestloop = off')
  const effects = await openStream<EffectRow>(tx, effectsOf(account_id), [account_id])
  await tx.unsafe('set local enable_nestloop = on')
  const seen: PayoutsSeen = { payouts: 0, receipts: 0, in_transit: new Map() }
  while (payouts.row !== undefined || effects.row !== undefined) {
    const payout = payouts.row
    const first = effects.row
    const order = first === undefined ? -1 : payout === undefined ? 1 : compare(payout, first)
    if (payout !== undefined && order < 0) throw payoutProblem(payout, 'a payout journal', 'none')
    const group: EffectRow[] = []
    for (let row = effects.row; row !== undefined && isSame(row, first); row = effects.row) {
      // More than a payout can have is wrong whatever they are, and is not gathered without end.
      if (group.length < 4) group.push(row)
      tick()
      await effects.next()
    }
    if (payout === undefined || order > 0) {
      checkForeign(group)
      continue
    }
    checkQuote(payout)
    if (!payout.beneficiary_found) {
      throw payoutProblem(payout, `beneficiary ${payout.beneficiary_id} in its account`, 'none')
    }
    checkEffects(payout, group)
    checkPapers(payout)
    seen.payouts += 1
    if (group.length === 1 && !isDirect(payout, group)) {
      const { destination_currency: currency, destination_amount } = payout
      seen.in_transit.set(currency, (seen.in_transit.get(currency) ?? 0n) + destination_amount)
    }
    await payouts.next()
  }
  await payouts.close()
  await effects.close()
  seen.receipts = await matchReceipts(tx, account_id)
  return seen
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
  if (first.kind !== 'receipt') throw effectProblem(first, `a payout ${source}`, 'none')
  if (second !== undefined) {
    throw effectProblem(second, `one journal of ${source}`, `a ${second.kind} besides`)
  }
}

function checkQuote(payout: PayoutRow): void {
  const { account_id, quote_id, id, quote_status, quote_differs } = payout
  const wrong = (expected: string, found: string) =>
    new BadRow({ table: 'quotes', account_id, key: quote_id, expected, found })
  if (quote_status === null) throw wrong(`the quote of payout ${id}`, 'none')
  if (quote_status !== 'used') throw wrong(`status used, by payout ${id}`, quote_status)
  if (quote_differs !== null) {
    const [column, expected, found] = quote_differs
    throw wrong(`${column} ${expected}, as payout ${id} has it`, String(found))
  }
}

/**
 * A payout to another account credits it at once, in its only journal, unless it was held: then it
 * passes through in_transit like every other.
 */
function isDirect(payout: PayoutRow, effects: readonly EffectRow[]): boolean {
  const { type, status } = payout
  return type === 'service_account' && status === 'succeeded' && effects.length === 1
}

/** What a payout to another account can be: it is never with a rail, and is not reversed. */
const STATUSES_TO_ACCOUNT: ReadonlySet<PayoutStatus> = new Set([
  'compliance_hold',
  'succeeded',
  'failed',
])

function checkEffects(payout: PayoutRow, effects: readonly EffectRow[]): void {
  const toAccount = payout.type === 'service_account'
  const direct = isDirect(payout, effects)
  const kinds: readonly string[] | undefined = direct ? ['payout'] : EFFECTS[payout.status]
  if (kinds === undefined || (toAccount && !STATUSES_TO_ACCOUNT.has(payout.status))) {
    throw payoutProblem(payout, 'a status this type can have', payout.status)
  }
  const expected = kinds.join(', ')
  const found = effects.map(effect => effect.kind).join(', ')
  if (found !== expected) {
    throw payoutProblem(payout, `journals ${expected}, being ${payout.status}`, found)
  }
  const creation = checkPostings(effects[0], creationPostings(payout, direct))
  const taken = [-payout.holding_amount, -payout.fixed_fee, -payout.variable_fee]
  for (const effect of effects) {
    switch (effect.kind) {
      case 'payout':
        if (effect.line_id !== payout.balance_transaction_id) {
          const id = payout.balance_transaction_id
          throw payoutProblem(
            payout,
            `its debit ${id} on journal ${effect.number}`,
            `${effect.line_id}`,
          )
        }
        checkLine(effect, payout, payout.id, taken)
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
function creationPostings(payout: PayoutRow, direct: boolean): Posting[] {
  const figures = {
    holding_currency: payout.holding_currency,
    holding_amount: payout.holding_amount,
    fixed_fee_holding: payout.fixed_fee,
    variable_fee_holding: payout.variable_fee,
    payout_currency: payout.currency,
    payout_amount: payout.amount,
    destination_currency: payout.destination_currency,
    destination_amount: payout.destination_amount,
    fx_income_holding: payout.fx_income_holding,
    fx_income_destination: payout.fx_income_destination,
  }
  return payoutPostings(figures, direct)
}

/** The journal has exactly these postings, zeros left out, in this order; returns them. */
function checkPostings(effect: EffectRow | undefined, all: readonly Posting[]): Posting[] {
  if (effect === undefined) throw new Error('a payout without journals')
  const expected = all.filter(posting => posting.amount !== 0n)
  const found = words(...(readPostings(effect) ?? []))
  if (found !== words(...expected)) throw effectProblem(effect, words(...expected), found)
  return expected
}

/** The line has this source and, in the holding currency, these amount and fees. */
function checkLine(
  effect: EffectRow,
  payout: PayoutRow,
  source: string,
  amounts: readonly bigint[],
): void {
  const { line_source, line_currency, amount, fixed_fee, variable_fee } = effect
  const expected = `${amounts.join(', ')} ${payout.holding_currency} from ${source}`
  const found = `${amount}, ${fixed_fee}, ${variable_fee} ${line_currency} from ${line_source}`
  if (found === expected) return
  const { account_id } = effect
  const key = String(effect.line_id)
  throw new BadRow({ table: 'balance_transactions', account_id, key, expected, found })
}

/** Every payout to another account has its receipt there, and every receipt here has its payout. */
async function matchReceipts(tx: TransactionSql, account_id: string | null): Promise<number> {
  let count = 0
  const receipts = await openStream<ReceiptRow>(tx, receiptsOf(account_id), [account_id])
  for (; receipts.row !== undefined; await receipts.next()) {
    const row = receipts.row
    if (row.receiver === null) throw payoutProblem(row, 'an account with its address', 'none')
    const { destination_currency, destination_amount } = row
    const postings = receiptPostings({ destination_currency, destination_amount })
    const expected = `a receipt in account ${row.receiver}: ${words(...postings)}`
    if (row.line_id === null) throw payoutProblem(row, expected, 'no line there')
    if (row.journal_number === null) {
      throw payoutProblem(row, expected, `${row.line_id} on no receipt journal`)
    }
    const found = words(...(readPostings(row) ?? []))
    if (found !== words(...postings)) {
      throw payoutProblem(row, expected, `journal ${row.journal_number}: ${found}`)
    }
    count += 1
  }
  await receipts.close()
  const [orphan] = await tx.unsafe<{ account_id: string; number: bigint; source: string }[]>(
    `select j.account_id, j.number, j.source from journals j
      join accounts r on r.account_id = j.account_id
      where j.kind = 'receipt' and ${ofAccount('j.account_id', account_id)} and not exists (
        select from payouts p where p.id = j.source and p.type = 'service_account'
          and p.status = 'succeeded'
          and p.beneficiary_details #>> '{destination_details,service_account,deposit_address}'
            = r.deposit_address)
      order by j.account_id, j.number limit 1`,
    [account_id],
  )
  if (orphan === undefined) return count
  throw effectProblem(orphan, `a payout ${orphan.source} to this account`, 'none')
}

function effectProblem(
  { account_id, number }: { account_id: string; number: bigint },
  expected: string,
  found: string,
): BadRow {
  return new BadRow({ table: 'journals', account_id, key: `number ${number}`, expected, found })
}

function payoutProblem(
  { account_id, id: key }: { account_id: string; id: string },
  expected: string,
  found: string,
): BadRow {
  return new BadRow({ table: 'payouts', account_id, key, expected, found })
}
