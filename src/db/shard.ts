// Where the rows of an account are when the database is spread over several machines by Citus: its
// tables are cut into shards by a hash of account_id, and a statement is quick, and in some cases
// possible at all, when it says of each table that it wants rows of one shard. On an engine of its
// own there is one shard, which all accounts are of. Knows no table but `books`, which all others
// are cut alike.
import type { Sql, TransactionSql } from './connect.ts'

export type OfAccount = { readonly account_id: string }

/** The ranges of hashes, rising; one range is an engine that is not spread. */
export interface Shard {
  readonly first: number
  readonly last: number
}

const WHOLE: readonly Shard[] = [{ first: -(2 ** 31), last: 2 ** 31 - 1 }]

/** Of the database that this process works on. */
let shards: readonly Shard[] = WHOLE

/** Asks the database how it is spread. To be awaited before anything else is asked of it. */
export async function learnShards(sql: Sql): Promise<void> {
  const [row] = await sql<{ spread: boolean }[]>`
    select coalesce(current_setting('corridor.spread', true), '') = 'on' as spread`
  useShards(row?.spread === true ? await listShards(sql) : WHOLE)
}

/** For whoever knows already, and for tests that look at the statements of a spread database. */
export function useShards(known: readonly Shard[]): void {
  shards = known
}

function listShards(sql: Sql): Promise<Shard[]> {
  return sql<Shard[]>`
    select shardminvalue::integer as first, shardmaxvalue::integer as last from pg_dist_shard
    where logicalrelid = 'books'::regclass order by 1`
}

export function isSpread(): boolean {
  return shards.length > 1
}

/** The place of the account's shard among all, which are visited in this order. */
export function shardOf(account_id: string): number {
  if (!isSpread()) return 0
  const hash = hashText(account_id)
  return shards.findIndex(({ first, last }) => first <= hash && hash <= last)
}

/** Shard by shard, in order; all at once where there is one. */
export function byShard<T extends OfAccount>(items: readonly T[]): (readonly T[])[] {
  if (items.length < 2 || !isSpread()) return items.length === 0 ? [] : [items]
  const groups = Map.groupBy(items, ({ account_id }) => shardOf(account_id))
  return [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group)
}

/** The rows of one statement a shard. The statements are sent in order, one behind the other. */
export async function eachShard<T extends OfAccount, Row>(
  items: readonly T[],
  work: (items: readonly T[]) => PromiseLike<readonly Row[]>,
): Promise<Row[]> {
  const [only, ...more] = byShard(items)
  if (only === undefined) return []
  if (more.length === 0) return (await work(only)) as Row[]
  return (await Promise.all([only, ...more].map(work))).flat()
}

/** `t.account_id = …`: rows of these accounts, for at least one table of a statement. */
export function among(sql: Sql | TransactionSql, alias: string, items: readonly OfAccount[]) {
  const column = sql.unsafe(`${alias}.account_id`)
  const ids = accountsOf(items)
  const [only = ''] = ids
  return ids.length === 1 ? sql`${column} = ${only}` : sql`${column} = any (${ids}::text[])`
}

/**
 * `and t.account_id = …`, for every table of a statement about rows of these accounts, all of one
 * shard. Of several accounts an engine that is not spread is told nothing: it has no use for it,
 * and would sort the names anew for each row that is looked up.
 */
export function within(sql: Sql | TransactionSql, alias: string, items: readonly OfAccount[]) {
  const said = isSpread() || accountsOf(items).length === 1
  return said ? sql`and ${among(sql, alias, items)}` : sql``
}

/** The accounts of these, each once. */
export function accountsOf(items: readonly OfAccount[]): string[] {
  return [...new Set(items.map(item => item.account_id))]
}

function rotated(x: number, by: number): number {
  return (x << by) | (x >>> (32 - by))
}

/** PostgreSQL's hash of a text, hash_bytes in common/hashfn.c, by which Citus cuts tables. */
export function hashText(text: string): number {
  const bytes = Buffer.from(text, 'utf8')
  const whole = bytes.length - (bytes.length % 12)
  // The rest is read as words that end in zeros; the third has its lowest byte free.
  const rest = Buffer.alloc(12)
  bytes.copy(rest, 0, whole)
  let a = (0x9e3779b9 + bytes.length + 3_923_095) | 0
  let b = a
  let c = a
  for (let at = 0; at < whole; at += 12) {
    a = (a + bytes.readInt32LE(at)) | 0
    b = (b + bytes.readInt32LE(at + 4)) | 0
    c = (c + bytes.readInt32LE(at + 8)) | 0
    a = (a - c) ^ rotated(c, 4)
    c = (c + b) | 0
    b = (b - a) ^ rotated(a, 6)
    a = (a + c) | 0
    c = (c - b) ^ rotated(b, 8)
    b = (b + a) | 0
    a = (a - c) ^ rotated(c, 16)
    c = (c + b) | 0
    b = (b - a) ^ rotated(a, 19)
    a = (a + c) | 0
    c = (c - b) ^ rotated(b, 4)
    b = (b + a) | 0
  }
  a = (a + rest.readInt32LE(0)) | 0
  b = (b + rest.readInt32LE(4)) | 0
  c = (c + (rest.readInt32LE(8) << 8)) | 0
  c = (c ^ b) - rotated(b, 14)
  a = (a ^ c) - rotated(c, 11)
  b = (b ^ a) - rotated(a, 25)
  c = (c ^ b) - rotated(b, 16)
  a = (a ^ c) - rotated(c, 4)
  b = (b ^ a) - rotated(a, 14)
  c = (c ^ b) - rotated(b, 24)
  return c | 0
}
