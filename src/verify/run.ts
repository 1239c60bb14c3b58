// The whole verification, in order, on one snapshot, so that a service that goes on writing is
// never taken for a fault: books, payouts, what must hold over all accounts, quotes, events,
// entities.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { checkBookings } from './bookings.ts'
import { type BooksSeen, ofAccount, walkBooks } from './books.ts'
import { checkEntities } from './entities.ts'
import { matchPayouts, type PayoutsSeen } from './payouts.ts'
import { BadRow, type Problem } from './problem.ts'
import { checkPrices } from './quotes.ts'

export interface VerifyOptions {
  /** One account, or null for the whole installation. */
  readonly account_id: string | null
  /** Called as work is done: units of work so far and in all. */
  readonly progress?: (done: number, total: number) => void
}

/** Rows looked at, by what they are. */
export interface Checked {
  readonly accounts: number
  readonly journals: number
  readonly balances: number
  readonly balance_transactions: number
  readonly payouts: number
  readonly receipts: number
  readonly quotes: number
  readonly events: number
  readonly entities: number
  /** Minor units by currency over all books; zero each. Null when one account was verified. */
  readonly inter_account: Readonly<Record<string, bigint>> | null
  /** Minor units by currency on their way: in the books, and as open payouts say. */
  readonly in_transit: Readonly<Record<string, bigint>>
}

export type Verdict =
  | { readonly ok: true; readonly checked: Checked; readonly problem: null }
  | { readonly ok: false; readonly checked: null; readonly problem: Problem }

/** Ticks reported at once: a bar need not move with every row. */
const TICKS = 1_000

/** Verifies; a row that is wrong is the verdict, anything else that goes wrong is thrown. */
export async function verify(sql: Sql, options: VerifyOptions): Promise<Verdict> {
  try {
    const checked = await sql.begin('isolation level repeatable read read only', tx =>
      check(tx, options),
    )
    return { ok: true, checked, problem: null }
  } catch (error) {
    if (!(error instanceof BadRow)) throw error
    return { ok: false, checked: null, problem: error.problem }
  }
}

async function check(tx: TransactionSql, options: VerifyOptions): Promise<Checked> {
  const { account_id } = options
  // Long statements are meant here; sorts may use this much memory each before they go to disk.
  await tx.unsafe(`set local statement_timeout = 0; set local work_mem = '64MB';
    set local cursor_tuple_fraction = 1; set local jit = off`)
  const tick = await progressOf(tx, options)
  const books = await walkBooks(tx, account_id, tick)
  await checkBookings(tx, account_id)
  const payouts = await matchPayouts(tx, account_id, tick)
  if (account_id === null) checkInterAccount(books)
  checkInTransit(books, payouts, account_id)
  const quotes = await checkQuotes(tx, account_id)
  await checkPrices(tx, account_id)
  const events = await checkEvents(tx, account_id)
  const entities = await checkEntities(tx, account_id)
  return {
    accounts: books.accounts,
    journals: books.journals,
    balances: books.balances,
    balance_transactions: books.balance_transactions,
    payouts: payouts.payouts,
    receipts: payouts.receipts,
    quotes,
    events,
    entities,
    inter_account: account_id === null ? Object.fromEntries(books.inter_account) : null,
    in_transit: Object.fromEntries(books.in_transit),
  }
}

/** Every journal is passed twice, in the book's order and in the payouts'. */
async function progressOf(tx: TransactionSql, { account_id, progress }: VerifyOptions) {
  const [row] = await tx.unsafe<{ journals: string }[]>(
    `select coalesce(sum(journal_count), 0)::text as journals from books
      where ${ofAccount('account_id', account_id)}`,
    [account_id],
  )
  const total = 2 * Number(row?.journals ?? 0)
  let done = 0
  progress?.(0, total)
  return () => {
    done += 1
    if (done % TICKS === 0) progress?.(Math.min(done, total), total)
  }
}

