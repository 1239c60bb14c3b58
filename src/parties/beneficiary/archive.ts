// Archives beneficiaries and takes them back. An archived beneficiary is in no ordinary list, and
// payouts to it are refused. Pure.
import type { Maker } from '../../accounts/maker.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { refusal } from '../../values/errors.ts'
import { nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { Beneficiary } from './beneficiary.ts'
import { BENEFICIARY_SEAL } from './columns.ts'

/** Refuses (422) a payout to a beneficiary that is archived. */
export function checkNotArchived({ id, archived_at }: Beneficiary): void {
  if (archived_at === null) return
  const message =
    `Beneficiary ${id} is archived: pay another one, or unarchive it by ` +
    `POST /v3/beneficiary/${id}/unarchive.`
  throw refusal('beneficiary_archived', message, 'beneficiary')
}

/** Everything that a batch may touch, read under the locks of its books. */
export interface ArchiveState {
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`. */
  readonly beneficiaries: Map<string, Beneficiary>
}

export interface ArchiveOutcome {
  readonly beneficiary: Beneficiary
  readonly did: 'archived' | 'nothing'
  readonly events: readonly Event[]
}

/** The facts of a `beneficiary.archived` or `beneficiary.unarchived` event. */
export interface ArchiveFacts extends Pick<Beneficiary, 'archived_at' | 'updated_at'> {
  readonly was_archived_at: Instant | null
  readonly approval_status: Beneficiary['approval']
  readonly made_by: Maker
}

/** The fact that other events of an archived beneficiary carry. */
export function stillArchived({ archived_at }: Beneficiary): { readonly archived_at?: Instant } {
  return archived_at === null ? {} : { archived_at }
}

/**
 * Archives a beneficiary, or takes it back if `archive` is false. Changes nothing if it is so
 * already. The record and its approval stay.
 */
export function decideArchive(
  state: ArchiveState,
  before: Beneficiary,
  archive: boolean,
  made_by: Maker,
): ArchiveOutcome {
  if ((before.archived_at !== null) === archive) {
    return { beneficiary: before, did: 'nothing', events: [] }
  }
  const { now } = bookOf(state.books, before.account_id)
  const { archived_at: was_archived_at } = before
  const beneficiary = { ...before, archived_at: archive ? now : null }
  state.beneficiaries.set(nameOf(beneficiary), beneficiary)
  const type = archive ? 'beneficiary.archived' : 'beneficiary.unarchived'
  const { archived_at, approval: approval_status, updated_at } = beneficiary
  const facts: ArchiveFacts = { archived_at, was_archived_at, approval_status, made_by, updated_at }
  const content = BENEFICIARY_SEAL.digest(beneficiary)
  return {
    beneficiary,
    did: 'archived',
    events: [recordChange(state, beneficiary, type, facts, content)],
  }
}
