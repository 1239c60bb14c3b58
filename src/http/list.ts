// The parts that all lists of the API share: the query, its reading, and the answer of a page
// (§list.page). Knows no resource and no SQL.

import type { TProperties, TSchema } from 'typebox'
import { type Moment, NEWEST, newerOf, OLDEST, olderOf } from '../sql/order.ts'
import type { Cursor, Page, Wanted } from '../sql/page.ts'
import { invalidParameter, type Problem, refusal, refuseIfAny } from '../values/errors.ts'
import { type IdPrefix, idPattern } from '../values/id.ts'
import { type Instant, instantFromIso } from '../values/instant.ts'
import { pairText } from '../values/text/found-by.ts'
import { DOCUMENTED } from './docs.ts'
import type { Expanding } from './expand.ts'
import { fitPage, type PresentAll } from './fit.ts'
import { Several } from './query.ts'
import { Closed } from './schema.ts'
import { Type } from './type.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 10

const BOUNDS = ['created.gt', 'created.gte', 'created.lt', 'created.lte'] as const
type BoundName = (typeof BOUNDS)[number]

const BOUND_MEANINGS: Readonly<Record<BoundName, string>> = {
  'created.gt': 'Only what was created after this time (ISO 8601 with an offset).',
  'created.gte': 'Only what was created at this time or after it.',
  'created.lt': 'Only what was created before this time.',
  'created.lte': 'Only what was created at this time or before it.',
}

const bound = (description: string) =>
  Type.Optional(Type.String({ description, [DOCUMENTED]: { type: 'string', format: 'date-time' } }))

/** The parameters that bound the time of creation. */
export const CREATED_BOUNDS = {
  'created.gt': bound(BOUND_MEANINGS['created.gt']),
  'created.gte': bound(BOUND_MEANINGS['created.gte']),
  'created.lt': bound(BOUND_MEANINGS['created.lt']),
  'created.lte': bound(BOUND_MEANINGS['created.lte']),
}

/** A query string is text and nothing is coerced; openapi.json shows a number. */
const Limit = Type.String({
  description: 'The most objects on a page.',
  [DOCUMENTED]: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
})

/**
 * The query of a list of objects with this id prefix. A filter matches its value exactly, or one of
 * its values.
 */
export function ListQueryOf(prefix: IdPrefix, filters: TProperties) {
  const cursor = (description: string) =>
    Type.Optional(Type.String({ pattern: idPattern(prefix), description }))
  return Closed({
    limit: Type.Optional(Limit),
    starting_after: cursor('An id: the page starts with the next older object.'),
    ending_before: cursor('An id: the page ends with the next newer object.'),
    ...optionalFilters(filters),
  })
}

/** The query of figures about all objects that filters fit, without pages. */
export function FilterQueryOf(filters: TProperties) {
  return Closed(optionalFilters(filters))
}

function optionalFilters(filters: TProperties): TProperties {
  const optional = Object.entries(filters).map(([name, schema]) => [name, Type.Optional(schema)])
  return { ...CREATED_BOUNDS, ...Object.fromEntries(optional) }
}

/** A filter by an exact text. No stored text is blank. */
export function TextFilter(maxLength: number, description: string) {
  return Type.String({ pattern: '\\S', maxLength, description })
}

/** A filter by words of a name. Each must begin a word of the name. */
export const NameFilter = TextFilter(
  100,
  'Words, each of which begins a word of the name, in any order, without regard to case and ' +
    'accents.',
)

/**
 * A filter by a pair of metadata, `metadata[key]=value`. With several, a row must have all of them.
 */
export const MetadataFilter = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 10,
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: { type: 'string', maxLength: 500 },
  description: 'Pairs that the metadata has, each as `metadata[key]=value`.',
})

/** The code of a currency. A currency that does not exist finds nothing. */
export function CurrencyText(description: string, example = 'USD') {
  return Type.String({ pattern: '^[A-Z]{3,4}$', description, examples: [example] })
}

/** A filter by the codes of currencies. */
export function CurrencyFilter(description: string) {
  return Several(CurrencyText(description))
}

