// The SQL statements of the audit log: who changed what, when, and the values before and after.
// Triggers write the log for reference data. record_act writes it for operators' acts on rows of
// accounts.
import { SERVICE_ROLE, type Sql, type TransactionSql } from '../../sql/connect.ts'
import type { Instant } from '../../values/instant.ts'
import { EMPTY_HASH } from '../rules.ts'
import type { Act } from './act.ts'

/** A row of a reference table. Every value is text, so that numbers stay exact. */
export type HistoricRow = Readonly<Record<string, string | null>>

export interface Change {
  readonly changed_at: Instant
  readonly changed_by: string
  /** Null when the row was added. */
  readonly before: HistoricRow | null
  /** Null when the row was removed. */
  readonly after: HistoricRow | null
}

/** A change with everything that the audit log keeps of it. */
export interface AuditedChange extends Change {
  /** Counted from 1 without gaps. */
  readonly change_id: bigint
  readonly table_name: string
  /** The command, such as `payout transition`; '' for statements typed by hand. */
  readonly act: string
  /** Where the command ran, such as `cli at host`. */
  readonly via: string
  readonly origin: Origin
  readonly reason: string
  /** SHA-256, in hex digits, over the previous change's hash and all of this change. */
  readonly hash: string
}

/** The changes of a table, newest first. `where` selects rows by the values of their columns. */
export async function listChanges(
  sql: Sql,
  table_name: string,
  limit: number,
  where: HistoricRow = {},
): Promise<Change[]> {
  return sql<Change[]>`
    select changed_at, changed_by,
      (select json_object_agg(key, value) from jsonb_each_text(before)) as before,
      (select json_object_agg(key, value) from jsonb_each_text(after)) as after
    from audit_log c
    where table_name = ${table_name} and not exists (
      select from jsonb_each_text(${JSON.stringify(where)}::text::jsonb) w
      where coalesce(c.after, c.before) ->> w.key is distinct from w.value)
    order by change_id desc limit ${limit}`
}

/** The changes to look for. '' and null match anything. */
export interface AuditFilter {
  readonly by: string
  readonly act: string
  readonly account_id: string
  /** The id of the changed object, such as that of a payout. */
  readonly id: string
  readonly since: Instant | null
  /** Only changes with smaller numbers; null starts at the newest. */
  readonly before: bigint | null
}

/** The matching changes, newest first. */
export async function listAudit(
  sql: Sql,
  { by, act, account_id, id, since, before }: AuditFilter,
  limit: number,
): Promise<AuditedChange[]> {
  return sql<AuditedChange[]>`
    select ${sql.unsafe(COLUMNS)} from audit_log
    where (${by} = '' or changed_by = ${by})
      and (${act} = '' or act = ${act} or starts_with(act, ${`${act} `}))
      and (${account_id} = '' or coalesce(after, before) ->> 'account_id' = ${account_id})
      and (${id} = '' or coalesce(after, before) ->> 'id' = ${id})
      and (${since}::timestamptz is null or changed_at >= ${since}::timestamptz)
      and (${before}::bigint is null or change_id < ${before}::bigint)
    order by change_id desc limit ${limit}`
}

const COLUMNS = `change_id, table_name, changed_at, changed_by, act, via, origin, reason,
  encode(hash, 'hex') as hash,
  (select json_object_agg(key, value) from jsonb_each_text(before)) as before,
  (select json_object_agg(key, value) from jsonb_each_text(after)) as after`

/** The changes after this one, oldest first. */
export async function listAuditAfter(
  sql: Sql,
  change_id: bigint,
  limit: number,
): Promise<AuditedChange[]> {
  return sql<AuditedChange[]>`
    select ${sql.unsafe(COLUMNS)} from audit_log where change_id > ${change_id}
    order by change_id limit ${limit}`
}

/** The number and hash of the newest change; 0 and the empty hash when there is none. */
export async function findHead(sql: Sql): Promise<Pick<AuditedChange, 'change_id' | 'hash'>> {
  const [row] = await sql<{ change_id: bigint; hash: string }[]>`
    select change_id, encode(hash, 'hex') as hash from audit_log order by change_id desc limit 1`
  return row ?? { change_id: 0n, hash: EMPTY_HASH }
}

/** The hash of a change; undefined when no change has this number. */
export async function findChange(sql: Sql, change_id: bigint): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from audit_log where change_id = ${change_id}`
  return row?.hash
}

/**
 * What the author did not choose: of a command the user, host and terminal of the operating system,
 * of a request by key the id of the key.
 */
export type Origin = Readonly<Record<string, string>>

/** The person who writes, the command and its place, as the audit log shows them. */
export interface Author {
  readonly operator: string
  readonly act: string
  readonly via: string
  readonly origin: Origin
}

/**
 * Sets the author of everything that this transaction writes from now on. Later transactions of its
 * connection do not have this author. The statement is sent at once and need not be awaited: if it
 * fails, every later statement of the transaction fails.
 */
export function writeAs(tx: TransactionSql, author: Author): Promise<unknown> {
  const { operator, act, via, origin } = author
  return tx`
    select set_config('role', ${SERVICE_ROLE}, true),
      set_config('corridor.operator', ${operator}, true),
      set_config('corridor.act', ${act}, true), set_config('corridor.via', ${via}, true),
      set_config('corridor.origin', ${JSON.stringify(origin)}, true)`.execute()
}

/** Records operators' acts, in their transaction. The statements are sent at once. */
export function recordActs(tx: TransactionSql, acts: readonly Act[]): Promise<unknown> {
  return Promise.all(
    acts.map(({ table_name, reason, before, after }) => {
      const was = before === null ? null : JSON.stringify(before)
      return tx`
        select record_act(${table_name}, ${reason}, ${was}::text::jsonb,
          ${JSON.stringify(after)}::text::jsonb)`.execute()
    }),
  )
}
