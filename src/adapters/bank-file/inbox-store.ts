// The SQL statements of rail_inbox and its parts: the files from banks, their bytes, and the lines
// that are set aside.
import { rowsAsJson, type Sql, type TransactionSql } from '../../sql/connect.ts'
import { sql } from '../../sql/sql.ts'
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import type { Instant } from '../../values/instant.ts'
import type { ItemKey } from './item-store.ts'

type InboxState = 'stored' | 'read' | 'quarantined'

export interface InboxFile {
  /** Hex digits. */
  readonly sha256: string
  readonly rail: string
  readonly name: string
  readonly size: bigint
  readonly received_at: Instant
  readonly state: InboxState
  readonly reason: string
  readonly kept: boolean
  /** When its bytes were deleted, after the installation's time for keeping them. */
  readonly swept_at: Instant | null
  readonly lines: number
  readonly lines_quarantined: number
  /** Who has closed a quarantined file; '' while it is open. */
  readonly closed_by: string
  readonly note: string
}

const COLUMNS = sql`
  encode(sha256, 'hex') as sha256, rail, name, size, received_at, state, reason, kept, swept_at,
  lines, lines_quarantined, closed_by, note`

/** The most bytes of one row. */
export const PIECE_BYTES = 1 << 20

/** Stores a file; false when the same bytes are stored already, under any name. */
export async function insertInboxFile(
  tx: TransactionSql,
  file: Pick<InboxFile, 'sha256' | 'rail' | 'name' | 'state' | 'reason' | 'kept'> & {
    readonly size: number
  },
): Promise<boolean> {
  const { count } = await tx`
    insert into rail_inbox (sha256, rail, name, size, state, reason, kept, ended_at)
    values (decode(${file.sha256}, 'hex'), ${file.rail}, ${file.name}, ${file.size}, ${file.state},
      ${file.reason}, ${file.kept},
      case when ${file.state}::text <> 'stored' then clock_timestamp() end)
    on conflict (sha256) do nothing`
  return count === 1
}

export async function insertPiece(
  tx: TransactionSql,
  sha256: string,
  number: number,
  bytes: Uint8Array,
): Promise<void> {
  await tx`
    insert into rail_inbox_bytes (sha256, number, bytes)
    values (decode(${sha256}, 'hex'), ${number}, ${bytes})`
}

/** The bytes of a stored file, one piece at a time. */
export async function* readPieces(sql: Sql, sha256: string): AsyncIterable<Uint8Array> {
  for (let number = 0; ; number++) {
    const [piece] = await sql<{ bytes: Uint8Array }[]>`
      select bytes from rail_inbox_bytes
      where sha256 = decode(${sha256}, 'hex') and number = ${number}`
    if (piece === undefined) return
    yield piece.bytes
  }
}

/** The files that one transaction sweeps; each may have hundreds of pieces. */
const SWEPT_AT_ONCE = 20

/** Deletes the bytes of files past their time of keeping; returns the number of files. */
export async function sweepInbox({ sql }: { readonly sql: Sql }): Promise<number> {
  for (let swept = 0; ; ) {
    const [row] = await sql<{ count: number }[]>`
      select sweep_inbox(null, ${SWEPT_AT_ONCE}::integer) as count`
    const count = row?.count ?? 0
    swept += count
    if (count < SWEPT_AT_ONCE) return swept
  }
}

/** The stored files that are not read yet, oldest first. */
export async function listUnread(sql: Sql, rail: string): Promise<InboxFile[]> {
  return sql<InboxFile[]>`
    select ${COLUMNS} from rail_inbox where rail = ${rail} and state = 'stored'
    order by received_at, sha256`
}

export async function findInboxFiles(sql: Sql, prefix: string): Promise<InboxFile[]> {
  return sql<InboxFile[]>`
    select ${COLUMNS} from rail_inbox where encode(sha256, 'hex') like ${`${prefix}%`} limit 2`
}

export interface InboxQuery {
  readonly rail?: string | undefined
  readonly state?: InboxState | undefined
  /** Whether to include files that a person has closed. */
  readonly all?: boolean | undefined
  readonly limit: number
}

/** Newest first. */
export async function listInbox(sql: Sql, { rail, state, all = true, limit }: InboxQuery) {
  return sql<InboxFile[]>`
    select ${COLUMNS} from rail_inbox
    where (${rail ?? null}::text is null or rail = ${rail ?? null})
      and (${state ?? null}::text is null or state = ${state ?? null})
      and (${all} or closed_by = '')
    order by received_at desc, sha256 limit ${limit}`
}

