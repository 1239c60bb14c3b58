// Gives query parameters the form that their route's schema has. A parameter that takes several
// values becomes an array, even if it is sent once, and a parameter of pairs an object. Knows
// schemas and no route.
import type { FastifyRequest, RouteOptions } from 'fastify'
import { Type } from './type.ts'

type Query = Record<string, unknown>

/** The most values of one parameter. */
const MAX_VALUES = 20

/**
 * A parameter that may be sent several times, as `status=failed&status=reversed` or `status[]=…`.
 * `item` describes one value.
 */
export function Several<T extends object>(item: T) {
  const { description, title } = item as { description?: string; title?: string }
  // A schema with a title is a component, which keeps its identity and its description.
  const { description: _, ...bare } = item as { description?: string }
  return Type.Array((title === undefined ? bare : item) as never, {
    maxItems: MAX_VALUES,
    description: `${title === undefined ? (description ?? '') : ''} Several may be sent.`.trim(),
  })
}

/** Adds to a route the hook that gives its query the form of its schema. */
export function foldQueries(route: RouteOptions): void {
  const { properties = {} } = (route.schema?.querystring ?? {}) as {
    properties?: Record<string, { type?: unknown }>
  }
  const namesOf = (type: string) =>
    Object.keys(properties).filter(name => properties[name]?.type === type)
  const [several, pairs] = [namesOf('array'), namesOf('object')]
  if (several.length + pairs.length === 0) return
  const fold = (request: FastifyRequest, _reply: unknown, done: () => void) => {
    const query = request.query as Query
    for (const name of several) foldValues(query, name)
    for (const name of pairs) foldPairs(query, name)
    done()
  }
  route.preValidation = [fold, ...[route.preValidation ?? []].flat()]
}

/** Collects the values under `name` and `name[]`, which many clients write for a list. */
function foldValues(query: Query, name: string): void {
  const bracketed = `${name}[]`
  const values = [query[name] ?? [], query[bracketed] ?? []].flat()
  delete query[bracketed]
  if (values.length > 0) query[name] = values
}

/** Makes `metadata[key]=value` a member of `metadata`. The schema refuses a key sent twice. */
function foldPairs(query: Query, name: string): void {
  const pairs = Object.keys(query).filter(key => key.startsWith(`${name}[`) && key.endsWith(']'))
  if (pairs.length === 0) return
  const members = pairs.map(key => [key.slice(name.length + 1, -1), query[key]] as const)
  for (const key of pairs) delete query[key]
  query[name] = Object.assign(Object.create(null), Object.fromEntries(members))
}
