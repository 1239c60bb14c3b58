// The parts that schemas of requests and responses share. A part with a title is a component of
// openapi.json. A part whose refusal has another reason than invalid_field names the reason.

import type { Static, TProperties, TSchema } from 'typebox'
import { REASONS } from '../values/errors.ts'
import { type IdPrefix, idPattern } from '../values/id.ts'
import { Type } from './type.ts'

/** Schema keyword: the reason of a refusal when the value does not match (http/problems.ts). */
export const REASON = 'x-reason'

/**
 * Marks an amount in minor units, and names the member with its currency: the command line reads it
 * in major units.
 */
export const MINOR_OF = Symbol('minor units of')

/** An object with these members and no others. An unknown field is refused (§request.closed). */
export function Closed<P extends TProperties>(properties: P, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** An empty body, which the caller may leave out: the route has `optionalBody`. */
export function emptyBody(title: string) {
  return Closed({}, { title, type: ['object', 'null'] })
}

type Optional<P extends TProperties> = { [K in keyof P]: ReturnType<typeof Type.Optional<P[K]>> }

/** The same members, each of which may be left out. */
export function optional<P extends TProperties>(members: P): Optional<P> {
  const entries = Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)])
  return Object.fromEntries(entries)
}

type Clearable<P extends TProperties> = {
  [K in keyof P]: ReturnType<
    typeof Type.Optional<ReturnType<typeof Type.Unsafe<Static<P[K]> | null>>>
  >
}

/** The same members in an update: each may be left out, or be null to clear the field. */
export function clearable<P extends TProperties>(members: P): Clearable<P> {
  const entries = Object.entries(members).map(([name, member]) => {
    const { title: _, ...schema } = member as TSchema & { title?: string; type?: string }
    return [name, Type.Optional(Type.Unsafe({ ...schema, type: [schema.type, 'null'] }))]
  })
  return Object.fromEntries(entries)
}

/** An amount in minor units: an integer literal from 1 to 2^53 − 1 (§money.amount). */
export function AmountOf(description: string, options: object = {}) {
  return Type.Integer({
    minimum: 1,
    maximum: 9_007_199_254_740_991,
    [REASON]: 'amount_out_of_range',
    description,
    examples: [100000],
    ...options,
  })
}

export const Amount = AmountOf('Integer in minor units of the currency (ISO 4217 exponent).', {
  title: 'Amount',
})

/** A code in upper case. The rules check whether the currency exists. */
export const CurrencyCode = Type.String({
  title: 'CurrencyCode',
  pattern: '^[A-Z]{3,4}$',
  [REASON]: 'currency',
  description: 'ISO 4217 code, USDC or USDT.',
  examples: ['USD'],
})

export const CountryCode = Type.String({
  title: 'CountryCode',
  pattern: '^[A-Z]{2}$',
  description: 'ISO 3166-1 alpha-2 country code.',
  examples: ['HK'],
})

/** An id of one kind of object. */
export function Id(prefix: IdPrefix, description: string, options: object = {}) {
  return Type.String({ pattern: idPattern(prefix), description, ...options })
}

/**
 * The id of an entity in a request: 24 characters that begin with `ent_` (§quote.entity). An id
 * with characters that no id has is refused as an entity that does not exist.
 */
export function EntityId(description: string) {
  return Type.String({ pattern: '^ent_.{20}$', description })
}

/** Text for people, at most this many characters. */
export function Text(maxLength: number, options: object = {}) {
  return Type.String({ maxLength, ...options })
}

export function Literals<T extends string>(values: readonly T[], options: object = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options })
}

export function textOrNull(options: object = {}) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

export function integerOrNull(options: object = {}) {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options })
}

/** Up to 50 texts by name, stored and returned unchanged. */
export const Metadata = Type.Unsafe<Record<string, string>>({
  title: 'Metadata',
  type: 'object',
  maxProperties: 50,
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: { type: 'string', maxLength: 500 },
  description: 'Up to 50 pairs of a name (1 to 40 characters) and a text (up to 500).',
})

/** The envelope of an answer, named after its data. Quotes are answered without it. */
export function Envelope<T extends TSchema>(data: T) {
  const { title } = data as { title?: string }
  return Type.Object(
    { status: Type.Literal('success'), message: Type.Literal(''), data },
    title === undefined ? {} : { title: `${title}Answer` },
  )
}

/** An amount in a response. */
export const Minor = Type.Integer({ description: 'Minor units.' })
/** A balance in a response: as text, because it may exceed what readers of JSON keep exactly. */
export const MinorText = (description: string) =>
  Type.String({ description: `${description} Minor units, as text.`.trim(), examples: ['1250000'] })
export const Money = Type.Object({ amount: Minor, currency: Type.String() }, { title: 'Money' })
export const RateNumber = Type.Number({ description: 'Up to 12 significant digits.' })
export const Timestamp = Type.String({
  title: 'Timestamp',
  format: 'date-time',
  description: 'UTC, six fractional digits.',
})

/** Later versions may add values. Most tools know only the first keyword. */
function openEnum(values: readonly string[]) {
  return { enum: values, 'x-extensible-enum': values }
}

/** Who made an object, as its account sees it. */
export const MadeBy = Type.String({
  title: 'MadeBy',
  description:
    'Who made it: the id of an API key, `user:` and the name of a person of the account, or ' +
    '`operator` for the people who run the installation. GET /v3/maker has the names of keys.',
  examples: ['key_1k0yfdx07fy0001rjtzy', 'user:ada', 'operator'],
})

/** One problem of a refusal. */
export const ErrorDetail = Type.Object(
  {
    code: Type.Integer({ description: 'The number of the error in the catalogue.' }),
    reason: Type.String({
      description: 'The name of the error: decide by this member. New reasons may be added.',
      ...openEnum(REASONS),
    }),
    message: Type.String({ description: 'A text for people; its wording may change.' }),
    remarks: Type.String({ description: 'JSON path of the field; empty for the whole request.' }),
  },
  { title: 'ErrorDetail' },
)
