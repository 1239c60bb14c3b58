// Reads exceptions of lines and items, and the notes of people on them.
import { readManyRows, type Sql } from '../../sql/connect.ts'
import { type Fragment, sql, type Tag } from '../../sql/sql.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import type { Instant } from '../../values/instant.ts'
import { sinceOpen, unassigned } from '../balance-store.ts'
import type { DueDays, ExceptionKind, TreasuryException } from './exception.ts'

/** Which cases are wanted: all, or the oldest ones that fit. */
type Wanted = ExceptionFilter & { readonly most: number }

/**
 * `cases`: each open line and item that is an exception. An item without a nostro is one from the
 * day on that a nostro in its currency has been open. Of those that are wanted it has at least the
 * oldest of each nostro, and reads few others.
 */
function cases(days: readonly DueDays[], wanted?: Wanted): Fragment {
  return sql`
    due (name, currency, missing, stale) as materialized (
      select * from unnest(${days.map(one => one.name)}::text[],
        ${days.map(one => one.currency)}::text[], ${days.map(one => one.missing)}::text[]::date[],
        ${days.map(one => one.stale)}::text[]::date[])),
    lines as materialized (
      select l.*, d.currency as expected, d.stale, k.keys,
        array(select fold_reference(key) from unnest(k.keys) as u (key)) as folded,
        array(select lower(key) from unnest(k.keys) as u (key)) as lowered
      from due d cross join lateral (
        select * from bank_lines l where l.nostro = d.name and l.match is null
        ${oldest('l', 'booked_on', wanted)}) l
      cross join lateral (select array(select key from unnest(array[l.end_to_end_id, l.uetr,
        l.instruction, l.block, l.file, l.bank_reference]) as u (key)
        where length(key) >= 6) as keys) k),
    cases as (
      select l.nostro, case
          when l.currency <> l.expected then 'wrong_currency'
          when h.elsewhere then 'wrong_nostro'
          when h.other_amount and not h.twin then 'amount_differs'
          when h.twin or t.twice then 'duplicate_line'
          when l.amount < 0 then 'unknown_debit'
          when l.booked_on <= l.stale then 'stale_suspense'
          else 'unknown_credit' end as kind,
        'line' as of, l.id as number, l.amount, l.currency, l.booked_on as since, 1 as count
      from lines l
      cross join lateral (${hits()}) h
      cross join lateral (
        select exists (select from bank_lines o where o.nostro = l.nostro and o.same = l.same
          and o.id <> l.id) as twice) t
      union all
      ${itemCases(wanted)})`
}

/**
 * Items that are late at their bank, and those without a nostro: those that are wanted; or, to
 * count them, sums of days.
 */
function itemCases(wanted: Wanted | undefined): Fragment {
  const kind = (is_out: Fragment) =>
    sql`case when ${is_out} then 'missing_debit' else 'missing_credit' end`
  if (wanted === undefined) {
    return sql`
      select d.nostro, coalesce(d.kind, 'unassigned'), 'item', 0, d.amount, d.currency, d.day,
        d.count
      from (
        select o.nostro, o.currency, o.day, sum(o.count) as count, sum(o.amount) as amount,
          case when o.nostro <> '' then ${kind(sql`o.is_out`)} end as kind
        from open_days o left join due d on d.name = o.nostro
        where o.day <= d.missing or o.nostro = '' and ${sinceOpen('o.day', 'o.currency')}
        group by o.nostro, o.currency, o.day, o.is_out having sum(o.count) > 0) d`
  }
  return sql`
    select d.name, ${kind(sql`i.amount < 0`)}, 'item', i.id, i.amount, d.currency, i.value_on, 1
    from due d cross join lateral (
      select i.id, i.amount, i.value_on from nostro_items i
      where i.nostro = d.name and i.match is null and i.value_on <= d.missing
      ${oldest('i', 'value_on', wanted)}) i
    union all
    select '', 'unassigned', 'item', i.id, i.amount, i.currency, i.value_on, 1 from nostro_items i
    where ${unassigned()}`
}

/** The end of a statement that reads open lines \`l\` or items \`i\` of a nostro. */
function oldest(alias: 'l' | 'i', day: string, wanted: Wanted | undefined): Fragment {
  if (wanted === undefined) return sql``
  const { kind, owner, most } = wanted
  const own =
    owner === ''
      ? sql``
      : sql`and ${ownerOf(alias === 'l' ? 'line' : 'item', sql`${sql(alias)}.id`)} = ${owner}`
  const bound = alias === 'i' ? itemsOf(kind) : kind === '' ? sql`true` : undefined
  // The kind of a line is known only behind its keys, so a filter by it reads all open lines.
  if (bound === undefined) return own
  return sql`and ${bound} ${own}
    order by ${sql(alias)}.${sql(day)}, ${sql(alias)}.id limit ${most}::integer`
}

function itemsOf(kind: ExceptionFilter['kind']): Fragment {
  if (kind === '') return sql`true`
  if (kind === 'missing_debit') return sql`i.amount < 0`
  return kind === 'missing_credit' ? sql`i.amount > 0` : sql`false`
}

/** Who looks after a case; null for nobody. */
const ownerOf = (of: 'line' | 'item', id: Fragment) => sql`(
  select owner from case_notes where of = ${of} and row_id = ${id} and owner <> ''
  order by case_notes.id desc limit 1)`

