// GET /v3/operator/entity and /{id}, and POST /v3/operator/entity/{id}/review.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { EntityResponse, presentEntity } from '../entity/response.ts'
import { APPROVAL_STATUSES, type ApprovalStatus, REVIEW_RESULTS } from '../entity/states.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Closed, Envelope, Literals, optional, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { instantFromIso } from '../instant.ts'
import { callOf, type OfDesk } from './desk.ts'
import { entityNamed, type ListedEntity, listEntities, review, showEntity } from './entities.ts'
import {
  AccountId,
  checkLimit,
  checkLines,
  LimitText,
  type Named,
  type Query,
  Reason,
  readLimit,
} from './request.ts'

const MEMBERS = {
  account_id: AccountId,
  payouts_held: Type.Integer({ description: 'How many payouts wait for its review.' }),
  screening: textOrNull({
    description: 'Whether it may be on a sanctions list: `open`, `confirmed`, or null for no.',
  }),
  entity: EntityResponse,
}

export const DeskEntity = Type.Object(MEMBERS, {
  title: 'DeskEntity',
  description: 'An entity with what only operators see.',
})

const ShownEntityResponse = Type.Object(
  { ...MEMBERS, account_name: Type.String() },
  { title: 'ShownEntity', description: 'An entity with what only operators see.' },
)

const EntitiesQuery = Closed(
  optional({
    limit: LimitText,
    status: Literals(APPROVAL_STATUSES, { description: 'Only entities of this status.' }),
    account_id: AccountId,
  }),
)

const ReviewRequest = Closed(
  {
    status: Literals(REVIEW_RESULTS, { description: 'What the review comes to.' }),
    seen: Type.String({
      format: 'date-time',
      maxLength: 64,
      description: 'The `updated_at` of what you have looked at; if it is another one, 409.',
    }),
    reason: Type.Optional(Reason),
  },
  { title: 'ReviewRequest', description: 'The account is told the reason.' },
)
type ReviewRequest = Static<typeof ReviewRequest>

export function deskEntityRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get<{ Querystring: Query }>(
    '/v3/operator/entity',
    {
      config: { scope: 'installation_read', checkQuery: checkLimit },
      schema: operationDocs({
        operationId: 'listDeskEntities',
        summary: 'List entities that wait for a review, the longest first.',
        description: 'With a status that does not wait, the newest first.',
        querystring: EntitiesQuery,
        response: Envelope(ListOf(DeskEntity)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const { status, account_id = null } = request.query
      // The schema knows the statuses.
      const filter = { account_id, ...(status && { status: status as ApprovalStatus }) }
      const limit = readLimit(request.query)
      const { listed, has_more } = await listEntities(deps.desk.audit, filter, limit)
      return sendList(
        request,
        reply,
        success({ object: 'list', has_more, results: listed.map(present) }),
      )
    },
  )
  app.get<Named>(
    '/v3/operator/entity/:id',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'getDeskEntity',
        summary: 'Show an entity, and how many payouts wait for its review.',
        params: pathId('ent'),
        response: Envelope(ShownEntityResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const shown = await showEntity(deps.desk.audit, request.params.id)
      return send(reply, success({ ...present(shown), account_name: shown.account?.name ?? '' }))
    },
  )
  reviewRoute(app, deps)
}

function present({ entity, held: payouts_held, screening }: ListedEntity) {
  const { account_id } = entity
  return { account_id, payouts_held, screening, entity: presentEntity(entity) }
}

function reviewRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named & { Body: ReviewRequest }>(
    '/v3/operator/entity/:id/review',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkReview },
      schema: operationDocs({
        operationId: 'reviewEntity',
        summary: 'Approve an entity, reject it, or ask its account for something.',
        description:
          'Payouts held for it are released once it is approved, and fail once it is rejected.',
        params: pathId('ent'),
        body: ReviewRequest,
        response: Envelope(EntityResponse),
        idempotent: true,
        refusals: ['not_found', 'entity_changed', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { status, seen, reason = '' } = request.body
      const call = callOf(request, COMMANDS[status])
      const entity = await entityNamed(deps.desk.audit, id)
      const asked = { status, description: reason, seen: instantFromIso(seen) ?? '' }
      const deed = review(entity, asked)
      const answer = await deps.desk.answer(call, deed, reviewed => presentEntity(reviewed.entity))
      return send(reply, answer)
    },
  )
}

const COMMANDS = {
  approved: 'entity approve',
  rejected: 'entity reject',
  requires_action: 'entity require-action',
} as const

function checkReview(body: ReviewRequest): void {
  const isTime = instantFromIso(body.seen) !== undefined
  refuseIfAny(isTime ? [] : [invalidField('seen', 'seen is an ISO 8601 time with an offset.')])
  checkLines(body)
}
