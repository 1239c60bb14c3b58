// Builds schemas: the part of typebox that this project uses, with typebox's types. Typebox itself
// is 370 modules; loading them would take a tenth of a second of processor time at every start.
import type Typebox from 'typebox'

type Name =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'

type Schema = Readonly<Record<string, unknown>>

/** Marks a member that may be left out: an object does not require it. */
const OPTIONAL = '~optional'

/** Copies a schema, as typebox does: one object may require it while another makes it optional. */
function copyOf(schema: Schema): Schema {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
}

const builder = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object(properties: Readonly<Record<string, Schema>>, options?: Schema) {
    const required = Object.keys(properties).filter(name => !(OPTIONAL in (properties[name] ?? {})))
    const named = required.length === 0 ? {} : { required }
    return { type: 'object', ...named, properties, ...options }
  },
  Optional: (schema: Schema) => Object.defineProperty(copyOf(schema), OPTIONAL, { value: true }),
  /** Accepts any name. */
  Record: (_names: Schema, value: Schema, options?: Schema) => {
    return { type: 'object', patternProperties: { '^.*$': value }, ...options }
  },
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: copyOf,
} satisfies Record<Name, unknown>

/** Named as typebox names it. */
export const Type = builder as unknown as Pick<typeof Typebox, Name>
