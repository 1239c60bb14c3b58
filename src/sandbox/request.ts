// Requests of sandbox accounts.
import type { Static } from 'typebox'
import { Amount, Closed, CurrencyCode, Literals, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { REVIEW_RESULTS } from '../parties/entity/states.ts'
import { ASKING, OPERATOR_FAILURE } from '../payouts/by-hand/by-hand.ts'
import { GIVEN_BACK_STATUSES, STEP_STATUSES } from '../payouts/states.ts'

/** The most seconds of one step: a year. All steps together may reach ten years. */
const MAX_STEP_S = 31_536_000
export const MAX_AHEAD_S = 10 * MAX_STEP_S

export const ClockRequest = Closed(
  {
    seconds: Type.Integer({
      minimum: 1,
      maximum: MAX_STEP_S,
      description: 'By how much the clock goes forward. It never goes back.',
      examples: [1800],
    }),
  },
  { title: 'ClockRequest' },
)
export type ClockRequest = Static<typeof ClockRequest>

export const FundRequest = Closed({ amount: Amount, currency: CurrencyCode }, { title: 'Funding' })
export type FundRequest = Static<typeof FundRequest>

export const TransitionRequest = Closed(
  {
    status: Literals(STEP_STATUSES, { description: 'The new status of the payout.' }),
    description: Type.Optional(
      Text(500, { minLength: 1, description: `For ${ASKING}: what the account is asked for.` }),
    ),
    failure: Type.Optional(
      Closed(
        {
          code: Type.Optional(Text(64, { minLength: 1 })),
          category: Type.Optional(Text(64, { minLength: 1 })),
          message: Type.Optional(Text(500, { minLength: 1 })),
        },
        {
          description:
            `For ${GIVEN_BACK_STATUSES.join(' and ')}. The defaults are the code ` +
            `${OPERATOR_FAILURE.code}, the category ${OPERATOR_FAILURE.category} and the message ` +
            `“${OPERATOR_FAILURE.message}”`,
        },
      ),
    ),
  },
  { title: 'TransitionRequest' },
)
export type TransitionRequest = Static<typeof TransitionRequest>

export const SandboxReview = Closed(
  {
    status: Literals(REVIEW_RESULTS, { description: 'The result of the review.' }),
    description: Type.Optional(
      Text(500, { minLength: 1, description: 'What the account is told.' }),
    ),
  },
  { title: 'SandboxReview' },
)
export type SandboxReview = Static<typeof SandboxReview>
