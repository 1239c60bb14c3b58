// The SQL statements of rail_files and rail_exchanges: the files for banks, written once, their
// offers, and the lease of the process that works on a rail's files.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { sql, type Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'

export const FILE_STATES = [
  'sealed',
  'approved',
  'uploading',
  'sent',
  'acknowledged',
  'rejected',
  'unknown',
  'withdrawn',
] as const
export type FileState = (typeof FILE_STATES)[number]

interface NewFile {
  readonly msg_id: string
  readonly name: string
  readonly rail: string
  readonly format: string
  readonly settlement_account: string
  readonly currency: string
  /** YYYY-MM-DD */
  readonly execution_date: string
  readonly item_count: number
  /** Exact decimal. */
  readonly control_sum: string
  /** Hex digits. */
  readonly sha256: string
  readonly bytes: Uint8Array
  /** The encrypted bytes that are sent; null when files are not encrypted. */
  readonly envelope: Uint8Array | null
  readonly needs_release: boolean
  readonly resend_is_safe: boolean
}

/** A file without its bytes. */
export interface RailFile extends Omit<NewFile, 'bytes' | 'envelope'> {
  readonly size: number
  readonly encrypted: boolean
  readonly sealed_at: Instant
  readonly approved_by: string
  readonly approved_at: Instant | null
  readonly state: FileState
  readonly reason: string
  readonly offered_at: Instant | null
  /** Offers so far: uploads up to the rename. After the first offer, the bank may have the file. */
  readonly offers: number
  /** Whether a person sends it although payouts in it are over or have another attempt. */
  readonly forced: boolean
  readonly sent_at: Instant | null
  /** Uploads begun so far. An unchanged number proves that no other upload has begun since. */
  readonly uploads: number
  readonly updated_at: Instant
}

const COLUMNS = sql`
  msg_id, name, rail, format, settlement_account, currency,
  to_char(execution_date, 'YYYY-MM-DD') as execution_date, item_count,
  control_sum::text as control_sum, encode(sha256, 'hex') as sha256,
  octet_length(bytes) as size, envelope is not null as encrypted, sealed_at, needs_release,
  resend_is_safe,
  approved_by, approved_at, state, reason, offered_at, offers, forced, sent_at, uploads, updated_at`

/** Inserts a file; false when a file of this id is there. */
export async function insertFile(tx: TransactionSql, file: NewFile): Promise<boolean> {
  const { count } = await tx`
    insert into rail_files (msg_id, name, rail, format, settlement_account, currency,
      execution_date, item_count, control_sum, sha256, bytes, envelope, needs_release,
      resend_is_safe)
    values (${file.msg_id}, ${file.name}, ${file.rail}, ${file.format}, ${file.settlement_account},
      ${file.currency}, ${file.execution_date}::text::date, ${file.item_count},
      ${file.control_sum}::text::numeric, decode(${file.sha256}, 'hex'), ${file.bytes},
      ${file.envelope}, ${file.needs_release}, ${file.resend_is_safe})
    on conflict (msg_id) do nothing`
  return count === 1
}

export async function findFile(sql: Sql, msg_id: string): Promise<RailFile | undefined> {
  const [file] = await sql<RailFile[]>`
    select ${COLUMNS} from rail_files where msg_id = ${msg_id}`
  return file
}

export async function findFiles(sql: Sql, msg_ids: readonly string[]): Promise<RailFile[]> {
  return sql<RailFile[]>`
    select ${COLUMNS} from rail_files where msg_id = any (${msg_ids}::text[])`
}

interface FileQuery {
  readonly rail?: string | undefined
  readonly state?: FileState | undefined
  /** The list continues after the file with this message id. */
  readonly starting_after?: string | undefined
  readonly limit: number
}

/** Newest first. */
export async function listFiles(sql: Sql, query: FileQuery): Promise<RailFile[]> {
  const { rail, state, starting_after, limit } = query
  return sql<RailFile[]>`
    select ${COLUMNS} from rail_files
    where (${rail ?? null}::text is null or rail = ${rail ?? null})
      and (${state ?? null}::text is null or state = ${state ?? null})
      and (${starting_after ?? null}::text is null or (sealed_at, msg_id) < (
        select sealed_at, msg_id from rail_files where msg_id = ${starting_after ?? null}))
    order by sealed_at desc, msg_id desc limit ${limit}`
}

