// POST and GET /v3/payout, GET and PUT /v3/payout/{id}, POST /v3/payout/{id}/cancel and /action.

import type { FastifyInstance } from 'fastify'
import type { Runs } from '../engine/lanes.ts'
import type { Tried } from '../engine/load-only.ts'
import type { Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import { claimOf, send, sendList, sendTagged, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { type Expanding, expandAll } from '../http/expand.ts'
import type { Answered } from '../http/idempotency/operations.ts'
import {
  checkList,
  type ExpandingListQuery,
  ListOf,
  presentListWith,
  readList,
} from '../http/list.ts'
import { Closed, Envelope } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { checkAction } from './action.ts'
import type { CreatedPayout } from './create-operation.ts'
import { dryRunPayout } from './dry-run.ts'
import { type ExpandingReaders, payoutExpansions } from './expand.ts'
import { checkRequest } from './fields.ts'
import { listPayouts } from './list-store.ts'
import type { CreatePayout, PayoutState } from './payout.ts'
import {
  ActionRequest,
  PAYOUT_REFUSALS,
  PayoutExpandQuery,
  PayoutQuery,
  PayoutRequest,
  PayoutUpdate,
} from './request.ts'
import {
  DryRunQuery,
  DryRunResponse,
  PayoutResponse,
  presentDryRun,
  presentPayout,
} from './response.ts'
import type { AccountStep, AnswerPayout, CancelPayout } from './step-operation.ts'
import type { UpdatedPayout, UpdatePayout } from './update-operation.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly lanes: {
    readonly createPayout: Runs<CreatePayout, Answered<CreatedPayout>>
    readonly tryPayouts: Runs<Tried<CreatePayout>, PayoutState>
    readonly cancelPayout: Runs<CancelPayout, Answered<AccountStep>>
    readonly updatePayout: Runs<UpdatePayout, Answered<UpdatedPayout>>
    readonly answerPayout: Runs<AnswerPayout, Answered<AccountStep>>
  }
  readonly readers: ExpandingReaders
}

export function payoutRoutes(app: FastifyInstance, deps: Needs): void {
  createRoute(app, deps)
  listRoute(app, deps)
  getRoute(app, deps)
  cancelRoute(app, deps)
  updateRoute(app, deps)
  actionRoute(app, deps)
}

const CREATED_OR_TRIED = Type.Union([PayoutResponse, DryRunResponse], {
  description: 'The payout; with `dry_run=true` what it would come to.',
})

function createRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: PayoutRequest; Querystring: DryRunQuery }>(
    '/v3/payout',
    {
      config: { scope: 'write', checkInOperation: checkRequest },
      schema: operationDocs({
        operationId: 'createPayout',
        summary: 'Pay a beneficiary, at a quote or at the rates of this moment.',
        description:
          'A payout like one that was just made is refused, unless `allow_duplicate` says that ' +
          'it is another payment; how long is set for each account. With `dry_run=true` nothing ' +
          'is written: the answer is 200 and says everything that the payout would be refused ' +
          'for, what it would cost, and the rail; an Idempotency-Key means nothing to it.',
        querystring: DryRunQuery,
        body: PayoutRequest,
        response: Envelope(CREATED_OR_TRIED),
        idempotent: true,
        refusals: ['invalid_query_parameter', ...PAYOUT_REFUSALS],
      }),
    },
    async (request, reply) => {
      const { account, body, key_id } = request
      const made_by = request.person?.user ?? ''
      const { account_id } = account
      if (request.query.dry_run === 'true') {
        const asked = { account_id, account, request: body, key_id, made_by }
        const commands = [{ ...asked, claim: null }]
        const state = await deps.lanes.tryPayouts.run({ account_id, commands })
        return send(reply, success(presentDryRun(dryRunPayout(state, account, body, { key_id }))))
      }
      const claim = claimOf(request, 'POST /v3/payout')
      const command = { account_id, account, request: body, key_id, made_by, claim }
      const { reply: answer } = await deps.lanes.createPayout.run(command)
      return send(reply, answer)
    },
  )
}

function listRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Querystring: ExpandingListQuery }>(
    '/v3/payout',
    {
      config: { scope: 'read', checkQuery: checkList },
      schema: operationDocs({
        operationId: 'listPayouts',
        summary: 'List payouts, newest first.',
        description: '`expand` shows objects that a payout names by an id whole, in `expanded`.',
        querystring: PayoutQuery,
        response: Envelope(ListOf(PayoutResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const wanted = readList(request.query)
      const page = await deps.read(request.account.account_id, (tx, id) =>
        listPayouts(tx, id, wanted),
      )
      const list = await presentListWith(page, wanted, rows =>
        expandAll(rows, request.query, payoutExpansions(deps.readers), presentPayout),
      )
      return sendList(request, reply, success(list))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Params: { id: string }; Querystring: Expanding }>(
    '/v3/payout/:id',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getPayout',
        summary: 'Fetch a payout.',
        params: pathId('pot'),
        querystring: PayoutExpandQuery,
        response: Envelope(PayoutResponse),
        tagged: true,
        refusals: ['not_found', 'invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const { account_id } = request.account
      const payout = await deps.readers.payout({ account_id, id: request.params.id })
      const rows = [found(payout)]
      const [shown = {}] = await expandAll(
        rows,
        request.query,
        payoutExpansions(deps.readers),
        presentPayout,
      )
      return sendTagged(request, reply, success(shown))
    },
  )
}

function cancelRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Params: { id: string } }>(
    '/v3/payout/:id/cancel',
    {
      config: { scope: 'write', optionalBody: true },
      schema: operationDocs({
        operationId: 'cancelPayout',
        summary: 'Cancel a payout that the rail has not taken.',
        description:
          'The payout ends `failed` with code `PF000100`, and amount and fees are back with the ' +
          'answer; its quote stays used. Held payouts can be cancelled too. From the moment the ' +
          'rail is asked to pay, whatever it says, or a person has taken the payout to pay it by ' +
          'hand, the answer is 409.',
        params: pathId('pot'),
        body: Closed({}, { title: 'CancelRequest', type: ['object', 'null'] }),
        response: Envelope(PayoutResponse),
        idempotent: true,
        refusals: ['not_found', 'payout_not_cancellable'],
      }),
    },
    async (request, reply) => {
      const { account, params } = request
      const claim = claimOf(request, `POST /v3/payout/${params.id}/cancel`)
      const command = { account_id: account.account_id, claim, payout_id: params.id }
      const { reply: answer } = await deps.lanes.cancelPayout.run(command)
      return send(reply, answer)
    },
  )
}

function updateRoute(app: FastifyInstance, deps: Needs): void {
  app.put<{ Params: { id: string }; Body: PayoutUpdate }>(
    '/v3/payout/:id',
    {
      config: { scope: 'write' },
      schema: operationDocs({
        operationId: 'updatePayout',
        summary: 'Change the metadata of a payout, in whatever state it is.',
        description:
          'Nothing else of a payout changes by it: no money, no approval, and not whom another ' +
          'payout is compared with. An event `payout.updated` tells what it was.',
        params: pathId('pot'),
        body: PayoutUpdate,
        response: Envelope(PayoutResponse),
        refusals: ['not_found', 'party_erased'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const { account_id } = account
      const command = { account_id, claim: null, payout_id: params.id, update: body }
      const { reply: answer } = await deps.lanes.updatePayout.run(command)
      return send(reply, answer)
    },
  )
}

function actionRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Params: { id: string }; Body: ActionRequest }>(
    '/v3/payout/:id/action',
    {
      config: { scope: 'write', check: checkAction },
      schema: operationDocs({
        operationId: 'answerPayout',
        summary: 'Answer what a payout requires.',
        description:
          'For a payout in `requires_action`; its `status_description` says what is asked for. ' +
          'It is `processing` with the answer, and the rail is told at once. Documents are ' +
          'added, other members take the place of those before; who is paid, where and how much ' +
          'cannot be changed.',
        params: pathId('pot'),
        body: ActionRequest,
        response: Envelope(PayoutResponse),
        idempotent: true,
        refusals: ['not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { account, body, params } = request
      const claim = claimOf(request, `POST /v3/payout/${params.id}/action`)
      const { account_id } = account
      const command = { account_id, claim, payout_id: params.id, request: body }
      const { reply: answer } = await deps.lanes.answerPayout.run(command)
      return send(reply, answer)
    },
  )
}
