// Webhooks as pure functions: which endpoint wants which event, what its requests may say, how the
// secrets overlap, and what follows an attempt. It knows no SQL, no HTTP and no clock.
import type { Problem } from '../errors.ts'
import { type Instant, instantFromIso, plusMilliseconds } from '../instant.ts'
import { invalid } from '../party/rules.ts'
import { isPortOfHttp } from './ports.ts'
import type { ReplayRequest } from './request.ts'
import { MAX_URL_LENGTH, type WebhookEndpoint } from './webhook.ts'

/** Most endpoints of an account. */
export const MAX_ENDPOINTS = 16

/** Most events that one replay looks at, and most deliveries that are cancelled at once. */
export const MAX_REPLAYED = 10_000
export const MAX_CANCELLED = 10_000

/** Does an event type fall under what was asked for? None is everything. */
export function matches(event_types: readonly string[], type: string): boolean {
  if (event_types.length === 0 || event_types.includes(type)) return true
  return event_types.includes(`${type.slice(0, type.indexOf('.'))}.*`)
}

/** An event about an endpoint is for that endpoint alone, whatever it asks for. */
export function wants(
  endpoint: Pick<WebhookEndpoint, 'id' | 'event_types'>,
  { type, object_id }: { readonly type: string; readonly object_id: string },
): boolean {
  if (object_id.startsWith('whe_')) return object_id === endpoint.id
  return matches(endpoint.event_types, type)
}

/** The secrets to sign with at this time of the account: the present one first. */
export function secretsOf(
  {
    secret,
    previous_secret,
    previous_secret_until: until,
  }: Pick<WebhookEndpoint, 'secret' | 'previous_secret' | 'previous_secret_until'>,
  account_now: Instant,
): readonly string[] {
  const overlaps = previous_secret !== '' && until !== null && account_now < until
  return overlaps ? [secret, previous_secret] : [secret]
}

/** The same endpoint with another secret; the former signs as well for so many seconds. */
export function rotated(
  endpoint: WebhookEndpoint,
  secret: string,
  overlap_s: number,
  now: Instant,
): WebhookEndpoint {
  const overlaps = overlap_s > 0
  return {
    ...endpoint,
    secret,
    previous_secret: overlaps ? endpoint.secret : '',
    previous_secret_until: overlaps ? plusMilliseconds(now, overlap_s * 1000) : null,
    updated_at: now,
  }
}

/**
 * Seconds between one failed attempt and the next; 24 hours from the first to the last
 * (§webhook.retry).
 */
export const RETRY_DELAYS_S = [
  5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 29_845,
] as const satisfies readonly number[]

/** No receiver may put us off for longer. */
const MAX_RETRY_AFTER_S = 86_400

/** Receivers that say when to come back: RFC 6585 and RFC 9110. */
const ASKS_TO_WAIT = new Set([429, 503])

const GONE = 410

/** What a receiver answered; nulls when it did not. */
export interface AttemptResult {
  readonly status_code: number | null
  /** Its Retry-After in seconds from now. */
  readonly retry_after_s: number | null
}

export type AfterAttempt = {
  /** The receiver wants nothing any more (410): its endpoint is disabled, what is pending stays. */
  readonly disables: boolean
} & (
  | { readonly status: 'succeeded' }
  | { readonly status: 'pending'; readonly retry_in_ms: number }
  | { readonly status: 'dead' }
)

/**
 * What becomes of a delivery after an attempt, the last of so many. `chance`, from 0 to 1, spreads
 * a delay over ±10 %, so that what failed together does not come back together.
 */
export function afterAttempt(
  attempts: number,
  { status_code, retry_after_s }: AttemptResult,
  chance: number,
): AfterAttempt {
  const disables = status_code === GONE
  if (status_code !== null && status_code >= 200 && status_code < 300) {
    return { status: 'succeeded', disables }
  }
  const delay_s = RETRY_DELAYS_S[attempts - 1]
  if (delay_s === undefined) return { status: 'dead', disables }
  const planned_ms = Math.trunc(delay_s * (900 + 200 * chance))
  const asked = status_code !== null && ASKS_TO_WAIT.has(status_code) && retry_after_s !== null
  const asked_ms = asked ? Math.min(retry_after_s, MAX_RETRY_AFTER_S) * 1000 : 0
  return { status: 'pending', retry_in_ms: Math.max(planned_ms, asked_ms), disables }
}

/** What is wrong with the address of a receiver, as far as it says so itself. */
export function checkUrl(text: string | undefined, allow_private: boolean): Problem[] {
  if (typeof text !== 'string') return []
  const url = URL.parse(text)
  if (url === null) return [invalid('url', 'url is not an absolute URL.')]
  const http = allow_private && url.protocol === 'http:'
  if (url.protocol !== 'https:' && !http) {
    return [invalid('url', 'url must begin with https://.')]
  }
  if (url.username !== '' || url.password !== '') {
    return [invalid('url', 'url must have no user name and no password.')]
  }
  if (!isPortOfHttp(url)) {
    return [invalid('url', `url must not name port ${url.port}, which is not of HTTP.`)]
  }
  if (text.includes('#')) return [invalid('url', 'url must have no fragment.')]
  if (url.href.length > MAX_URL_LENGTH) {
    return [invalid('url', `url must have at most ${MAX_URL_LENGTH} characters.`)]
  }
  return []
}

/** What is wrong with a replay of the right shape. */
export function checkReplay(request: ReplayRequest): Problem[] {
  const { created, sequence, event_types } = request
  const sent = [request.event, request.events, created, sequence, request.status]
  const problems: Problem[] = []
  if (sent.filter(member => member !== undefined).length !== 1) {
    const message = 'Exactly one of event, events, created, sequence and status must be sent.'
    problems.push(invalid('', message))
  }
  if (event_types !== undefined && created === undefined && sequence === undefined) {
    problems.push(invalid('event_types', 'event_types goes with created or sequence alone.'))
  }
  for (const name of ['created', 'sequence'] as const) {
    if (isEmpty(request[name])) problems.push(invalid(name, `${name} must have a bound.`))
  }
  const { from = 1, to = from } = sequence ?? {}
  if (from > to) problems.push(invalid('sequence.to', 'sequence.to is before sequence.from.'))
  for (const [name, time] of Object.entries(created ?? {})) {
    if (!CREATED_BOUNDS.has(name) || typeof time !== 'string' || isTime(time)) continue
    const message = `created.${name} is an ISO 8601 time with an offset and at most six digits.`
    problems.push(invalid(`created.${name}`, message))
  }
  return problems
}

const CREATED_BOUNDS: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte'])

/** Times here have six digits; a finer one lies between two of them. */
function isTime(text: string): boolean {
  return !/\.\d{7}/.test(text) && instantFromIso(text) !== undefined
}

function isEmpty(range: object | undefined): boolean {
  return typeof range === 'object' && range !== null && Object.keys(range).length === 0
}