/** The files to send, oldest first. Includes files whose sending was cut off. */
export async function listToSend(sql: Sql, rail: string): Promise<RailFile[]> {
  return sql<RailFile[]>`
    select ${COLUMNS} from rail_files
    where rail = ${rail} and state in ('sealed', 'approved', 'uploading')
      and (not needs_release or approved_by <> '')
    order by sealed_at, msg_id`
}

/** The bytes of a file, plain and as they are sent. */
export async function readBytes(sql: Sql, msg_id: string) {
  const [file] = await sql<{ bytes: Uint8Array; sent: Uint8Array }[]>`
    select bytes, coalesce(envelope, bytes) as sent from rail_files where msg_id = ${msg_id}`
  if (file === undefined) throw new Error(`there is no file ${msg_id}`)
  return file
}

export type Upload = Pick<RailFile, 'uploads' | 'offered_at'>

/** Begins an upload of a file that is approved or uploading; undefined in another state. */
export async function beginUpload(sql: Tag, msg_id: string): Promise<Upload | undefined> {
  const [row] = await sql<Upload[]>`
    update rail_files set state = 'uploading', uploads = uploads + 1, updated_at = clock_timestamp()
    where msg_id = ${msg_id} and state in ('approved', 'uploading')
    returning uploads, offered_at`
  return row
}

/**
 * Marks a file as offered, before the bank can see it. False when another upload has begun, or the
 * file is offered already.
 */
export async function markOffered(tx: TransactionSql, msg_id: string, upload: number) {
  const { count } = await tx`
    update rail_files set offered_at = clock_timestamp(), offers = offers + 1, reason = '',
      updated_at = clock_timestamp()
    where msg_id = ${msg_id} and state = 'uploading' and uploads = ${upload}
      and offered_at is null`
  return count === 1
}

/** Ends an upload; false, without a change, when the bank has answered before. */
export async function endUpload(
  sql: Sql,
  msg_id: string,
  state: 'sent' | 'unknown',
  reason: string,
): Promise<boolean> {
  const { count } = await sql`
    update rail_files set state = ${state}, reason = ${reason}, updated_at = clock_timestamp(),
      sent_at = case when ${state}::text = 'sent' then clock_timestamp() end
    where msg_id = ${msg_id} and state = 'uploading'`
  return count === 1
}

/**
 * Approves a sealed file; false in another state or with another hash. `person` is '' for a file
 * that needs no release.
 */
export async function approve(
  sql: Tag,
  file: { readonly msg_id: string; readonly sha256: string },
  person: string,
  forced = false,
): Promise<boolean> {
  const { count } = await sql`
    update rail_files set state = 'approved', approved_by = ${person}, forced = ${forced},
      approved_at = case when ${person}::text <> '' then clock_timestamp() end,
      updated_at = clock_timestamp()
    where msg_id = ${file.msg_id} and sha256 = decode(${file.sha256}, 'hex') and state = 'sealed'`
  return count === 1
}

/**
 * Records the bank's answer about a whole file. False when the answer is no news, or the file was
 * never offered.
 */
export async function recordAnswer(
  tx: TransactionSql,
  msg_id: string,
  state: 'acknowledged' | 'rejected',
  reason: string,
): Promise<boolean> {
  const { count } = await tx`
    update rail_files set state = ${state}, reason = ${reason}, updated_at = clock_timestamp(),
      offered_at = coalesce(offered_at, clock_timestamp())
    where msg_id = ${msg_id} and state <> ${state}::text and offers > 0
      and (state in ('uploading', 'sent', 'unknown')
        or ${state}::text = 'rejected' and state = 'acknowledged')`
  return count === 1
}

/** Has the same bytes sent again under the same name; false unless it is unknown or sent. */
export async function sendAgain(sql: Tag, msg_id: string, reason: string, forced = false) {
  const { count } = await sql`
    update rail_files set state = 'uploading', offered_at = null, reason = ${reason},
      forced = forced or ${forced}, updated_at = clock_timestamp()
    where msg_id = ${msg_id} and state in ('unknown', 'sent')`
  return count === 1
}

/** Withdraws a file; false when it was offered to the bank. */
export async function withdrawFile(tx: TransactionSql, msg_id: string, reason: string) {
  const { count } = await tx`
    update rail_files set state = 'withdrawn', reason = ${reason}, updated_at = clock_timestamp()
    where msg_id = ${msg_id} and state in ('sealed', 'approved', 'uploading')
      and offers = 0`
  return count === 1
}

