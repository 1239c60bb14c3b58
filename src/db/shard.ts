// The shards of a database distributed by Citus. Tables are sharded by a hash of account_id; a
// statement is fast, and sometimes only possible, when it restricts each table to rows of one
// shard. A single PostgreSQL is one shard. Knows only the table `books`, which all others are
// co-located with.
import type { Sql, TransactionSql } from './connect.ts'

export type OfAccount = { readonly account_id: string }

/** A range of hashes. */
export interface Shard {
  readonly first: number
  readonly last: number
}

const WHOLE: readonly Shard[] = [{ first: -(2 ** 31), last: 2 ** 31 - 1 }]

/** The shards of this process's database, in order; one for a single PostgreSQL. */
let shards: readonly Shard[] = WHOLE

/** Reads the shards of the database. Await it before any other statement. */
export async function learnShards(sql: Sql): Promise<void> {
  const [row] = await sql<{ spread: boolean }[]>`
    select coalesce(current_setting('corridor.spread', true), '') = 'on' as spread`
  useShards(row?.spread === true ? await listShards(sql) : WHOLE)
}

/** Sets the shards; also for tests that look at statements of a distributed database. */
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

/** The index of the account's shard. Statements visit shards in this order. */
export function shardOf(account_id: string): number {
  if (!isSpread()) return 0
  const hash = hashText(account_id)
  return shards.findIndex(({ first, last }) => first <= hash && hash <= last)
}

/** Groups items by shard, in order of shards. */
export function byShard<T extends OfAccount>(items: readonly T[]): (readonly T[])[] {
  if (items.length < 2 || !isSpread()) return items.length === 0 ? [] : [items]
  const groups = Map.groupBy(items, ({ account_id }) => shardOf(account_id))
  return [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group)
}

/** Runs one statement a shard and joins their rows. Sends the statements in order, pipelined. */
export async function eachShard<T extends OfAccount, Row>(
  items: readonly T[],
  work: (items: readonly T[]) => PromiseLike<readonly Row[]>,
): Promise<Row[]> {
  const [only, ...more] = byShard(items)
  if (only === undefined) return []
  if (more.length === 0) return (await work(only)) as Row[]
  return (await Promise.all([only, ...more].map(work))).flat()
}

/** `t.account_id = …` for these accounts. At least one table of a statement needs it. */
export function among(sql: Sql | TransactionSql, alias: string, items: readonly OfAccount[]) {
  const column = sql.unsafe(`${alias}.account_id`)
  const ids = accountsOf(items)
  const [only = ''] = ids
  return ids.length === 1 ? sql`${column} = ${only}` : sql`${column} = any (${ids}::text[])`
}

/**
 * `and t.account_id = …`, for every table of a statement about these accounts, which share a shard.
 * Empty for several accounts on a single PostgreSQL, which does not need it and would sort the ids
 * anew for each look-up.
 */
export function within(sql: Sql | TransactionSql, alias: string, items: readonly OfAccount[]) {
  const needed = isSpread() || accountsOf(items).length === 1
  return needed ? sql`and ${among(sql, alias, items)}` : sql``
}

/** The accounts of these, each once. */
export function accountsOf(items: readonly OfAccount[]): string[] {
  return [...new Set(items.map(item => item.account_id))]
}

function rotated(x: number, by: number): number {
  return (x << by) | (x >>> (32 - by))
}

/** PostgreSQL's hash of text, hash_bytes in common/hashfn.c, by which Citus assigns shards. */
export function hashText(text: string): number {
  const bytes = Buffer.from(text, 'utf8')
  const whole = bytes.length - (bytes.length % 12)
  // The rest is padded with zeros; the lowest byte of its third word is unused.
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
