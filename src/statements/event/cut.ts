// A cut: the events up to a number were removed from the database and are in an archive. The cut
// keeps the seals of the objects that these events are about. Pure.
import { hash } from 'node:crypto'
import type { Moment } from '../../sql/order.ts'
import { refusal } from '../../values/errors.ts'
import { type Key, numberedId, numberIn, timesIn } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { ArchivedRow } from './archive.ts'
import { unfold } from './row.ts'

export interface Cut {
  readonly account_id: string
  /** The number and time of the last removed event, and the hash of its row. */
  readonly sequence: bigint
  readonly hash: string
  readonly created_at: Instant
}

/** Whether this is the id of the last removed event. All events after it are in the database. */
export function isLastOf(cut: Cut, id: string): boolean {
  return numberedId('evt', cut, cut.sequence) === id
}

/** Whether a moment is after the last removed event. */
export function isAfter(cut: Cut, { created_at, side }: Moment): boolean {
  return created_at === cut.created_at ? side === 'after' : created_at > cut.created_at
}

/** Refuses the id of a removed event of the account. Other ids pass. */
export function refuseArchived(cut: Cut | undefined, { account_id, id }: Key): void {
  if (cut === undefined || numberIn(id) > cut.sequence) return
  const of_account = { account_id, created_at: timesIn(id).from }
  if (numberedId('evt', of_account, numberIn(id)) === id) refuseBefore(cut)
}

/** Refuses a request for events before the cut. */
export function refuseBefore({ sequence, created_at }: Cut): never {
  const message = `Events up to number ${sequence}, of ${created_at}, are in an archive alone.`
  throw refusal('event_archived', `${message} Begin with number ${sequence + 1n}.`)
}

/** The digest of an object's row after the newest removed event about the object. */
export interface ArchivedSeal {
  readonly object_id: string
  /** The sequence of that event. */
  readonly number: bigint
  readonly content: string
}

/** The seals of the objects that the rows' events are about, in the order of the object ids. */
export function sealsOf(rows: readonly ArchivedRow[]): ArchivedSeal[] {
  const seals = new Map<string, ArchivedSeal>()
  for (const { data, ...row } of rows) {
    const read = { ...row, sequence: BigInt(row.sequence), data: JSON.parse(data ?? 'null') }
    for (const { object_id, sequence: number, content } of unfold([read])) {
      if (content !== undefined) seals.set(object_id, { object_id, number, content })
    }
  }
  return [...seals.values()].sort((a, b) => (a.object_id < b.object_id ? -1 : 1))
}

/** SHA-256, in hex, of seals in their order; verify/events.ts has the same in SQL. */
export function digestOfSeals(seals: readonly ArchivedSeal[]): string {
  const lines = seals.map(({ object_id, number, content }) => `${object_id} ${number} ${content}`)
  return hash('sha256', lines.join('\n'), 'hex')
}

/** The reasons to keep archived events in the database. */
export interface Obstacles {
  /** The number of the account's newest event, whose row stays. */
  readonly newest: bigint
  /** For each webhook endpoint, the first event with an open delivery, pending or dead. */
  readonly owed: readonly { readonly endpoint_id: string; readonly sequence: bigint }[]
  /** Only older events may go; null when none may. */
  readonly before: Instant | null
}

/** Why the row that ends with this event stays; undefined when it may go. */
export function whyKept(
  { sequence, created_at }: Pick<Cut, 'sequence' | 'created_at'>,
  { newest, owed, before }: Obstacles,
): string | undefined {
  if (before === null) return 'events are kept for ever: corridor privacy retention events'
  if (created_at >= before) return `it is not older than ${before}`
  if (sequence >= newest) return 'the newest row stays'
  const first = owed.find(one => one.sequence <= sequence)
  return first && `it is still to be delivered to webhook endpoint ${first.endpoint_id}`
}
