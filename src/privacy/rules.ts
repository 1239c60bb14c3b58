// The rules of erasure. Pure.
import type { KeptReply } from '../http/idempotency/kept-reply.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import type { Beneficiary } from '../parties/beneficiary/beneficiary.ts'
import { BENEFICIARY_SEAL } from '../parties/beneficiary/columns.ts'
import { ENTITY_SEAL } from '../parties/entity/columns.ts'
import { type Entity, isErased } from '../parties/entity/entity.ts'
import { IN_REVIEW } from '../parties/entity/states.ts'
import { eventWithPriorState } from '../payouts/advance/event-state.ts'
import { APPROVAL_SEAL, PAYOUT_SEAL } from '../payouts/columns.ts'
import type { Payout } from '../payouts/payout.ts'
import type { Event } from '../statements/event/event.ts'
import { recordChange } from '../statements/event/rules.ts'
import { found, invalidField, Refusal, refusal, refuseIfAny } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import { digestOfErasure, erasedBeneficiary, erasedEntity, erasedPayout } from './erased.ts'
import type { ErasedRow, Erasure, Obstacle, Party } from './privacy.ts'

export type StoredParty =
  | { readonly kind: 'beneficiary'; readonly row: Beneficiary }
  | { readonly kind: 'entity'; readonly row: Entity }

export interface KeepReasons {
  readonly is_sandbox: boolean
  /** Payouts that are open, or whose rail may still report something. */
  readonly open: readonly string[]
  /** Payouts with an uncleared match, and the party itself if it has one. */
  readonly matched: readonly string[]
  /** Payouts with an exception or a line of a bank that a person must still close. */
  readonly in_doubt: readonly string[]
  /** Until when a kept answer shows one of the payouts; null if none does. */
  readonly answers_until: Instant | null
  /** When the retention of the last payout ends; null without payouts. */
  readonly retained_until: Instant | null
  readonly years: number
}

/** The stored data of a party, read under the lock of its account's book. */
export interface Stored {
  readonly books: ReadonlyMap<string, Book>
  readonly party: StoredParty | undefined
  readonly payouts: readonly Payout[]
  readonly keep_reasons: KeepReasons
  /** Rows of events with personal data of the party or of its payouts. */
  readonly events: readonly ErasedRow[]
  /** Answers that show the party and are kept for their Idempotency-Keys. */
  readonly kept: readonly KeptReply[]
  /** Files for banks with the party's payments that are older than the retention. */
  readonly files: readonly string[]
  /** The hashes of banks' files about the payouts. */
  readonly inbox: readonly string[]
}

export interface ErasedReply {
  readonly reply: KeptReply
  readonly row: ErasedRow
}

export interface Erased extends Erasure {
  readonly digest: string
  readonly party: StoredParty
  /** The payouts of the party, in their erased form and as they were. */
  readonly payouts: readonly Payout[]
  readonly before: readonly Payout[]
  readonly rows: readonly ErasedRow[]
  readonly replies: readonly ErasedReply[]
  readonly events: readonly Event[]
}

/** The reasons against an erasure of the party; empty if it can be erased. */
export function obstaclesOf(
  { party, keep_reasons, books }: Stored,
  { account_id }: Party,
): Obstacle[] {
  const { state, now } = bookOf(books, account_id)
  const obstacles: Obstacle[] = []
  const addObstacle = (rule: string, message: string, until: Instant | null = null) =>
    obstacles.push({ rule, message, until })
  if (state === 'frozen') addObstacle('account_frozen', `account ${account_id} is frozen`)
  if (party?.kind === 'entity' && IN_REVIEW.includes(party.row.approval_status)) {
    addObstacle('in_review', 'its review is open: decide it by corridor entity approve or reject')
  }
  const payouts = [
    ['open_payout', 'is not over', keep_reasons.open],
    ['screening', 'has a match that is not cleared', keep_reasons.matched],
    ['in_doubt', 'has an exception that nobody has closed', keep_reasons.in_doubt],
  ] as const
  for (const [rule, what, ids] of payouts) {
    const named = ids.map(id => `${id.startsWith('pot_') ? 'payout ' : ''}${id} ${what}`)
    if (ids.length > 0) addObstacle(rule, named.join(', '))
  }
  const { answers_until, retained_until } = keep_reasons
  if (answers_until !== null && answers_until > now) {
    addObstacle('kept_answers', 'the answer to a request shows it', answers_until)
  }
  if (!keep_reasons.is_sandbox && retained_until !== null && retained_until > now) {
    const message = `payments are kept for ${keep_reasons.years} years from the last one on`
    addObstacle('retention', message, retained_until)
  }
  return obstacles
}

