// GET /v3/operator/screening and /{id}, and POST /v3/operator/screening/{id}/clear and /confirm.
import type { FastifyInstance } from 'fastify'
import { send, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Envelope, Id, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { DecideScreening } from '../payout/screening-operation.ts'
import { PAYOUT_STATUSES } from '../payout/states.ts'
import { listHeld } from '../screening/match-store.ts'
import { authorOf, type Desk, operatorOf } from './desk.ts'
import {
  AccountId,
  checkLimit,
  checkLines,
  PageQuery,
  type Query,
  ReasonRequest,
  readLimit,
} from './request.ts'
import { decision, presentHeld, presentScreening, showScreening } from './screening.ts'

interface Needs {
  readonly desk: Desk
}

interface Named {
  readonly Params: { readonly id: string }
}

const STATES = ['waits', 'open', 'confirmed'] as const

const HeldResponse = Type.Object(
  {
    payout: Id('pot', 'Payout id.'),
    account_id: AccountId,
    screening: Literals(STATES, { description: 'What it waits for.' }),
    status: Literals(PAYOUT_STATUSES),
    updated_at: Timestamp,
  },
  { title: 'HeldByScreening', description: 'A payout that screening holds.' },
)

const Match = Type.Object(
  {
    party: Type.String(),
    list: Type.String(),
    entry_id: Type.String(),
    listed: Type.Boolean({ description: 'Whether its list still has the entry.' }),
    score: Type.Integer(),
    pieces: Type.Array(Type.Unknown(), { description: 'What the score is made of.' }),
    state: Type.String(),
    found_at: Timestamp,
    decided_at: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
    decided_by: Type.String(),
    reason: Type.String(),
  },
  { title: 'ScreeningMatch' },
)

const ScreeningResponse = Type.Object(
  {
    payout: Id('pot', 'Payout id.'),
    account_id: AccountId,
    status: Literals(PAYOUT_STATUSES),
    screening: Type.String({ description: 'What it waits for; empty for nothing of a person.' }),
    screened_at_version: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    matches: Type.Array(Match),
  },
  { title: 'PayoutScreening', description: 'Whom the parties of a payout may be.' },
)

const DecidedResponse = Type.Object(
  {
    payout: Id('pot', 'Payout id.'),
    state: Literals(['cleared', 'confirmed'] as const),
    matches: Type.Integer({ description: 'How many were decided now.' }),
    screening: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What the payout waits for now; null for nothing.',
    }),
  },
  { title: 'ScreeningDecision' },
)

const HeldQuery = PageQuery('pot', {
  account_id: AccountId,
  state: Literals(STATES, { description: 'Only payouts that wait for this.' }),
})

export function deskScreeningRoutes(app: FastifyInstance, deps: Needs): void {
  app.get<{ Querystring: Query }>(
    '/v3/operator/screening',
    {
      config: { scope: 'installation_read', checkQuery: checkLimit },
      schema: operationDocs({
        operationId: 'listHeldByScreening',
        summary: 'List payouts that screening holds, the oldest first.',
        querystring: HeldQuery,
        response: Envelope(ListOf(HeldResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const { account_id = '', state = '', starting_after = '' } = request.query
      const limit = readLimit(request.query)
      // One more than is shown tells whether there are more.
      const held = await listHeld(deps.desk.audit, { account_id, state, starting_after }, limit + 1)
      const results = held.slice(0, limit).map(presentHeld)
      return send(reply, success({ object: 'list', has_more: held.length > limit, results }))
    },
  )
  app.get<Named>(
    '/v3/operator/screening/:id',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'getScreening',
        summary: 'Show whom the parties of a payout may be, with each score in pieces.',
        params: pathId('pot'),
        response: Envelope(ScreeningResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const shown = await showScreening(deps.desk, request.params.id)
      return send(reply, success(presentScreening(shown)))
    },
  )
  decisionRoute(app, deps, 'clear', 'cleared', 'Say that nobody of a payout is listed; it goes on.')
  decisionRoute(
    app,
    deps,
    'confirm',
    'confirmed',
    'Say that somebody of a payout is listed; it is blocked, and its money kept.',
  )
}

function decisionRoute(
  app: FastifyInstance,
  deps: Needs,
  name: 'clear' | 'confirm',
  state: DecideScreening['state'],
  summary: string,
): void {
  app.post<Named & { Body: ReasonRequest }>(
    `/v3/operator/screening/:id/${name}`,
    {
      config: { scope: 'installation_write', check: (sent: never) => checkLines(sent) },
      schema: operationDocs({
        operationId: `${name}Screening`,
        summary,
        params: pathId('pot'),
        body: ReasonRequest,
        response: Envelope(DecidedResponse),
        refusals: ['not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { reason } = request.body
      const deed = await decision(deps.desk.audit, operatorOf(request), id, { state, reason })
      const decided = await deps.desk.run(authorOf(request, `screening ${name}`), deed)
      const { matches, screening } = decided
      return send(reply, success({ payout: id, state, matches: matches.length, screening }))
    },
  )
}
