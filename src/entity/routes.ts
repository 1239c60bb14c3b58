// POST and GET /v3/entity, GET and PUT /v3/entity/{id}, POST /v3/entity/{id}/submit, and the dry
// run POST /v3/entity/duplicate_check.
import type { FastifyInstance } from 'fastify'
import type { Runs } from '../engine/lanes.ts'
import { MAX_WAIT_MS, unlessLate } from '../engine/late.ts'
import type { Finds, Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { claimOf, send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import type { Entity } from './entity.ts'
import { checkDuplicate, type WriteEntity, type WrittenEntity } from './operations.ts'
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
  presentDuplicateCheck,
  presentEntity,
} from './response.ts'
import { draftOf } from './rules.ts'
import { listEntities } from './store.ts'

const DUPLICATES =
  'When the account has such an entity already, that one is the answer, with 200, and nothing is ' +
  'written.'

const SUBMISSION =
  'A pending entity becomes submitted, one that requires action resubmitted. The members of an ' +
  'update may be sent with it. A business has its registration_number and its ' +
  'registration_address.country by then.'

interface Needs extends Reads {
  readonly lanes: { readonly writeEntity: Runs<WriteEntity, Answered<WrittenEntity>> }
  readonly readers: { readonly entity: Finds<Entity> }
}

export function entityRoutes(app: FastifyInstance, deps: Needs): void {
  createRoute(app, deps)
  listRoute(app, deps)
  getRoute(app, deps)
  updateRoute(app, deps)
  submitRoute(app, deps)
  duplicateCheckRoute(app, deps)
}

function createRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: EntityRequest }>(
    '/v3/entity',
    {
      config: { scope: 'write', check: checkEntity },
      schema: operationDocs({
        operationId: 'createEntity',
        summary: 'Record a person or a business, once.',
        description: DUPLICATES,
        body: EntityRequest,
        response: Envelope(EntityResponse),
        idempotent: true,
        refusals: ['entity_not_found'],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      const claim = claimOf(request, 'POST /v3/entity')
      const change = { kind: 'create', draft: draftOf(body) } as const
      const command = { account_id: account.account_id, claim, change }
      const { reply: answer } = await deps.lanes.writeEntity.run(command)
      return send(reply, answer)
    },
  )
}

function listRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Querystring: ListQuery }>(
    '/v3/entity',
    {
      config: { scope: 'read', checkQuery: checkList },
      schema: operationDocs({
        operationId: 'listEntities',
        summary: 'List entities, newest first.',
        querystring: EntityQuery,
        response: Envelope(ListOf(EntityResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const wanted = readList(request.query)
      const page = await deps.read(request.account.account_id, (tx, id) =>
        listEntities(tx, id, wanted),
      )
      return sendList(request, reply, success(presentList(page, wanted, presentEntity)))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Params: { id: string } }>(
    '/v3/entity/:id',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getEntity',
        summary: 'Fetch an entity.',
        params: pathId('ent'),
        response: Envelope(EntityResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const entity = await deps.readers.entity({ account_id, id: request.params.id })
      return send(reply, success(presentEntity(found(entity))))
    },
  )
}

function updateRoute(app: FastifyInstance, deps: Needs): void {
  app.put<{ Params: { id: string }; Body: EntityUpdate }>(
    '/v3/entity/:id',
    {
      config: { scope: 'write', check: checkEntity },
      schema: operationDocs({
        operationId: 'updateEntity',
        summary: 'Change an entity.',
        description:
          'A member that is sent replaces the whole of what was there, null takes it away, and ' +
          `what is left out stays. ${DUPLICATES} An approved entity is resubmitted when anything ` +
          'but description, reference_id and metadata changes.',
        params: pathId('ent'),
        body: EntityUpdate,
        response: Envelope(EntityResponse),
        refusals: ['not_found', 'entity_not_found'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const change = { kind: 'update', id: params.id, update: body } as const
      const command = { account_id: account.account_id, claim: null, change }
      const { reply: answer } = await deps.lanes.writeEntity.run(command)
      return send(reply, answer)
    },
  )
}

function submitRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Params: { id: string }; Body: EntityUpdate | null | undefined }>(
    '/v3/entity/:id/submit',
    {
      config: { scope: 'write', optionalBody: true, check: checkEntity },
      schema: operationDocs({
        operationId: 'submitEntity',
        summary: 'Hand an entity to the operator for review.',
        description: `${SUBMISSION} ${DUPLICATES}`,
        params: pathId('ent'),
        body: EntitySubmission,
        response: Envelope(EntityResponse),
        idempotent: true,
        refusals: ['not_found', 'entity_not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const update = body ?? {}
      const claim = claimOf(request, `POST /v3/entity/${params.id}/submit`)
      const change = { kind: 'submit', id: params.id, update } as const
      const command = { account_id: account.account_id, claim, change }
      const { reply: answer } = await deps.lanes.writeEntity.run(command)
      return send(reply, answer)
    },
  )
}

function duplicateCheckRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: EntityRequest }>(
    '/v3/entity/duplicate_check',
    {
      // It answers within this time even if the database does not, like every read.
      handlerTimeout: MAX_WAIT_MS,
      config: { scope: 'read', check: checkEntity },
      schema: operationDocs({
        operationId: 'checkEntityDuplicate',
        summary: 'Ask what creating an entity would come to, and why.',
        description:
          'The body and its refusals are those of a creation. Nothing is written, so there is no ' +
          'answer to keep: an `Idempotency-Key` is looked at for its form and otherwise ignored.',
        body: EntityRequest,
        response: Envelope(DuplicateCheckResponse),
        refusals: ['entity_not_found', 'invalid_idempotency_key'],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      const { account_id } = account
      claimOf(request, 'POST /v3/entity/duplicate_check')
      const explained = await deps.inTurn(
        account_id,
        unlessLate(() => checkDuplicate(deps.reads, account_id, draftOf(body))),
      )
      return send(reply, success(presentDuplicateCheck(explained)))
    },
  )
}
