// Makes the reference as Markdown from openapi.json and the catalogue of errors. Pure.
import { CATALOGUE, REASONS, type Reason } from '../values/errors.ts'
import { FIXES } from './fixes.ts'
import { anchorOf, type Page, pageOf } from './page.ts'
import {
  type Answer,
  type ApiDocument,
  fieldLine,
  fieldsOf,
  type Operation,
  type Parameter,
  resolved,
  type Schema,
} from './schema.ts'
import { fence, snippetsOf } from './snippets.ts'

/** An operation with its path, the reasons of its refusals, and its place in the documentation. */
export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  readonly reasons: readonly Reason[]
  /** The place below /docs, such as `api/payouts#make-a-payout`. */
  readonly place: string
}

export function operationsOf(document: ApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      const place = `${pageNameOf(operation.tags[0] ?? '')}#${anchorOf(headingOf(operation))}`
      const reasons = reasonsOf(document, operation)
      return { method: name.toUpperCase(), path, operation, reasons, place }
    }),
  )
}

const pageNameOf = (tag: string) => `api/${anchorOf(tag)}`

const headingOf = ({ summary }: Operation) => summary.replace(/\.$/, '')

export function placeOfReason(reason: string): string | undefined {
  return REASONS.some(known => known === reason) ? `errors#${reason}` : undefined
}

/** One operation or one object at a time. */
export function* referencePages(document: ApiDocument): Generator<void, Page[]> {
  const operations = operationsOf(document)
  const common = commonReasons(operations)
  const pages: Page[] = []
  for (const tag of tagsOf(document, operations)) {
    const tagged = operations.filter(({ operation }) => operation.tags[0] === tag.name)
    const parts = [`# ${tag.name}\n\n${tag.description}`, tagged.map(overviewLine).join('\n')]
    for (const each of tagged) {
      yield
      parts.push(operationText(document, each, common))
    }
    for (const name of objectNames(document, tagged)) {
      yield
      parts.push(objectText(document, name))
    }
    pages.push(pageOf(pageNameOf(tag.name), 'Reference', `${parts.join('\n\n')}\n`))
  }
  yield
  return [...pages, errorsPage(operations, common)]
}

function overviewLine({ method, path, place, operation }: Endpoint): string {
  return `- [\`${method} ${path}\`](/docs/${place}) · ${headingOf(operation)}`
}

/** The tags that the document lists, then tags that only operations name. */
function tagsOf({ tags }: ApiDocument, operations: readonly Endpoint[]) {
  const named = new Set(operations.map(({ operation }) => operation.tags[0] ?? ''))
  const others = [...named].filter(name => tags.every(tag => tag.name !== name))
  return [...tags, ...others.map(name => ({ name, description: 'Its operations.' }))]
}

function operationText(document: ApiDocument, it: Endpoint, common: readonly Reason[]): string {
  const { method, path, operation } = it
  const parameters = (operation.parameters ?? []).map(each => resolved(document, each))
  const body = operation.requestBody?.content['application/json']
  const parts = [`## ${headingOf(operation)}`, fence('http', `${method} ${path}`)]
  if (operation.description !== undefined) parts.push(operation.description)
  for (const [place, title] of PLACES) {
    const here = parameters.filter(parameter => parameter.in === place)
    if (here.length > 0)
      parts.push(`### ${title}`, here.map(line => lineOf(document, line)).join('\n'))
  }
  if (body?.schema !== undefined) {
    const fields = fieldsOf(document, body.schema)
    if (fields.length > 0) parts.push('### Body', fields.join('\n'))
  }
  parts.push('### Example', snippetsOf(exampleOf(document, it, parameters)))
  parts.push(`[Try it with the key of a sandbox](/docs/try?operation=${operation.operationId})`)
  parts.push(answerText(document, operation))
  const reasons = it.reasons.filter(reason => !common.includes(reason))
  if (reasons.length > 0) {
    parts.push('### Errors', reasons.map(errorLine).join('\n'))
    parts.push('Besides these, [every request](/docs/errors#every-request) has its own.')
  }
  return parts.join('\n\n')
}

const PLACES = [
  ['path', 'In the path'],
  ['query', 'In the query'],
  ['header', 'Headers'],
] as const

function lineOf(document: ApiDocument, { name, schema, description, required }: Parameter): string {
  const described = { ...resolved(document, schema), ...(description && { description }) }
  return `- ${fieldLine(document, name, described, required === true)}`
}

/** The request of the operation's example. */
export function exampleFor(document: ApiDocument, it: Endpoint) {
  const parameters = (it.operation.parameters ?? []).map(each => resolved(document, each))
  return exampleOf(document, it, parameters)
}

