// The SQL statements that say whether the money of a line is somebody's already.
import { sql as part, type Tag } from '../../sql/sql.ts'

interface Members {
  readonly lines: readonly bigint[]
  readonly items: readonly bigint[]
}

/** The lines whose money an account has, each with the open item of it; null for none yet. */
function listCredited(sql: Tag, lines: readonly bigint[]) {
  return sql<{ line: bigint; item: bigint | null }[]>`
    select line, item from credited_lines(${lines.map(String)}::text[]::bigint[])`
}

/**
 * Of matches that are to be made, the lines whose money an account has, and whose match has not the
 * item of it.
 */
export async function listCreditedBeside(
  sql: Tag,
  matches: readonly Members[],
): Promise<ReadonlySet<bigint>> {
  const credited = await listCredited(
    sql,
    matches.flatMap(({ lines }) => lines),
  )
  if (credited.length === 0) return new Set()
  const items = new Map(matches.flatMap(one => one.lines.map(line => [line, one.items])))
  const beside = credited.filter(
    ({ line, item }) => item === null || items.get(line)?.includes(item) !== true,
  )
  return new Set(beside.map(({ line }) => line))
}

/** What accounts have of the line, in minor units, derived or not. */
export async function findCredited(sql: Tag, line: bigint): Promise<bigint> {
  const [row] = await sql<{ credited: bigint }[]>`
    select credited_of_line(${line}::bigint) as credited`
  return row?.credited ?? 0n
}

/** Whether no match has the line. */
export async function isOpenLine(sql: Tag, line: bigint): Promise<boolean> {
  const [row] = await sql`select from bank_lines where id = ${line}::bigint and match is null`
  return row !== undefined
}

/** This transaction and whoever funds an account by an id of the line wait for each other. */
export async function takeTurnOfIds(sql: Tag, line: bigint): Promise<void> {
  await sql`
    select take_turn_of_reference(key) from (
      select distinct fold_reference(raw) as key from bank_lines l
      cross join unnest(array[l.end_to_end_id, l.bank_reference, l.instruction]) as raw
      where l.id = ${line}::bigint and raw <> '' order by 1) keys`
}

/** Whether a journal that is not derived yet makes an item with one of the ids of the line. */
export async function hasItemToCome(sql: Tag, line: bigint): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`select has_item_to_come(${line}::bigint) as has`
  return row?.has === true
}

/**
 * Whether an open item has one of the ids of the line, so that the same money is booked. With
 * `but`, only money that comes in counts, and none of these items.
 */
export async function hasItemOfItsKey(
  sql: Tag,
  line: bigint,
  but?: readonly bigint[],
): Promise<boolean> {
  const others =
    but === undefined
      ? part``
      : part`and i.amount > 0 and i.id <> all (${but.map(String)}::text[]::bigint[])`
  const [row] = await sql<{ has: boolean }[]>`
    select exists (
      select from bank_lines l
      cross join lateral (select array_remove(
        array[l.end_to_end_id, l.bank_reference, l.instruction], '') as keys) k
      join nostro_items i on i.nostro = l.nostro and i.match is null and (
        i.key <> '' and i.key = any (select fold_reference(key) from unnest(k.keys) key)
        or i.instruction <> '' and i.instruction = any (k.keys)
        or i.uetr <> '' and i.uetr = l.uetr)
      where l.id = ${line}::bigint ${others}) as has`
  return row?.has === true
}

/**
 * The first credit with the reference that went back to its payer, or that the house has; undefined
 * for none.
 */
export async function findSpentLine(
  sql: Tag,
  { reference, currency }: { readonly reference: string; readonly currency: string },
): Promise<bigint | undefined> {
  const [row] = await sql<{ line: bigint | null }[]>`
    select spent_line(${reference}, ${currency}) as line`
  return row?.line ?? undefined
}

/**
 * Of these items, those that accounts have, and not the house. `instruction` is the line that a
 * funding names; '' for none.
 */
export function listItemsOfAccounts(sql: Tag, items: readonly bigint[]) {
  return sql<{ id: bigint; amount: bigint; kind: string; instruction: string }[]>`
    select id, amount, kind, instruction from nostro_items
    where id = any (${items.map(String)}::text[]::bigint[]) and kind <> 'house'`
}
