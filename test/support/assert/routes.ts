// Collects the routes of the application while Fastify adds them, with every text field of a
// request and a valid body for each. An unknown route or text field fails the test, so that nobody
// forgets one.
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Access } from '../../../src/http/authenticate.ts'
import { bankBeneficiary, internalPayout, localPayout, plainEntity } from '../given/bodies.ts'
import type { Answer, TestService } from '../service/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema is whatever it is
type Json = any

export type Place = 'params' | 'querystring' | 'body'

/** A text field of a request. */
export interface Leaf {
  readonly place: Place
  /** `quote`, `beneficiary_details.address.line1`, `payouts[].quote`, `metadata.*` */
  readonly path: string
  /** The id prefixes of the objects that it can name. Empty for free text. */
  readonly prefixes: readonly string[]
}

export interface Route {
  /** `POST /v3/payout/:id/cancel` */
  readonly name: string
  readonly method: string
  readonly url: string
  /** Undefined for a public route. */
  readonly scope: Access | undefined
  readonly idempotent: boolean
  readonly takesBody: boolean
  readonly leaves: readonly Leaf[]
}

/** Returns the result of `start` and the public and account routes that it has added. */
export async function watchRoutes<T>(start: () => Promise<T>): Promise<[T, Route[]]> {
  const [started, routes] = await watchAllRoutes(start)
  return [started, routes.filter(({ scope }) => scope === undefined || OF_ACCOUNTS.has(scope))]
}

const OF_ACCOUNTS: ReadonlySet<Access> = new Set(['read', 'write', 'operator', 'approve'])

/**
 * Returns the result of `start` and every route that it has added, except the operator's; routes
 * for people included.
 */
export async function watchAllRoutes<T>(start: () => Promise<T>): Promise<[T, Route[]]> {
  const [started, added] = await watchAdded(start)
  // Operator routes name objects of any account; test/operator calls each of them.
  const others = added.filter(({ url }) => !url.startsWith('/v3/operator/'))
  return [started, others.map(readRoute)]
}

/** Returns the result of `start` and Fastify's options of each route that it has added. */
export async function watchAdded<T>(start: () => Promise<T>): Promise<[T, RouteOptions[]]> {
  const added: RouteOptions[] = []
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', route => void added.push(route))
  }
  subscribe('fastify.initialization', watch)
  try {
    return [await start(), added]
  } finally {
    unsubscribe('fastify.initialization', watch)
  }
}

function readRoute({ method, url, config, schema = {} }: RouteOptions): Route {
  const { params, querystring, body, headers } = schema as Record<string, Json>
  // People may name objects of any account, so their routes have no foreign ids to test.
  const ofPeople = config?.scope !== undefined && !OF_ACCOUNTS.has(config.scope)
  const leaves = ofPeople
    ? []
    : [
        ...leavesOf('params', params),
        ...leavesOf('querystring', querystring),
        ...leavesOf('body', body),
      ]
  const named = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name)
  const known = leaves.filter(leaf => leaf.place === 'params' && leaf.prefixes.length > 0)
  if (url.startsWith('/v3/') && !ofPeople) {
    assert.deepEqual(
      known.map(({ path }) => path),
      named,
      `${url}: each parameter of the path is an id by its schema`,
    )
  }
  return {
    name: `${String(method)} ${url}`,
    method: String(method),
    url,
    scope: config?.scope,
    idempotent: headers !== undefined,
    takesBody: body !== undefined,
    leaves,
  }
}

/** Every text field that the schema allows, with its path. */
function leavesOf(place: Place, schema: Json, path = ''): Leaf[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { 'x-documented': documented, ...seen } = schema
  const node = { ...seen, ...documented }
  const inner = (name: string) => (path === '' ? name : `${path}.${name}`)
  const types: string[] = [node.type].flat()
  const isText = types.includes('string') && node.enum === undefined && node.const === undefined
  const own: Leaf[] =
    isText && node.format !== 'date-time'
      ? [{ place, path, prefixes: prefixesOf(node.pattern, path) }]
      : []
  const properties = Object.entries<Json>(node.properties ?? {})
  const either = [node.anyOf, node.oneOf, node.allOf].flatMap(some => some ?? [])
  return [
    ...own,
    ...properties.flatMap(([name, member]) => leavesOf(place, member, inner(name))),
    ...leavesOf(place, node.items, `${path}[]`),
    ...leavesOf(place, node.additionalProperties, inner('*')),
    ...either.flatMap((some: Json) => leavesOf(place, some, path)),
  ]
}

/**
 * Reads the prefixes from the schema's pattern for ids. A deposit address has no pattern, because a
 * request may send any text.
 */
