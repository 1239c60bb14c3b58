// What screening changes about an open payout, and what its hold forbids. Pure.
import type { Approvals } from '../../parties/entity/entity.ts'
import type { RailStep } from '../../rails/rail.ts'
import { type Match, newMatches, type Screened, type StoredMatch } from '../../screening/match.ts'
import { refusal } from '../../values/errors.ts'
import { type Key, nameOf } from '../../values/id.ts'
import { NEUTRAL_DESCRIPTION } from '../create/new-row.ts'
import type { OpenPayout, Payout } from '../payout.ts'
import type { Cause } from '../states.ts'

/**
 * Whether a rail was asked about the payout, or a person has taken it. Either may then pay it,
 * whatever the service does.
 */
export function isHandedOver(payout: Pick<OpenPayout, 'rail_attempts' | 'taken_by'>): boolean {
  return payout.rail_attempts > 0 || payout.taken_by !== ''
}

/** Whether to screen a payout: it is open, and no match of it waits for a person. */
function isScreenable({ status, held_for, screening }: OpenPayout): boolean {
  if (isHeldForMatch({ screening })) return false
  if (status === 'processing' || status === 'pending_approval') return true
  return held_for !== '' || screening === 'waits'
}

interface ScreenedState {
  readonly approvals: Approvals
  readonly confirmed: ReadonlySet<string>
}

/**
 * The payout after screening. Refuses a result that is older than a change of the payout's entity,
 * or than a person's confirmation that one of its parties is listed.
 */
export function applyScreening(
  { approvals, confirmed }: ScreenedState,
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

/** The stored parties of a payout, which are also screened by themselves. */
export function partiesOfPayout({ account_id, beneficiary_id, particulars }: Payout): Key[] {
  const ids = [particulars.on_behalf_of, beneficiary_id].filter(id => id !== '')
  return ids.map(id => ({ account_id, id }))
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

/** Whether an open or a confirmed match holds the payout. */
export function isHeldForMatch({ screening }: Pick<OpenPayout, 'screening'>): boolean {
  return screening === 'open' || screening === 'confirmed'
}

/**
 * The matches that a person must decide: all matches of a new hold, or only the new matches of an
 * earlier hold. `compared` is the version of the lists that a held payout was compared with.
 */
export function matchesToDecide(
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
 * The step that screening causes; `before` and `after` are the payout before and after
 * `withScreening`. A new match holds the payout, unless the payout is handed over. A payout that
 * only waited for screening gets the steps of `release`. So does a payout that was rejected while
 * it was held.
 */
export function stepsByScreening(
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

/** Whether the payout is screened at this version of the lists; null: at any version. */
export function isScreenedAt(
  { screened }: Pick<OpenPayout, 'screened'>,
  lists_version: bigint | null,
): boolean {
  return screened !== null && screened === (lists_version ?? screened)
}

/** Refuses to let a person pay a payout that is not screened at the present lists. */
export function checkScreened(payout: OpenPayout, lists_version: bigint | null): void {
  if (isScreenedAt(payout, lists_version)) return
  const { id } = payout
  const message =
    `Payout ${id} is not screened by the present sanctions lists: corridor screening show ${id} ` +
    'and corridor lists status say why.'
  throw refusal('invalid_transition', message)
}

/**
 * Refuses a step that moves the money of a payout while screening holds it. The account can cancel
 * the payout only while no match holds it. An operator can only fail a payout with a confirmed
 * match. The steps of a rail, and an operator's steps of a payout that is handed over, are applied.
 */
export function checkHeld(
  payout: OpenPayout,
  steps: readonly RailStep[],
  { by, is_answer }: { readonly by: Cause; readonly is_answer: boolean },
): void {
  const { id, screening } = payout
  if (screening === '' || by === 'rail' || by === 'review') return
  if (by === 'account') {
    if (is_answer || screening === 'waits') return
    const message = `Payout ${id} can no longer be cancelled: it is under review.`
    throw refusal('payout_not_cancellable', message)
  }
  // An approval keeps the money: it moves the payout into the hold. Its expiry gives the money
  // back.
  const gives_back = steps.some(({ status }) => status === 'failed')
  if (by === 'approval' && (screening === 'waits' || !gives_back)) return
  const fails = steps.every(({ status }) => status === 'failed')
  if (by === 'operator' && (isHandedOver(payout) || (fails && screening === 'confirmed'))) return
  const message = `Payout ${id} is under review, and cannot change before the review ends.`
  throw refusal('invalid_transition', message, 'status')
}