/** Adds to the bank's reason who has put the payments of a refused file into another file. */
export async function noteResealed(tx: TransactionSql, msg_id: string, note: string) {
  await tx`
    update rail_files set reason = concat_ws('; resealed by ', nullif(reason, ''), ${note}::text),
      updated_at = clock_timestamp()
    where msg_id = ${msg_id} and state = 'rejected'`
}

/** Notes why a file is not sent. Writes nothing when the reason is the same. */
export async function noteStopped(sql: Sql, msg_id: string, reason: string): Promise<void> {
  await sql`
    update rail_files set reason = ${reason}, updated_at = clock_timestamp()
    where msg_id = ${msg_id} and state in ('sealed', 'approved', 'uploading')
      and offered_at is null and reason <> ${reason}`
}

/** Acquires or renews the lease on a rail's files. False while another process has it. */
export async function acquireLease(sql: Sql, rail: string, holder: string, lease_ms: number) {
  const { count } = await sql`
    insert into rail_exchanges as e (rail, held_by, held_until)
    values (${rail}, ${holder}, clock_timestamp() + ${`${lease_ms} milliseconds`}::interval)
    on conflict (rail) do update set held_by = excluded.held_by, held_until = excluded.held_until
    where e.held_by = excluded.held_by or e.held_until < clock_timestamp()`
  return count === 1
}

/** Releases the lease, so that another process can acquire it at once. */
export async function releaseLease(sql: Sql, rail: string, holder: string): Promise<void> {
  await sql`
    update rail_exchanges set held_until = '-infinity'
    where rail = ${rail} and held_by = ${holder}`
}

/**
 * Notes the problem of the last round; '' when it had none. Keeps `problem_since` while there is a
 * problem, also when another process has noted it.
 */
export async function noteExchange(sql: Sql, rail: string, problem: string): Promise<void> {
  await sql`
    insert into rail_exchanges as e (rail, problem, problem_since)
    values (${rail}, ${problem}, case when ${problem}::text <> '' then clock_timestamp() end)
    on conflict (rail) do update set problem = excluded.problem,
      problem_since = case when excluded.problem <> ''
        then coalesce(e.problem_since, excluded.problem_since) end
      where e.problem <> excluded.problem`
}

/** Notes that the inbox was read to its end: every file that was there at `at` is taken. */
export async function noteFetched(sql: Sql, rail: string, at: Instant): Promise<void> {
  await sql`
    insert into rail_exchanges as e (rail, fetched_at) values (${rail}, ${at}::timestamptz)
    on conflict (rail) do update set fetched_at = excluded.fetched_at`
}

/** The rails that share this rail's inbox, this one included, with the account that each debits. */
export async function listInboxSharers(sql: Sql, rail: string) {
  return sql<{ rail: string; account: string; also: string }[]>`
    select other.name as rail, coalesce(nullif(other.config #>> '{settlement_account,iban}', ''),
      other.config #>> '{settlement_account,account}', '') as account,
      coalesce(other.config #>> '{settlement_account,account}', '') as also
    from rails own join rails other
      on other.config #>> '{transport,inbox}' = own.config #>> '{transport,inbox}'
      and other.config #>> '{transport,host}' is not distinct from own.config #>> '{transport,host}'
      and coalesce(other.config #>> '{transport,port}', '22')
        = coalesce(own.config #>> '{transport,port}', '22')
      and other.config #>> '{transport,user}' is not distinct from own.config #>> '{transport,user}'
    where own.name = ${rail}`
}

interface Offers {
  /** The name that this database and all its copies share. */
  readonly lineage: string
  /** All offers of files to the bank, including those that a restored database has lost. */
  readonly offers: number
  /** Whether the database was restored since the rail was last compared with the mark. */
  readonly restored: boolean
}

/** The offers of a rail; undefined before the database has its mark. */
export async function findOffers(sql: Sql, rail: string): Promise<Offers | undefined> {
  const [row] = await sql<Offers[]>`
    select m.lineage, coalesce(e.restored, false) as restored, coalesce(e.offers_lost, 0)
      + (select coalesce(sum(offers), 0)::integer from rail_files where rail = ${rail}) as offers
    from database_mark m left join rail_exchanges e on e.rail = ${rail}`
  return row
}

/** Adds the offers that the database has lost, and ends the comparison after a restore. */
export async function noteOffersLost(sql: Sql, rail: string, lost: number): Promise<void> {
  await sql`
    insert into rail_exchanges as e (rail, offers_lost) values (${rail}, ${lost})
    on conflict (rail) do update
      set offers_lost = e.offers_lost + excluded.offers_lost, restored = false`
}