export function obstacleWords({ rule, message, until }: Obstacle): string {
  return `${rule}: ${message}${until === null ? '' : `, until ${until.slice(0, 10)}`}`
}

/** Refuses an unknown party, one that is erased already, and one that must be kept. */
export function decideErasure(
  stored: Stored,
  asked: Party & { readonly person: string; readonly reason: string },
  eraseReply: (reply: KeptReply, erased: StoredParty) => ErasedReply,
): Erased {
  const { account_id, id } = asked
  const party = found(stored.party)
  refuseIfAny([
    ...(asked.person === '' ? [invalidField('operator', 'Say who erases.')] : []),
    ...(asked.reason === '' ? [invalidField('reason', 'Say why.')] : []),
  ])
  if (isPartyErased(party)) throw refusal('party_erased', `The data of ${id} is erased already.`)
  const obstacles = obstaclesOf(stored, asked)
  if (obstacles.length > 0) {
    throw new Refusal(
      obstacles.map(obstacle => {
        return { reason: 'erasure_refused', message: obstacleWords(obstacle), remarks: '' }
      }),
    )
  }
  // After this point it succeeds.

  const { now } = bookOf(stored.books, account_id)
  const erased = erasedParty(party, now)
  const before = stored.payouts.filter(payout => payout.beneficiary_details.status !== 'erased')
  const payouts = before.map(erasedPayout)
  const replies = stored.kept.map(reply => eraseReply(reply, erased))
  const rows = rowsOf(erased, { ...stored, payouts: before }, replies)
  const { person: erased_by, reason } = asked
  const erasure = { account_id, party_id: id, erased_at: now, erased_by, reason }
  const digest = digestOfErasure(erasure, rows)
  const events = [
    ...payouts.map(payout => recordPayout(stored, payout)),
    recordChange(
      stored,
      { account_id, id },
      `${erased.kind}.erased`,
      { erased_rows: rows.length, digest },
      erased.kind === 'beneficiary'
        ? BENEFICIARY_SEAL.digest(erased.row)
        : ENTITY_SEAL.digest(erased.row),
    ),
  ]
  return { ...erasure, digest, party: erased, payouts, before, rows, replies, events }
}

function rowsOf(
  { kind, row }: StoredParty,
  { payouts, events, files, inbox }: Stored,
  replies: readonly ErasedReply[],
): ErasedRow[] {
  const plain = (table_name: string, key: string) => {
    return { table_name, key, was: null, becomes: null }
  }
  return [
    plain(kind === 'beneficiary' ? 'beneficiaries' : 'entities', row.id),
    // The digests are those that people approve: approvals carry the one before the erasure.
    ...payouts.map(payout => ({
      table_name: 'payouts',
      key: payout.id,
      was: APPROVAL_SEAL.digest(payout),
      becomes: APPROVAL_SEAL.digest(erasedPayout(payout)),
    })),
    ...events,
    ...replies.map(reply => reply.row),
    ...files.map(msg_id => plain('rail_files', msg_id)),
    ...inbox.map(sha256 => plain('rail_inbox_bytes', sha256)),
  ]
}

function recordPayout(stored: Stored, payout: Payout): Event {
  const facts = { status: payout.status, by: 'operator', journals: [] }
  const content = PAYOUT_SEAL.digest(payout)
  const event = recordChange(stored, payout, 'payout.erased', facts, content)
  return eventWithPriorState(payout, payout, event)
}

function isPartyErased(party: StoredParty): boolean {
  return party.kind === 'beneficiary' ? party.row.details.status === 'erased' : isErased(party.row)
}

function erasedParty(party: StoredParty, now: Instant): StoredParty {
  return party.kind === 'beneficiary'
    ? { kind: party.kind, row: { ...erasedBeneficiary(party.row), updated_at: now } }
    : { kind: party.kind, row: { ...erasedEntity(party.row), updated_at: now } }
}
