// Writes and undoes matches. Triggers check that a match has the members that it names, of one
// nostro and one currency, and that their sums are equal (migrations/0019).
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { Contention } from '../../sql/failure.ts'
import type { Tag } from '../../sql/sql.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import type { Instant } from '../../values/instant.ts'
import { actForTheHouse } from '../nostro-store.ts'
import type { MatchRule, NewMatch, StoredMatch } from './match.ts'

/** A person waits this long for the matcher of the nostro. */
const PERSON_WAITS = '30s'

/** Another matcher of the nostro is at work. */
export class MatcherBusy extends Error {}

/**
 * Runs `work` in a transaction that sees the items of all accounts, and nothing else of them. One
 * at a time does so for a nostro.
 * @throws MatcherBusy when another one is at work and `waits` is false
 */
export function asMatcher<T>(
  sql: Sql,
  { nostro, waits }: { readonly nostro: string; readonly waits: boolean },
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return sql.begin(async tx => {
    void actForTheHouse(tx)
    if (waits) {
      await waitForMatchers(tx, nostro)
    } else {
      const [row] = await tx<{ taken: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtextextended(${turnOf(nostro)}, 0)) as taken`
      if (row?.taken !== true) throw new MatcherBusy(`${nostro} is being matched`)
    }
    return work(tx)
  })
}

const turnOf = (nostro: string) => `corridor match ${nostro}`

/**
 * Takes the turn of the nostro's matchers until the transaction ends: before any row, and before
 * the turn of the house, so that nobody waits for each other.
 */
export async function waitForMatchers(tx: TransactionSql, nostro: string): Promise<void> {
  await tx`select set_config('lock_timeout', ${PERSON_WAITS}, true),
    pg_advisory_xact_lock(hashtextextended(${turnOf(nostro)}, 0))`
}

/** The nostro of a match, or of the first of these members; undefined for unknown ones. */
export async function findNostroOf(
  tx: TransactionSql,
  {
    lines = [],
    items = [],
    match = 0n,
  }: {
    readonly lines?: readonly bigint[]
    readonly items?: readonly bigint[]
    readonly match?: bigint
  },
): Promise<string | undefined> {
  const [row] = await tx<{ nostro: string }[]>`
    select nostro from bank_lines where id = any (${texts(lines)}::text[]::bigint[])
    union all
    select nostro from nostro_items where id = any (${texts(items)}::text[]::bigint[])
    union all
    select nostro from matches where id = ${match}::bigint
    limit 1`
  return row?.nostro
}

const texts = (numbers: readonly bigint[]) => numbers.map(String)
const arrayOf = (numbers: readonly bigint[]) => `{${numbers.join(',')}}`

/**
 * Writes matches, and gives each line and item its match. Returns the ids of the matches.
 * @throws Contention when a member has got another match meanwhile
 */
export async function writeMatches(
  tx: TransactionSql,
  matches: readonly NewMatch[],
): Promise<bigint[]> {
  if (matches.length === 0) return []
  const rows = await tx<{ id: bigint }[]>`
    select nextval('match_ids') as id from generate_series(1, ${matches.length}::integer)`
  const ids = rows.map(({ id }) => id)
  const members = (side: 'lines' | 'items') =>
    matches.flatMap((match, i) => match[side].map(id => ({ id, match: ids[i] as bigint })))
  await take(tx, 'bank_lines', members('lines'))
  await take(tx, 'nostro_items', members('items'))
  await tx`
    insert into matches (id, nostro, rule, by, note, lines, items, lines_sum, items_sum,
      house_number)
    select id, nostro, rule, by, note, lines::bigint[], items::bigint[], sum, sum, house_number
    from unnest(${texts(ids)}::text[]::bigint[], ${matches.map(one => one.nostro)}::text[],
      ${matches.map(one => one.rule)}::text[], ${matches.map(one => one.by)}::text[],
      ${matches.map(one => one.note)}::text[], ${matches.map(one => arrayOf(one.lines))}::text[],
      ${matches.map(one => arrayOf(one.items))}::text[],
      ${matches.map(one => String(one.sum))}::text[]::bigint[],
      ${matches.map(one => String(one.house_number ?? 0n))}::text[]::bigint[])
      as m (id, nostro, rule, by, note, lines, items, sum, house)
    cross join lateral (select nullif(house, 0) as house_number) h`
  return ids
}

/** A line or an item, as a match needs it. */
export interface Member {
  readonly id: bigint
  readonly nostro: string
  readonly currency: string
  readonly amount: bigint
  readonly value_on: IsoDate
  /** The live match that has it; null for an open one. */
  readonly match: bigint | null
}

/** Lines or items by number, locked until the transaction ends. Unknown numbers have no row. */
export async function lockMembers(
  tx: TransactionSql,
  kind: 'line' | 'item',
  numbers: readonly bigint[],
): Promise<Member[]> {
  const table = kind === 'line' ? 'bank_lines' : 'nostro_items'
  return tx<Member[]>`
    select id, nostro, currency, amount, value_on::text as value_on, match from ${tx(table)}
    where id = any (${texts(numbers)}::text[]::bigint[]) order by id for no key update`
}

async function take(
  tx: TransactionSql,
  table: 'bank_lines' | 'nostro_items',
  members: readonly { readonly id: bigint; readonly match: bigint }[],
): Promise<void> {
  if (members.length === 0) return
  const ids = texts(members.map(one => one.id))
  // The planner may believe that no row is open. With `match is null` as a condition of the
  // update, it then reads all open rows again for each member.
  const { count } = await tx`
    with held as materialized (
      select match from ${tx(table)} where id = any (${ids}::text[]::bigint[])
      for no key update)
    update ${tx(table)} t set match = m.match
    from unnest(${ids}::text[]::bigint[],
      ${texts(members.map(one => one.match))}::text[]::bigint[]) as m (id, match)
    where t.id = m.id and not exists (select from held where match is not null)`
  if (count !== members.length) throw new Contention('a member has another match')
}

/** The match, locked until the transaction ends; undefined for an unknown number. */
export async function lockMatch(tx: TransactionSql, id: bigint): Promise<StoredMatch | undefined> {
  const [row] = await tx<MatchRow[]>`
    select id, nostro, rule, by, note, lines::text[] as lines, items::text[] as items,
      lines_sum as sum, house_number, at, undone_at
    from matches where id = ${id} for no key update`
  if (row === undefined) return undefined
  return { ...row, lines: row.lines.map(BigInt), items: row.items.map(BigInt) }
}

interface MatchRow {
  readonly id: bigint
  readonly nostro: string
  readonly rule: MatchRule
  readonly by: string
  readonly note: string
  readonly lines: readonly string[]
  readonly items: readonly string[]
  readonly sum: bigint
  readonly house_number: bigint | null
  readonly at: Instant
  readonly undone_at: Instant | null
}

/** Marks a match as undone, and gives its members back. */
export async function undo(
  tx: TransactionSql,
  { id, by, note }: { readonly id: bigint; readonly by: string; readonly note: string },
): Promise<void> {
  await tx`
    update matches set undone_at = clock_timestamp(), undone_by = ${by}, undo_note = ${note}
    where id = ${id}`
  await tx`update bank_lines set match = null where match = ${id}`
  await tx`update nostro_items set match = null where match = ${id}`
}

/** The items of a journal of the house. */
export async function findHouseItems(sql: Tag, house_number: bigint) {
  return sql<{ id: bigint; nostro: string; amount: bigint; match: bigint | null }[]>`
    select id, nostro, amount, match from nostro_items where house_number = ${house_number}
    order by nostro`
}

/** Whether the journal that has made this item has one on that nostro too. */
export async function movesOn(tx: Tag, item: bigint, nostro: string): Promise<boolean> {
  const [row] = await tx<{ moves: boolean }[]>`
    select exists (select from nostro_items i join nostro_items o on o.house_number = i.house_number
      where i.id = ${item}::bigint and o.nostro = ${nostro}) as moves`
  return row?.moves === true
}

/** What the payment back of a match that returns money names: its end-to-end id. */
export const returnReference = (match: bigint) => `RTN${String(match).padStart(9, '0')}`

/** The journal that expects the payment back of this match, unless it is reversed. */
export async function findReturn(tx: Tag, match: bigint): Promise<bigint | undefined> {
  const [row] = await tx<{ number: bigint }[]>`
    select number from house_journals h where kind = 'return' and undoes is null
      and reference = ${returnReference(match)}
      and not exists (select from house_journals u where u.undoes = h.number)`
  return row?.number
}

/** The number of the journal of the house that reverses this one; undefined for none. */
export async function findReversal(tx: Tag, house_number: bigint): Promise<bigint | undefined> {
  const [row] = await tx<{ number: bigint }[]>`
    select number from house_journals where undoes = ${house_number}::bigint`
  return row?.number
}

/** The accounts that keep money of the match: their funding is not reversed. */
export async function listStandingFundings(sql: Tag, id: bigint): Promise<string[]> {
  const rows = await sql<{ account_id: string }[]>`
    select distinct i.account_id from nostro_items i
    where i.match = ${id} and i.kind = 'funding' and not exists (
      select from nostro_items r where r.account_id = i.account_id and r.number > i.number
        and r.kind = 'funding_reversal' and r.key = i.key and r.amount = -i.amount)
    order by 1 limit 10`
  return rows.map(({ account_id }) => account_id)
}

/** A match in a list, with its first members. */
export interface ListedMatch extends Omit<MatchRow, 'house_number'> {
  readonly line_count: number
  readonly item_count: number
  readonly undone_by: string
  readonly undo_note: string
}

/** Matches of a nostro with lower numbers than `before`, newest first; with at most 20 members. */
export async function listMatches(
  audit: Tag,
  { nostro, before, limit }: { nostro: string; before: bigint; limit: number },
): Promise<ListedMatch[]> {
  return audit<ListedMatch[]>`
    select id, nostro, rule, by, note, at, undone_at, undone_by, undo_note, lines_sum as sum,
      lines[1:20]::text[] as lines, items[1:20]::text[] as items,
      cardinality(lines) as line_count, cardinality(items) as item_count
    from matches where nostro = ${nostro} and id < ${before}
    order by id desc limit ${limit}::integer`
}
