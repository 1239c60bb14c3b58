// POST and GET /v3/entity, GET and PUT /v3/entity/{id}, POST /v3/entity/{id}/submit, and the dry
// run POST /v3/entity/duplicate_check.
import type { FastifyRequest } from 'fastify'
import type { Runs } from '../../engine/lanes.ts'
import { unlessLate } from '../../engine/late.ts'
import type { Finds, Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { makingOf } from '../../http/author.ts'
import { pathId } from '../../http/docs.ts'
import type { Answered } from '../../http/idempotency/operations.ts'
import { found } from '../../values/errors.ts'
import type { Entity } from './entity.ts'
import { checkDuplicate, type WriteEntity } from './operations.ts'
import {
  checkEntity,
  EntityQuery,
  EntityRequest,
  EntitySubmission,
  EntityUpdate,
} from './request.ts'
import {
  DuplicateCheckResponse,
  EntityResponse,
  EntityTimeline,
  presentDuplicateCheck,
  presentEntity,
  presentTimeline,
} from './response.ts'
import { draftOf, type EntityOutcome } from './rules.ts'
import { listDuplicates, listEntities } from './store.ts'

const DUPLICATES =
  'When the account already has the same entity, the answer is that entity, with 200, and no ' +
  'entity is made or changed. The header `Duplicate-Of: ent_…; rule=email` then names it and the ' +
  'rule, and the entity’s timeline keeps which members differ.'

const SUBMISSION =
  'A pending entity becomes submitted; an entity that requires action becomes resubmitted. The ' +
  'members of an update may be sent with it. A business must have its registration_number and ' +
  'its registration_address.country by then.'

interface Needs extends Reads {
  readonly lanes: { readonly writeEntity: Runs<WriteEntity, Answered<EntityOutcome>> }
  readonly readers: { readonly entity: Finds<Entity> }
}

export function entityRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/entity', {
    config: { check: checkEntity },
    operationId: 'createEntity',
    summary: 'Record a person or a business, once.',
    description: DUPLICATES,
    body: EntityRequest,
    response: EntityResponse,
    idempotent: true,
    refusals: ['entity_not_found', 'object_full'],
    answer(request, claim) {
      const change = { kind: 'create', draft: draftOf(request.body) } as const
      return deps.lanes.writeEntity.run({ ...callOf(request), claim: claim(), change })
    },
  })
  routes.page('/v3/entity', {
    operationId: 'listEntities',
    summary: 'List entities, newest first.',
    querystring: EntityQuery,
    item: EntityResponse,
    find: listEntities,
    present: rows => rows.map(presentEntity),
  })
  routes.read('/v3/entity/:id', {
    operationId: 'getEntity',
    summary: 'Fetch an entity.',
    params: pathId('ent'),
    response: EntityResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      return presentEntity(found(await deps.readers.entity({ account_id, id })))
    },
  })
  routes.read('/v3/entity/:id/timeline', {
    operationId: 'getEntityTimeline',
    summary: 'The reviews of an entity, and the records that were answered with it.',
    params: pathId('ent'),
    response: EntityTimeline,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      const entity = found(await deps.readers.entity({ account_id, id }))
      const duplicates = await deps.read(account_id, tx => listDuplicates(tx, entity))
      return presentTimeline(entity, duplicates)
    },
  })
  updateRoute(routes, deps)
  submitRoute(routes, deps)
  duplicateCheckRoute(routes, deps)
}

function callOf(request: FastifyRequest) {
  const { maker } = makingOf(request)
  return { account_id: request.account.account_id, maker }
}

function updateRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/entity/:id', {
    method: 'PUT',
    config: { check: checkEntity },
    operationId: 'updateEntity',
    summary: 'Change an entity.',
    description:
      'A member that is sent replaces the earlier value as a whole, null removes it, and ' +
      `members that are left out stay. ${DUPLICATES} An approved entity is resubmitted when ` +
      'anything but description, reference_id and metadata changes.',
    params: pathId('ent'),
    body: EntityUpdate,
    response: EntityResponse,
    refusals: ['not_found', 'entity_not_found', 'object_full'],
    answer(request) {
      const { body: update, params } = request
      const change = { kind: 'update', id: params.id, update } as const
      return deps.lanes.writeEntity.run({ ...callOf(request), claim: null, change })
    },
  })
}

function submitRoute(routes: AccountRoutes, deps: Needs): void {
  routes.write('/v3/entity/:id/submit', {
    config: { optionalBody: true, check: checkEntity },
    operationId: 'submitEntity',
    summary: 'Submit an entity to the operator for review.',
    description: `${SUBMISSION} ${DUPLICATES}`,
    params: pathId('ent'),
    body: EntitySubmission,
    response: EntityResponse,
    idempotent: true,
    refusals: ['not_found', 'entity_not_found', 'invalid_transition', 'object_full'],
    answer(request, claim) {
      const { body, params } = request
      const change = { kind: 'submit', id: params.id, update: body ?? {} } as const
      return deps.lanes.writeEntity.run({ ...callOf(request), claim: claim(), change })
    },
  })
}

function duplicateCheckRoute(routes: AccountRoutes, deps: Needs): void {
  routes.ask('/v3/entity/duplicate_check', {
    config: { check: checkEntity },
    operationId: 'checkEntityDuplicate',
    summary: 'Ask whether creating an entity would return an existing one, and why.',
    description:
      'The body and its errors are those of a creation. Nothing is written; an ' +
      '`Idempotency-Key` must be well-formed and has no other effect.',
    body: EntityRequest,
    response: DuplicateCheckResponse,
    refusals: ['entity_not_found', 'object_full', 'invalid_idempotency_key'],
    async answer({ account: { account_id }, body }) {
      const explained = await deps.inTurn(
        account_id,
        unlessLate(() => checkDuplicate(deps.reads, account_id, draftOf(body))),
      )
      return presentDuplicateCheck(explained)
    },
  })
}
