// The SQL statements of proofs: how far each book is verified, whose turn it is, and what was
// found.
import { hash } from 'node:crypto'
import type { AccountState } from '../accounts/states.ts'
import { EMPTY_HASH } from '../ledger/rules.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import type { Instant } from '../values/instant.ts'
import type { Problem } from './problem.ts'

/** `new` follows the newest journals; `again` begins from the start once in a while. */
export type WalkName = 'new' | 'again'

export interface Proof {
  readonly account_id: string
  readonly walk: WalkName
  /** The last journal that was read, its hash and time; 0 and null before the first. */
  readonly number: bigint
  readonly hash: string
  readonly journal_at: Instant | null
  /** The balances after it by currency, without those that are not known. */
  readonly balances: Readonly<Record<string, string>>
}

/** Claims the turn of this process, for `lease_ms`; undefined while another one has it. */
export async function claimTurn(sql: Sql, lease_ms: number): Promise<Instant | undefined> {
  const [turn] = await sql<{ due_at: Instant }[]>`
    update verify_turn
    set due_at = statement_timestamp() + ${`${lease_ms} milliseconds`}::interval
    where due_at <= statement_timestamp()
      -- A clock that was ahead has been corrected.
      or due_at > statement_timestamp() + interval '10 minutes'
    returning due_at`
  return turn?.due_at
}

/** Ends the turn: some process has the next one after `rest_ms`. */
export async function endTurn(sql: Sql, turn: Instant, rest_ms: number): Promise<void> {
  await sql`
    update verify_turn
    set due_at = statement_timestamp() + ${`${rest_ms} milliseconds`}::interval
    where due_at = ${turn}`
}

export interface DueBook {
  readonly account_id: string
  readonly walk: WalkName
}

/** How often the head of a book without new journals is compared. */
const HEAD_EVERY = '1 hour'

/**
 * Books with new journals, those whose head is due, and those whose walk from the start is due or
 * has begun, in turn: a busy installation starves none of them. Within each kind, the book that has
 * waited longest comes first.
 */
export function listDueBooks(finder: Sql, again_days: number, limit: number): Promise<DueBook[]> {
  return finder<DueBook[]>`
    select account_id, walk from (
      select b.account_id, 'new' as walk,
        case when b.journal_count > coalesce(n.number, 0) then 1 else 2 end as kind,
        n.began_at as since
      from books b
      left join book_proofs n on n.account_id = b.account_id and n.walk = 'new'
      where n.account_id is null or b.journal_count <> n.number or n.ended_at is null
        or n.ended_at < statement_timestamp() - ${HEAD_EVERY}::interval
      union all
      select a.account_id, 'again', 3, a.began_at
      from book_proofs a
      where a.walk = 'again' and (a.ended_at is null
        or a.began_at < statement_timestamp() - ${`${again_days} days`}::interval)
    ) due
    order by row_number() over (partition by kind order by since nulls first, account_id), kind
    limit ${limit}`
}

/** The proof of a walk; at its start if it has none, or has ended and begins again. */
export async function findProof(tx: TransactionSql, { account_id, walk }: DueBook): Promise<Proof> {
  const [row] = await tx<(Omit<Proof, keyof DueBook> & { ended_at: Instant | null })[]>`
    select number, encode(hash, 'hex') as hash, journal_at, balances, ended_at
    from book_proofs where account_id = ${account_id} and walk = ${walk}`
  if (row === undefined || (walk === 'again' && row.ended_at !== null)) {
    const start = { number: 0n, hash: EMPTY_HASH, journal_at: null, balances: {} }
    return { account_id, walk, ...start }
  }
  const { number, hash, journal_at, balances } = row
  return { account_id, walk, number, hash, journal_at, balances }
}

interface StepEnd {
  /** Whether the step was the first of its walk. */
  readonly begins: boolean
  readonly is_at_head: boolean
  /** When the step began to read, before which it saw no fault. */
  readonly at: Instant
}

/**
 * Stores how far the walk has come. The first proof of a book begins the wait for its walk from the
 * start, which the first walk has just been.
 */