/**
 * Whether open items have a key of the line `l`: on another nostro, of another amount, or of the
 * same. Row-level security allows no function in a condition of an index, so `l` has each spelling
 * of its keys.
 */
function hits(): Fragment {
  const by = (column: string, spelling: string) => sql`
    (select i.id, i.nostro, i.amount from nostro_items i
    where (i.nostro <> '') is true and i.match is null and i.${sql(column)} <> ''
      and i.${sql(column)} = k.${sql(spelling)} and (sign(i.amount) = sign(l.amount)) is true
    limit 20)`
  return sql`
    select bool_or(i.nostro <> l.nostro and i.amount = l.amount) as elsewhere,
      bool_or(i.nostro = l.nostro and i.amount <> l.amount) as other_amount,
      bool_or(i.nostro = l.nostro and i.amount = l.amount) as twin
    from unnest(l.keys, l.folded, l.lowered) as k (key, folded, lowered)
    cross join lateral (${by('key', 'folded')} union all ${by('uetr', 'lowered')}
      union all ${by('block', 'key')}) i
    where not exists (
      select from matches m where m.nostro = l.nostro and m.undone_at is not null
        and l.id = any (m.lines) and i.id = any (m.items))`
}

export interface ExceptionFilter {
  /** '' for those of all. */
  readonly nostro: string
  readonly kind: ExceptionKind | ''
  readonly owner: string
}

/** Exceptions of lines and items, the oldest first. */
export async function listCases(
  audit: Tag,
  days: readonly DueDays[],
  filter: ExceptionFilter,
  limit: number,
): Promise<TreasuryException[]> {
  const { nostro, kind, owner } = filter
  return audit<TreasuryException[]>`
    with ${cases(days, { ...filter, most: limit })}
    select c.nostro, c.kind, c.of, c.number, c.amount::bigint as amount, c.currency,
      c.since::text as since, coalesce(i.payout_id, '') as payout_id,
      coalesce(o.owner, '') as owner,
      coalesce(n.note, '') as note
    from (
      select * from cases c
      where (${nostro} = '' or c.nostro = ${nostro}) and (${kind} = '' or c.kind = ${kind})
        and (${owner} = '' or (
          select owner from case_notes where of = c.of and row_id = c.number and owner <> ''
          order by id desc limit 1) = ${owner})
      order by c.since, c.of, c.number limit ${limit}::integer) c
    left join nostro_items i on c.of = 'item' and i.id = c.number
    left join lateral (select owner from case_notes where of = c.of and row_id = c.number
      and owner <> '' order by id desc limit 1) o on true
    left join lateral (select note from case_notes where of = c.of and row_id = c.number
      order by id desc limit 1) n on true
    order by c.since, c.of, c.number`
}

/**
 * Folds the sums of open items by day, to which each statement has added rows. Does nothing while
 * another process does.
 */
export async function foldOpenDays(sql: Sql): Promise<void> {
  await sql.begin(async tx => {
    void readManyRows(tx)
    await tx`select fold_open_days()`
  })
}

/** How many exceptions there are, their sum in minor units, and the day of the oldest. */
export interface CaseCount {
  readonly nostro: string
  readonly kind: ExceptionKind
  readonly count: number
  readonly amount: bigint
  readonly oldest: IsoDate
}

/** The transaction acts for the house, or reads as the auditor. */
export async function countCases(tx: Tag, days: readonly DueDays[]): Promise<CaseCount[]> {
  return tx<CaseCount[]>`
    with ${cases(days)}
    select nostro, kind, sum(count)::integer as count, sum(amount)::bigint as amount,
      min(since)::text as oldest
    from cases group by nostro, kind order by nostro, kind`
}

/** A note of a person. */
export interface CaseNote {
  readonly at: Instant
  readonly of: 'line' | 'item' | 'statement'
  readonly row_id: bigint
  readonly by: string
  /** Who looks after it from now on; '' changes nothing. */
  readonly owner: string
  readonly note: string
}

const TABLES = { line: 'bank_lines', item: 'nostro_items', statement: 'bank_statements' } as const

export async function isCase(audit: Tag, of: CaseNote['of'], row_id: bigint): Promise<boolean> {
  const [row] = await audit<{ found: boolean }[]>`
    select exists (select from ${audit(TABLES[of])} where id = ${row_id}) as found`
  return row?.found === true
}

/** Stores a note. False when there is no such row. */
export async function insertNote(
  tx: Tag,
  note: Omit<CaseNote, 'at'> & { readonly proposes?: string },
): Promise<boolean> {
  const { of, row_id, by, owner, proposes = '' } = note
  const { count } = await tx`
    insert into case_notes (of, row_id, by, owner, note, proposes)
    select ${of}, id, ${by}, ${owner}, ${note.note}, ${proposes}
    from ${tx(TABLES[of])} where id = ${row_id}`
  return count === 1
}

/** The notes on a row, the newest first, at most 100. */
export async function listNotes(audit: Tag, of: CaseNote['of'], row_id: bigint) {
  return audit<CaseNote[]>`
    select at, of, row_id, by, owner, note from case_notes
    where of = ${of} and row_id = ${row_id} order by id desc limit 100`
}
