// The routes of /v3/sandbox.
import type { Account } from '../accounts/rules.ts'
import type { Runs } from '../engine/lanes.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { makingOf } from '../http/author.ts'
import { pathId } from '../http/docs.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import type { WriteEntity } from '../parties/entity/operations.ts'
import { EntityResponse } from '../parties/entity/response.ts'
import type { EntityOutcome } from '../parties/entity/rules.ts'
import type { AdvanceOutcome } from '../payouts/advance/apply.ts'
import { operatorStep } from '../payouts/by-hand/by-hand.ts'
import { PayoutResponse } from '../payouts/response.ts'
import { BalanceTransactionResponse } from '../statements/balance-transaction/response.ts'
import type { BookingOutcome } from '../statements/funding/rules.ts'
import { newId } from '../values/id.ts'
import {
  type AdvanceClock,
  type AdvancedClock,
  ClockResponse,
  checkSandbox,
  type FundSandbox,
  type TransitionPayout,
} from './operations.ts'
import { ClockRequest, FundRequest, SandboxReview, TransitionRequest } from './request.ts'

interface Needs {
  readonly lanes: {
    readonly advanceClock: Runs<AdvanceClock, Answered<AdvancedClock>>
    readonly fundSandbox: Runs<FundSandbox, Answered<BookingOutcome>>
    readonly transitionPayout: Runs<TransitionPayout, Answered<AdvanceOutcome>>
    readonly writeEntity: Runs<WriteEntity, Answered<EntityOutcome>>
  }
}

export function sandboxRoutes(routes: AccountRoutes, deps: Needs): void {
  clockRoute(routes, deps)
  fundRoute(routes, deps)
  transitionRoute(routes, deps)
  reviewRoute(routes, deps)
}

function clockRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/sandbox/clock/advance', {
    operationId: 'advanceSandboxClock',
    summary: 'Move the clock of a sandbox account forward.',
    description:
      'Only the clock of this account moves: quotes expire, the simulator takes its next ' +
      'steps, retries of webhooks come due, and idempotency keys age. Exchange rates do not ' +
      'age by it. Workers notice within a second.',
    body: ClockRequest,
    response: ClockResponse,
    idempotent: true,
    refusals: ['sandbox_only'],
    async answer({ account, body: { seconds } }, claim) {
      checkSandbox(account)
      const { account_id } = account
      return deps.lanes.advanceClock.run({ account_id, claim: claim(), seconds })
    },
  })
}

function fundRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/sandbox/fund', {
    operationId: 'fundSandbox',
    summary: 'Credit a balance of a sandbox account.',
    description:
      'The credit is booked as an incoming payment is: a balance transaction of type ' +
      '`escrow`.',
    body: FundRequest,
    response: BalanceTransactionResponse,
    idempotent: true,
    refusals: [
      'sandbox_only',
      'currency',
      'holding_currency_not_found',
      'amount_out_of_range',
      'balance_limit_exceeded',
    ],
    async answer({ account, body: { currency, amount } }, claim) {
      checkSandbox(account)
      const { account_id } = account
      const money = { currency, amount: BigInt(amount), source: newId('esc') }
      return deps.lanes.fundSandbox.run({ account_id, claim: claim(), ...money })
    },
  })
}

function transitionRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/sandbox/payout/:id/transition', {
    config: { check: checkTransition },
    operationId: 'transitionSandboxPayout',
    summary: 'Set the status of a payout of a sandbox account.',
    description:
      'The payout changes as a rail or the operator would change it, by the same table of ' +
      'states, and money moves with it. The simulator leaves the payout alone from then on, ' +
      'unless the status is `processing`.',
    params: pathId('pot'),
    body: TransitionRequest,
    response: PayoutResponse,
    idempotent: true,
    refusals: ['sandbox_only', 'not_found', 'invalid_transition'],
    async answer(request, claim) {
      const { account, body, params } = request
      const { maker } = makingOf(request)
      const about = { account_id: account.account_id, payout_id: params.id, maker }
      const claimed = claim()
      // Outside the lane, where a refusal before `decide` would fail the whole batch.
      const step = operatorStep(body.status, body)
      return deps.lanes.transitionPayout.run({ ...about, claim: claimed, step })
    },
  })
}

function checkTransition(body: TransitionRequest, account: Account): void {
  checkSandbox(account)
  operatorStep(body.status, body)
}

function reviewRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/sandbox/entity/:id/review', {
    config: { check: (_body, account) => checkSandbox(account) },
    operationId: 'reviewSandboxEntity',
    summary: 'Approve an entity of a sandbox account, reject it, or ask for more.',
    description:
      'The review follows the same table of states as that of the operator. Payouts held ' +
      'for the entity are released once it is approved, and fail once it is rejected.',
    params: pathId('ent'),
    body: SandboxReview,
    response: EntityResponse,
    idempotent: true,
    refusals: ['sandbox_only', 'not_found', 'invalid_transition', 'entity_duplicate'],
    async answer(request, claim) {
      const { account, body, params } = request
      const { status, description = '' } = body
      const change = { kind: 'review', id: params.id, status, description } as const
      const { maker } = makingOf(request)
      const command = { account_id: account.account_id, claim: claim(), change, maker }
      return deps.lanes.writeEntity.run(command)
    },
  })
}
