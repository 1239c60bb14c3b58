// The steps that an operator sets, by hand or for a sandbox, and what an operator may not do. Pure.
import type { Approvals } from '../../parties/entity/entity.ts'
import { isOutside, type RailStep } from '../../rails/rail.ts'
import type { Key } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { checkPerson, personFacts } from '../by-hand/by-hand.ts'
import type { OpenPayout } from '../payout.ts'
import type { ByOperator } from './advance.ts'
import { checkStillApproved, isHandedOver, underReview } from './release.ts'

/**
 * An operator's steps. An operator can only fail a payout that screening holds, and only once its
 * match is confirmed. Screening stops no step of a
 * payout that is handed over.
 */
export function stepsByOperator(
  payout: OpenPayout,
  { steps, person, maker }: ByOperator,
  now: Instant,
) {
  const { id, screening, rail } = payout
  const fails = steps.every(({ status }) => status === 'failed')
  if (screening !== '' && !isHandedOver(payout) && !(fails && screening === 'confirmed')) {
    throw underReview(id)
  }
  // A payment keeps its reference. Only the event of a return stores the return's reference.
  const pays = steps.some(({ status }) => status === 'succeeded')
  const stores = person?.reference !== undefined && (pays || payout.rail_reference === '')
  const changes = ({ status }: RailStep) => ({
    ...(stores && { rail_reference: person.reference }),
    // The rail is not asked again unless the step returns the payout to it.
    ...(isOutside(rail) && { taken_over_at: status === 'processing' ? null : now }),
  })
  const facts = { ...personFacts(person), ...(maker !== undefined && { made_by: maker }) }
  return { steps, facts, changes }
}

export interface OperatorState {
  readonly approvals: Approvals
  /** Another payout with the same bank reference, by payout id. */
  readonly paid_elsewhere: ReadonlyMap<string, Key>
}

/**
 * Refuses a reported success while the payout's entity is not approved, unless the payout is held
 * or handed over. Also refuses as `checkPerson` does.
 */
export function checkOperator(
  { approvals, paid_elsewhere }: OperatorState,
  payout: OpenPayout,
  { steps, person }: ByOperator,
): void {
  const succeeds = steps.some(({ status }) => status === 'succeeded')
  if (succeeds && payout.status !== 'compliance_hold' && !isHandedOver(payout)) {
    checkStillApproved(approvals, payout)
  }
  checkPerson(payout, steps, person, paid_elsewhere.get(payout.id))
}
