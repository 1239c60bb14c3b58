// POST and GET /v3/beneficiary, GET and PUT /v3/beneficiary/{id}, POST …/archive and …/unarchive.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Runs } from '../engine/lanes.ts'
import type { Finds, Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { claimOf, send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import { checkList, ListOf, type ListQuery, presentList, readList } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import type { Making } from './approval.ts'
import type { Beneficiary } from './beneficiary.ts'
import type { WriteBeneficiary, WrittenBeneficiary } from './operations.ts'
import {
  ArchiveRequest,
  BeneficiaryQuery,
  BeneficiaryRequest,
  BeneficiaryUpdate,
} from './request.ts'
import { BeneficiaryResponse, presentBeneficiary } from './response.ts'
import { checkBeneficiary } from './rules.ts'
import { listBeneficiaries } from './store.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly lanes: {
    readonly writeBeneficiary: Runs<WriteBeneficiary, Answered<WrittenBeneficiary>>
  }
  readonly readers: { readonly beneficiary: Finds<Beneficiary> }
}

export function beneficiaryRoutes(app: FastifyInstance, deps: Needs): void {
  createRoute(app, deps)
  listRoute(app, deps)
  getRoute(app, deps)
  updateRoute(app, deps)
  for (const act of ['archive', 'unarchive'] as const) archiveRoute(app, deps, act)
}

/** Who makes or changes one, and so does not approve it. */
function makingOf({ key_id, person }: FastifyRequest): Making {
  return { key_id, made_by: person?.user ?? '' }
}

function createRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: BeneficiaryRequest }>(
    '/v3/beneficiary',
    {
      config: { scope: 'write', check: checkBeneficiary },
      schema: operationDocs({
        operationId: 'createBeneficiary',
        summary: 'Record who can be paid, and where.',
        description:
          'Each call makes one, also when there is one with the same details. A payout with ' +
          '`beneficiary_details` makes one by itself. Where a rule of the operator asks for it, ' +
          'the beneficiary is `pending_approval` until people have approved it.',
        body: BeneficiaryRequest,
        response: Envelope(BeneficiaryResponse),
        idempotent: true,
        refusals: ['currency', 'type_mismatch'],
      }),
    },
    async (request, reply) => {
      const { account, body } = request
      const claim = claimOf(request, 'POST /v3/beneficiary')
      const change = { kind: 'create', request: body } as const
      const command = { account_id: account.account_id, claim, change, ...makingOf(request) }
      const { reply: answer } = await deps.lanes.writeBeneficiary.run(command)
      return send(reply, answer)
    },
  )
}

function listRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Querystring: ListQuery }>(
    '/v3/beneficiary',
    {
      config: { scope: 'read', checkQuery: checkList },
      schema: operationDocs({
        operationId: 'listBeneficiaries',
        summary: 'List beneficiaries, newest first.',
        description: 'Without those that are archived, unless `archived=true` asks for them.',
        querystring: BeneficiaryQuery,
        response: Envelope(ListOf(BeneficiaryResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const wanted = readList(request.query)
      const page = await deps.read(request.account.account_id, (tx, id) =>
        listBeneficiaries(tx, id, wanted),
      )
      return sendList(request, reply, success(presentList(page, wanted, presentBeneficiary)))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Params: { id: string } }>(
    '/v3/beneficiary/:id',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getBeneficiary',
        summary: 'Fetch a beneficiary.',
        params: pathId('bnf'),
        response: Envelope(BeneficiaryResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const beneficiary = await deps.readers.beneficiary({ account_id, id: request.params.id })
      return send(reply, success(presentBeneficiary(found(beneficiary))))
    },
  )
}

function updateRoute(app: FastifyInstance, deps: Needs): void {
  app.put<{ Params: { id: string }; Body: BeneficiaryUpdate }>(
    '/v3/beneficiary/:id',
    {
      config: { scope: 'write', check: checkBeneficiary },
      schema: operationDocs({
        operationId: 'updateBeneficiary',
        summary: 'Change a beneficiary, for payouts that are still to be made.',
        description:
          'A member that is sent replaces the whole of what was there, null takes it away, and ' +
          'what is left out stays. Another destination has a new `destination` id. Payouts keep ' +
          'the details they were made with. Where a rule asks for it, a change waits for an ' +
          'approval as a new beneficiary does.',
        params: pathId('bnf'),
        body: BeneficiaryUpdate,
        response: Envelope(BeneficiaryResponse),
        refusals: ['not_found', 'currency', 'type_mismatch'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const change = { kind: 'update', id: params.id, update: body } as const
      const command = { account_id: account.account_id, claim: null, change, ...makingOf(request) }
      const { reply: answer } = await deps.lanes.writeBeneficiary.run(command)
      return send(reply, answer)
    },
  )
}

const ACTS = {
  archive: {
    operationId: 'archiveBeneficiary',
    summary: 'Archive a beneficiary: it is in no ordinary list, and is paid no more.',
    description:
      'A payout to it is refused with `beneficiary_archived` until it is taken back. Payouts ' +
      'that are made already go on. Its record, and what people have approved of it, stay. One ' +
      'that is archived already is answered as it is.',
  },
  unarchive: {
    operationId: 'unarchiveBeneficiary',
    summary: 'Take back a beneficiary that is archived.',
    description: 'It can be paid again as before. One that is not archived is answered as it is.',
  },
} as const

function archiveRoute(app: FastifyInstance, deps: Needs, act: keyof typeof ACTS): void {
  app.post<{ Params: { id: string } }>(
    `/v3/beneficiary/:id/${act}`,
    {
      config: { scope: 'write', optionalBody: true },
      schema: operationDocs({
        ...ACTS[act],
        params: pathId('bnf'),
        body: ArchiveRequest,
        response: Envelope(BeneficiaryResponse),
        idempotent: true,
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { account, params } = request
      const claim = claimOf(request, `POST /v3/beneficiary/${params.id}/${act}`)
      const change = { kind: act, id: params.id } as const
      const command = { account_id: account.account_id, claim, change, ...makingOf(request) }
      const { reply: answer } = await deps.lanes.writeBeneficiary.run(command)
      return send(reply, answer)
    },
  )
}
