// GET /v3/payout/{id}/approval, POST /v3/payout/{id}/approve and /reject: for approvers of the
// account, in their own name.
import type { FastifyInstance } from 'fastify'
import type { Decision } from '../approval/approval.ts'
import { ApproveRequest, RejectRequest } from '../approval/request.ts'
import { ApprovalResponse, presentApproval } from '../approval/response.ts'
import type { Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { Envelope } from '../http/schema.ts'
import { PayoutResponse, presentPayout } from '../payout/response.ts'
import { deciding, findApproval } from './approvals.ts'
import { authorOf, claimOfPerson, type Desk, operatorOf } from './desk.ts'
import { checkLines } from './request.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly desk: Desk
}

interface Named {
  readonly Params: { readonly id: string }
}

export function approvalRoutes(app: FastifyInstance, deps: Needs): void {
  getRoute(app, deps)
  decideRoute(app, deps, 'approve', ApproveRequest, {
    operationId: 'approvePayout',
    summary: 'Approve a payout as it was shown to you.',
    description:
      'For a person with the role approver on the account who has not made the payout. With the ' +
      'last approval that it needs it goes on: it is `processing`, held if a review must come ' +
      'first, and a transfer to another account is paid.',
  })
  decideRoute(app, deps, 'reject', RejectRequest, {
    operationId: 'rejectPayout',
    summary: 'Reject a payout.',
    description:
      'One rejection ends it: the payout is `failed` with code `PF000400`, and amount and fees ' +
      'are back with the answer.',
  })
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<Named>(
    '/v3/payout/:id/approval',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getPayoutApproval',
        summary: 'Show what a payout needs before it goes out, and who has approved it.',
        description: 'A payout that has needed no approval has none: 404.',
        params: pathId('pot'),
        response: Envelope(ApprovalResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { account_id } = request.account
      const shown = await deps.read(account_id, tx => findApproval(tx, { account_id, id }))
      const { open, approvers } = found(shown)
      return send(reply, success(presentApproval(open, approvers)))
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
    `/v3/payout/:id/${decision}`,
    {
      config: {
        scope: 'approve',
        asksPassword: true,
        check: (sent: never) => checkLines(sent),
      },
      schema: operationDocs({
        ...words,
        params: pathId('pot'),
        body,
        response: Envelope(PayoutResponse),
        idempotent: true,
        refusals: [
          'not_found',
          'approval_not_allowed',
          'already_decided',
          'approval_outdated',
          'invalid_transition',
        ],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { account_id } = request.account
      const { digest, reason = '' } = request.body
      const { name: user_name } = operatorOf(request)
      const asked = { user_name, decision, reason, ...(digest !== undefined && { digest }) }
      const claim = claimOfPerson(request, `POST /v3/payout/${id}/${decision}`)
      const author = authorOf(request, `payout ${decision}`)
      const deed = deciding({ account_id, id }, asked)
      const answer = await deps.desk.answer(author, deed, claim, ({ payout }) =>
        presentPayout(payout),
      )
      return send(reply, answer)
    },
  )
}