function prefixesOf(pattern: string | undefined, path: string): string[] {
  if (path.endsWith('service_account.deposit_address')) return ['dep']
  const found = (pattern ?? '').matchAll(/([a-z]{2,3})_(?:\[0-9a-hjkmnp-tv-z\]|\.)\{(?:8|20)\}/g)
  const prefixes = [...found].map(([, prefix = '']) => prefix)
  assert.ok(prefixes.length > 0 || FREE_TEXT.has(lastOf(path)), UNKNOWN(path))
  return prefixes
}

const UNKNOWN = (path: string) =>
  `${path}: a text that no test knows. If it can name an object, give its schema the pattern of ` +
  'ids; if it cannot, add it to FREE_TEXT in test/support/assert/routes.ts'

const lastOf = (path: string) => path.replace(/\[\]$/, '').split('.').at(-1) ?? ''

/** Text fields that name no object of Corridor: free text, codes of others, times and amounts. */
const FREE_TEXT = new Set(
  [
    '* account_number account_type bank_name beneficiary_name branch_name calling_code category city',
    'made_by q zone',
    'code country creditor_reference currency date_of_birth purpose_code transfer_type',
    'deposit_address deposit_key deposit_key_type description destination_currency email file_name first_name',
    'fund_transfer_network gt gte holding_currency iban last_name line1 line2',
    'logistics_provider_code logistics_provider_name lt lte message middle_name name name_local',
    'nationality network national_identification_number note number ownership_percentage',
    'party_classification postal_code purpose purpose_of_use reference_id registration_date',
    'registration_number relationship request_id roles state statement_descriptor tax_id',
    'tracking_number tracking_type transaction_description type url vertical',
    // Of approvers.
    'digest',
    // Of operators, who name accounts and objects of any account.
    'act before by owner add_currencies primary_currency from currencies id limit rail reason',
    'reference source to',
  ].flatMap(line => line.split(' ')),
)

/** Ids by prefix: the objects of one account, or ids that nobody has. */
export type Ids = Readonly<Record<string, string>>

/**
 * The route's path with its parameters filled in, from `chosen` by name, else from `own` by prefix.
 */
export function urlOf(route: Route, own: Ids, chosen: Ids = {}): string {
  return route.url.replace(/:(\w+)/g, (_, name: string) => {
    const leaf = route.leaves.find(({ place, path }) => place === 'params' && path === name)
    return chosen[name] ?? own[leaf?.prefixes[0] ?? ''] ?? assert.fail(`${route.name}: ${name}`)
  })
}

const REQUIREMENTS = '/v3/payout/requirements'
/** Answers from reference data, at the account's time. */
export const RATE = '/v3/rate'
/** Refused (409) for a payout that is not paid. */
export const CONFIRMATION = '/v3/payout/:id/confirmation'

/** Routes that read no row: they answer from tables in the code or from reference data in memory. */
export const WITHOUT_ROWS: ReadonlySet<string> = new Set([
  ...[REQUIREMENTS, '/v3/currency', '/v3/network', '/v3/maker'],
])

/**
 * Most tests switch the request log off, because each request changes it;
 * test/api/request-log.test.ts tests it.
 */
export const REQUEST_LOG = '/v3/request_log'

/** The queries of routes that need one. */
export const QUERIES: Readonly<Record<string, string>> = {
  [REQUIREMENTS]: 'currency=USD',
  [RATE]: 'from=USD&to=USD',
  '/v3/search': 'q=Harbour',
  '/v3/statement': 'format=csv&from=2020-01-01&to=2100-01-01',
}

/** A URL at which nothing listens: a connection fails at once. */
export const NOBODYS_URL = 'http://127.0.0.1:26/'

const { beneficiary_details: _, ...bare } = localPayout
const serviceAccount = (deposit_address: string) =>
  internalPayout(deposit_address).beneficiary_details

const toServiceAccount = (path: string) => path.endsWith('service_account.deposit_address')

/** A payout that takes a text at this path. */
function payoutFor(path: string): object {
  if (path.endsWith('beneficiary')) return bare
  return toServiceAccount(path) ? internalPayout('') : localPayout
}

/**
 * Valid bodies of each route, for a test that then puts a text at the path ('' for none). A route
 * that is not here takes no body, or `{}`.
 */
