// src/docs-site/snippet/methods.json: every method of the clients with the operation that it calls, for code
// snippets. Pure.
import { follow, kindsOf, type Method, type Model, type Resource, type Schema } from './model.ts'

export function emitMethods(model: Model): string {
  const lines = methodsOf(model.root).map(([way, method]) =>
    JSON.stringify(entry(model, way, method)),
  )
  return `[\n${lines.map(line => `  ${line}`).join(',\n')}\n]\n`
}

/**
 * The methods below a resource, one for each operation: without those for its other media types.
 */
function methodsOf({ way, methods, children }: Resource): [readonly string[], Method][] {
  const [...own] = Map.groupBy(methods, ({ operation }) => operation).values()
  return [
    ...own.map(([method]): [readonly string[], Method] => [way, method as Method]),
    ...children.flatMap(methodsOf),
  ]
}

function entry({ schemas }: Model, way: readonly string[], method: Method) {
  const { verb, path, name, keyed, list, media, query, answer = {} } = method
  const plain = query.filter(({ schema }) => ['integer', 'boolean'].includes(String(schema.type)))
  const object = objectOf(schemas, list?.item ?? answer)
  return {
    verb,
    path,
    way,
    name,
    keyed,
    list: list !== undefined,
    json: media === undefined,
    plain: plain.map(parameter => parameter.name),
    object,
  }
}

/** The answer's `object`; of an answer of several kinds, the first kind's. */
function objectOf(schemas: Model['schemas'], answer: Schema): string {
  const schema = follow(schemas, answer)
  const [first] = kindsOf(schema) ?? []
  if (first !== undefined) return objectOf(schemas, first)
  return String(schema.properties?.object?.const ?? 'answer')
}