/** What one account has sent another, the other has received. */
function checkInterAccount({ inter_account }: BooksSeen): void {
  for (const [currency, sum] of inter_account) {
    if (sum === 0n) continue
    const key = `inter_account ${currency} over all books`
    const table = 'journals'
    throw new BadRow({ table, account_id: '', key, expected: '0', found: `${sum}` })
  }
}

/** What the books have in transit is what open payouts are to deliver. */
function checkInTransit(books: BooksSeen, payouts: PayoutsSeen, account_id: string | null): void {
  for (const currency of new Set([...books.in_transit.keys(), ...payouts.in_transit.keys()])) {
    const found = books.in_transit.get(currency) ?? 0n
    const open = payouts.in_transit.get(currency) ?? 0n
    if (found === open) continue
    throw new BadRow({
      table: 'journals',
      account_id: account_id ?? '',
      key: `in_transit ${currency}`,
      expected: `${open}, the open payouts' destination amounts`,
      found: `${found}`,
    })
  }
}

/**
 * A used quote has the payout that used it; that payouts' quotes are used was checked with them.
 */
async function checkQuotes(tx: TransactionSql, account_id: string | null): Promise<number> {
  const [bad] = await tx.unsafe<{ account_id: string; id: string }[]>(
    `select q.account_id, q.id from quotes q
      where q.status = 'used' and ${ofAccount('q.account_id', account_id)} and not exists (
        select from payouts p where p.account_id = q.account_id
          and p.quote_id = coalesce(nullif(q.renewed_as, ''), q.id))
      order by q.account_id, q.id limit 1`,
    [account_id],
  )
  if (bad !== undefined) {
    const [expected, found] = ['a payout, the quote being used', 'none']
    throw new BadRow({ table: 'quotes', account_id: bad.account_id, key: bad.id, expected, found })
  }
  const [row] = await tx.unsafe<{ count: string }[]>(
    `select count(*)::text as count from quotes where ${ofAccount('account_id', account_id)}`,
    [account_id],
  )
  return Number(row?.count ?? 0)
}

interface EventGap {
  account_id: string
  event_count: bigint | null
  events: bigint
}

/** Sequences run from 1 to the book's event_count. The key is unique, so count and ends decide. */
async function checkEvents(tx: TransactionSql, account_id: string | null): Promise<number> {
  const [bad] = await tx.unsafe<EventGap[]>(
    `select coalesce(b.account_id, e.account_id) as account_id, b.event_count,
        coalesce(e.events, 0) as events
      from (select * from books where ${ofAccount('account_id', account_id)}) b
      full join (
        select account_id, count(*) as events, min(sequence) as first, max(sequence) as last
        from events where ${ofAccount('account_id', account_id)} group by account_id
      ) e on e.account_id = b.account_id
      where b.event_count is distinct from coalesce(e.events, 0)
        or e.first <> 1 or e.last <> e.events
      order by 1 limit 1`,
    [account_id],
  )
  if (bad !== undefined) throw await eventProblem(tx, bad)
  const [row] = await tx.unsafe<{ count: string }[]>(
    `select count(*)::text as count from events where ${ofAccount('account_id', account_id)}`,
    [account_id],
  )
  return Number(row?.count ?? 0)
}

/** Names the first number that is missing, or the first beyond the book's count. */
async function eventProblem(tx: TransactionSql, gap: EventGap): Promise<BadRow> {
  const { account_id } = gap
  const [first] = await tx.unsafe<{ expected: bigint; found: bigint }[]>(
    `select expected, found from (
        select sequence as found, row_number() over (order by sequence) as expected
        from events where account_id = $1
      ) numbered where found <> expected order by found limit 1`,
    [account_id],
  )
  const missing = first?.expected ?? gap.events + 1n
  const count = gap.event_count ?? 0n
  const [key, expected, found] =
    missing <= count
      ? [missing, `an event, the book counting ${count}`, `sequence ${first?.found ?? 'ends'}`]
      : [count + 1n, `no more than the ${count} events of the book`, `${gap.events}`]
  return new BadRow({ table: 'events', account_id, key: `sequence ${key}`, expected, found })
}
