// The rules of erasure: what keeps a party's data, and what an erasure changes. Pure.
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { BENEFICIARY_SEAL } from '../beneficiary/columns.ts'
import { ENTITY_SEAL } from '../entity/columns.ts'
import { type Entity, isErased } from '../entity/entity.ts'
import { IN_REVIEW } from '../entity/states.ts'
import { found, invalidField, Refusal, refusal, refuseIfAny } from '../errors.ts'
import type { Event } from '../event/event.ts'
import { recordChange } from '../event/rules.ts'
import { KEPT_SEAL, type KeptReply } from '../idempotency/kept-reply.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { digestOfErasure } from './digest.ts'
import { erasedBeneficiary, erasedEntity } from './erased.ts'
import type { ErasedRow, Erasure, Obstacle, Party } from './privacy.ts'

/** A party with its row. */
export type StoredParty =
  | { readonly kind: 'beneficiary'; readonly row: Beneficiary }
  | { readonly kind: 'entity'; readonly row: Entity }

/** What is stored of a party, read under the lock of its account's book. */
export interface Stored {
  readonly party: StoredParty | undefined
  readonly books: ReadonlyMap<string, Book>
  readonly payouts: number
  /** Rows of events that say what the party was like. */
  readonly events: readonly ErasedRow[]
  /** Answers that show the party, kept for their Idempotency-Keys. */
  readonly kept: readonly KeptReply[]
}

/** A kept answer as it is now, and the row that vouches for it. */
export interface ErasedReply {
  readonly reply: KeptReply
  readonly row: ErasedRow
}

export interface Erased extends Erasure {
  readonly digest: string
  readonly party: StoredParty
  readonly rows: readonly ErasedRow[]
  readonly replies: readonly ErasedReply[]
  readonly events: readonly Event[]
}

/** Why the party is not erased now; none: it can be. */
export function obstaclesOf({ party, payouts, books }: Stored, { account_id }: Party): Obstacle[] {
  const obstacles: Obstacle[] = []
  const because = (rule: string, message: string) => obstacles.push({ rule, message, until: null })
  if (bookOf(books, account_id).state === 'frozen') {
    because('account_frozen', `account ${account_id} is frozen`)
  }
  if (party?.kind === 'entity' && IN_REVIEW.includes(party.row.approval_status)) {
    because('in_review', `its review is open: decide it by corridor entity approve or reject`)
  }
  if (payouts > 0) because('payouts', `${payouts} payouts were made to it or for it`)
  return obstacles
}

/** The text of the answer that shows a party. */
export type ShowParty = (party: StoredParty) => string

/** Decides an erasure. Refuses a party that is not there, is erased already, or must be kept. */
export function decideErasure(
  stored: Stored,
  asked: Party & { readonly person: string; readonly reason: string },
  show: ShowParty,
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
      obstacles.map(({ rule, message }) => {
        return { reason: 'erasure_refused', message: `${rule}: ${message}`, remarks: '' }
      }),
    )
  }
  // After this point it succeeds.

  const { now } = bookOf(stored.books, account_id)
  const erased = erasedParty(party, now)
  const replies = stored.kept.map(reply => erasedReply(reply, show(erased)))
  const table_name = erased.kind === 'beneficiary' ? 'beneficiaries' : 'entities'
  const rows = [
    { table_name, key: id, was: null, becomes: null },
    ...stored.events,
    ...replies.map(({ row }) => row),
  ]
  const { person: erased_by, reason } = asked
  const erasure = { account_id, party_id: id, erased_at: now, erased_by, reason }
  const digest = digestOfErasure(erasure, rows)
  const event = recordChange(
    { books: stored.books },
    { account_id, id },
    `${erased.kind}.erased`,
    { erased_rows: rows.length, digest },
    erased.kind === 'beneficiary'
      ? BENEFICIARY_SEAL.digest(erased.row)
      : ENTITY_SEAL.digest(erased.row),
  )
  return { ...erasure, digest, party: erased, rows, replies, events: [event] }
}

export function isPartyErased(party: StoredParty): boolean {
  return party.kind === 'beneficiary' ? party.row.details.status === 'erased' : isErased(party.row)
}

function erasedParty(party: StoredParty, now: string): StoredParty {
  return party.kind === 'beneficiary'
    ? { kind: party.kind, row: { ...erasedBeneficiary(party.row), updated_at: now } }
    : { kind: party.kind, row: { ...erasedEntity(party.row), updated_at: now } }
}

/** A repeated request gets the party as it is now: it makes nobody a second time. */
function erasedReply(reply: KeptReply, body: string): ErasedReply {
  const after = { ...reply, body }
  const key = `${reply.operation} ${reply.key}`
  const [was, becomes] = [KEPT_SEAL.digest(reply), KEPT_SEAL.digest(after)]
  return { reply: after, row: { table_name: 'idempotency_keys', key, was, becomes } }
}
