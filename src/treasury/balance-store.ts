// The SQL statements of balances: what each bank has, what the books have, and the open lines and
// items that are the difference; and the trial balance over all books.
import { sql as part, type Tag } from '../sql/sql.ts'
import type { Instant } from '../values/instant.ts'
import type { Nostro } from './nostro.ts'

/** Minor units. bank - book = open_lines - open_items, at every instant. */
export interface Position {
  readonly nostro: string
  readonly currency: string
  readonly purpose: Nostro['purpose']
  readonly pool: Nostro['pool']
  readonly bank: bigint
  readonly book: bigint
  readonly open_lines: bigint
  readonly open_items: bigint
  readonly open_lines_count: bigint
  readonly open_items_count: bigint
  /** The days of the oldest open line and item; null without one. */
  readonly oldest_line: string | null
  readonly oldest_item: string | null
  /** The day up to which statements say what the bank has; null before the first. */
  readonly stated_on: string | null
  /** Whether all statements from the opening on form one chain of balances. */
  readonly proved: boolean
}

/**
 * Whether the lines of the nostro `n` sum to the closing balance that its bank has said last. They
 * do not when a corrected statement has brought a line again.
 */
export function agreesWithBank(sql: Tag) {
  return sql`(
    select coalesce(last.closing = n.opening_balance + coalesce((
      select amount from nostro_totals where nostro = n.name and side = 'bank'
        and currency = n.currency), 0) - coalesce((
      -- The end makes PostgreSQL plan a short range: few lines come behind the last balance.
      select sum(amount) from bank_lines where nostro = n.name and currency = n.currency
        and booked_on > last.closed_on and booked_on < 'infinity'), 0), true)
    from (select 1) one
    left join lateral (
      select closing, closed_on from bank_statements where nostro = n.name and state = 'proved'
      order by closed_on desc, id desc limit 1) last on true)`
}

/**
 * By name, without those that are closed. It reads sums, and of the open rows the oldest alone.
 */
export function listPositions(sql: Tag): Promise<Position[]> {
  const total = (side: string, currency = part`and t.currency = n.currency`) => part`
    left join lateral (
      select coalesce(sum(t.amount), 0) as amount, coalesce(sum(t.count), 0) as count
      from nostro_totals t where t.nostro = n.name and t.side = ${side} ${currency})`
  return sql<Position[]>`
    select n.name as nostro, n.currency, n.purpose, n.pool,
      (n.opening_balance + bank.amount)::bigint as bank,
      (n.opening_balance + book.amount)::bigint as book,
      (bank.amount - lines.amount)::bigint as open_lines,
      (book.amount - items.amount)::bigint as open_items,
      (all_lines.count - all_matched.count)::bigint as open_lines_count,
      (book.count - items.count)::bigint as open_items_count,
      (select min(booked_on) from bank_lines where nostro = n.name and match is null)::text
        as oldest_line,
      (select min(value_on) from nostro_items where nostro = n.name and match is null)::text
        as oldest_item,
      s.stated_on::text, coalesce(s.proved, false) as proved
    from nostros n
    ${total('bank')} bank on true ${total('book')} book on true
    ${total('matched_lines')} lines on true ${total('matched_items')} items on true
    ${total('bank', part``)} all_lines on true
    ${total('matched_lines', part``)} all_matched on true
    left join lateral (select max(closed_on) as stated_on,
        bool_and(state = 'proved') and ${agreesWithBank(sql)} as proved
      from bank_statements where nostro = n.name) s on true
    where n.closed_at is null order by n.name`
}

/** Whether one `n` of the nostros among these was open in the currency on the day. */
export const sinceOpen = (day: string, currency: string, among = part`true`) =>
  part`${part.unsafe(day)} >= (select min(n.opening_on) from nostros n
    where n.currency = ${part.unsafe(currency)} and n.closed_at is null and ${among})`

/** Whether the item `i` has no nostro, though one `n` among these was open in its currency then. */
export const unassigned = (among = part`true`) => part`i.nostro = '' and i.match is null
  and ${sinceOpen('i.value_on', 'i.currency', among)}`

/** Items that no nostro is known for, by currency and rail. */
export async function sumUnassigned(sql: Tag) {
  return sql<{ currency: string; rail: string; items: bigint; amount: bigint }[]>`
    select i.currency, i.rail, count(*) as items, sum(i.amount)::bigint as amount
    from nostro_items i where ${unassigned()}
    group by i.currency, i.rail order by i.currency, i.rail`
}

/** Minor units, signed: what is owed is positive, what is held is negative. */
export interface Sum {
  /** '' for the house. */
  readonly account_id: string
  readonly currency: string
  readonly code: string
  readonly amount: bigint
}

/** By currency and code: the trial balance. Each currency sums to zero. */
export function trialBalance(
  sql: Tag,
  at: Instant,
  house: HouseCut = 'written',
): Promise<Omit<Sum, 'account_id'>[]> {
  return sql<Sum[]>`
    ${sumsAt(at, house)}
    select currency, code, sum(amount)::bigint as amount from sums
    group by currency, code having sum(amount) <> 0 order by currency, code`
}

/** What accounts have on these codes, by account, currency and code. */
export function sumsOfAccounts(
  sql: Tag,
  at: Instant,
  codes: readonly string[],
  limit: number,
): Promise<Sum[]> {
  return sql<Sum[]>`
    ${sumsAt(at)}
    select account_id, currency, code, sum(amount)::bigint as amount from sums
    where code = any (${[...codes]}::text[]) and account_id <> ''
    group by account_id, currency, code having sum(amount) <> 0
    order by account_id, currency, code limit ${limit}`
}

/** Journals of the house come before an instant by when they were written, or by value date. */
export type HouseCut = 'written' | 'value_date'

/**
 * The sums of all positions before this instant: full days, the journals of its day that are
 * derived, and journals of the house. Each currency sums to zero over all of them.
 */
export function sumsAt(at: Instant, house: HouseCut = 'written') {
  return part`
    with cut as (
      select ${at}::timestamptz as at, (${at}::timestamptz at time zone 'UTC')::date as day),
    last_day as (
      select d.account_id, max(d.number) as upto from account_days d, cut where d.day = cut.day
      group by d.account_id),
    sums as (
      select d.account_id, d.currency, d.code, d.amount from account_days d, cut
      where d.day < cut.day
      union all
      select l.account_id, p.currency, p.code, p.amount
      from last_day l cross join cut
      left join lateral (
        select max(d.number) as number from account_days d
        where d.account_id = l.account_id and d.day = (
          select max(b.day) from account_days b
          where b.account_id = l.account_id and b.day < cut.day)
      ) before on true
      join journals j on j.account_id = l.account_id and j.number > coalesce(before.number, 0)
        and j.number <= l.upto and j.created_at < cut.at
      cross join unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '),
        j.amounts) as p (code, currency, amount)
      union all
      select '', p.currency, p.code, p.amount
      from house_journals h cross join cut
      cross join unnest(string_to_array(h.codes, ' '), string_to_array(h.currencies, ' '),
        h.amounts) as p (code, currency, amount)
      where ${house === 'written' ? part`h.created_at < cut.at` : part`h.value_on < cut.day`})`
}