/** A filter by ids of one kind of object. */
export function IdFilter(prefix: IdPrefix, description: string) {
  return Several(Type.String({ pattern: idPattern(prefix), description }))
}

/** A filter by those who made the objects. */
export const MakerFilter = Several(
  Type.String({
    pattern: '^(key_[0-9a-z]{20}|user:[a-z][a-z0-9._-]{1,39}|operator)$',
    description:
      'Who made it, as `made_by` says: `key_…`, `user:` and a name, or `operator`. For a key, at ' +
      'most 100,000 objects of the range are read; if none of them is by the key, the refusal ' +
      'says where to go on.',
  }),
)

/** A query that has passed its schema: a parameter that takes several values is an array. */
export type ListQuery = Readonly<
  Record<string, string | readonly string[] | Readonly<Record<string, string>>>
>

/** The query of a list whose objects can be expanded. */
export type ExpandingListQuery = ListQuery & Expanding

/** The parameters that are not filters. */
const PAGING = new Set<string>(['limit', 'starting_after', 'ending_before', 'expand', ...BOUNDS])

/** Reads the query of a list. Refuses with every problem at once (400 invalid_query_parameter). */
export function readList(query: ListQuery): Wanted {
  const textOf = (name: string) => {
    const value = query[name]
    return typeof value === 'string' ? value : undefined
  }
  const [starting_after, ending_before] = [textOf('starting_after'), textOf('ending_before')]
  const filters = Object.fromEntries(
    Object.entries(query)
      .filter(([name]) => !PAGING.has(name))
      .map(([name, value]) => [name, [...new Set(valuesOf(value))]]),
  )
  refuseIfAny([
    ...checkLimit(textOf('limit')),
    ...checkCursors(starting_after, ending_before),
    ...BOUNDS.flatMap(name => checkBound(name, textOf(name))),
    ...Object.keys(filters).flatMap(name => checkTexts(name, textsOf(query[name]))),
  ])
  return {
    limit: Number(textOf('limit') ?? DEFAULT_LIMIT),
    ...readRange({
      gt: textOf('created.gt'),
      gte: textOf('created.gte'),
      lt: textOf('created.lt'),
      lte: textOf('created.lte'),
    }),
    filters,
    cursor: cursorOf(starting_after, ending_before),
  }
}

/** The values of a filter. Each pair is one value. */
function valuesOf(value: ListQuery[string] = []): string[] {
  return isPairs(value) ? Object.entries(value).map(pairText) : textsOf(value)
}

/** All texts of a parameter, the keys of pairs included. */
function textsOf(value: ListQuery[string] = []): string[] {
  return isPairs(value) ? Object.entries(value).flat() : [value].flat()
}

function isPairs(value: ListQuery[string]): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && !Array.isArray(value)
}

/** Bounds of a time, as checked ISO 8601 with an offset. */
interface TimeRange {
  readonly gt?: string | undefined
  readonly gte?: string | undefined
  readonly lt?: string | undefined
  readonly lte?: string | undefined
}

/** The range after all lower bounds and before all upper bounds. */
export function readRange({ gt, gte, lt, lte }: TimeRange): Pick<Wanted, 'above' | 'below'> {
  const moments = (text: string | undefined, side: Moment['side']): Moment[] => {
    const created_at = instantFromIso(text ?? '')
    return created_at === undefined ? [] : [{ created_at, side }]
  }
  // Stored times have six digits. A finer bound lies between two stored times, so no object is
  // created exactly at it. Cut to six digits, the bound becomes earlier.
  const exactly = (text: string | undefined) => moments(text, isFiner(text) ? 'after' : 'before')
  return {
    above: [...moments(gt, 'after'), ...exactly(gte)].reduce(newerOf, OLDEST),
    below: [...exactly(lt), ...moments(lte, 'after')].reduce(olderOf, NEWEST),
  }
}

/**
 * Reads the bounds of a list whose objects all were created at one time, and whether that time is
 * within them. Refuses each malformed bound (400 invalid_query_parameter).
 */
