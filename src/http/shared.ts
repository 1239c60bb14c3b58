// What several operations repeat is written once, under the document's components: examples,
// headers, parameters and the answers of errors. Whatever one operation alone has stays with it.
// Knows OpenAPI 3.1, no route.
import { STATUS_CODES } from 'node:http'

type Json = Record<string, unknown>

interface Operation {
  readonly operationId: string
  readonly parameters?: Json[]
  readonly requestBody?: Body
  readonly responses: Record<string, Body>
}

interface Body {
  readonly headers?: Json
  readonly content?: Record<string, { readonly schema: Json; readonly examples?: Json }>
}

/** Where a thing stands that other operations may have as well. */
interface Place {
  /** The object or the array that holds it. */
  readonly holder: Json
  readonly key: string
  /** What its component is called. */
  readonly name: string
  readonly operation: string
}

/** The same document, with each thing that is repeated replaced by a reference to it. */
export function shareRepeated(document: Json): Json {
  const copy = structuredClone(document)
  const operations = Object.values(copy.paths as Record<string, object>).flatMap(
    path => Object.values(path) as Operation[],
  )
  const components = copy.components as Record<string, Json>
  // From the inside out: a response that holds references is then the same text everywhere.
  const examples = share('examples', operations.flatMap(examplePlaces))
  components.examples = { ...components.examples, ...examples }
  components.headers = share('headers', operations.flatMap(headerPlaces))
  components.parameters = share('parameters', operations.flatMap(parameterPlaces))
  components.responses = share('responses', operations.flatMap(responsePlaces))
  return copy
}

/**
 * The components of one kind, by name. Of two things of one name the more frequent one keeps it;
 * the other is named after its first operation as well. Examples, which are long, all are
 * components.
 */
function share(kind: string, places: readonly Place[]): Json {
  const components: Json = {}
  const alike = Map.groupBy(places, ({ holder, key }) => JSON.stringify(holder[key]))
  const repeated = [...alike.values()].filter(same => same.length > (kind === 'examples' ? 0 : 1))
  for (const same of repeated.sort((a, b) => b.length - a.length)) {
    const [first] = same as [Place, ...Place[]]
    const { holder, key, operation } = first
    // A name after the operation is the last resort: the schema has none.
    const { name: short } = same.find(place => !place.name.startsWith(`${operation}.`)) ?? first
    const name = short in components ? `${short}.${operation}` : short
    components[name] = holder[key]
    for (const place of same) place.holder[place.key] = { $ref: `#/components/${kind}/${name}` }
  }
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Named after the object that they show. Those of errors are references already. */
function examplePlaces({ operationId: operation, responses, requestBody }: Operation): Place[] {
  const bodies = [...Object.values(responses), ...(requestBody === undefined ? [] : [requestBody])]
  const contents = bodies.flatMap(({ content }) => Object.values(content ?? {}))
  return contents.flatMap(({ schema, examples = {} }) => {
    const shown = String(schema.$ref ?? operation).replace(/^.*\/|Answer$/g, '')
    return Object.entries(examples)
      .filter(([, example]) => !('$ref' in (example as Json)))
      .map(([key]) => ({ holder: examples, key, name: `${shown}.${key}`, operation }))
  })
}

function headerPlaces({ operationId: operation, responses }: Operation): Place[] {
  return Object.values(responses).flatMap(({ headers = {} }) =>
    Object.keys(headers).map(key => ({ holder: headers, key, name: key, operation })),
  )
}

/** An id of a path is named after its kind of object, too: `id.pot`. */
function parameterPlaces({ operationId: operation, parameters = [] }: Operation): Place[] {
  return parameters.map(({ name, in: place, schema }, index) => {
    const [, prefix] = /^\^(\w+)_/.exec(String((schema as Json).pattern)) ?? []
    const full = place === 'path' && prefix !== undefined ? `${name}.${prefix}` : String(name)
    return { holder: parameters as unknown as Json, key: String(index), name: full, operation }
  })
}

function responsePlaces({ operationId: operation, responses }: Operation): Place[] {
  return Object.keys(responses)
    .filter(status => status >= '400')
    .map(key => {
      const name = String(STATUS_CODES[key]).replaceAll(' ', '')
      return { holder: responses as Json, key, name, operation }
    })
}
