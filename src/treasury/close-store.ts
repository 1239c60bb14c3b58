// The SQL statements of closed months.
import { sql as part, type Tag } from '../sql/sql.ts'
import type { Instant } from '../values/instant.ts'
import { unassigned } from './balance-store.ts'
import { accountsBehind } from './item-store.ts'

export interface Close {
  readonly month: string
  readonly at: Instant
  readonly by: string
  readonly cuts: string
  readonly sha256: string
}

/** The newest first. */
export function listCloses(sql: Tag): Promise<Close[]> {
  return sql<Close[]>`
    select month, at, by, encode(cuts, 'hex') as cuts, encode(sha256, 'hex') as sha256
    from closes order by month desc`
}

/** Why the month cannot close yet, in order; each row is one thing to do. */
export function listBlockers(sql: Tag, month: string) {
  return sql<{ what: string; name: string; nostro: string }[]>`
    with bounds as (
      select ${`${month}-01`}::date as first,
        (${`${month}-01`}::date + interval '1 month')::date as next)
    select what, name, nostro from (
      select 1 as place, 'behind' as what, account_id as name, '' as nostro
      from (${accountsBehind(part`(select next from bounds)`)}) b
      union all
      select 2, 'statement_missing', n.name, n.name from nostros n cross join bounds
      where n.kind in ('bank', 'provider') and n.opening_on < bounds.next
        and (n.closed_at is null or n.closed_at >= bounds.next::timestamp at time zone 'UTC')
        and not exists (select from bank_statements s
          where s.nostro = n.name and s.closed_on >= bounds.next - 1)
      union all
      select 3, 'not_proved', s.nostro || ' ' || s.closed_on, s.nostro
      from bank_statements s cross join bounds
      where s.state <> 'proved' and not exists (select from bank_statements e
        where e.nostro = s.nostro and e.closed_on >= bounds.next - 1 and e.closed_on < s.closed_on)
      union all
      select 4, 'line_without_note', 'line_' || l.id, l.nostro from bank_lines l cross join bounds
      where l.match is null and l.booked_on < bounds.next and not exists (
        select from case_notes c where c.of = 'line' and c.row_id = l.id)
      union all
      select 5, 'item_without_note', 'item_' || i.id, i.nostro from nostro_items i cross join bounds
      where i.match is null and (i.nostro <> '' or ${unassigned()})
        and i.value_on < bounds.next and not exists (
          select from case_notes c where c.of = 'item' and c.row_id = i.id)) blockers
    order by place, name limit 1000`
}

/** SHA-256, in hex, of how far the journals of each account are derived. */
export async function digestCuts(audit: Tag): Promise<string> {
  const [row] = await audit<{ cuts: string }[]>`
    select encode(sha256(convert_to(coalesce(string_agg(account_id || ' ' || number, E'\n'
      order by account_id), ''), 'UTF8')), 'hex') as cuts from account_cursors`
  return row?.cuts ?? ''
}

/**
 * Closes the month, which must be over. `trial_balance` is of its end, with the journals of the
 * house by value date; `positions` are of the moment of closing.
 */
export async function insertClose(
  sql: Tag,
  close: {
    readonly month: string
    readonly by: string
    /** As `digestCuts` gives it. */
    readonly cuts: string
    readonly trial_balance: readonly object[]
    readonly positions: readonly object[]
  },
): Promise<Close> {
  const { month, by, cuts } = close
  const texts = [close.trial_balance, close.positions].map(rows => JSON.stringify(rows))
  const [trial_balance = '', positions = ''] = texts
  const [row] = await sql<Close[]>`
    with cut as (select decode(${cuts}, 'hex') as cuts)
    insert into closes (month, by, cuts, trial_balance, positions, sha256)
    select ${month}, ${by}, cuts, ${trial_balance}::text::jsonb, ${positions}::text::jsonb,
      close_digest(${month}, cuts, ${trial_balance}::text::jsonb, ${positions}::text::jsonb)
    from cut
    returning month, at, by, encode(cuts, 'hex') as cuts, encode(sha256, 'hex') as sha256`
  if (row === undefined) throw new Error('a closed month without a row')
  return row
}
