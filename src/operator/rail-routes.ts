// GET /v3/operator/rail and /v3/operator/rail/{name}, and POST …/pause and /resume.
import type { FastifyInstance } from 'fastify'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Closed, Envelope, Literals } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { KIND_NAMES } from '../rail/kind.ts'
import { MANUAL } from '../rail/rail.ts'
import { listRails } from '../rail/row-store.ts'
import { callOf, type OfDesk } from './desk.ts'
import { presentRoute } from './payout-routing.ts'
import { RouteRow } from './payout-routing-routes.ts'
import { whole } from './price-response.ts'
import { pauseRail, presentRail, showRail } from './rails.ts'
import { checkWords, ReasonRequest } from './request.ts'

interface Named {
  readonly Params: { readonly name: string }
}

const RailPath = Type.Object({
  name: Type.String({
    pattern: '^[a-z][a-z0-9_]{1,30}$',
    description: 'What routes and payouts call the rail.',
    examples: ['main_bank'],
  }),
})

const RAIL = {
  name: Type.String(),
  kind: Literals([MANUAL, ...KIND_NAMES], { description: 'manual is the rail of people.' }),
  config: Type.Unknown({ description: 'The settings of its kind.' }),
  has_secret: Type.Boolean({ description: 'The secret itself is never shown.' }),
  paused: Type.Boolean(),
  paused_reason: Type.String({ description: 'Empty while it is not paused.' }),
}

export const RailResponse = Type.Object(RAIL, { title: 'DeskRail', description: 'A rail.' })

const RailInFull = Type.Object(
  { ...RAIL, routes: Type.Array(RouteRow) },
  { title: 'RailInFull', description: 'A rail, and the routes that lead to it.' },
)

const Nothing = Closed({}, { title: 'ResumeRequest', type: ['object', 'null'] })

export function deskRailRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get(
    '/v3/operator/rail',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listRails',
        summary: 'List the rails by name, and which are paused.',
        response: Envelope(ListOf(RailResponse)),
        refusals: [],
      }),
    },
    async (_request, reply) => {
      const rails = await listRails(deps.desk.audit)
      return send(reply, success(whole(rails.map(presentRail))))
    },
  )
  app.get<Named>(
    '/v3/operator/rail/:name',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'getRail',
        summary: 'Show the settings of a rail and the routes that lead to it.',
        params: RailPath,
        response: Envelope(RailInFull),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { rail, routes } = await showRail(deps.desk.audit, request.params.name)
      const presented = routes.map(route => presentRoute(route))
      return send(reply, success({ ...presentRail(rail), routes: presented }))
    },
  )
  pauseRoute(app, deps)
  resumeRoute(app, deps)
}

function pauseRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named & { Body: ReasonRequest }>(
    '/v3/operator/rail/:name/pause',
    {
      config: { scope: 'installation_write', check: checkWords },
      schema: operationDocs({
        operationId: 'pauseRail',
        summary: 'Ask a rail nothing and send nothing by it; its payouts wait.',
        description: 'A rail that is paused already has the new reason.',
        params: RailPath,
        body: ReasonRequest,
        response: Envelope(RailResponse),
        idempotent: true,
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { reason } = request.body
      const { name } = request.params
      const call = callOf(request, 'rail pause')
      const answer = await deps.desk.changeOnce(call, async sql =>
        presentRail(await pauseRail(sql, name, reason)),
      )
      return send(reply, answer)
    },
  )
}

function resumeRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named>(
    '/v3/operator/rail/:name/resume',
    {
      config: { scope: 'installation_write', asksPassword: true, optionalBody: true },
      schema: operationDocs({
        operationId: 'resumeRail',
        summary: 'Ask a paused rail again.',
        params: RailPath,
        body: Nothing,
        response: Envelope(RailResponse),
        idempotent: true,
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { name } = request.params
      const call = callOf(request, 'rail resume')
      const answer = await deps.desk.changeOnce(call, async sql =>
        presentRail(await pauseRail(sql, name, '')),
      )
      return send(reply, answer)
    },
  )
}
