// The SQL statements that derive sums of days and items from the journals of accounts. `corridor
// verify` derives both again by the same texts.
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { sql as part, type Statement } from '../sql/sql.ts'
import { LINE_SOURCE } from './funding-key.ts'

/** A part of a book: journals with numbers from after `from` to `to`. */
export interface Stretch {
  readonly account_id: string
  readonly from: bigint
  readonly to: bigint
}

/** Live accounts after this one with journals that are not derived. Sandboxes have no money. */
export async function listBehind(finder: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await finder<{ account_id: string }[]>`
    select b.account_id from books b left join account_cursors c using (account_id)
    where not b.sandbox and b.journal_count > coalesce(c.number, 0)
      and b.account_id > ${after}
    order by b.account_id limit ${limit}`
  return rows.map(row => row.account_id)
}

/** Journals that are not derived, over all live accounts. */
export async function countBehind(finder: Sql): Promise<bigint> {
  const [row] = await finder<{ behind: bigint }[]>`
    select coalesce(sum(b.journal_count - coalesce(c.number, 0)), 0)::bigint as behind
    from books b left join account_cursors c using (account_id) where not b.sandbox`
  return row?.behind ?? 0n
}

/** Whether no other transaction derives. The turn ends with the transaction. */
export async function takeTurn(tx: TransactionSql): Promise<boolean> {
  const [row] = await tx<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended('corridor treasury', 0)) as taken`
  return row?.taken === true
}

/** Live accounts with a journal from before this day of UTC, a fragment, that is not derived. */
export const accountsBehind = (day: Statement) => part`
  select b.account_id
  from books b join accounts a using (account_id) left join account_cursors c using (account_id)
  where not a.sandbox and b.journal_count > coalesce(c.number, 0) and exists (
    select from journals j where j.account_id = b.account_id
      and j.number = coalesce(c.number, 0) + 1
      and j.created_at < (${day})::timestamp at time zone 'UTC')`

/** Locks the cursors of these accounts, which the transaction is confined to. */
export async function lockStretches(
  tx: TransactionSql,
  account_ids: readonly string[],
): Promise<Stretch[]> {
  await tx`
    insert into account_cursors (account_id, number)
    select id, 0 from unnest(${[...account_ids]}::text[]) as id order by id
    on conflict (account_id) do nothing`
  await tx`
    select from account_cursors where account_id = any (${[...account_ids]}::text[])
    order by account_id for update`
  return tx<Stretch[]>`
    select c.account_id, c.number as from, b.journal_count as to
    from account_cursors c join books b using (account_id)
    where c.account_id = any (${[...account_ids]}::text[]) and b.journal_count > c.number
    order by c.account_id`
}

/** The postings of journals in stretches, summed by account, day, currency and code. */
export const DAYS = `
  select (j.created_at at time zone 'UTC')::date as day, j.account_id, p.currency, p.code,
    sum(p.amount) as amount, count(*) as postings, max(j.number) as number
  from stretches s
  join journals j on j.account_id = s.account_id and j.number > s.after and j.number <= s.upto
  cross join unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '), j.amounts)
    as p (code, currency, amount)
  group by 1, 2, 3, 4`

/**
 * For each currency and rail, the nostro that its payouts leave from; for rail '', that of
 * bookings: the only open one of clients' money. Two candidates are none, and a person says which.
 */
export const CHOSEN = `
  select currency, rail, min(name) as nostro, min(opening_on) as opening_on
  from (
    select currency, unnest(rails) as rail, name, opening_on from nostros where closed_at is null
    union all
    select currency, '', name, opening_on from nostros
    where closed_at is null and purpose = 'client') as candidates
  group by currency, rail having count(*) = 1`

/**
 * The nostros by `currency rail` and by `name currency`, as two objects in one row, from `chosen`.
 * An item looks its nostro up in them: a planner that expects few journals would compare each item
 * with each nostro.
 */
const NOSTRO_MAPS = `
  select
    coalesce((select jsonb_object_agg(currency || ' ' || rail,
      jsonb_build_object('nostro', nostro, 'opening_on', opening_on)) from chosen), '{}')
      as by_rail,
    coalesce((select jsonb_object_agg(name || ' ' || currency,
      jsonb_build_object('nostro', name, 'opening_on', opening_on)) from nostros), '{}')
      as by_name`

/**
 * The items of journals in stretches. The amount is the opposite of the posting on `settled` or
 * `funding`: money in is positive. The keys are those of the attempt that paid.
 */
export const ITEMS = `
  select -p.amount as amount, j.created_at as booked_at, j.number,
    (j.created_at at time zone 'UTC')::date as value_on, a.number as attempt,
    case when (j.created_at at time zone 'UTC')::date >= (n.found ->> 'opening_on')::date
      then n.found ->> 'nostro' else '' end as nostro, p.currency,
    case j.kind when 'settlement' then 'payout' when 'reversal' then 'payout_return'
      else j.kind end as kind, j.account_id,
    case when j.kind in ('settlement', 'reversal') then j.source else '' end as payout_id,
    coalesce(o.rail, '') as rail,
    case when j.kind in ('settlement', 'reversal')
      then fold_reference(coalesce(i.end_to_end_id, o.rail_reference, ''))
      else fold_reference(coalesce(j.metadata ->> 'reference', '')) end as key,
    coalesce(a.uetr, '') as uetr,
    coalesce(i.instruction_id, 'line_' || substring(j.source from '${LINE_SOURCE}'), '')
      as instruction,
    coalesce(i.payment_information_id, '') as block, coalesce(i.msg_id, '') as file
  from stretches s
  join journals j on j.account_id = s.account_id and j.number > s.after and j.number <= s.upto
    and (' ' || j.codes || ' ') ~ ' (settled|funding) '
  join lateral unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '), j.amounts)
    as p (code, currency, amount) on p.code in ('settled', 'funding')
  left join payout_outcomes o on o.account_id = j.account_id and o.id = j.source
    and j.kind in ('settlement', 'reversal')
  left join payout_attempts a on a.account_id = o.account_id and a.payout_id = o.id
    and a.ended_as in ('paid', 'returned')
  left join rail_items i on i.account_id = a.account_id and i.payout_id = a.payout_id
    and i.attempt = a.number
  cross join nostro_maps m
  cross join lateral (
    select coalesce(m.by_name -> ((j.metadata ->> 'nostro') || ' ' || p.currency),
      m.by_rail -> (p.currency || ' ' || coalesce(o.rail, ''))) as found) n`

const ITEM_COLUMNS = `amount, booked_at, number, value_on, attempt, nostro, currency, kind,
  account_id, payout_id, rail, key, uetr, instruction, block, file`

function stretchesOf(stretches: readonly Stretch[]) {
  return part`
    with stretches (account_id, after, upto) as (
      select * from unnest(${stretches.map(s => s.account_id)}::text[],
        ${stretches.map(s => String(s.from))}::bigint[],
        ${stretches.map(s => String(s.to))}::bigint[])),
    chosen as materialized (${part.unsafe(CHOSEN)}),
    nostro_maps as materialized (${part.unsafe(NOSTRO_MAPS)})`
}

/** Adds the sums and the items of the stretches, and moves the cursors. Returns the items made. */
export async function deriveStretches(
  tx: TransactionSql,
  stretches: readonly Stretch[],
): Promise<number> {
  const [, items] = await Promise.all([
    tx`
      ${stretchesOf(stretches)}
      insert into account_days as d (day, account_id, currency, code, amount, postings, number)
      ${part.unsafe(DAYS)} order by account_id, day, currency, code
      on conflict (account_id, day, currency, code)
        do update set amount = d.amount + excluded.amount,
          postings = d.postings + excluded.postings, number = excluded.number`,
    tx`
      ${stretchesOf(stretches)}
      insert into nostro_items (${part.unsafe(ITEM_COLUMNS)})
      select ${part.unsafe(ITEM_COLUMNS)} from (${part.unsafe(ITEMS)}) items
      order by account_id, number`,
    tx`
      update account_cursors c set number = s.upto
      from unnest(${stretches.map(s => s.account_id)}::text[],
        ${stretches.map(s => String(s.to))}::bigint[]) as s (account_id, upto)
      where c.account_id = s.account_id`,
  ])
  return items.count
}

/**
 * Gives a nostro to up to `limit` items without one, because a nostro was added or changed since.
 * The transaction acts for the house. Returns how many.
 */
export async function assignItems(tx: TransactionSql, limit: number): Promise<number> {
  const { count } = await tx`
    with chosen as materialized (${part.unsafe(CHOSEN)})
    update nostro_items i set nostro = f.nostro from (
      select i.id, c.nostro from nostro_items i
      join chosen c on c.currency = i.currency and c.rail = i.rail
        and i.value_on >= c.opening_on
      where i.nostro = '' and i.match is null limit ${limit}) f
    where i.id = f.id`
  return count
}
