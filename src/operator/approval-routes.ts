// The routes of approvers, who call in their own name: GET /v3/…/{id}/approval shows what waits,
// POST …/approve and …/reject decide.
import type { FastifyInstance } from 'fastify'
import type { Decision } from '../controls/approval/approval.ts'
import { ApproveRequest, RejectRequest } from '../controls/approval/request.ts'
import type { Reads } from '../engine/reads.ts'
import { AccountRoutes } from '../http/account-routes.ts'
import { send } from '../http/answer.ts'
import { pathId } from '../http/docs.ts'
import { addRoute } from '../http/route.ts'
import { found } from '../values/errors.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { writesOf } from './action-routes.ts'
import type { ApprovalKind } from './approvals.ts'
import { callOf, type OperatorConnections, operatorOf } from './connections.ts'
import { checkWords } from './request.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly operators: OperatorConnections
}

export function approvalRoutes(app: FastifyInstance, deps: Needs, kinds: readonly ApprovalKind[]) {
  for (const kind of kinds) routesOf(app, deps, kind)
}

function routesOf(app: FastifyInstance, deps: Needs, kind: ApprovalKind): void {
  new AccountRoutes(app, deps).read(`${kind.path}/:id/approval`, {
    operationId: `get${kind.name}Approval`,
    ...kind.show,
    params: pathId(kind.prefix),
    refusals: ['not_found'],
    async answer({ params: { id }, account: { account_id } }) {
      const shown = await deps.read(account_id, tx => kind.find(tx, { account_id, id }))
      return kind.present(found(shown), id)
    },
  })
  decisionRoute(app, deps, kind, 'approve', ApproveRequest)
  decisionRoute(app, deps, kind, 'reject', RejectRequest)
}

function decisionRoute(
  app: FastifyInstance,
  deps: Needs,
  kind: ApprovalKind,
  decision: Decision,
  body: typeof ApproveRequest | typeof RejectRequest,
): void {
  addRoute<{ Params: { id: string }; Body: ApproveRequest | RejectRequest }>(
    app,
    `${kind.path}/:id/${decision}`,
    'approve',
    {
      method: 'POST',
      config: { asksPassword: true, check: checkWords },
      operationId: `${decision}${kind.name}`,
      ...kind[decision],
      params: pathId(kind.prefix),
      body,
      response: kind.decided,
      idempotent: true,
      refusals: [
        ...(['not_found', 'approval_not_allowed', 'already_decided'] as const),
        ...(['approval_outdated', 'invalid_transition'] as const),
        ...(kind.refusals ?? []),
      ],
      async send(request, reply) {
        const key = { account_id: request.account.account_id, id: request.params.id }
        const { digest, reason = '' } = request.body
        const { name: user_name } = operatorOf(request)
        const asked = omitUndefined({ user_name, decision, reason, digest })
        const call = callOf(request, `${kind.group} ${decision}`)
        return send(reply, await kind.decide(writesOf(deps.operators, call), key, asked))
      },
    },
  )
}
