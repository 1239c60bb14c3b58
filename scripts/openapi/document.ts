// Makes the OpenAPI document from the routes' schemas, the catalogue of errors and
// docs/api/examples/. It knows what all operations share, and no single operation.
import swagger from '@fastify/swagger'
import fastify, { type FastifySchema, type RouteOptions } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import { addRoutes, depsForDescription } from '../../src/app/app.ts'
import type { Access } from '../../src/http/authenticate.ts'
import { ALTERNATIVE, FILES, type OperationDocs, REFUSALS, TAGGED } from '../../src/http/docs.ts'
import { VERSION_DATES } from '../../src/http/version.ts'
import type { Reason } from '../../src/values/errors.ts'
import { forReaders, hoistSchemas, type Json, shareRepeated } from './components.ts'
import {
  ANSWERED,
  catalogueTable,
  errorExamples,
  errorResponses,
  REQUEST_ID,
  reasonsOf,
} from './errors.ts'
import { answerExamples, EXAMPLES, readExamples, requestExamples } from './examples.ts'
import { DENSE, layOut } from './layout.ts'
import { WEBHOOK_PARAMETERS, WEBHOOK_RESPONSES, webhooks } from './webhooks.ts'

/** The first prefix that matches decides the tag of a path. */
const TAGS = [
  ['/v3/payout/quote', 'Payout quotes', 'Fees and rates of a payout, fixed in advance.'],
  ['/v3/rate', 'Rates', 'The rates at which currencies are converted, without a quote.'],
  ['/v3/currency', 'Currencies', 'Every currency, with its number of decimals.'],
  ['/v3/network', 'Networks', 'The networks by which a payout can go.'],
  ['/v3/payout_batch', 'Payout batches', 'Many payouts in one request.'],
  [
    '/v3/payout_import',
    'Payout imports',
    'Payouts that were made from a file and can be approved as one.',
  ],
  ['/v3/payout_group', 'Payout groups', 'Batches and imports that wait for approval.'],
  [
    '/v3/conversion/quote',
    'Conversion quotes',
    'Rate and fees of a conversion, fixed for two minutes.',
  ],
  ['/v3/conversion', 'Conversions', 'Money changed between two balances of the account.'],
  ['/v3/payout', 'Payouts', 'Money moved out of a balance to a beneficiary.'],
  ['/v3/maker', 'Makers', 'Who makes the objects of the account.'],
  ['/v3/funding_instruction', 'Funding', 'How payers fund the account.'],
  ['/v3/search', 'Search', 'Objects of the account by one text.'],
  ['/v3/account', 'Account', 'The account of the caller, and what is left of its limits.'],
  ['/v3/balance_transaction', 'Balance transactions', 'The lines of the account’s statement.'],
  ['/v3/balance', 'Balances', 'What the account holds, in each currency.'],
  ['/v3/beneficiary', 'Beneficiaries', 'The people and businesses that payouts go to.'],
  ['/v3/statement', 'Statements', 'The lines of a period as a file for bookkeeping.'],
  ['/v3/entity', 'Entities', 'The people and businesses in whose name payouts are made.'],
  ['/v3/event', 'Events', 'The changes of state of an account’s objects, in order.'],
  ['/v3/webhook_endpoint', 'Webhooks', 'Where events are sent.'],
  ['/v3/request_log', 'Request log', 'The last requests of a sandbox, and how they ended.'],
  ['/v3/sandbox', 'Sandbox', 'What only sandbox accounts can do.'],
  ['/v3/session', 'Session', 'People log in and out, and owners look after their account.'],
  ['/v3/operator', 'Operator', 'For the people who run the installation.'],
  ['/', 'Operations', 'For the people who run the installation.'],
] as const

const text = (description: string, ...examples: readonly string[]) => ({
  'x-response-description': description,
  headers: REQUEST_ID,
  content: { 'text/plain': { schema: { type: 'string', examples } } },
})

