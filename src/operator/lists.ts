// Sanctions lists: how current each is, and which must be current before live accounts pay.
import type { Static } from 'typebox'
import { Closed, Literals, optional, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { ListStatus, ListVersion } from '../screening/list.ts'
import { type ListState, STALE_AFTER_S, staleAt, stateOf } from '../screening/list-rules.ts'
import { listNewest, readRequired, updateRequired } from '../screening/list-store.ts'
import { LIST_TITLES, LISTS, type ListName } from '../screening/screening.ts'
import type { Sql } from '../sql/connect.ts'
import { describeAge, toSecond } from '../values/text/age.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { Reason } from './request.ts'

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
    title: Type.String({ description: 'The name and the publisher of the list.' }),
    required: Type.Boolean({
      description: 'Whether payouts of live accounts wait unless the list is current.',
    }),
    state: Literals(['current', 'stale', 'sample', 'missing'] as const),
    ...IMPORTED,
  },
  { title: 'ScreeningListStatus', description: 'A list, and the file that it was imported from.' },
)
type ShownList = Static<typeof ListStatusResponse>

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

const status = reading({
  name: 'lists status',
  path: '/v3/operator/screening_list',
  operationId: 'listScreeningLists',
  summary: 'Show each sanctions list: its age, its size, and whether it is required.',
  response: ListsResponse,
  find: async audit => presentLists(await listLists(audit)),
  command: {
    words: ({ lists }) => ({
      rows: lists.map(columnsOf),
      tail: [...warnings(lists), screeningWords(lists)].join('\n'),
    }),
    help: '\nExample:\n  corridor lists status',
  },
})

const REQUIRE_HELP = `
All lists must be current until you say otherwise: payouts of live accounts wait
while one is missing, stale or a sample. Lists that are imported are compared in
any case, unless you say none. CORRIDOR_USER must say who you are.

Examples:
  corridor screening require un eu --reason "Pays from the EU in euro alone"
  corridor screening require none --reason "Screened before it comes here"`

export const requireLists = writing({
  name: 'screening require',
  path: '/v3/operator/screening_list/require',
  operationId: 'requireScreeningLists',
  summary: 'Set which lists must be current before payouts of live accounts go out.',
  body: RequireRequest,
  asksPassword: true,
  byPerson: true,
  response: RequiredResponse,
  run: (acting, asked) =>
    acting.change(async sql => {
      const set = { ...asked, required: LISTS.filter(list => asked.required.includes(list)) }
      await updateRequired(sql, { ...set, set_by: acting.operator.name })
      return set
    }),
  command: {
    words: ({ required }) =>
      required.length === 0
        ? 'payouts of live accounts are not screened'
        : `payouts of live accounts wait unless these are current: ${required.join(', ')}`,
    arguments: ['required'],
    options: {
      required: 'the lists; or none: this installation does not screen',
      reason: 'why, for the audit log; one line',
    },
    help: REQUIRE_HELP,
  },
})

export const lists: ActionGroup = { actions: [status] }

/** `status` is undefined before the first import. */
interface ListRow {
  readonly list: ListName
  readonly status: ListStatus | undefined
  readonly state: ListState
  readonly is_required: boolean
}

export async function listLists(audit: Sql): Promise<ListRow[]> {
  const [newest, { required }] = await Promise.all([listNewest(audit), readRequired(audit)])
  return LISTS.map(list => {
    const status = newest.find(known => known.list === list)
    return { list, status, state: stateOf(status), is_required: required.includes(list) }
  })
}

function presentLists(rows: readonly ListRow[]): Static<typeof ListsResponse> {
  const required = rows.filter(row => row.is_required).map(({ list }) => list)
  return { stale_after_s: STALE_AFTER_S, required, lists: rows.map(presentStatus) }
}

function presentStatus({ list, status, state, is_required: required }: ListRow): ShownList {
  const title = LIST_TITLES[list]
  if (status === undefined) return { list, title, required, state }
  const { imported_at, age_s } = status
  const current_until = staleAt(status)
  const of_time = { imported_at, age_s, current_until }
  return { ...presentVersion(status), title, required, state, ...of_time }
}

export function presentVersion(version: ListVersion) {
  const { list, version: number, sha256, file_name, format, published_on, is_sample } = version
  const { entry_count, name_count, added, changed, removed, reason, imported_by } = version
  const { left_out_count, left_out } = version
  return {
    list,
    version: number,
    sha256,
    file: file_name,
    format,
    published_on,
    sample: is_sample,
    entries: entry_count,
    names: name_count,
    added,
    changed,
    removed,
    left_out_count,
    left_out: [...left_out],
    reason,
    imported_by,
  }
}

function columnsOf(shown: ShownList) {
  return {
    list: shown.list,
    required: shown.required ? 'yes' : 'no',
    state: shown.state,
    'current until': toSecond(shown.current_until ?? null),
    version: String(shown.version ?? ''),
    entries: String(shown.entries ?? ''),
    names: String(shown.names ?? ''),
    'left out': String(shown.left_out_count ?? ''),
    published: shown.published_on ?? '',
    imported: toSecond(shown.imported_at ?? null),
    by: shown.imported_by ?? '',
  }
}

/** Says whether payouts of live accounts are screened now, or for which lists they wait. */
function screeningWords(lists: readonly ShownList[]): string {
  const required = lists.filter(row => row.required)
  if (required.length === 0) return 'payouts of live accounts are not screened'
  const lacking = required.filter(({ state }) => state !== 'current').map(({ list }) => list)
  return lacking.length === 0
    ? 'payouts of live accounts are screened'
    : `payouts of live accounts wait until these are current: ${lacking.join(', ')}`
}

const MEANINGS: Readonly<Record<Exclude<ListState, 'current'>, string>> = {
  missing: 'never imported: nobody on it is found',
  sample: 'only the shipped sample: it says nothing of who is listed',
  stale: `imported more than ${describeAge(STALE_AFTER_S)} ago: import it again`,
}

function warnings(lists: readonly ShownList[]): string[] {
  return Object.entries(MEANINGS).flatMap(([state, meaning]) => {
    const of = lists.filter(row => row.state === state).map(({ list }) => list)
    return of.length === 0 ? [] : [`${of.join(', ')}: ${meaning}`]
  })
}