export function readBounds(query: ListQuery): (created_at: Instant) => boolean {
  const textOf = (name: BoundName) => query[name]?.toString()
  refuseIfAny(BOUNDS.flatMap(name => checkBound(name, textOf(name))))
  const { above, below } = readRange({
    gt: textOf('created.gt'),
    gte: textOf('created.gte'),
    lt: textOf('created.lt'),
    lte: textOf('created.lte'),
  })
  return created_at => {
    const is_above =
      above.side === 'after' ? created_at > above.created_at : created_at >= above.created_at
    const is_below =
      below.side === 'after' ? created_at <= below.created_at : created_at < below.created_at
    return (above === OLDEST || is_above) && (below === NEWEST || is_below)
  }
}

/** Refuses every problem that `readList` finds, also in a query that breaks its schema. */
export function checkList(query: ListQuery): void {
  const texts = Object.entries(query).filter(([name, value]) => {
    return typeof value === 'string' || !PAGING.has(name)
  })
  readList(Object.fromEntries(texts))
}

/** The `data` of a list. Refuses a cursor that names no object of the account. */
export function presentList<Row>(
  page: Page<Row> | undefined,
  wanted: Wanted,
  present: (row: Row) => object,
): Promise<object> {
  return presentListWith(page, wanted, rows => rows.map(present))
}

/** As presentList, for rows that are presented together, as by `expandAll`. */
export async function presentListWith<Row>(
  page: Page<Row> | undefined,
  wanted: Wanted,
  presentAll: PresentAll<Row>,
): Promise<object> {
  const from = wanted.cursor?.towards === 'newer' ? 'last' : 'first'
  const { rows, has_more } = await fitPage(foundPage(page, wanted), from, presentAll)
  return { object: 'list', has_more, results: rows }
}

function foundPage<Row>(page: Page<Row> | undefined, { cursor }: Wanted): Page<Row> {
  if (page !== undefined) return page
  const parameter = cursor?.towards === 'newer' ? 'ending_before' : 'starting_after'
  throw refusal('invalid_query_parameter', `${parameter} names no object of this list.`, parameter)
}

/** The response schema of a list, named after its items. */
export function ListOf<T extends TSchema>(item: T) {
  const { title } = item as { title?: string }
  return Type.Object(
    {
      object: Type.Literal('list'),
      has_more: Type.Boolean({
        description: 'Whether more objects follow in the direction of paging.',
      }),
      results: Type.Array(item, { description: 'Newest first.' }),
    },
    { title: `${title}List`, description: 'One page, newest first.' },
  )
}

function checkLimit(text: string | undefined): Problem[] {
  if (text === undefined || /^([1-9][0-9]?|100)$/.test(text)) return []
  return [invalidParameter('limit', `limit is an integer from 1 to ${MAX_LIMIT}.`)]
}

function checkCursors(after: string | undefined, before: string | undefined): Problem[] {
  if (after === undefined || before === undefined) return []
  return [
    invalidParameter('ending_before', 'Only one of starting_after and ending_before can be sent.'),
  ]
}

function checkBound(name: BoundName, text: string | undefined): Problem[] {
  if (text === undefined || instantFromIso(text) !== undefined) return []
  const message =
    `${name} is an ISO 8601 time with an offset, such as 2026-01-31T09:30:00Z; ` +
    'a + is written %2B in a query.'
  return [invalidParameter(name, message)]
}

/** PostgreSQL stores no NUL, so no stored text has one. */
export function checkTexts(name: string, values: readonly string[]): Problem[] {
  const has = values.some(value => value.includes('\0'))
  return has ? [invalidParameter(name, `${name} must have no character NUL.`)] : []
}

function cursorOf(after: string | undefined, before: string | undefined): Cursor | null {
  if (after !== undefined) return { id: after, towards: 'older' }
  return before === undefined ? null : { id: before, towards: 'newer' }
}

function isFiner(text = ''): boolean {
  return /\.\d{6}\d*[1-9]/.test(text)
}
