// The SQL statements that find what banks have sent and nothing of which is applied. While it lies
// there, the silence of the bank proves nothing.
import type { Sql } from '../../sql/connect.ts'
import type { Instant } from '../../values/instant.ts'
import type { ItemKey } from './item-store.ts'

/** When the inbox of a rail was last read to its end, and why it cannot be read. */
export async function findExchange(sql: Sql, rail: string) {
  const [row] = await sql<{ fetched_at: Instant | null; problem: string }[]>`
    select fetched_at, problem from rail_exchanges where rail = ${rail}`
  return row ?? { fetched_at: null, problem: '' }
}

/** A file of the bank: quarantined and not closed by a person, or stored and not read yet. */
export interface UnreadFile {
  readonly name: string
  /** The first digits of its hash. */
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
export type SilenceException = ItemKey & { readonly number: number }

/** At most `most` open exceptions of this rail about the silence of its bank, the oldest first. */
export async function listSilenceExceptions(
  finder: Sql,
  rail: string,
  most: number,
): Promise<SilenceException[]> {
  return finder<SilenceException[]>`
    select account_id, payout_id, attempt, number from rail_exceptions
    where closed_at is null and rail = ${rail} and kind = 'silence_unproved'
    order by opened_at limit ${most}`
}
