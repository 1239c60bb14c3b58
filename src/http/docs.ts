// How a route is described: its schemas, and what openapi.json says of it. One shape for all
// routes, so that security, the idempotency header and the refusals are told the same way
// everywhere. scripts/openapi puts the document together from it.
import Type, { type TSchema } from 'typebox'
import type { Reason } from '../errors.ts'
import { type IdPrefix, idPattern } from '../id.ts'

export interface OperationDocs {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly params?: TSchema
  readonly querystring?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
  /** The same as text of another media type, for who asks for that by `Accept`. */
  readonly alternative?: { readonly media: string; readonly description: string }
  readonly idempotent?: boolean
  /** Reasons beside those that every route can give. */
  readonly refusals: readonly Reason[]
}

/** The reasons an operation can be refused for, beside those that every route can give. */
export const REFUSALS = 'x-refusals'

/** The other media type of an answer. */
export const ALTERNATIVE = 'x-alternative'

/** What the reader is told of a member, where the validator sees its text or less of it. */
export const DOCUMENTED = 'x-documented'

/** The schema keywords of ours that the validator must let pass. */
export const DOC_KEYWORDS = [REFUSALS, ALTERNATIVE, DOCUMENTED]

/** A Fastify route schema. */
export function operationDocs(docs: OperationDocs) {
  const { operationId, summary, description, params, querystring, body } = docs
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(params === undefined ? {} : { params }),
    // A query parameter that a route does not know is refused, like an unknown field.
    querystring: querystring ?? NO_PARAMETERS,
    ...(body === undefined ? {} : { body }),
    ...(docs.idempotent === true ? { headers: IdempotencyHeader } : {}),
    response: { 200: docs.response },
    ...(docs.alternative === undefined ? {} : { [ALTERNATIVE]: docs.alternative }),
    [REFUSALS]: docs.refusals,
  }
}

/** Path parameters of a route that names one object. */
export function pathId(prefix: IdPrefix) {
  return Type.Object({
    id: Type.String({
      pattern: idPattern(prefix),
      description: `The object's id, \`${prefix}_…\`.`,
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
