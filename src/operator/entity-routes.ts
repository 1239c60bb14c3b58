// GET /v3/operator/entity and /{id}, and POST /v3/operator/entity/{id}/review.
import type { Static } from 'typebox'
import {
  DuplicateFound,
  EntityResponse,
  presentDuplicate,
  presentEntity,
} from '../entity/response.ts'
import { APPROVAL_STATUSES, REVIEW_RESULTS } from '../entity/states.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { given } from '../given.ts'
import { pathId } from '../http/docs.ts'
import { Closed, Literals, optional, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { instantFromIso } from '../instant.ts'
import { callOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { entityNamed, type ListedEntity, listEntities, reviewDeed, showEntity } from './entities.ts'
import { AccountId, checkLines, LimitText, Reason, Time } from './request.ts'

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
  {
    ...MEMBERS,
    account_name: Type.String(),
    duplicates: Type.Array(DuplicateFound, {
      description: 'Records that were answered with this entity, the oldest first, 100 at most.',
    }),
  },
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
    status: Literals(REVIEW_RESULTS, { description: 'The result of the review.' }),
    seen: Time(
      'The `updated_at` of the entity as you have read it. If the entity has changed since, ' +
        'the answer is 409.',
    ),
    reason: Type.Optional(Reason),
  },
  { title: 'ReviewRequest', description: 'The decision. The account is told the reason.' },
)
type ReviewRequest = Static<typeof ReviewRequest>

export function deskEntityRoutes(routes: DeskRoutes): void {
  routes.page('/v3/operator/entity', {
    operationId: 'listDeskEntities',
    summary: 'List entities that wait for a review, those that wait longest first.',
    description: 'With a status that does not wait for a review, the newest come first.',
    querystring: EntitiesQuery,
    item: DeskEntity,
    find: ({ status, account_id = null }, { audit }, limit) =>
      listEntities(audit, given({ status, account_id }), limit),
    present,
  })
  routes.read('/v3/operator/entity/:id', {
    operationId: 'getDeskEntity',
    summary: 'Show an entity, and how many payouts wait for its review.',
    params: pathId('ent'),
    response: ShownEntityResponse,
    async answer({ params }, { audit }) {
      const shown = await showEntity(audit, params.id)
      const duplicates = shown.duplicates.map(presentDuplicate)
      return { ...present(shown), account_name: shown.account?.name ?? '', duplicates }
    },
  })
  routes.write('/v3/operator/entity/:id/review', {
    config: { asksPassword: true, check: checkReview },
    operationId: 'reviewEntity',
    summary: 'Approve an entity, reject it, or ask its account for something.',
    description:
      'Payouts held for the entity are released once it is approved, and fail once it is ' +
      'rejected.',
    params: pathId('ent'),
    body: ReviewRequest,
    response: EntityResponse,
    idempotent: true,
    refusals: ['entity_changed', 'invalid_transition'],
    async answer(request, desk) {
      const { status, seen, reason = '' } = request.body
      const call = callOf(request, COMMANDS[status])
      const entity = await entityNamed(desk.audit, request.params.id)
      const asked = { status, description: reason, seen: instantFromIso(seen) ?? '' }
      return desk.answer(call, reviewDeed(entity, asked), ({ entity }) => presentEntity(entity))
    },
  })
}

function present({ entity, held: payouts_held, screening }: ListedEntity) {
  const { account_id } = entity
  return { account_id, payouts_held, screening, entity: presentEntity(entity) }
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
