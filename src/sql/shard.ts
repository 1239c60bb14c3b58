// The shards of a database distributed by Citus. Tables are sharded by a hash of account_id. A
// statement is fast, and sometimes only possible, when it restricts each table to rows of one
// shard. A single PostgreSQL is one shard. All these tables are co-located with `books`.
import type { Sql, TransactionSql } from './connect.ts'
import { Statement, sql, type Tag } from './sql.ts'

export type OfAccount = { readonly account_id: string }

/** The rows of the accounts whose hash is in a range. */
interface Shard {
  readonly first: number
  readonly last: number
  /** host:port of the machine that has the shard, as the machines call each other. */
  readonly machine?: string
  /** By table name, Citus's id of the table's part. On the machine it is the table `name_id`. */
  readonly parts?: ReadonlyMap<string, string>
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

/** Where each shard is, as one text. The text changes when a shard moves. */
export async function describePlaces(sql: Sql): Promise<string> {
  const [row] = await sql<{ places: string }[]>`
    select string_agg(s.shardid || ' ' || n.nodename || ':' || n.nodeport, ' ' order by s.shardid)
      as places
    from pg_dist_shard s
    join pg_dist_placement p on p.shardid = s.shardid
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where s.logicalrelid = 'books'::regclass`
  return row?.places ?? ''
}

/** Sets the shards. Tests also use it to look at statements of a distributed database. */
export function useShards(known: readonly Shard[]): void {
  shards = known
}

async function listShards(sql: Sql): Promise<Shard[]> {
  const rows = await sql<(Required<Shard> & { table: string; part: string })[]>`
    select s.shardminvalue::integer as first, s.shardmaxvalue::integer as last,
      n.nodename || ':' || n.nodeport as machine, c.relname as table, s.shardid::text as part
    from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid
    join pg_dist_placement p on p.shardid = s.shardid
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where c.relnamespace = 'public'::regnamespace and s.shardminvalue is not null
    order by s.shardminvalue::integer`
  return [...Map.groupBy(rows, row => row.first).values()].map(parts => {
    const { first, last, machine } = parts[0] as Required<Shard>
    const named = parts.map(({ table, part }) => [table, part] as const)
    return { first, last, machine, parts: new Map(named) }
  })
}

export function isSpread(): boolean {
  return shards.length > 1
}

/** The index of the account's shard. Statements visit shards in this order. */
export function shardOf(account_id: string): number {
  if (!isSpread()) return 0
  let hash = hashes.get(account_id)
  if (hash === undefined) {
    hash = hashText(account_id)
    if (hashes.size === MOST_HASHES) hashes.clear()
    hashes.set(account_id, hash)
  }
  return shards.findIndex(({ first, last }) => first <= hash && hash <= last)
}

/** The hashes of recently used accounts. */
const hashes = new Map<string, number>()
const MOST_HASHES = 10_000

/** The shard whose rows alone a transaction touches, on a connection to the shard's machine. */
interface Taken {
  readonly shard: Shard
  /** Whether the transaction has locked the shard, so that it cannot move. */
  held: boolean
}

const TAKEN = Symbol('shard')

function takenBy(tx: Tag): Taken | undefined {
  return (tx as { [TAKEN]?: Taken })[TAKEN]
}

/**
 * Declares that the transaction touches only rows of the account's shard. Its connection must go to
 * the shard's machine. Its statements may then name that machine's tables (`tableAt`), which need
 * no plan of Citus. After it has locked its books, it must call `holdShard`.
 */
export function takeShard(tx: TransactionSql, account_id: string): void {
  const shard = shards[shardOf(account_id)]
  if (shard === undefined) throw new Error(`the shard of ${account_id} is not known`)
  Object.assign(tx, { [TAKEN]: { shard, held: false } satisfies Taken })
}

/**
 * Locks the shard as Citus locks it for writes, so that it does not move meanwhile. If it has moved
 * already, the transaction fails as contention. Call it after the books are locked, as Citus does.
 * In the other order, a transaction that holds the shard and waits for a book could deadlock with
 * one that holds the book and waits for the move.
 */
export function holdShard(tx: TransactionSql): void {
  const taken = takenBy(tx)
  if (taken === undefined) return
  const part = taken.shard.parts?.get('books') ?? ''
  void tx`select take_shard(${part}::bigint)`.execute()
  taken.held = true
}

/** Whether a statement may write to a table without a join to the books; see `inserter`. */
export function isAtShard(tx: TransactionSql): boolean {
  return !isSpread() || takenBy(tx) !== undefined
}

/** The name by which this transaction writes to a table. */
export function nameAt(tx: TransactionSql, table: string): string {
  if (takenBy(tx)?.held === false) throw new Error('the shard is not held')
  return partAt(tx, table)
}

function partAt(sql: Tag, table: string): string {
  const part = takenBy(sql)?.shard.parts?.get(table)
  return part === undefined ? table : `${table}_${part}`
}

/** The name by which a statement reads a table. */
export function tableAt(sql: Tag, table: string) {
  return sql.unsafe(partAt(sql, table))
}

export function listKnownMachines(): string[] {
  return [...new Set(shards.flatMap(({ machine }) => machine ?? []))]
}

/** The machine that has the account's rows; undefined if the database is not distributed. */
export function machineOf(account_id: string): string | undefined {
  return isSpread() ? shards[shardOf(account_id)]?.machine : undefined
}

export function byShard<T extends OfAccount>(items: readonly T[]): (readonly T[])[] {
  if (items.length < 2 || !isSpread()) return items.length === 0 ? [] : [items]
  const groups = Map.groupBy(items, ({ account_id }) => shardOf(account_id))
  return [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group)
}

/**
 * Sends one statement a shard, at once and in order, and joins their rows. `work` sends its
 * statement before it waits. An error that it throws rejects, so that no caller loses the promises
 * of statements before.
 */
export function eachShard<T extends OfAccount, Row>(
  items: readonly T[],
  work: (items: readonly T[]) => PromiseLike<readonly Row[]>,
): Promise<Row[]> {
  if (items.length === 0) return Promise.resolve([])
  if (!isSpread()) return sentNow(items, work)
  return Promise.all(byShard(items).map(items => sentNow(items, work))).then(rows => rows.flat())
}

function sentNow<T, Row>(
  items: readonly T[],
  work: (items: readonly T[]) => PromiseLike<readonly Row[]>,
): Promise<Row[]> {
  try {
    const sent = work(items)
    return (sent instanceof Statement ? sent.execute() : sent) as Promise<Row[]>
  } catch (error) {
    return Promise.reject(error)
  }
}

/**
 * Reads rows of all shards in an order, by one statement a row: Citus has no recursive query over
 * several shards. `next` finds the row after the given one.
 */
export async function stepByStep<Row>(
  next: (last: Row | undefined) => PromiseLike<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const [row] = await next(rows.at(-1))
    if (row === undefined) return rows
    rows.push(row)
  }
}

/** `t.account_id = …` for these accounts. At least one table of a statement needs it. */
export function among(alias: string, items: readonly OfAccount[]) {
  const ids = accountsOf(items)
  return ids.length === 1
    ? sql`${sql.unsafe(alias)}.account_id = ${ids[0] as string}`
    : sql`${sql.unsafe(alias)}.account_id = any (${ids}::text[])`
}

/**
 * `and t.account_id = …`, for every table of a statement about these accounts, which share a shard.
 * Empty for several accounts on a single PostgreSQL, which does not need it and would sort the ids
 * anew for each look-up.
 */
export function within(alias: string, items: readonly OfAccount[]) {
  return isSpread() || areOfOne(items) ? sql`and ${among(alias, items)}` : sql``
}

function areOfOne(items: readonly OfAccount[]): boolean {
  const account_id = items[0]?.account_id
  return account_id !== undefined && items.every(item => item.account_id === account_id)
}

/** The account ids of these items, each once. */
export function accountsOf(items: readonly OfAccount[]): string[] {
  return areOfOne(items)
    ? [(items[0] as OfAccount).account_id]
    : [...new Set(items.map(item => item.account_id))]
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
