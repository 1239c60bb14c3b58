// The step of a payout that a person sets by hand, from words: which statuses carry a failure, and
// what stands in for what was not said. Pure.
import { refuseIfAny } from '../errors.ts'
import { invalid } from '../party/rules.ts'
import type { Failure, RailStep } from '../rail/rail.ts'
import type { PayoutStatus } from './states.ts'

/** Statuses that carry a failure, and give the money back. */
export const FAILING: readonly PayoutStatus[] = ['failed', 'reversed']

/** What a failure is unless the person says otherwise. */
export const OPERATOR_FAILURE: Failure = {
  code: 'OP000100',
  category: 'operator',
  message: 'Set by the operator.',
}

/** The status in which the account is asked for something, and reads what. */
export const ASKING: PayoutStatus = 'requires_action'

export interface OperatorWords {
  readonly failure?: Partial<Failure>
  /** What the account is asked for. */
  readonly description?: string
}

/** Refuses words that the status has no place for (400 invalid_field, naming them). */
export function operatorStep(
  status: PayoutStatus,
  { failure, description }: OperatorWords,
): RailStep {
  const failing = FAILING.includes(status)
  const asks = status === ASKING
  refuseIfAny([
    ...(failure === undefined || failing
      ? []
      : [invalid('failure', `Only ${FAILING.join(' and ')} carry one.`)]),
    ...(description === undefined || asks
      ? []
      : [invalid('description', `Only ${ASKING} asks for something.`)]),
  ])
  return {
    status,
    failure: failing ? { ...OPERATOR_FAILURE, ...failure } : null,
    ...(description === undefined ? {} : { description }),
  }
}
