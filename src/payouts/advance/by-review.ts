// The steps that a review causes: the review of the payout's entity, or a comparison of the payout
// with the sanctions lists. Pure.
import type { Approvals } from '../../parties/entity/entity.ts'
import type { RailStep } from '../../rails/rail.ts'
import { type Match, newMatches, type Screened, type StoredMatch } from '../../screening/match.ts'
import { refusal } from '../../values/errors.ts'
import { failureWith } from '../../values/failures.ts'
import { nameOf } from '../../values/id.ts'
import { type Instant, plusMicros } from '../../values/instant.ts'
import { descriptionOf, NEUTRAL_DESCRIPTION } from '../create/new-row.ts'
import type { OpenPayout, Payout } from '../payout.ts'
import type { ByReview } from './advance.ts'
import { type ApprovalState, stepsOfRejected } from './by-approval.ts'
import {
  type HeldState,
  isHandedOver,
  isHeldForMatch,
  isScreenedAt,
  isTransfer,
  partiesOfPayout,
  rejectedEntity,
  released,
  unapprovedStatus,
} from './release.ts'

/**
 * How long a payout that converts keeps its price while its entity is not approved. The account
 * decides when it submits the entity. Without an end, it could choose among later rates.
 */
const PRICE_HELD_DAYS = 7

export interface ReviewState extends HeldState, ApprovalState {
  /** Parties of screened payouts that a person has confirmed to be listed, as `account_id/id`. */
  readonly confirmed: ReadonlySet<string>
  /** The stored matches of held payouts that are screened again, by `account_id/id`. */
  readonly stored_matches: ReadonlyMap<string, readonly StoredMatch[]>
}

/** The steps of a review. Screening also changes the payout, and may find matches to decide. */
export function stepsByReview(state: ReviewState, read: OpenPayout, { screened }: ByReview) {
  if (screened === undefined) {
    if (read.held_for !== '') return { steps: stepsOfEntity(state, read) }
    const { on_behalf_of: held_for } = read.particulars
    const changes = ({ status }: RailStep) => (status === 'compliance_hold' ? { held_for } : {})
    return { steps: stepsAtExecution(state, read), changes }
  }
  const payout = applyScreening(state, read, screened)
  const steps = stepsOfScreening(read, payout, () => stepsOfReleased(state, payout))
  const stored = state.stored_matches.get(nameOf(read))
  return { payout, steps, screening: matchesToDecide(read, payout, screened, stored) }
}

/** The steps of a payout that screening no longer holds. Its entity's review may still hold it. */
function stepsOfReleased(state: ReviewState, payout: OpenPayout): readonly RailStep[] {
  if (payout.status === 'pending_approval') return stepsOfRejected(state, payout)
  return payout.held_for === '' ? [released(state, payout)] : stepsOfEntity(state, payout)
}

/**
 * The step of a payout that waits for the review of its entity; none while the review is open or
 * screening holds the payout.
 */
function stepsOfEntity(state: HeldState, payout: OpenPayout): RailStep[] {
  const { account_id, held_for } = payout
  if (held_for === '' || payout.screening !== '') return []
  const approval = state.approvals.get(nameOf({ account_id, id: held_for }))
  switch (approval?.approval_status) {
    case 'approved':
      if (isPriceOver(payout, approval.decided_at)) return [overdue(held_for)]
      // A transfer is paid at its release, so it must be screened at the present lists.
      if (isTransfer(payout) && !isScreenedAt(payout, state.lists_version)) return []
      return [released(state, payout)]
    case 'rejected':
      return [rejectedEntity(held_for)]
    default:
      return []
  }
}

/**
 * Whether the entity was approved too late for the payout's price: more than PRICE_HELD_DAYS after
 * `execute_at`, or after the creation of a payout without one. A payout that converts nothing keeps
 * its price. A delay after the approval does not count.
 */
function isPriceOver(payout: Payout, approved_at: Instant): boolean {
  const { created_at, execute_at, holding_fx_id, payout_fx_id } = payout
  if (holding_fx_id === '' && payout_fx_id === '') return false
  const last = plusMicros(execute_at ?? created_at, BigInt(PRICE_HELD_DAYS) * 86_400_000_000n)
  return approved_at > last
}

