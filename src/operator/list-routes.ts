// GET /v3/operator/screening_list, and POST /v3/operator/screening_list/require.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { Closed, Envelope, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { LISTS } from '../screening/screening.ts'
import { callOf, type OfDesk, operatorOf } from './desk.ts'
import { listLists, presentLists, requireLists } from './lists.ts'
import { checkWords, Reason } from './request.ts'

const ListNames = Type.Array(Literals(LISTS), {
  maxItems: LISTS.length,
  description: 'Empty: this installation does not screen payouts of live accounts.',
})

/** What only a list has that was imported. */
const IMPORTED = {
  version: Type.Optional(Type.Integer({ description: 'From 1, without gaps.' })),
  sha256: Type.Optional(Type.String({ description: 'Of the file, in hex.' })),
  file: Type.Optional(Type.String()),
  format: Type.Optional(Type.String()),
  published_on: Type.Optional(Type.String({ description: 'As the file says.' })),
  sample: Type.Optional(Type.Boolean({ description: 'Says nothing of who is listed.' })),
  entries: Type.Optional(Type.Integer()),
  names: Type.Optional(Type.Integer()),
  added: Type.Optional(Type.Integer()),
  changed: Type.Optional(Type.Integer()),
  removed: Type.Optional(Type.Integer()),
  reason: Type.Optional(Type.String({ description: 'Why it was taken although it looked wrong.' })),
  imported_by: Type.Optional(Type.String()),
  imported_at: Type.Optional(Timestamp),
  age_s: Type.Optional(Type.Integer()),
  current_until: Type.Optional(
    textOrNull({ description: 'Unless it is imported again; null of a sample.' }),
  ),
}

const ListStatusResponse = Type.Object(
  {
    list: Literals(LISTS),
    required: Type.Boolean({
      description: 'Payouts of live accounts wait unless it is current.',
    }),
    state: Literals(['current', 'stale', 'sample', 'missing'] as const),
    ...IMPORTED,
  },
  { title: 'ScreeningListStatus', description: 'A list, and the file that it was imported from.' },
)

export const ListsResponse = Type.Object(
  {
    stale_after_s: Type.Integer(),
    required: ListNames,
    lists: Type.Array(ListStatusResponse),
  },
  { title: 'ScreeningLists', description: 'All lists that there may be.' },
)

const RequireRequest = Closed(
  { required: ListNames, reason: Reason },
  { title: 'RequireLists', description: 'The lists that must be current, all of them.' },
)
type RequireRequest = Static<typeof RequireRequest>

const RequiredResponse = Type.Object(
  { required: ListNames, reason: Type.String() },
  { title: 'RequiredLists' },
)

export function deskListRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get(
    '/v3/operator/screening_list',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listScreeningLists',
        summary: 'Show each sanctions list: its age, its size, and whether it is required.',
        response: Envelope(ListsResponse),
        refusals: [],
      }),
    },
    async (request, reply) => {
      return sendList(request, reply, success(presentLists(await listLists(deps.desk.audit))))
    },
  )
  app.post<{ Body: RequireRequest }>(
    '/v3/operator/screening_list/require',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkWords },
      schema: operationDocs({
        operationId: 'requireScreeningLists',
        summary: 'Say which lists must be current before payouts of live accounts go out.',
        body: RequireRequest,
        response: Envelope(RequiredResponse),
        idempotent: true,
        refusals: [],
      }),
    },
    async (request, reply) => {
      const call = callOf(request, 'screening require')
      const answer = await deps.desk.changeOnce(call, sql =>
        requireLists(sql, operatorOf(request), request.body),
      )
      return send(reply, answer)
    },
  )
}