const REPLAYED = {
  'Idempotent-Replayed': {
    type: 'string',
    const: 'true',
    description: 'Present when this answer repeats the first answer to the same Idempotency-Key.',
  },
}
const ETAG = {
  ETag: { type: 'string', description: 'Names this content; send it in `If-None-Match`.' },
}
const UNCHANGED = {
  'x-response-description':
    'The content is the one that `If-None-Match` names; the answer has no body.',
  type: 'null',
  headers: REQUEST_ID,
}

/** The public routes, which have no schema of their own. */
const PUBLIC: Readonly<Record<string, object>> = {
  '/healthz': {
    operationId: 'getHealth',
    summary: 'Is the process alive?',
    description: 'The process answers without its database.',
    response: { 200: status('Alive.', { status: 'ok' }) },
  },
  '/readyz': {
    operationId: 'getReadiness',
    summary: 'Is the process ready to serve?',
    description: 'The process asks its database, and is not ready while it shuts down.',
    response: {
      200: status('Ready.', { status: 'ready' }),
      503: status('Not ready.', { status: 'not ready', reason: 'database does not answer' }),
    },
  },
  '/metrics': {
    operationId: 'getMetrics',
    summary: 'The numbers of the process, for Prometheus.',
    description: 'The numbers say nothing about accounts.',
    response: { 200: text('Metrics.', 'corridor_http_request_seconds_count{status="200"} 7\n') },
  },
  '/openapi.json': {
    operationId: 'getOpenApi',
    summary: 'This document.',
    description: 'The document is that of the version that answers.',
    response: {
      200: {
        'x-response-description': 'OpenAPI 3.1.',
        headers: REQUEST_ID,
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      304: UNCHANGED,
    },
  },
}

/** The readers of a document: developers of accounts, or operators. */
type Readers = 'accounts' | 'operators'

function readersOf(url: string): Readers {
  return /^\/v3\/(operator|session)(\/|$)/.test(url) ? 'operators' : 'accounts'
}

const TITLES: Readonly<Record<Readers, string>> = {
  accounts: 'Corridor',
  operators: 'Corridor, for operators',
}

const KEYS: Readonly<Record<Readers, string>> = {
  accounts:
    'User name: the id of an API key. Password: its secret. On the routes of an account, ' +
    'the key of a user also needs the header Corridor-Account.',
  operators: 'User name: the id of the key of a user. Password: its secret.',
}

/** The text of openapi.json, or of docs/operator.openapi.json. */
export async function makeDocument(readers: Readers = 'accounts'): Promise<string> {
  const app = fastify()
  // No route is called, so no schema is compiled.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => () => '')
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: TITLES[readers],
        // The paths begin with /v3. Within it, the header Corridor-Version names the version.
        version: `3.${VERSION_DATES.at(-1)}`,
        description: introduction(readers),
        contact: { name: 'Whoever runs this installation' },
        license: { name: manifest.license, identifier: manifest.license } as { name: string },
      },
      servers: [
        { url: '/', description: 'The installation that this document comes from.' },
        { url: 'http://127.0.0.1:8080', description: '`npm start` on your own machine.' },
      ],
      security: [{ api_key: [] }],
      components: {
        securitySchemes: {
          api_key: {
            type: 'http',
            scheme: 'basic',
            description: KEYS[readers],
          },
        },
        examples: errorExamples(),
      },
    },
    // Literals stay `const`, which OpenAPI 3.1 allows.
    convertConstToEnum: false,
    transform({ schema, url, route }) {
      const described = describe(schema, url, route)
      return { schema: readersOf(url) === readers ? described : { hide: true }, url }
    },
    transformObject: documentObject =>
      finish(
        (documentObject as unknown as { openapiObject: Json }).openapiObject,
        readers,
      ) as never,
  })
  addRoutes(app, depsForDescription())
  await app.ready()
  return `${layOut(app.swagger(), DENSE)}\n`
}

const NEEDED: Readonly<Record<Access, string>> = {
  read: 'Needs a key of scope `read`.',
  write: 'Needs a key of scope `write`.',
  operator: 'Needs a key of scope `operator`.',
  approve: 'Needs a person who may approve.',
  own: 'Needs an owner of the account.',
  person: 'Needs a person.',
  anyone: 'Needs no credentials.',
  installation_read: 'Needs an operator or an auditor.',
  installation_write: 'Needs an operator.',
}

