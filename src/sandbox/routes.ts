// POST /v3/sandbox/clock/advance, /v3/sandbox/fund, /v3/sandbox/payout/{id}/transition and
// /v3/sandbox/entity/{id}/review.
import type { FastifyInstance } from 'fastify'
import type { Account } from '../account/rules.ts'
import { BalanceTransactionResponse } from '../balance-transaction/response.ts'
import type { Runs } from '../engine/lanes.ts'
import type { WriteEntity, WrittenEntity } from '../entity/operations.ts'
import { EntityResponse } from '../entity/response.ts'
import type { Correction } from '../funding/rules.ts'
import { claimOf, send } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { Envelope } from '../http/schema.ts'
import { newId } from '../id.ts'
import { operatorStep } from '../payout/by-hand.ts'
import { PayoutResponse } from '../payout/response.ts'
import type { AdvanceOutcome } from '../payout/step.ts'
import {
  type AdvanceClock,
  type AdvancedClock,
  checkSandbox,
  type FundSandbox,
  type TransitionPayout,
} from './operations.ts'
import { ClockRequest, FundRequest, SandboxReview, TransitionRequest } from './request.ts'
import { ClockResponse } from './response.ts'

interface Needs {
  readonly lanes: {
    readonly advanceClock: Runs<AdvanceClock, Answered<AdvancedClock>>
    readonly fundSandbox: Runs<FundSandbox, Answered<Correction>>
    readonly transitionPayout: Runs<TransitionPayout, Answered<AdvanceOutcome>>
    readonly writeEntity: Runs<WriteEntity, Answered<WrittenEntity>>
  }
}

export function sandboxRoutes(app: FastifyInstance, deps: Needs): void {
  clockRoute(app, deps)
  fundRoute(app, deps)
  transitionRoute(app, deps)
  reviewRoute(app, deps)
}

function clockRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: ClockRequest }>(
    '/v3/sandbox/clock/advance',
    {
      config: { scope: 'write' },
      schema: operationDocs({
        operationId: 'advanceSandboxClock',
        summary: 'Move the clock of a sandbox account forward.',
        description:
          'For this account alone it is then later: quotes expire, the simulator takes its next ' +
          'steps, retries of webhooks come due, and idempotency keys age. Exchange rates are as ' +
          'old as they are. Workers notice within a second.',
        body: ClockRequest,
        response: Envelope(ClockResponse),
        idempotent: true,
        refusals: ['sandbox_only'],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      checkSandbox(account)
      const claim = claimOf(request, 'POST /v3/sandbox/clock/advance')
      const command = { account_id: account.account_id, claim, seconds: body.seconds }
      const { reply: answer } = await deps.lanes.advanceClock.run(command)
      return send(reply, answer)
    },
  )
}

function fundRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: FundRequest }>(
    '/v3/sandbox/fund',
    {
      config: { scope: 'write' },
      schema: operationDocs({
        operationId: 'fundSandbox',
        summary: 'Credit a balance of a sandbox account.',
        description: 'As a payment coming in would: a balance transaction of type `escrow`.',
        body: FundRequest,
        response: Envelope(BalanceTransactionResponse),
        idempotent: true,
        refusals: [
          'sandbox_only',
          'currency',
          'holding_currency_not_found',
          'amount_out_of_range',
          'balance_limit_exceeded',
        ],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      checkSandbox(account)
      const claim = claimOf(request, 'POST /v3/sandbox/fund')
      const { account_id } = account
      const { currency } = body
      const amount = BigInt(body.amount)
      const command = { account_id, claim, currency, amount, source: newId('esc') }
      const { reply: answer } = await deps.lanes.fundSandbox.run(command)
      return send(reply, answer)
    },
  )
}

function transitionRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Params: { id: string }; Body: TransitionRequest }>(
    '/v3/sandbox/payout/:id/transition',
    {
      config: { scope: 'write', check: checkTransition },
      schema: operationDocs({
        operationId: 'transitionSandboxPayout',
        summary: 'Set the status of a payout of a sandbox account.',
        description:
          'As a rail or the operator would, by the same table of states; money moves with it. ' +
          'The simulator leaves the payout alone from then on, unless it is set to `processing`.',
        params: pathId('pot'),
        body: TransitionRequest,
        response: Envelope(PayoutResponse),
        idempotent: true,
        refusals: ['sandbox_only', 'not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const claim = claimOf(request, `POST /v3/sandbox/payout/${params.id}/transition`)
      const { account_id } = account
      // Outside the lane, where a refusal before `decide` would fail the whole batch.
      const step = operatorStep(body.status, body)
      const command = { account_id, claim, payout_id: params.id, step }
      const { reply: answer } = await deps.lanes.transitionPayout.run(command)
      return send(reply, answer)
    },
  )
}

function checkTransition(body: TransitionRequest, account: Account): void {
  checkSandbox(account)
  operatorStep(body.status, body)
}

function reviewRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Params: { id: string }; Body: SandboxReview }>(
    '/v3/sandbox/entity/:id/review',
    {
      config: { scope: 'write', check: (_body, account) => checkSandbox(account) },
      schema: operationDocs({
        operationId: 'reviewSandboxEntity',
        summary: 'Approve an entity of a sandbox account, reject it, or ask for something.',
        description:
          'As the operator would, by the same table of states. Payouts held for it are released ' +
          'once it is approved, and fail once it is rejected.',
        params: pathId('ent'),
        body: SandboxReview,
        response: Envelope(EntityResponse),
        idempotent: true,
        refusals: ['sandbox_only', 'not_found', 'invalid_transition', 'entity_duplicate'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const { id } = params
      const claim = claimOf(request, `POST /v3/sandbox/entity/${id}/review`)
      const { status, description = '' } = body
      const change = { kind: 'review', id, status, description } as const
      const command = { account_id: account.account_id, claim, change }
      const { reply: answer } = await deps.lanes.writeEntity.run(command)
      return send(reply, answer)
    },
  )
}
