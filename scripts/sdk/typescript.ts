// packages/sdk/src/emitted: a type for each schema of openapi.json in schemas.ts; a class for each
// resource and a method for each operation in resources.ts. Pure.
import { isDeepStrictEqual } from 'node:util'
import { camel, pascal } from '../../src/docs-site/snippet/names.ts'
import {
  className,
  flatten,
  follow,
  kindsOf,
  type Method,
  type Model,
  type Parameter,
  type Resource,
  referred,
  type Schema,
} from './model.ts'

const WIDTH = 100

/** The type parameter for amounts: `number` or `bigint`. */
const GENERIC = '<M extends Minor = number>'

const HEAD = '// Written by `npm run openapi` from openapi.json; changes here are overwritten.\n'

/** The text of schemas.ts. */
export function emitSchemas(model: Model): string {
  const schemas = [...model.shown].map(([name, schema]) => emitSchema(model, name, schema))
  const reasons = model.schemas.get('ErrorDetail')?.properties?.reason?.['x-extensible-enum'] ?? []
  return `${HEAD}
/** The version of the API that this client is written for. */
export const VERSION = '${model.version}'

/** The type of an amount. */
export type Minor = number | bigint

/** The members that are money, in whatever object: bigint when the client asks for it. */
export const MONEY: ReadonlySet<string> = new Set([
${model.money.map(name => `  '${name}',`).join('\n')}
])

/** Every reason that the service refuses with, as of this version. */
export type ApiReason =
${reasons.map(reason => `  | '${reason}'`).join('\n')}

${schemas.join('\n\n')}

/** An event that a webhook delivers. */
export type EventOf${model.carriers.has('AccountEvent') ? '<M extends Minor> = AccountEvent<M>' : '<_M extends Minor> = AccountEvent'}
`
}

