// GET /v3/operator/screening_list, and POST /v3/operator/screening_list/require.
import { Closed, Literals, optional, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { LISTS } from '../screening/screening.ts'
import { operatorOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { listLists, presentLists, requireLists } from './lists.ts'
import { checkWords, Reason } from './request.ts'

const ListNames = Type.Array(Literals(LISTS), {
  maxItems: LISTS.length,
  description:
    'The lists that must be current. Empty: this installation does not screen payouts of live ' +
    'accounts.',
})

/** The members that only an imported list has. */
const IMPORTED = optional({
  version: Type.Integer({ description: 'The version, from 1, without gaps.' }),
  sha256: Type.String({ description: 'SHA-256 of the file, in hex.' }),
  file: Type.String(),
  format: Type.String(),
  published_on: Type.String({ description: 'The date of publication, as the file says.' }),
  sample: Type.Boolean({
    description: 'Whether the list is a sample, which does not say who is listed.',
  }),
  entries: Type.Integer(),
  names: Type.Integer(),
  added: Type.Integer(),
  changed: Type.Integer(),
  removed: Type.Integer(),
  left_out_count: Type.Integer({
    description: 'The number of records in the file without a name, which were not imported.',
  }),
  left_out: Type.Array(Type.String(), { description: 'The first 50 of these records.' }),
  reason: Type.String({ description: 'Why the file was imported although it looked wrong.' }),
  imported_by: Type.String(),
  imported_at: Timestamp,
  age_s: Type.Integer(),
  current_until: textOrNull({
    description: 'Until when the list is current, unless it is imported again; null for a sample.',
  }),
})

const ListStatusResponse = Type.Object(
  {
    list: Literals(LISTS),
    required: Type.Boolean({
      description: 'Whether payouts of live accounts wait unless the list is current.',
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
  { title: 'ScreeningLists', description: 'All lists that Corridor knows.' },
)

const RequireRequest = Closed(
  { required: ListNames, reason: Reason },
  { title: 'RequireLists', description: 'The lists that must be current, all of them.' },
)

const RequiredResponse = Type.Object(
  { required: ListNames, reason: Type.String() },
  { title: 'RequiredLists' },
)

export function deskListRoutes(routes: DeskRoutes): void {
  routes.list('/v3/operator/screening_list', {
    operationId: 'listScreeningLists',
    summary: 'Show each sanctions list: its age, its size, and whether it is required.',
    response: ListsResponse,
    answer: async (_, { audit }) => presentLists(await listLists(audit)),
  })
  routes.change('/v3/operator/screening_list/require', {
    act: 'screening require',
    config: { asksPassword: true, check: checkWords },
    operationId: 'requireScreeningLists',
    summary: 'Set which lists must be current before payouts of live accounts go out.',
    body: RequireRequest,
    response: RequiredResponse,
    change: (sql, request) => requireLists(sql, operatorOf(request).name, request.body),
  })
}
