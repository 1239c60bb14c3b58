// The parts of openapi.json that pages use. Writes the fields of a schema as Markdown. Pure.

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly pattern?: string
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly example?: string
  readonly schema: Schema
}

interface Media {
  readonly schema?: Schema
  readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>
}

export interface Answer {
  readonly $ref?: string
  readonly description: string
  readonly content?: Readonly<Record<string, Media>>
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answer>>
}

export interface ApiDocument {
  readonly info: { readonly version: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Returns any other value unchanged. */
export function resolved<T extends { readonly $ref?: string }>(document: ApiDocument, it: T): T {
  const { $ref, ...own } = it
  if ($ref === undefined) return it
  const [kind = '', name = ''] = $ref.split('/').slice(2)
  const target = document.components[kind]?.[name]
  return target === undefined ? it : ({ ...(target as object), ...own } as T)
}

/** The depth to which a page lists members, so that it stays readable. Deeper ones show a type. */
const DEEPEST = 4

/** Each with its own members indented below it. */
export function fieldsOf(document: ApiDocument, object: Schema, depth = 0): string[] {
  const schema = membersOf(document, object)
  if (depth > DEEPEST || schema === undefined) return []
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const field = resolved(document, member)
    const required = schema.required?.includes(name) === true
    const line = `${'  '.repeat(depth)}- ${fieldLine(document, name, field, required)}`
    return [line, ...fieldsOf(document, field, depth + 1)]
  })
}

/** Those of the object, a list's items, all kinds of a union, or the only object of the types. */
function membersOf(document: ApiDocument, value: Schema): Schema | undefined {
  const schema = resolved(document, value)
  if (schema.properties !== undefined) return schema
  if (schema.items !== undefined) return membersOf(document, schema.items)
  if (schema.oneOf !== undefined) return unionOf(schema.oneOf.map(one => resolved(document, one)))
  const objects = (schema.anyOf ?? []).map(each => membersOf(document, each))
  return objects.find(each => each !== undefined)
}

/** A member that is a constant in several kinds gets all its values. */
function unionOf(kinds: readonly Schema[]): Schema {
  const members = new Map<string, Schema>()
  for (const [name, member] of kinds.flatMap(kind => Object.entries(kind.properties ?? {}))) {
    const known = members.get(name)
    const values = [known, member].flatMap(one => one?.enum ?? one?.const ?? [])
    const { const: _, ...more } = member
    members.set(
      name,
      known?.const === undefined && known?.enum === undefined
        ? member
        : { ...more, enum: [...new Set(values)] },
    )
  }
  const [first] = kinds
  const required = first?.required?.filter(name =>
    kinds.every(kind => kind.required?.includes(name)),
  )
  return { properties: Object.fromEntries(members), ...(required && { required }) }
}

export function fieldLine(
  document: ApiDocument,
  name: string,
  schema: Schema,
  required: boolean,
): string {
  const parts = [`\`${name}\` *${typeOf(document, schema)}*`]
  if (required) parts.push('**required**')
  const notes = [schema.description?.replaceAll(/\s+/g, ' '), valuesOf(schema)].filter(Boolean)
  return notes.length === 0 ? parts.join(' ') : `${parts.join(' ')} · ${notes.join(' ')}`
}

function typeOf(document: ApiDocument, value: Schema): string {
  const schema = resolved(document, value)
  const kinds = schema.type === undefined ? (schema.anyOf ?? schema.oneOf) : undefined
  if (kinds !== undefined)
    return [...new Set(kinds.map(each => typeOf(document, each)))].join(' or ')
  if (schema.items !== undefined) return `list of ${typeOf(document, schema.items)}`
  if (schema.type !== undefined) return [schema.type].flat().join(' or ')
  return typeof (schema.const ?? schema.enum?.[0] ?? {})
}

function valuesOf({ enum: values, const: constant, default: fallback }: Schema): string {
  const shown = (value: unknown) => `\`${String(value)}\``
  const parts: string[] = []
  if (values !== undefined) parts.push(`One of ${values.map(shown).join(', ')}.`)
  if (constant !== undefined && constant !== '') parts.push(`Always ${shown(constant)}.`)
  if (fallback !== undefined && fallback !== '') parts.push(`${shown(fallback)} unless said.`)
  return parts.join(' ')
}
