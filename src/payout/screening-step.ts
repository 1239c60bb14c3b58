// What screening changes about an open payout, and what its hold forbids. Pure.
import type { Approvals } from '../entity/rules.ts'
import { refusal } from '../errors.ts'
import { type Key, nameOf } from '../id.ts'
import type { RailStep } from '../rail/rail.ts'
import { type Match, newMatches, type Screened, type StoredMatch } from '../screening/match.ts'
import { NEUTRAL } from './new-row.ts'
import type { OpenPayout, Payout } from './payout.ts'
import type { Cause } from './states.ts'

/**
 * Whether a rail or a person may have the payout, so that it may be paid whatever the service does.
 */
export function mayBeOut(payout: Pick<OpenPayout, 'rail_attempts' | 'taken_by'>): boolean {
  return payout.rail_attempts > 0 || payout.taken_by !== ''
}

/** Whether to screen a payout: it is not over, and waits for no person's decision about a match. */
function isScreenable({ status, held_for, screening }: OpenPayout): boolean {
  if (isHeldOpen({ screening })) return false
  if (status === 'processing' || status === 'pending_approval') return true
  return held_for !== '' || screening === 'waits'
}

interface ScreenedState {
  readonly approvals: Approvals
  readonly confirmed: ReadonlySet<string>
}

/**
 * The payout after screening. Refuses a finding that is older than a change of the payout's entity,
 * or than a person's confirmation that one of its parties is listed.
 */
export function screenedNow(
  { approvals, confirmed }: ScreenedState,
  payout: OpenPayout,
  screened: Screened,
): OpenPayout {
  checkAsCompared(approvals, payout, screened)
  if (screened.matches.length === 0) checkUnconfirmed(confirmed, payout)
  return withScreening(payout, screened)
}

function checkUnconfirmed(confirmed: ReadonlySet<string>, payout: OpenPayout): void {
  const party = partiesOfPayout(payout).find(key => confirmed.has(nameOf(key)))
  if (party === undefined) return
  const message = `${party.id} of payout ${payout.id} was confirmed since it was screened.`
  throw refusal('invalid_transition', message)
}

/** The stored parties of a payout, which are also screened by themselves. */
export function partiesOfPayout({ account_id, beneficiary_id, particulars }: Payout): Key[] {
  const ids = [particulars.on_behalf_of, beneficiary_id].filter(id => id !== '')
  return ids.map(id => ({ account_id, id }))
}

function checkAsCompared(
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

/**
 * Whether a person decides about the payout, so that new matches are added to those they look at.
 */
export function isHeldOpen({ screening }: Pick<OpenPayout, 'screening'>): boolean {
  return screening === 'open' || screening === 'confirmed'
}

/**
 * What a person is asked now: all matches of a new hold, or the new matches of an earlier one. With
 * it, the version with which a held payout was compared.
 */
export function foundNow(
  before: OpenPayout,
  after: OpenPayout,
  screened: Screened | undefined,
  stored: readonly StoredMatch[] = [],
): { readonly matches: readonly Match[]; readonly compared: bigint | null } {
  if (screened === undefined || !isHeldOpen(after)) return { matches: [], compared: null }
  const { matches, version } = screened
  const fresh = isHeldOpen(before) ? newMatches(matches, stored, () => false) : matches
  return { matches: fresh, compared: version }
}

/**
 * The step that screening causes; `before` and `after` are the payout before and after
 * `withScreening`. No payout moves while it has an open match. A payout that only waited for
 * screening goes on by `release`. So does one that was rejected while it was held.
 */
export function stepsByScreening(
  before: OpenPayout,
  after: OpenPayout,
  release: () => readonly RailStep[],
): readonly RailStep[] {
  if (after.screening === 'open' && before.screening !== 'open') {
    if (before.status !== 'processing' || mayBeOut(before)) return []
    return [{ status: 'compliance_hold', failure: null, description: NEUTRAL }]
  }
  const is_free = after.screening === '' && after.screened !== null
  const waits = before.status === 'compliance_hold' || before.status === 'pending_approval'
  return is_free && waits ? release() : []
}

/** Whether the payout is screened at the present lists; null: their version is not known here. */
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
 * Refuses a step that would move the money of a payout that a person must look at first. Its
 * account does not get the money back, and nobody says that it is paid. A person can fail a payout
 * with a confirmed match. What a rail or a person may have paid already is applied as it is.
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
  // An approval leads to the hold. The end of the approval's time would give the money back.
  const gives_back = steps.some(({ status }) => status === 'failed')
  if (by === 'approval' && (screening === 'waits' || !gives_back)) return
  const fails = steps.every(({ status }) => status === 'failed')
  if (by === 'operator' && (mayBeOut(payout) || (fails && screening === 'confirmed'))) return
  const message = `Payout ${id} is under review, and stays as it is until that is decided.`
  throw refusal('invalid_transition', message, 'status')
}
