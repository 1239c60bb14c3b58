// Describes a route: its schemas, and what openapi.json says about it. All routes use one shape, so
// that the document has security, the idempotency header and refusals for each. scripts/openapi
// makes the document.

import type { TSchema } from 'typebox'
import type { Reason } from '../values/errors.ts'
import { type IdPrefix, idPatternOf } from '../values/id.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { Type } from './type.ts'

export interface OperationDocs {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly params?: TSchema
  readonly querystring?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
  /** Another media type of the answer, for a caller who names it in `Accept`. */
  readonly alternative?: { readonly media: string; readonly description: string }
  /** The media types of an answer that is a file, and never JSON. */
  readonly files?: readonly { readonly media: string; readonly description: string }[]
  readonly idempotent?: boolean
  /** Whether the answer has an ETag, and is 304 for a caller who sends it in If-None-Match. */
  readonly tagged?: boolean
  /** Reasons of refusals, besides those that every route can give. */
  readonly refusals: readonly Reason[]
}

/** Schema keyword: the reasons of refusals, besides those that every route can give. */
export const REFUSALS = 'x-refusals'

/** Schema keyword: the other media type of an answer. */
export const ALTERNATIVE = 'x-alternative'

/** Schema keyword: the media types of an answer that is a file. */
export const FILES = 'x-files'

/** Schema keyword: the answer has an ETag. */
export const TAGGED = 'x-tagged'

/** Schema keyword: the schema that readers see, where the validator needs another one. */
export const DOCUMENTED = 'x-documented'

/** Schema keyword: further schema for readers. The rules check it, and the validator does not. */
export const ALSO = 'x-also'

/** Our own keywords, which the validator ignores. */
export const DOC_KEYWORDS = [REFUSALS, ALTERNATIVE, FILES, TAGGED, DOCUMENTED, ALSO]

/** Exactly one of these members is sent. */
export function oneOf(...names: readonly string[]) {
  return { [ALSO]: { oneOf: names.map(name => ({ required: [name] })) } }
}

/** The Fastify schema of a route. */
export function operationDocs(docs: OperationDocs) {
  const { operationId, summary, description, params, querystring, body } = docs
  return omitUndefined({
    operationId,
    summary,
    description,
    params,
    // An unknown query parameter is refused, like an unknown field.
    querystring: querystring ?? NO_PARAMETERS,
    body,
    headers: docs.idempotent ? IdempotencyHeader : undefined,
    response: { 200: docs.response },
    [ALTERNATIVE]: docs.alternative,
    [FILES]: docs.files,
    [TAGGED]: docs.tagged,
    [REFUSALS]: docs.refusals,
  })
}

/** The path parameters of a route that names one object by its id. */
export function pathId(...prefixes: readonly IdPrefix[]) {
  const name = prefixes.join(' ')
  const known = PATH_IDS.get(name) ?? makePathId(prefixes)
  PATH_IDS.set(name, known)
  return known
}

/** One schema for each set of prefixes, because compiled schemas are found by identity. */
const PATH_IDS = new Map<string, ReturnType<typeof makePathId>>()

function makePathId(prefixes: readonly IdPrefix[]) {
  return Type.Object({
    id: Type.String({
      pattern: idPatternOf(prefixes),
      description: `The object's id, ${prefixes.map(prefix => `\`${prefix}_…\``).join(' or ')}.`,
    }),
  })
}

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false })

const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        '1 to 255 visible characters. A repeat within 24 hours with the same key and body gets ' +
        'the first answer again, with `Idempotent-Replayed: true`.',
    }),
  ),
})