export async function storeProof(
  tx: TransactionSql,
  { account_id, walk, number, hash, journal_at, balances }: Proof,
  { begins, is_at_head, at }: StepEnd,
): Promise<void> {
  const known = JSON.stringify(balances)
  const insert = (name: WalkName, ended: boolean) => tx`
    insert into book_proofs as p
      (account_id, walk, number, hash, journal_at, balances, ended_at)
    values (${account_id}, ${name}, ${number}::bigint, decode(${hash}, 'hex'), ${journal_at},
      ${known}::text::jsonb, case when ${ended} then statement_timestamp() end)`
  await tx`${insert(walk, is_at_head)}
    on conflict (account_id, walk) do update set number = excluded.number, hash = excluded.hash,
      journal_at = excluded.journal_at, balances = excluded.balances,
      ended_at = excluded.ended_at,
      -- Before it, none of the walk's faults was seen. For the newest journals it is the time of
      -- the last step: books come in turn.
      began_at = case when ${begins || walk === 'new'} then ${at}::timestamptz
        else p.began_at end`
  if (walk === 'new' && begins) await tx`${insert('again', true)} on conflict do nothing`
}

/** The time of the transaction. */
export async function findTime(tx: TransactionSql): Promise<Instant> {
  const [row] = await tx<{ at: Instant }[]>`select now() as at`
  return row?.at ?? ''
}

export async function findState(
  tx: TransactionSql,
  account_id: string,
): Promise<AccountState | undefined> {
  const [row] = await tx<{ state: AccountState }[]>`
    select state from books where account_id = ${account_id}`
  return row?.state
}

/** The marks of the known faults of an account, by `table key`. */
export async function knownFaults(
  tx: TransactionSql,
  account_id: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx<{ table_name: string; key: string; mark: string }[]>`
    select table_name, key, encode(mark, 'hex') as mark
    from verify_faults where account_id = ${account_id}`
  return new Map(rows.map(({ table_name, key, mark }) => [`${table_name} ${key}`, mark]))
}

/** The most faults that are kept of an account: nobody repairs more one by one. */
export const MAX_FAULTS = 100

/** A row that differs, with the digest of how it does. */
export interface Fault extends Pick<Problem, 'table' | 'account_id' | 'key'> {
  readonly mark: string
}

/** The mark of a fault that has not frozen its account yet. */
const untold = (mark: string) => hash('sha256', `untold ${mark}`, 'hex')

/**
 * Stores a fault, or that it is still there. A row that has changed since is found anew. While the
 * fault is not told, the next step takes it for a new one.
 */
export async function keepFault(
  tx: TransactionSql,
  { table, account_id, key, mark }: Fault,
  { isTold }: { readonly isTold: boolean },
): Promise<void> {
  const before = untold(mark)
  await tx`
    insert into verify_faults as f (account_id, table_name, key, mark)
    select ${account_id}, ${table}, ${key}, decode(${isTold ? mark : before}, 'hex')
    where (select count(*) from verify_faults where account_id = ${account_id}) < ${MAX_FAULTS}
      or exists (select from verify_faults where account_id = ${account_id}
        and table_name = ${table} and key = ${key})
    on conflict (account_id, table_name, key) do update set seen_at = clock_timestamp(),
      found_at = case when f.mark in (decode(${mark}, 'hex'), decode(${before}, 'hex'))
        then f.found_at else clock_timestamp() end,
      mark = excluded.mark`
}

/** Forgets the faults that a walk from the start, which has ended, did not find again. */
export async function forgetMended(tx: TransactionSql, account_id: string): Promise<void> {
  await tx`
    delete from verify_faults f using book_proofs p
    where f.account_id = ${account_id} and p.account_id = f.account_id and p.walk = 'again'
      and p.ended_at is not null and f.seen_at < p.began_at`
}

/** Forgets the faults that were found before a verification of the account, which found none. */
export async function forgetFaults(
  tx: TransactionSql,
  account_id: string,
  before: Instant,
): Promise<void> {
  await tx`delete from verify_faults where account_id = ${account_id} and seen_at < ${before}`
}

/** The accounts with faults. */
export async function listFaulty(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ account_id: string }[]>`
    select distinct account_id from verify_faults order by account_id`
  return rows.map(({ account_id }) => account_id)
}

/** For metrics: the journals that are not verified yet, and the faults. */
export async function countProved(finder: Sql) {
  const [row] = await finder<{ lag: number; faults: number }[]>`
    select (
      select coalesce(sum(greatest(b.journal_count - coalesce(n.number, 0), 0)), 0)::float8
      from books b left join book_proofs n on n.account_id = b.account_id and n.walk = 'new'
    ) as lag, (select count(*)::integer from verify_faults) as faults`
  return row ?? { lag: 0, faults: 0 }
}