/** The schema of a route with its tag, key scope, headers, examples and errors. */
function describe(own: FastifySchema | undefined, url: string, route: RouteOptions): FastifySchema {
  const { scope } = route.config ?? {}
  const schema = (own ?? PUBLIC[url] ?? {}) as FastifySchema & Json
  if (schema.hide === true) return schema
  const tags = [tagOf(url)]
  if (scope === undefined) return describePublic(schema, tags, route)
  const traits = {
    authenticated: scope !== 'anyone',
    hasParams: schema.params !== undefined,
    hasQuery: schema.querystring !== undefined,
    hasBody: schema.body !== undefined || route.config?.optionalBody === true,
    idempotent: schema.headers !== undefined,
    versioned: true,
    writes: !['read', 'own', 'installation_read', 'person', 'anyone'].includes(scope),
  }
  const asked: readonly Reason[] = route.config?.asksPassword ? ['password_needed'] : []
  const own_reasons = (schema[REFUSALS] ?? []) as readonly Reason[]
  const reasons = reasonsOf(traits, [...own_reasons, ...asked])
  const { 200: success } = schema.response as Record<string, Json>
  const examples = readExamples(String(schema.operationId))
  const alternative = schema[ALTERNATIVE] as OperationDocs['alternative']
  const files = schema[FILES] as OperationDocs['files']
  const headers = {
    ...(traits.idempotent ? REPLAYED : {}),
    ...(schema[TAGGED] === true ? ETAG : {}),
  }
  const sentence = NEEDED[scope]
  return {
    ...schema,
    tags,
    ...(scope === 'anyone' ? { security: [] } : {}),
    description: schema.description === undefined ? sentence : `${schema.description} ${sentence}`,
    headers: versioned(schema.headers as Json | undefined),
    ...(schema.params === undefined ? {} : { params: forReaders(schema.params) }),
    ...(schema.querystring === undefined ? {} : { querystring: forReaders(schema.querystring) }),
    ...(schema.body === undefined
      ? {}
      : { body: { ...forReaders(schema.body as Json), [EXAMPLES]: requestExamples(examples) } }),
    response: {
      200: files
        ? fileResponse(files)
        : successResponse(
            forReaders(success ?? {}),
            answerExamples(examples),
            headers,
            alternative,
          ),
      ...(schema[TAGGED] === true
        ? { 304: { ...UNCHANGED, headers: { ...ANSWERED, ...ETAG } } }
        : {}),
      ...errorResponses(reasons),
    },
  }
}

/** The request headers of a route, with the version header. */
function versioned(headers: Json | undefined): Json {
  const { properties = {} } = headers ?? {}
  return { ...headers, type: 'object', properties: { ...(properties as Json), ...VERSION } }
}

const VERSION = {
  'corridor-version': {
    type: 'string',
    enum: VERSION_DATES,
    description:
      'The version that your program is written for. Without it the oldest version answers.',
  },
}

/** The schema of a public route, whose refusals concern the HTTP message alone. */
function describePublic(schema: FastifySchema & Json, tags: string[], { config }: RouteOptions) {
  const refused = reasonsOf({}).filter(
    reason => reason !== 'misdirected_request' || config?.anyHost !== true,
  )
  return {
    ...schema,
    tags,
    security: [],
    description: `${schema.description} ${NEEDED.anyone}`,
    response: { ...errorResponses(refused, REQUEST_ID), ...(schema.response as Json) },
  }
}

function successResponse(
  schema: Json,
  examples: object,
  headers: object,
  alternative: OperationDocs['alternative'],
): object {
  const { data } = (schema.properties ?? {}) as { data?: Json }
  const content = { schema, ...(Object.keys(examples).length === 0 ? {} : { examples }) }
  return {
    'x-response-description': String(schema.description ?? data?.description ?? 'Success.'),
    headers: { ...ANSWERED, ...headers },
    content: {
      'application/json': content,
      ...(alternative === undefined ? {} : { [alternative.media]: asText(alternative) }),
    },
  }
}

