// GET /v3/payout_batch/{id}/approval, POST /v3/payout_batch/{id}/approve and /reject: for approvers
// of the account, in their own name, about all payouts of the batch that wait.
import type { FastifyInstance } from 'fastify'
import type { Decision } from '../approval/approval.ts'
import { ApproveRequest, RejectRequest } from '../approval/request.ts'
import type { Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { Envelope } from '../http/schema.ts'
import { findBatchApproval } from '../payout-batch/approval-operation.ts'
import {
  BatchApprovalResponse,
  BatchDecisionResponse,
  presentBatchApproval,
  presentBatchDecision,
} from '../payout-batch/approval-response.ts'
import { decidingBatch } from './approvals.ts'
import { authorOf, claimOfPerson, type Desk, operatorOf } from './desk.ts'
import { checkLines } from './request.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly desk: Desk
}

interface Named {
  readonly Params: { readonly id: string }
}

export function batchApprovalRoutes(app: FastifyInstance, deps: Needs): void {
  getRoute(app, deps)
  decideRoute(app, deps, 'approve', ApproveRequest, {
    operationId: 'approvePayoutBatch',
    summary: 'Approve all payouts of a batch that wait, as they were shown to you.',
    description:
      'One transaction: either all that you have not decided yet are approved, or none. Each ' +
      'goes on with the last approval that it needs, as if it were approved alone.',
  })
  decideRoute(app, deps, 'reject', RejectRequest, {
    operationId: 'rejectPayoutBatch',
    summary: 'Reject all payouts of a batch that wait.',
    description:
      'One transaction. Each is `failed` with code `PF000400`, and amount and fees are back with ' +
      'the answer. What was approved before, and waits no more, goes on.',
  })
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<Named>(
    '/v3/payout_batch/:id/approval',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getPayoutBatchApproval',
        summary: 'Show what of a batch waits for people, with one digest of all of it.',
        params: pathId('pob'),
        response: Envelope(BatchApprovalResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { account_id } = request.account
      const shown = await deps.read(account_id, tx => findBatchApproval(tx, { account_id, id }))
      return send(reply, success(presentBatchApproval(id, found(shown))))
    },
  )
}

interface Words {
  readonly operationId: string
  readonly summary: string
  readonly description: string
}

function decideRoute(
  app: FastifyInstance,
  deps: Needs,
  decision: Decision,
  body: typeof ApproveRequest | typeof RejectRequest,
  words: Words,
): void {
  app.post<Named & { Body: ApproveRequest | RejectRequest }>(
    `/v3/payout_batch/:id/${decision}`,
    {
      config: { scope: 'approve', asksPassword: true, check: (sent: never) => checkLines(sent) },
      schema: operationDocs({
        ...words,
        params: pathId('pob'),
        body,
        response: Envelope(BatchDecisionResponse),
        idempotent: true,
        refusals: [
          ...(['not_found', 'approval_not_allowed', 'already_decided'] as const),
          ...(['approval_outdated', 'invalid_transition'] as const),
        ],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { account_id } = request.account
      const { digest, reason = '' } = request.body
      const { name: user_name } = operatorOf(request)
      const asked = { user_name, decision, reason, ...(digest !== undefined && { digest }) }
      const claim = claimOfPerson(request, `POST /v3/payout_batch/${id}/${decision}`)
      const author = authorOf(request, `payout ${decision}`)
      const deed = decidingBatch({ account_id, id }, asked)
      const answer = await deps.desk.answerLong(author, deed, claim, made =>
        presentBatchDecision(decision, made),
      )
      return send(reply, answer)
    },
  )
}