/** The text of resources.ts. */
export function emitResources(model: Model): string {
  const { fields, made } = children(model, model.root)
  const classes = flatten(model.root)
    .map(resource => emitResource(model, resource))
    .join('\n\n')
  const paging = methodsOf(model.root).find(isPaged)?.query ?? []
  const code = classes.replace(/\/\*\*[\s\S]*?\*\//g, '')
  const schemas = [...model.schemas.keys(), 'Minor']
    .filter(name => new RegExp(`\\b${name}\\b`).test(code))
    .toSorted()
  return `${HEAD}
import type { Call } from '../call.ts'
import type { Listing } from '../listing.ts'
import { type Options, type OptionsWithKey, Resource, type Transport } from '../transport.ts'
import type {
${schemas.map(name => `  ${name},`).join('\n')}
} from './schemas.ts'

/** The query of a list by time. */
export interface ListQuery ${queryType(model, paging.filter(isPaging))}

${classes}

/** Every resource of the service. */
export class Resources<M extends Minor = number> {
${fields}

  constructor(transport: Transport) {
${made}
  }
}
`
}

/** The field declarations of a resource's children, and the constructor lines that make them. */
function children(model: Model, resource: Resource) {
  const fields = resource.children.map(child => {
    return `  readonly ${camel(child.name)}: ${className(child)}${argument(model, child)}`
  })
  const made = resource.children.map(child => {
    return `    this.${camel(child.name)} = new ${className(child)}(transport)`
  })
  return { fields: fields.join('\n'), made: made.join('\n') }
}

const methodsOf = ({ methods, children }: Resource): Method[] => [
  ...methods,
  ...children.flatMap(methodsOf),
]

function emitSchema(model: Model, name: string, schema: Schema): string {
  const generic = model.carriers.has(name) ? GENERIC : ''
  const head = comment(schema.description, '')
  const isObject = schema.type === 'object' && schema.properties !== undefined
  const isOpen = schema.additionalProperties === true
  const [whole] = [...model.shown].find(([, other]) => isPartOf(schema, other)) ?? []
  if (whole !== undefined)
    return `${head}export type ${name}${generic} = Partial<${whole}${generic && '<M>'}>`
  if (!isObject || isOpen)
    return `${head}export type ${name}${generic} = ${typeOf(model, schema, '')}`
  return `${head}export interface ${name}${generic} ${typeOf(model, schema, '')}`
}

/** Whether a schema has the same members as the other one, but requires none of them. */
function isPartOf({ properties = {}, required = [] }: Schema, other: Schema): boolean {
  const isOptional = required.length === 0 && (other.required ?? []).length > 0
  return isOptional && isDeepStrictEqual(properties, other.properties)
}

/** The TypeScript type of a schema; `isMoney` marks a member that is money. */
function typeOf(model: Model, schema: Schema, indent: string, isMoney = false): string {
  const name = referred(schema)
  if (name !== undefined) {
    if (isMoney && [follow(model.schemas, schema).type].flat().includes('integer')) return 'M'
    return model.carriers.has(name) ? `${name}<M>` : name
  }
  if (schema.const !== undefined) return literal(schema.const)
  const open = schema['x-extensible-enum']
  if (open !== undefined) return `${open.map(literal).join(' | ')} | (string & {})`
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  const either = kindsOf(schema)
  if (either !== undefined) return union(either.map(one => typeOf(model, one, indent, isMoney)))
  if (schema.allOf !== undefined) {
    return schema.allOf.map(one => typeOf(model, one, indent)).join(' & ')
  }
  return union(
    [schema.type ?? 'unknown'].flat().map(type => plain(model, schema, type, indent, isMoney)),
  )
}

function plain(model: Model, schema: Schema, type: string, indent: string, isMoney: boolean) {
  if (type === 'integer') return isMoney ? 'M' : 'number'
  if (type === 'array') {
    const item = typeOf(model, schema.items ?? {}, indent)
    return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`
  }
  return type === 'object' ? object(model, schema, indent) : type
}

function object(model: Model, schema: Schema, indent: string): string {
  const { properties, required = [], additionalProperties: more } = schema
  const others = typeof more === 'object' ? typeOf(model, more, indent) : 'unknown'
  if (properties === undefined) return `Record<string, ${others}>`
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, member]) => {
    const optional = required.includes(name) ? '' : '?'
    const type = typeOf(model, member, inner, model.money.includes(name))
    return `${comment(member.description, inner)}${inner}${key(name)}${optional}: ${type}`
  })
  const body = members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`
  return more === true || typeof more === 'object' ? `${body} & Record<string, ${others}>` : body
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')
const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)
const key = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : literal(name))

function emitResource(model: Model, resource: Resource): string {
  const { methods } = resource
  const queries = methods
    .filter(({ query }) => query.length > 0)
    .map(method => {
      const name = queryName(resource, method)
      if (!isPaged(method)) return `export interface ${name} ${queryType(model, method.query)}`
      const own = method.query.filter(one => !isPaging(one))
      if (own.length === 0) return `export type ${name} = ListQuery`
      return `export interface ${name} extends ListQuery ${queryType(model, own)}`
    })
  const { fields, made } = children(model, resource)
  const builder = `  constructor(transport: Transport) {\n    super(transport)\n${made}\n  }`
  const parts = [
    ...(fields === '' ? [] : [fields, builder]),
    ...methods.map(method => emitMethod(model, resource, method)),
  ]
  const generic = argument(model, resource) && GENERIC
  const head = `export class ${className(resource)}${generic} extends Resource {`
  return [...queries, `${head}\n${parts.join('\n\n')}\n}`].join('\n\n')
}

/** `<M>` when an answer of the resource, or of one below it, holds money; else ''. */
function argument(model: Model, { children, methods }: Resource): string {
  const answers = methods.map(({ answer = {}, list }) => typeOf(model, list?.item ?? answer, ''))
  const has = answers.some(type => /<M>/.test(type)) || children.some(one => argument(model, one))
  return has ? '<M>' : ''
}

const queryName = ({ way }: Resource, { name }: Method) =>
  `${way.map(pascal).join('')}${pascal(name)}Query`

/**
 * Whether the method lists by time, or returns such a list as a file: all these share ListQuery.
 */
const isPaged = ({ query }: Method) => query.some(({ name }) => name === 'created.gt')
const isPaging = ({ name }: Parameter) =>
  /^(limit|starting_after|ending_before|created\..+)$/.test(name)

/** `created.gt` and `created.lt` are members of `created`. */
function queryType(model: Model, query: readonly Parameter[]): string {
  const groups = Map.groupBy(query, ({ name }) => name.split('.')[0] as string)
  const members = [...groups].map(([name, [first, ...rest]]) => {
    if (first === undefined) return ''
    if (first.name === name) return parameter(model, first, name, '  ')
    const inner = [first, ...rest].map(one => {
      return parameter(model, one, one.name.slice(name.length + 1), '    ')
    })
    return `  ${name}?: {\n${inner.join('\n')}\n  }`
  })
  return `{\n${members.join('\n')}\n}`
}

function parameter(
  model: Model,
  { schema, required, description }: Parameter,
  name: string,
  indent: string,
) {
  const type = schema.type === 'array' ? several(model, schema) : typeOf(model, schema, indent)
  const wide = schema.format === 'date-time' ? `${type} | Date` : type
  return `${comment(description, indent)}${indent}${key(name)}${required ? '' : '?'}: ${wide}`
}

/** The type of a parameter with several values: one value or an array. */
function several(model: Model, { items = {} }: Schema): string {
  const item = typeOf(model, items, '')
  return `${item} | readonly ${/ [|&] /.test(item) ? `(${item})` : item}[]`
}

function emitMethod(model: Model, resource: Resource, method: Method): string {
  const { name, verb, path, params, query, body, keyed, answer, enveloped, list, media } = method
  const asked = query.length > 0 ? queryName(resource, method) : undefined
  const needed = query.some(({ required }) => required)
  const empty = method.bodyMayBeEmpty ? ' = {}' : ''
  const base = keyed ? 'OptionsWithKey' : 'Options'
  const options = body !== undefined && asked ? `${base} & { query?: ${asked} }` : base
  const args = [
    ...params.map(param => `${param}: string`),
    ...(body === undefined ? [] : [`body: ${bodyType(model, body)}${empty}`]),
    ...(body === undefined && asked ? [`query: ${asked}${needed ? '' : ' = {}'}`] : []),
  ]
  const filled = path.replace(/\{(\w+)\}/g, (_, param) => `\${encodeURIComponent(${param})}`)
  const target = params.length > 0 ? `\`${filled}\`` : `'${path}'`
  const facts = [
    ...(body === undefined ? [] : ['body']),
    ...(asked === undefined ? [] : [body === undefined ? 'query' : 'query: options.query']),
    ...(query.some(one => one.commas) ? ['commas: true'] : []),
    ...(keyed ? ['keyed: true'] : []),
    ...(media === undefined ? [] : [`media: '${media}'`]),
    ...(enveloped || media !== undefined ? [] : ['bare: true']),
    'options',
  ]
  const given = `'${verb}', ${target}, { ${facts.join(', ')} }`
  const opening = (result: string, last: string) =>
    `  ${camel(name)}(${[...args, last].join(', ')}): ${result}`
  const doc = comment(`${method.summary}\n\n\`${verb} ${path}\``, '  ')
  if (list !== undefined) {
    const item = typeOf(model, list.item, '  ')
    const call = `this.transport.list<${item}>(${target}, '${list.cursor}', { query, options })`
    return `${doc}${opening(`Listing<${item}>`, `options: ${base} = {}`)} {\n    return ${call}\n  }`
  }
  const way = media === undefined ? 'call' : 'raw'
  const result =
    media === undefined ? `Call<${typeOf(model, answer ?? {}, '  ')}>` : 'Promise<Response>'
  const overloads = dryRun(model, method, asked, base)
    .map(([last, answered]) => `${opening(`Call<${answered}>`, last)}\n`)
    .join('')
  const sending = `    return this.transport.${way}(${given})`
  const whole = opening(overloads === '' ? result : 'Call<never>', `options: ${options} = {}`)
  return `${doc}${overloads}${whole} {\n${sending}\n  }`
}

/** The two signatures of a method whose answer's kind depends on the only boolean of its query. */
function dryRun(model: Model, { query, answer }: Method, asked: string | undefined, base: string) {
  const [first, second, ...more] = kindsOf(answer ?? {}) ?? []
  const switches = query.filter(({ schema }) => schema.type === 'boolean')
  const [one] = switches
  if (first === undefined || second === undefined || more.length > 0 || switches.length !== 1)
    return []
  if (one === undefined || asked === undefined) return []
  const on = `options: ${base} & { query: ${asked} & { ${one.name}: true } }`
  const off = `options?: ${base} & { query?: ${asked} & { ${one.name}?: false } }`
  return [
    [on, typeOf(model, second, '  ')],
    [off, typeOf(model, first, '  ')],
  ] as const
}

/** The type of a body, which takes numbers and bigints alike. */
function bodyType(model: Model, body: Schema): string {
  return typeOf(model, body, '  ').replace('<M>', '<Minor>')
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined || text === '') return ''
  const lines = text
    .replaceAll('*/', '*\\/')
    .split('\n')
    .flatMap(line => wrapped(line, indent))
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map(line => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`
}

function wrapped(text: string, indent: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string
    if (line !== '' && indent.length + line.length + word.length + 4 > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