/**
 * The files without applied lines, newest first: unread files, and quarantined files that nobody
 * has closed. The page starts after the file with the hash `after`.
 */
export async function listUnapplied(
  sql: Sql,
  { rail, after, limit }: Pick<InboxQuery, 'rail' | 'limit'> & { after: string | undefined },
): Promise<InboxFile[]> {
  return sql<InboxFile[]>`
    select ${COLUMNS} from rail_inbox f
    where (state = 'stored' or state = 'quarantined' and closed_by = '')
      and (${rail ?? null}::text is null or rail = ${rail ?? null})
      and (${after ?? null}::text is null or exists (
        select from rail_inbox a where a.sha256 = decode(${after ?? null}, 'hex')
          and (f.received_at < a.received_at
            or f.received_at = a.received_at and f.sha256 > a.sha256)))
    order by received_at desc, sha256 limit ${limit}`
}

/** Ends the reading of a file. With a reason, the file is quarantined and nothing is applied. */
export async function endReading(
  sql: Sql,
  sha256: string,
  end: { readonly reason: string; readonly lines: number; readonly quarantined: number },
): Promise<void> {
  await sql`
    update rail_inbox set state = ${end.reason === '' ? 'read' : 'quarantined'},
      reason = ${end.reason}, lines = ${end.lines}, lines_quarantined = ${end.quarantined},
      ended_at = clock_timestamp()
    where sha256 = decode(${sha256}, 'hex') and state = 'stored'`
}

/** Has a quarantined file read again; false when it is not quarantined or has no bytes. */
export async function readAgain(sql: Sql, sha256: string): Promise<boolean> {
  const { count } = await sql`
    update rail_inbox set state = 'stored', reason = '', ended_at = null, closed_by = '',
      closed_at = null, note = ''
    where sha256 = decode(${sha256}, 'hex') and state = 'quarantined' and kept`
  return count === 1
}

/** A line that is not applied until a person has acted on it. */
export interface SetAsideLine {
  readonly position: string
  readonly reason: string
  readonly said: BankLine
  /**
   * The payment and the file that wait until a person closes this line; '' for none. A payment is
   * named by its UETR when the line has no other id.
   */
  readonly end_to_end_id: string
  readonly msg_id: string
  /** The payment that the line is about, whether it stops the payment or not; '' for none. */
  readonly payment: string
}

/** Inserts lines. A stored line stays as it is. */
export async function insertSetAsideLines(
  tx: TransactionSql,
  sha256: string,
  lines: readonly SetAsideLine[],
): Promise<void> {
  await tx`
    insert into rail_inbox_lines (sha256, position, reason, said, end_to_end_id, msg_id, payment)
    select decode(${sha256}, 'hex'), position, reason, said, end_to_end_id, msg_id, payment
    from json_to_recordset(${rowsAsJson(lines)}::text::json)
      as r(position text, reason text, said json, end_to_end_id text, msg_id text, payment text)
    on conflict (sha256, position) do nothing`
}

/** The payments and the files among these that open lines name. */
export function listNamedByLines(
  tx: TransactionSql,
  payment_ids: readonly string[],
  msg_ids: readonly string[],
) {
  return tx<Pick<SetAsideLine, 'end_to_end_id' | 'msg_id'>[]>`
    select end_to_end_id, msg_id from rail_inbox_lines
    where closed_by = '' and (
      end_to_end_id <> '' and end_to_end_id = any (${payment_ids}::text[])
      or msg_id <> '' and msg_id = any (${msg_ids}::text[]))`
}

/** Whether an open line names this file of ours. */
export async function hasOpenLine(tx: TransactionSql, msg_id: string): Promise<boolean> {
  const [row] = await tx`
    select from rail_inbox_lines where closed_by = '' and msg_id <> '' and msg_id = ${msg_id}
    limit 1`
  return row !== undefined
}

export type StoredSetAsideLine = Pick<SetAsideLine, 'position' | 'reason' | 'said'> &
  Pick<InboxFile, 'sha256' | 'name' | 'rail' | 'closed_by' | 'note'> & {
    readonly created_at: Instant
  }

/** The open lines, newest first; with `all`, the closed lines, too. */
export async function listSetAsideLines(
  sql: Sql,
  { rail, all, limit }: { rail?: string | undefined; all: boolean; limit: number },
): Promise<StoredSetAsideLine[]> {
  return sql<StoredSetAsideLine[]>`
    select encode(l.sha256, 'hex') as sha256, f.name, f.rail, l.position, l.reason, l.said,
      l.created_at, l.closed_by, l.note
    from rail_inbox_lines l join rail_inbox f on f.sha256 = l.sha256
    where (${all} or l.closed_by = '')
      and (${rail ?? null}::text is null or f.rail = ${rail ?? null})
    order by l.created_at desc, l.position limit ${limit}`
}