const BODIES: Readonly<Record<string, (path: string) => readonly object[]>> = {
  'POST /v3/payout/quote': () => [{ payout_info: { currency: 'USD', amount: 10_000 } }],
  'POST /v3/payout': path => [payoutFor(path)],
  'POST /v3/conversion/quote': () => [
    {
      holding_info: { currency: 'EUR' },
      destination_info: { currency: 'USD', amount: 100 },
    },
  ],
  'POST /v3/conversion': path => [path === '' ? { quote: `coq_${'0'.repeat(20)}` } : {}],
  'PUT /v3/payout/:id': () => [{ metadata: { invoice: '7' } }],
  'POST /v3/payout/:id/action': () => [{ note: 'As asked.' }],
  'POST /v3/payout/:id/approve': () => [{ digest: '0'.repeat(64) }],
  'POST /v3/payout/:id/reject': () => [{ reason: 'Not ours.' }],
  'POST /v3/beneficiary/:id/approve': () => [{ digest: '0'.repeat(64) }],
  'POST /v3/beneficiary/:id/reject': () => [{ reason: 'Not ours.' }],
  'POST /v3/beneficiary/:id/accept_notice': path => [
    path === '' ? { payout: `pot_${'0'.repeat(20)}`, number: 1 } : { number: 1 },
  ],
  'POST /v3/payout_batch/:id/approve': () => [{ digest: '0'.repeat(64) }],
  'POST /v3/payout_batch/:id/reject': () => [{ reason: 'Not ours.' }],
  'POST /v3/payout_import/:id/approve': () => [{ digest: '0'.repeat(64) }],
  'POST /v3/payout_import/:id/reject': () => [{ reason: 'Not ours.' }],
  'POST /v3/payout_batch': path => {
    const payouts = [payoutFor(path)]
    return [{ payouts }, { payouts, mode: 'best_effort' }, { payouts, dry_run: true }]
  },
  'POST /v3/beneficiary': path => [toServiceAccount(path) ? serviceAccount('') : bankBeneficiary],
  'PUT /v3/beneficiary/:id': path => [toServiceAccount(path) ? serviceAccount('') : { email: '' }],
  'POST /v3/entity': () => [plainEntity],
  'POST /v3/entity/duplicate_check': () => [plainEntity],
  'POST /v3/payout/options': () => [{ payout_info: { currency: 'USD', amount: 100 } }],
  'PUT /v3/entity/:id': () => [{ description: 'Changed' }],
  'POST /v3/webhook_endpoint': () => [{ url: NOBODYS_URL }],
  'PUT /v3/webhook_endpoint/:id': () => [{ description: 'Changed' }],
  'POST /v3/webhook_endpoint/:id/replay': path =>
    path === '' ? [{ sequence: { from: 1 } }] : [{}],
  'POST /v3/sandbox/clock/advance': () => [{ seconds: 1 }],
  'POST /v3/sandbox/fund': () => [{ amount: 100, currency: 'USD' }],
  'POST /v3/sandbox/payout/:id/transition': () => [{ status: 'succeeded' }],
  'POST /v3/sandbox/entity/:id/review': () => [{ status: 'approved' }],
}

/** Routes whose body may be left out. */
const EMPTY_BODIES = new Set([
  'POST /v3/payout/:id/cancel',
  'POST /v3/beneficiary/:id/archive',
  'POST /v3/beneficiary/:id/unarchive',
  'POST /v3/entity/:id/submit',
  'POST /v3/webhook_endpoint/:id/rotate_secret',
  'POST /v3/webhook_endpoint/:id/test',
])

/** Bodies with `text` at `path`; undefined for a route that takes no body. */
export function bodiesOf(route: Route, path = '', text = ''): readonly (object | undefined)[] {
  if (!route.takesBody) return [undefined]
  const bodies = BODIES[route.name]?.(path) ?? (EMPTY_BODIES.has(route.name) ? [{}] : undefined)
  assert.ok(bodies, `${route.name}: write a valid body of it into test/support/assert/routes.ts`)
  return path === '' ? bodies : bodies.map(body => withText(structuredClone(body), path, text))
}

/** Puts a text at a path of the body, and makes the missing objects and lists on the way. */
export function withText(body: object, path: string, text: string): object {
  const steps = path.replaceAll('[]', '.[]').split('.')
  let node: Json = body
  steps.forEach((step, i) => {
    const key = step === '[]' ? 0 : step === '*' ? 'any' : step
    if (i === steps.length - 1) node[key] = text
    else node = node[key] ??= steps[i + 1] === '[]' ? [] : {}
  })
  return body
}

/** Ids of no object. */
const NOBODYS: Ids = Object.fromEntries(
  ['bnf', 'btr', 'cnv', 'coq', 'ent', 'evt', 'pim', 'pob', 'poq', 'pot', 'whd', 'whe'].map(
    prefix => [prefix, `${prefix}_00000000000000000000`],
  ),
)

/**
 * Sends a request to any route, with ids of no object, and with broken JSON where it takes a body.
 */
export function askAny(
  { inject }: Pick<TestService, 'inject'>,
  route: Route,
  headers: Record<string, string>,
  payload = '{"broken',
): Promise<Answer> {
  const { method, takesBody } = route
  const json = { 'content-type': 'application/json' }
  return inject({
    method: method as 'GET',
    url: urlOf(route, NOBODYS),
    headers: { ...headers, ...(takesBody ? json : {}) },
    ...(takesBody ? { payload } : {}),
  })
}
