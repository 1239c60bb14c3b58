// GET /v3/operator/payout and /{id}; POST /v3/operator/payout/{id}/take, /release and /transition.
import type { FastifyInstance } from 'fastify'
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import type { PayoutStatus } from '../payout/states.ts'
import { MANUAL, SIMULATOR } from '../rail/rail.ts'
import { callOf, type OfDesk, operatorOf } from './desk.ts'
import { DeskPayout, DeskPayoutInFull, presentForDesk, presentInFull } from './payout-response.ts'
import { type AskedHandling, handling, listPayouts, showPayout, transition } from './payouts.ts'
import {
  checkLimit,
  checkWords,
  DeskPayoutQuery,
  type Named,
  OperatorTransition,
  type Query,
  ReasonRequest,
  readLimit,
  TakeRequest,
} from './request.ts'

interface Needs extends OfDesk {
  readonly reference: { current(): { readonly rails: readonly { readonly name: string }[] } }
}

export function deskPayoutRoutes(app: FastifyInstance, deps: Needs): void {
  listRoute(app, deps)
  getRoute(app, deps)
  handlingRoutes(app, deps)
  transitionRoute(app, deps)
}

function listRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Querystring: Query }>(
    '/v3/operator/payout',
    {
      config: { scope: 'installation_read', checkQuery: checkLimit },
      schema: operationDocs({
        operationId: 'listDeskPayouts',
        summary: 'List payouts of all accounts.',
        description:
          'The newest first; with a status that waits for somebody, such as `processing`, those ' +
          'that wait longest first.',
        querystring: DeskPayoutQuery,
        response: Envelope(ListOf(DeskPayout)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const { status, rail, account_id, starting_after } = request.query
      const rails = [SIMULATOR, MANUAL, ...deps.reference.current().rails.map(({ name }) => name)]
      const isKnown = rail === undefined || rails.includes(rail)
      refuseIfAny(isKnown ? [] : [invalidParameter('rail', 'There is no such rail.')])
      const limit = readLimit(request.query)
      const filter = {
        ...(account_id !== undefined && { account_id }),
        // The schema knows the statuses.
        ...(status !== undefined && { status: status as PayoutStatus }),
        ...(rail !== undefined && { rail }),
        ...(starting_after !== undefined && { starting_after }),
      }
      const { payouts, has_more } = await listPayouts(deps.desk.audit, filter, limit)
      const results = payouts.map(presentForDesk)
      return sendList(request, reply, success({ object: 'list', has_more, results }))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<Named>(
    '/v3/operator/payout/:id',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'getDeskPayout',
        summary: 'Show a payout, what became of it, and what it waits for.',
        params: pathId('pot'),
        response: Envelope(DeskPayoutInFull),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const shown = await showPayout(deps.desk, request.params.id)
      return send(reply, success(presentInFull(shown)))
    },
  )
}

function handlingRoutes(app: FastifyInstance, deps: Needs): void {
  const handle = (
    act: AskedHandling['act'],
    { summary, description }: { summary: string; description: string },
    body: typeof TakeRequest | typeof ReasonRequest,
  ) =>
    app.post<Named & { Body: Omit<AskedHandling, 'act'> }>(
      `/v3/operator/payout/:id/${act}`,
      {
        config: { scope: 'installation_write', check: checkWords },
        schema: operationDocs({
          operationId: `${act}Payout`,
          summary,
          description,
          params: pathId('pot'),
          body,
          response: Envelope(DeskPayout),
          idempotent: true,
          refusals: ['not_found', 'invalid_transition'],
        }),
      },
      async (request, reply) => {
        const { id } = request.params
        const call = callOf(request, `payout ${act}`)
        const deed = await handling(deps.desk.audit, operatorOf(request), id, {
          act,
          ...request.body,
        })
        const answer = await deps.desk.answer(call, deed, ({ payout }) => presentForDesk(payout))
        return send(reply, answer)
      },
    )
  handle(
    'take',
    {
      summary: 'Take a payout to pay it by hand.',
      description: 'Its account can no longer cancel it. One person at a time has a payout.',
    },
    TakeRequest,
  )
  handle(
    'release',
    {
      summary: 'Give a payout back that you have taken and not paid.',
      description: 'Its account can cancel it again. Never release what may have been paid.',
    },
    ReasonRequest,
  )
}

function transitionRoute(app: FastifyInstance, deps: Needs): void {
  app.post<Named & { Body: OperatorTransition }>(
    '/v3/operator/payout/:id/transition',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkWords },
      schema: operationDocs({
        operationId: 'transitionPayout',
        summary: 'Set the status of a payout.',
        description:
          '`failed` and `reversed` give the money back. A payout that people pay succeeds with ' +
          'the bank’s `reference`, by whoever has taken it, and fails or is reversed with a ' +
          '`reason`.',
        params: pathId('pot'),
        body: OperatorTransition,
        response: Envelope(DeskPayout),
        idempotent: true,
        refusals: ['not_found', 'invalid_transition', 'reference_already_used'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const call = callOf(request, 'payout transition')
      const deed = await transition(deps.desk.audit, operatorOf(request), id, request.body)
      const answer = await deps.desk.answer(call, deed, ({ payout }) => presentForDesk(payout))
      return send(reply, answer)
    },
  )
}