/** Closes a quarantined file, so that no line of it is ever applied; false when it is not open. */
export async function closeQuarantined(
  sql: Sql,
  sha256: string,
  by: { readonly person: string; readonly note: string },
): Promise<boolean> {
  const { count } = await sql`
    update rail_inbox set closed_by = ${by.person}, note = ${by.note},
      closed_at = clock_timestamp()
    where sha256 = decode(${sha256}, 'hex') and state = 'quarantined' and closed_by = ''`
  return count === 1
}

/** Closes the open lines of a file, or only the line at `position`; returns their number. */
export async function closeSetAsideLines(
  sql: Sql,
  sha256: string,
  position: string | undefined,
  by: { readonly person: string; readonly note: string },
): Promise<number> {
  const { count } = await sql`
    update rail_inbox_lines set closed_by = ${by.person}, note = ${by.note},
      closed_at = clock_timestamp()
    where sha256 = decode(${sha256}, 'hex') and closed_by = ''
      and (${position ?? null}::text is null or position = ${position ?? null})`
  return count
}

/** When the inbox of a rail was last read to its end, and why it cannot be read. */
export async function findExchange(sql: Sql, rail: string) {
  const [row] = await sql<{ fetched_at: Instant | null; problem: string }[]>`
    select fetched_at, problem from rail_exchanges where rail = ${rail}`
  return row ?? { fetched_at: null, problem: '' }
}

/** A file of the bank: quarantined and not closed by a person, or stored and not read yet. */
export interface UnreadFile {
  readonly name: string
  /** The first digits of the file's hash. */
  readonly hash: string
  /** '' for a file that is read in a moment. */
  readonly reason: string
}

/** The oldest unread files of these rails: one that is quarantined, and one that waits. */
export async function findUnreadFiles(sql: Sql, rails: readonly string[]): Promise<UnreadFile[]> {
  const files = (state: 'quarantined' | 'stored') => sql<UnreadFile[]>`
    select name, left(encode(sha256, 'hex'), 12) as hash, reason from rail_inbox
    where rail = any (${rails}::text[]) and closed_by = '' and state = ${state}
    order by received_at, sha256 limit 1`
  return (await Promise.all([files('quarantined'), files('stored')])).flat()
}

/** A line that is set aside and that no person has closed. */
export interface UnreadLine {
  readonly name: string
  readonly hash: string
  readonly position: string
  /** The payment and the file that the line is about; '' when it is not known. */
  readonly payment: string
  readonly msg_id: string
  /** Minor units; null for a line without a readable amount. */
  readonly amount: bigint | null
}

/** The most lines about no known payment that are compared. More than these wait for a person. */
export const MOST_LINES = 1_000

/**
 * The open lines of these rails about these payments or files, and those that may be about any
 * payment: a return, or a line that cannot be read, with an id that no payment has.
 */
export async function listUnreadLines(
  sql: Sql,
  rails: readonly string[],
  payments: readonly string[],
  msg_ids: readonly string[],
): Promise<UnreadLine[]> {
  return sql<UnreadLine[]>`
    select f.name, left(encode(l.sha256, 'hex'), 12) as hash, l.position, l.payment, l.msg_id,
      (l.said->>'amount')::bigint as amount
    from rail_inbox_lines l join rail_inbox f on f.sha256 = l.sha256
    where l.closed_by = '' and f.rail = any (${rails}::text[]) and (
      l.payment <> '' and l.payment = any (${payments}::text[])
      or l.msg_id <> '' and l.msg_id = any (${msg_ids}::text[])
      or l.payment = '' and l.msg_id = ''
        and (l.said->>'level' = 'return' or coalesce(l.said->>'defect', '') <> ''))
    order by l.created_at, l.position limit ${MOST_LINES}`
}

/** An open exception about the silence of a bank, by its number in the payout. */
type SilenceException = ItemKey & { readonly number: number }

/** At most `most` open exceptions of this rail about the silence of its bank, the oldest first. */
export async function listSilenceExceptions(finder: Sql, rail: string, most: number) {
  return finder<SilenceException[]>`
    select account_id, payout_id, attempt, number from rail_exceptions
    where closed_at is null and rail = ${rail} and kind = 'silence_unproved'
    order by opened_at limit ${most}`
}
