// GET /v3/beneficiary/{id}/approval, POST /v3/beneficiary/{id}/approve and /reject: for approvers
// of the account, in their own name.
import type { FastifyInstance } from 'fastify'
import type { Decision } from '../approval/approval.ts'
import { ApproveRequest, RejectRequest } from '../approval/request.ts'
import {
  BeneficiaryApprovalResponse,
  presentBeneficiaryApproval,
} from '../beneficiary/approval-response.ts'
import { BeneficiaryResponse, presentBeneficiary } from '../beneficiary/response.ts'
import type { Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { Envelope } from '../http/schema.ts'
import { decidingBeneficiary, findBeneficiaryApproval } from './beneficiary-approvals.ts'
import { authorOf, claimOfPerson, type Desk, operatorOf } from './desk.ts'
import { checkLines } from './request.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly desk: Desk
}

interface Named {
  readonly Params: { readonly id: string }
}

export function beneficiaryApprovalRoutes(app: FastifyInstance, deps: Needs): void {
  getRoute(app, deps)
  decideRoute(app, deps, 'approve', ApproveRequest, {
    operationId: 'approveBeneficiary',
    summary: 'Approve a beneficiary as it was shown to you.',
    description:
      'For a person with the role approver on the account who has neither made nor changed it. ' +
      'With the last approval that it needs, payouts may go to it.',
  })
  decideRoute(app, deps, 'reject', RejectRequest, {
    operationId: 'rejectBeneficiary',
    summary: 'Reject a beneficiary.',
    description: 'No payout may go to it. Once it is changed, it can be approved.',
  })
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<Named>(
    '/v3/beneficiary/:id/approval',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getBeneficiaryApproval',
        summary: 'Show what a beneficiary needs before it is paid, and who has approved it.',
        description:
          'What was asked last. A beneficiary that has needed no approval has none: 404.',
        params: pathId('bnf'),
        response: Envelope(BeneficiaryApprovalResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { account_id } = request.account
      const shown = await deps.read(account_id, tx =>
        findBeneficiaryApproval(tx, { account_id, id }),
      )
      const { open, approvers } = found(shown)
      return send(reply, success(presentBeneficiaryApproval(open, approvers)))
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
    `/v3/beneficiary/:id/${decision}`,
    {
      config: {
        scope: 'approve',
        asksPassword: true,
        check: (sent: never) => checkLines(sent),
      },
      schema: operationDocs({
        ...words,
        params: pathId('bnf'),
        body,
        response: Envelope(BeneficiaryResponse),
        idempotent: true,
        refusals: [
          'not_found',
          'approval_not_allowed',
          'already_decided',
          'approval_outdated',
          'invalid_transition',
          'party_erased',
        ],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { account_id } = request.account
      const { digest, reason = '' } = request.body
      const { name: user_name } = operatorOf(request)
      const asked = { user_name, decision, reason, ...(digest !== undefined && { digest }) }
      const claim = claimOfPerson(request, `POST /v3/beneficiary/${id}/${decision}`)
      const author = authorOf(request, `beneficiary ${decision}`)
      const deed = decidingBeneficiary({ account_id, id }, asked)
      const answer = await deps.desk.answer(author, deed, claim, ({ beneficiary }) =>
        presentBeneficiary(beneficiary),
      )
      return send(reply, answer)
    },
  )
}
