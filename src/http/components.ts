// Schemas that have a title are written once, under components/schemas by that name, and referred
// to from everywhere else, so that generated code has names for them. Knows OpenAPI 3.1, no route.
import { isDeepStrictEqual } from 'node:util'
import { ALTERNATIVE, EXAMPLES, REFUSALS } from './docs.ts'
import { REASON } from './schema.ts'

type Json = Record<string, unknown>

/** Keywords of ours that mean nothing to a reader of the document. */
const INTERNAL = new Set<string>([EXAMPLES, REFUSALS, ALTERNATIVE, REASON])
/** What stands below these is data, not schema. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'x-extensible-enum'])
/** What stands below these is named by the author, so that names are no keywords. */
const NAMED = new Set(['properties', 'schemas', 'responses', 'headers', 'content', 'paths'])

/** A copy of the document with its titled schemas hoisted; refuses two schemas of one title. */
export function hoistSchemas(document: Json): Json {
  const schemas = new Map<string, Json>()
  const copy = visit(document, schemas) as Json
  const components = copy.components as Json
  const byName = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...copy, components: { ...components, schemas: Object.fromEntries(byName) } }
}

function visit(node: unknown, schemas: Map<string, Json>, named = false): unknown {
  if (Array.isArray(node)) return node.map(item => visit(item, schemas))
  if (typeof node !== 'object' || node === null) return node
  const copy: Json = {}
  for (const [key, value] of Object.entries(node)) {
    if (named) copy[key] = visit(value, schemas)
    else if (DATA.has(key)) copy[key] = value
    else if (!INTERNAL.has(key)) copy[key] = visit(value, schemas, NAMED.has(key))
  }
  const { title, ...schema } = copy
  if (named || typeof title !== 'string' || !isSchema(copy)) return copy
  const known = schemas.get(title)
  if (known !== undefined && !isDeepStrictEqual(known, schema)) {
    throw new Error(`two different schemas have the title ${title}`)
  }
  schemas.set(title, schema)
  return { $ref: `#/components/schemas/${title}` }
}

/** `info` has a title too. */
function isSchema(node: Json): boolean {
  return 'type' in node || 'anyOf' in node || 'oneOf' in node || 'allOf' in node
}