function overdue(entity_id: string): RailStep {
  const message =
    `Entity ${entity_id} was approved later than ${PRICE_HELD_DAYS} days, for which the payout ` +
    'keeps its rate.'
  return { status: 'failed', failure: failureWith('PF000330', message) }
}

/**
 * The step of a scheduled payout that is neither held nor handed over. An approved entity causes
 * none, a rejected one a failure. Any other entity causes the hold of a new payout.
 */
function stepsAtExecution({ approvals }: HeldState, payout: OpenPayout): RailStep[] {
  if (payout.status !== 'processing' || isHandedOver(payout)) return []
  const { on_behalf_of: id } = payout.particulars
  const status = unapprovedStatus(approvals, payout)
  if (status === undefined) return []
  if (status === 'rejected') return [rejectedEntity(id)]
  return [{ status: 'compliance_hold', failure: null, description: descriptionOf(id, true) }]
}

/**
 * The screened payout. Refuses a result that is older than a change of the payout's entity, or than
 * a person's confirmation that a party is listed.
 */
function applyScreening(
  { approvals, confirmed }: ReviewState,
  payout: OpenPayout,
  screened: Screened,
): OpenPayout {
  checkEntityUnchanged(approvals, payout, screened)
  if (screened.matches.length === 0) checkUnconfirmed(confirmed, payout)
  return withScreening(payout, screened)
}

function checkUnconfirmed(confirmed: ReadonlySet<string>, payout: OpenPayout): void {
  const party = partiesOfPayout(payout).find(key => confirmed.has(nameOf(key)))
  if (party === undefined) return
  const message =
    `A match of ${party.id} was confirmed after payout ${payout.id} was compared with the ` +
    'sanctions lists.'
  throw refusal('invalid_transition', message)
}

function checkEntityUnchanged(
  approvals: Approvals,
  { account_id, id, particulars }: OpenPayout,
  { entity_at }: Screened,
): void {
  const { on_behalf_of } = particulars
  const entity = approvals.get(nameOf({ account_id, id: on_behalf_of }))
  if (entity_at === undefined || entity?.updated_at === entity_at) return
  const message = `Entity ${on_behalf_of} of payout ${id} has changed since it was screened.`
  throw refusal('invalid_transition', message)
}

function withScreening(payout: OpenPayout, { version, matches }: Screened): OpenPayout {
  if (!isScreenable(payout)) return payout
  if (matches.length > 0) return { ...payout, screened: null, screening: 'open' }
  return version === null ? payout : { ...payout, screened: version, screening: '' }
}

/** Whether to screen a payout: it is open, and no match of it waits for a person. */
function isScreenable({ status, held_for, screening }: OpenPayout): boolean {
  if (isHeldForMatch({ screening })) return false
  if (status === 'processing' || status === 'pending_approval') return true
  return held_for !== '' || screening === 'waits'
}

/**
 * The matches that a person must decide: all matches of a new hold, or the new matches of an
 * earlier hold. `compared` is the version of the lists that the payout was compared with.
 */
function matchesToDecide(
  before: OpenPayout,
  after: OpenPayout,
  screened: Screened | undefined,
  stored: readonly StoredMatch[] = [],
): { readonly matches: readonly Match[]; readonly compared: bigint | null } {
  if (screened === undefined || !isHeldForMatch(after)) return { matches: [], compared: null }
  const { matches, version } = screened
  const fresh = isHeldForMatch(before) ? newMatches(matches, stored, () => false) : matches
  return { matches: fresh, compared: version }
}

/**
 * The step that screening causes between `before` and `after`. A new match holds the payout, unless
 * the payout is handed over. A payout that only waited for screening gets the steps of `release`,
 * and so does a payout that was rejected while it was held.
 */
function stepsOfScreening(
  before: OpenPayout,
  after: OpenPayout,
  release: () => readonly RailStep[],
): readonly RailStep[] {
  if (after.screening === 'open' && before.screening !== 'open') {
    if (before.status !== 'processing' || isHandedOver(before)) return []
    return [{ status: 'compliance_hold', failure: null, description: NEUTRAL_DESCRIPTION }]
  }
  const is_free = after.screening === '' && after.screened !== null
  const waits = before.status === 'compliance_hold' || before.status === 'pending_approval'
  return is_free && waits ? release() : []
}