function fileResponse(files: NonNullable<OperationDocs['files']>): object {
  return {
    'x-response-description': 'The file.',
    headers: ANSWERED,
    content: Object.fromEntries(files.map(file => [file.media, asText(file)])),
  }
}

function asText({ description }: { readonly description: string }): object {
  return { schema: { type: 'string', description } }
}

function tagOf(url: string): string {
  const known = TAGS.find(([prefix]) => url === prefix || url.startsWith(`${prefix}/`))
  return known?.[1] ?? (url.startsWith('/v3/') ? (url.split('/')[2] ?? '') : 'Operations')
}

/**
 * Adds the used tags, spells header names in the usual way, and moves repeated parts into
 * components.
 */
function finish(document: Json, readers: Readers): Json {
  const operations = Object.values(document.paths as Record<string, Json>).flatMap(
    path => Object.values(path) as { tags?: string[]; parameters?: Json[]; requestBody?: Json }[],
  )
  for (const { requestBody } of operations) {
    if (requestBody !== undefined && mayBeNull(requestBody)) delete requestBody.required
  }
  const used = new Set(operations.flatMap(operation => operation.tags ?? []))
  for (const parameter of operations.flatMap(operation => operation.parameters ?? [])) {
    if (parameter.in === 'header') parameter.name = headerName(String(parameter.name))
    // A query parameter of pairs is written as `metadata[key]=value`.
    const { type } = (parameter.schema ?? {}) as { type?: unknown }
    if (parameter.in === 'query' && type === 'object') {
      Object.assign(parameter, { style: 'deepObject', explode: true })
    }
    // False is OpenAPI's default.
    if (parameter.required === false) delete parameter.required
  }
  const tags = TAGS.filter(([, name]) => used.has(name)).map(([, name, description]) => ({
    name,
    description,
  }))
  if (readers === 'operators') return shareRepeated(hoistSchemas({ ...document, tags }))
  const shared = shareRepeated(hoistSchemas({ ...document, tags, webhooks: webhooks('Webhooks') }))
  const components = shared.components as Record<string, Json>
  const parameters = { ...components.parameters, ...WEBHOOK_PARAMETERS }
  const responses = { ...components.responses, ...WEBHOOK_RESPONSES }
  return { ...shared, components: { ...components, parameters, responses } }
}

/** Whether the body may be null: then a request may also leave it out. */
function mayBeNull({ content }: Json): boolean {
  const { schema } = (content as Record<string, { schema: Json }>)['application/json'] ?? {}
  const kinds = [schema, ...((schema?.anyOf ?? []) as Json[])]
  return kinds.some(kind => [kind?.type].flat().includes('null'))
}

function headerName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase())
}

function status(description: string, value: Readonly<Record<string, string>>): object {
  const properties = Object.keys(value).map(name => [name, { type: 'string' }])
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(value),
  }
  return {
    'x-response-description': description,
    headers: REQUEST_ID,
    content: { 'application/json': { schema, examples: { [value.status ?? '']: { value } } } },
  }
}

const ABOUT: Readonly<Record<Readers, string>> = {
  accounts: "Payouts across borders from an account's balances.",
  operators:
    'What operators do with commands, over HTTP. A call does what the command does, and the ' +
    'audit log records it under the name of the person whose key or session makes it. ' +
    'Auditors read, operators write.',
}

function introduction(readers: Readers): string {
  return `${ABOUT[readers]}

**Amounts** are integers in the smallest unit of their currency (ISO 4217; USDC and USDT have six
digits). **Times** are ISO 8601. **Unknown fields** are refused.

**Repeating safely:** send an \`Idempotency-Key\` with every POST. The same key and body within 24
hours get the first answer again; refusals are not kept.

**Finding a request again:** every answer has an \`X-Request-Id\`. It is the one that you sent if that
is 1 to 128 of letters, digits, \`.\`, \`_\` and \`-\`.

**Versions** are dates. Send \`Corridor-Version\` with the version that your program is written for;
every answer names the version that answered.

**Errors** name every problem at once; decide by \`reason\`. Send
\`Accept: application/problem+json\` for problem details of RFC 9457.

<details><summary>Every error</summary>

${catalogueTable({ fixes: false })}

</details>
`
}
