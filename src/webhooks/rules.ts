// The rules of webhooks: subscriptions, addresses, replays, secrets and retries. Pure.
import { invalidField, type Problem } from '../values/errors.ts'
import { type Instant, instantFromIso, plusMilliseconds } from '../values/instant.ts'
import type { ReplayRequest } from './request.ts'
import { type Attempt, MAX_URL_LENGTH, type WebhookEndpoint } from './webhook.ts'

export const MAX_ENDPOINTS = 16

/** Most events that one replay reads, and most deliveries that one deletion cancels. */
export const MAX_REPLAYED = 10_000
export const MAX_CANCELLED = 10_000

export function matches(event_types: readonly string[], type: string): boolean {
  if (event_types.length === 0 || event_types.includes(type)) return true
  return event_types.includes(`${type.slice(0, type.indexOf('.'))}.*`)
}

/** An event about an endpoint goes to that endpoint alone. */
export function wants(
  endpoint: Pick<WebhookEndpoint, 'id' | 'event_types'>,
  { type, object_id }: { readonly type: string; readonly object_id: string },
): boolean {
  if (object_id.startsWith('whe_')) return object_id === endpoint.id
  return matches(endpoint.event_types, type)
}

/** The current one first. */
export function secretsOf(
  endpoint: Pick<WebhookEndpoint, 'secret' | 'previous_secret' | 'previous_secret_until'>,
  account_now: Instant,
): readonly string[] {
  const { secret, previous_secret, previous_secret_until: until } = endpoint
  const overlaps = previous_secret !== '' && until !== null && account_now < until
  return overlaps ? [secret, previous_secret] : [secret]
}

/** The previous secret signs as well for `overlap_s` seconds. */
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

/** Seconds from each failed attempt to the next; 24 hours in all (§webhook.retry). */
export const RETRY_DELAYS_S = [
  5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 29_845,
] as const satisfies readonly number[]

/** The longest Retry-After that is honoured. */
const MAX_RETRY_AFTER_S = 86_400

/** Answers whose Retry-After counts: RFC 6585 and RFC 9110. */
const ASKS_TO_WAIT = new Set([429, 503])

const GONE = 410

/** A receiver's answer; both members are null without one. */
export interface AttemptResult extends Pick<Attempt, 'status_code'> {
  /** Retry-After, in seconds from now; null without a valid one. */
  readonly retry_after_s: number | null
}

type AfterAttempt = {
  /** True for a 410: the endpoint is disabled, and its pending deliveries stay pending. */
  readonly disables: boolean
} & (
  | { readonly status: 'succeeded' }
  | { readonly status: 'pending'; readonly retry_in_ms: number }
  | { readonly status: 'dead' }
)

/** `chance`, from 0 to 1, moves the delay by up to ±10 %, so that joint failures spread. */
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

/** The "bad ports" of the Fetch standard, 2.9: other protocols could read commands. */
const BAD_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179],
  ...[389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601],
  ...[636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
])

export function isPortOfHttp({ port }: URL): boolean {
  return port === '' || !BAD_PORTS.has(Number(port))
}

/** The problems that show without a look-up of the host name. */
export function checkUrl(text: string | undefined, allow_private: boolean): Problem[] {
  const fault = typeof text === 'string' ? urlFault(text, allow_private) : undefined
  return fault === undefined ? [] : [invalidField('url', `url ${fault}.`)]
}

function urlFault(text: string, allow_private: boolean): string | undefined {
  const url = URL.parse(text)
  if (url === null) return 'is not an absolute URL'
  const http = allow_private && url.protocol === 'http:'
  if (url.protocol !== 'https:' && !http) return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password'
  if (!isPortOfHttp(url)) return `must not name port ${url.port}, which is not of HTTP`
  if (text.includes('#')) return 'must have no fragment'
  if (url.href.length <= MAX_URL_LENGTH) return undefined
  return `must have at most ${MAX_URL_LENGTH} characters`
}

/** The problems of a replay request whose shape is valid. */
export function checkReplay(request: ReplayRequest): Problem[] {
  const { created, sequence, event_types } = request
  const sent = [request.event, request.events, created, sequence, request.status]
  const problems: Problem[] = []
  if (sent.filter(member => member !== undefined).length !== 1) {
    const message = 'Exactly one of event, events, created, sequence and status must be sent.'
    problems.push(invalidField('', message))
  }
  if (event_types !== undefined && created === undefined && sequence === undefined) {
    problems.push(invalidField('event_types', 'event_types goes with created or sequence alone.'))
  }
  for (const name of ['created', 'sequence'] as const) {
    if (isEmpty(request[name])) problems.push(invalidField(name, `${name} must have a bound.`))
  }
  const { from = 1, to = from } = sequence ?? {}
  if (from > to) problems.push(invalidField('sequence.to', 'sequence.to is before sequence.from.'))
  for (const [name, time] of Object.entries(created ?? {})) {
    if (!CREATED_BOUNDS.has(name) || typeof time !== 'string' || isTime(time)) continue
    const message = `created.${name} is an ISO 8601 time with an offset and at most six digits.`
    problems.push(invalidField(`created.${name}`, message))
  }
  return problems
}

const CREATED_BOUNDS: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte'])

/** Stored times have six digits; a finer bound would lie between two of them. */
function isTime(text: string): boolean {
  return !/\.\d{7}/.test(text) && instantFromIso(text) !== undefined
}

function isEmpty(range: object | undefined): boolean {
  return typeof range === 'object' && range !== null && Object.keys(range).length === 0
}