/** The first example body, and the query parameters that are required or have an example. */
function exampleOf(document: ApiDocument, it: Endpoint, parameters: readonly Parameter[]) {
  const examples = it.operation.requestBody?.content['application/json']?.examples
  const [first] = Object.values(examples ?? {}).map(each => resolved(document, each))
  const place = it.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find(parameter => parameter.name === name)?.schema
    const [, prefix = ''] = /\^\(?(?:\?:)?([a-z]{3})_/.exec(schema?.pattern ?? '') ?? []
    return prefix === '' ? name.toUpperCase() : `${prefix}_…`
  })
  const query = parameters
    .filter(one => one.in === 'query' && (one.required === true || one.example !== undefined))
    .map(({ name, example, schema }) => `${name}=${example ?? schema.enum?.[0]}`)
  const path = query.length === 0 ? place : `${place}?${query.join('&')}`
  return { verb: it.method, path, ...(first !== undefined && { body: first.value }) }
}

function answerText(document: ApiDocument, { responses }: Operation): string {
  const answer = resolved(document, responses['200'] ?? { description: '' })
  const media = answer.content?.['application/json']
  const [first] = Object.values(media?.examples ?? {}).map(each => resolved(document, each))
  const [name] = objectNamesOf(document, answer)
  const link = name === undefined ? '' : ` See [the object ${name}](#the-object-${anchorOf(name)}).`
  const parts = ['### Answer', `${answer.description}${link}`]
  if (first !== undefined) parts.push(fence('json', JSON.stringify(first.value, null, 2)))
  return parts.join('\n\n')
}

/** The names of the objects in an answer: its data, or the members of its list. */
function objectNamesOf(document: ApiDocument, answer: Answer): string[] {
  const schema = answer.content?.['application/json']?.schema
  if (schema === undefined) return []
  // An answer without `data` has no envelope, such as that of a quote.
  return namesIn(document, resolved(document, schema).properties?.data ?? schema)
}

function namesIn(document: ApiDocument, schema: Schema): string[] {
  const kinds = schema.anyOf ?? schema.oneOf
  if (kinds !== undefined) return kinds.flatMap(each => namesIn(document, each))
  const results = resolved(document, schema).properties?.results
  if (results?.items !== undefined) return namesIn(document, results.items)
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? [] : [name]
}

function objectNames(document: ApiDocument, operations: readonly Endpoint[]): Set<string> {
  const names = operations.flatMap(({ operation }) =>
    objectNamesOf(document, resolved(document, operation.responses['200'] ?? { description: '' })),
  )
  return new Set(names)
}

function objectText(document: ApiDocument, name: string): string {
  const schema = { $ref: `#/components/schemas/${name}` }
  const { description } = resolved<Schema>(document, schema)
  const intro = description === undefined ? '' : `${description}\n\n`
  return `## The object ${name}\n\n${intro}${fieldsOf(document, schema).join('\n')}`
}

/** The descriptions of the operation's answers list them. */
function reasonsOf(document: ApiDocument, { responses }: Operation): Reason[] {
  const texts = Object.values(responses).map(each => resolved(document, each).description)
  const named = texts.flatMap(text => [...text.matchAll(/^- `(\w+)`:/gm)].map(([, name]) => name))
  return REASONS.filter(reason => named.includes(reason))
}

function commonReasons(operations: readonly Endpoint[]): Reason[] {
  const versioned = operations.filter(({ path }) => path.startsWith('/v3/'))
  return REASONS.filter(reason => versioned.every(({ reasons }) => reasons.includes(reason)))
}

function errorLine(reason: Reason): string {
  const { status, meaning } = CATALOGUE[reason]
  return `- \`${reason}\` *${status}* · ${meaning} ${FIXES[reason]}`
}

function errorsPage(operations: readonly Endpoint[], common: readonly Reason[]): Page {
  const each = REASONS.map(reason => {
    const { code, status, meaning } = CATALOGUE[reason]
    const from = operations.filter(({ reasons }) => reasons.includes(reason))
    const where = from.map(({ method, path }) => `\`${method} ${path}\``).join(', ')
    const given = common.includes(reason) ? 'Any request' : where || 'Requests of operators'
    return (
      `### ${reason}\n\n*${status}, code ${code}.* ${meaning}\n\n` +
      `**What to do.** ${FIXES[reason]}\n\n**Given by.** ${given}.`
    )
  })
  const parts = [
    '# Errors',
    'Every error with what it means and what to do. A refused request changes nothing.',
    'Decide by `reason`, which stays; `message` is for people. `remarks` is the path of the field.',
    `## Every request\n\n${common.map(errorLine).join('\n')}`,
    '## All errors',
    ...each,
  ]
  return pageOf('errors', 'Reference', `${parts.join('\n\n')}\n`)
}
