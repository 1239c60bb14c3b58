// What becomes of webhook endpoints when their account asks: made, changed, deleted, given another
// secret, tried, and sent again what was. Pure; the state is advanced, so that the next command of
// a batch sees what this one did.
import { isDeepStrictEqual } from 'node:util'
import { found, type Problem, refusal, refuseIfAny } from '../errors.ts'
import type { Event } from '../event/event.ts'
import { recordEvent } from '../event/rules.ts'
import { type BookId, nameOf } from '../id.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { invalid } from '../party/rules.ts'
import type { EndpointRequest, EndpointUpdate, ReplayRequest } from './request.ts'
import { MAX_CANCELLED, MAX_ENDPOINTS, MAX_REPLAYED, matches, rotated, wants } from './rules.ts'
import { type Delivery, TEST_EVENT, type WebhookEndpoint } from './webhook.ts'

export type WebhookChange =
  | { readonly kind: 'create'; readonly request: EndpointRequest }
  | { readonly kind: 'update'; readonly id: string; readonly update: EndpointUpdate }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'rotate'; readonly id: string; readonly overlap_s: number }
  | { readonly kind: 'test'; readonly id: string }
  | { readonly kind: 'replay'; readonly id: string; readonly request: ReplayRequest }

/** What a delivery is made from. */
export interface Deliverable {
  readonly id: string
  readonly sequence: bigint
  readonly type: string
  readonly object_id: string
}

/** A new delivery; whether it is due depends on those that are pending. */
export type NewDelivery = Pick<
  Delivery,
  | 'account_id'
  | 'endpoint_id'
  | 'number'
  | 'id'
  | 'event_id'
  | 'event_sequence'
  | 'event_type'
  | 'object_id'
  | 'created_at'
>

/** What a replay looks at: the events it has found, in order. */
export interface Picked {
  /** One more than are looked at, when there are more. */
  readonly events: readonly Deliverable[]
  /** The last number of a range. */
  readonly last: bigint | null
}

/** Everything a batch may touch, read under the locks of its books and endpoints. */
export interface WebhookState {
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`: those that commands name. */
  readonly endpoints: Map<string, WebhookEndpoint>
  /** How many endpoints an account has. */
  readonly counts: Map<string, number>
  /** How many deliveries of an endpoint are pending, counted to one more than are cancelled. */
  readonly pending: ReadonlyMap<string, number>
  readonly picked: ReadonlyMap<WebhookChange, Picked>
  readonly bookId: BookId
  /** From chance. */
  readonly newSecret: () => string
}

/** How far a replay came. */
export interface Replayed {
  readonly deliveries: number
  readonly has_more: boolean
  readonly next: bigint | null
  readonly last: bigint | null
}

export interface WebhookOutcome {
  readonly endpoint: WebhookEndpoint
  /** `emptied`: disabled and some of its deliveries cancelled, to be deleted when none is left. */
  readonly did: 'created' | 'changed' | 'emptied' | 'deleted' | 'nothing'
  readonly events: readonly Event[]
  readonly deliveries: readonly NewDelivery[]
  readonly replayed: Replayed | null
}

/** Decides one change of an endpoint, which has been checked. Refuses what is not there. */
export function decideWebhook(
  state: WebhookState,
  account_id: string,
  change: WebhookChange,
): WebhookOutcome {
  if (change.kind === 'create') return create(state, account_id, change.request)
  const endpoint = found(state.endpoints.get(nameOf({ account_id, id: change.id })))
  switch (change.kind) {
    case 'update':
      return update(state, endpoint, change.update)
    case 'delete':
      return remove(state, endpoint)
    case 'rotate': {
      const { now } = bookOf(state.books, account_id)
      return changed(state, rotated(endpoint, state.newSecret(), change.overlap_s, now))
    }
    case 'test': {
      refuseDisabled(endpoint)
      const facts = { type: TEST_EVENT, object_id: endpoint.id, data: {} }
      const event = recordEvent(bookOf(state.books, account_id), facts)
      return { ...unchanged(endpoint), events: [event] }
    }
    case 'replay':
      return replay(state, endpoint, change.request, state.picked.get(change))
  }
}

/** A new endpoint gets the events that come after it. */
function create(
  state: WebhookState,
  account_id: string,
  { url, description = '', event_types = [] }: EndpointRequest,
): WebhookOutcome {
  const count = state.counts.get(account_id) ?? 0
  if (count >= MAX_ENDPOINTS) {
    const message = `An account has at most ${MAX_ENDPOINTS} webhook endpoints.`
    throw refusal('webhook_endpoint_limit', message)
  }
  // After this point it succeeds.

  const book = bookOf(state.books, account_id)
  const { now, event_count } = book
  const endpoint: WebhookEndpoint = {
    account_id,
    id: state.bookId(book, 'whe'),
    url,
    description,
    event_types: [...new Set(event_types)],
    status: 'enabled',
    disabled_reason: '',
    secret: state.newSecret(),
    previous_secret: '',
    previous_secret_until: null,
    fanned_out: event_count,
    delivery_count: 0n,
    created_at: now,
    updated_at: now,
  }
  state.counts.set(account_id, count + 1)
  state.endpoints.set(nameOf(endpoint), endpoint)
  return { ...unchanged(endpoint), did: 'created' }
}

/** As it is when nothing changes. Disabled again, it keeps its reason. */
function update(
  state: WebhookState,
  before: WebhookEndpoint,
  { url = before.url, status = before.status, description, event_types }: EndpointUpdate,
): WebhookOutcome {
  const byAccount = before.status === 'disabled' ? before.disabled_reason : 'account'
  const after: WebhookEndpoint = {
    ...before,
    url,
    description: description === undefined ? before.description : (description ?? ''),
    event_types: event_types === undefined ? before.event_types : [...new Set(event_types ?? [])],
    status,
    disabled_reason: status === 'enabled' ? '' : byAccount,
  }
  if (isDeepStrictEqual(after, before)) return unchanged(before)
  return changed(state, { ...after, updated_at: bookOf(state.books, before.account_id).now })
}

/** Deliveries are cancelled so many at once: with more, the caller asks again. */
function remove(state: WebhookState, endpoint: WebhookEndpoint): WebhookOutcome {
  const name = nameOf(endpoint)
  if ((state.pending.get(name) ?? 0) > MAX_CANCELLED) {
    return { ...update(state, endpoint, { status: 'disabled' }), did: 'emptied' }
  }
  state.endpoints.delete(name)
  const count = state.counts.get(endpoint.account_id)
  if (count !== undefined) state.counts.set(endpoint.account_id, count - 1)
  return { ...unchanged(endpoint), did: 'deleted' }
}

/** New deliveries in the order of the events. Named events go whatever the endpoint asks for. */
function replay(
  state: WebhookState,
  endpoint: WebhookEndpoint,
  request: ReplayRequest,
  picked: Picked = { events: [], last: null },
): WebhookOutcome {
  refuseDisabled(endpoint)
  refuseIfAny(checkNamed(endpoint, request, picked.events))
  // After this point it succeeds.

  const is_range = request.created !== undefined || request.sequence !== undefined
  const beyond = picked.events[MAX_REPLAYED]
  const events = picked.events
    .slice(0, MAX_REPLAYED)
    .filter(event =>
      is_range ? isOfRange(endpoint, request, event) : !comesByItself(endpoint, event),
    )
    .sort((a, b) => (a.sequence < b.sequence ? -1 : 1))
  const { account_id, id: endpoint_id, delivery_count } = endpoint
  const book = bookOf(state.books, account_id)
  const deliveries = events.map(({ id: event_id, sequence, type, object_id }, i) => ({
    account_id,
    endpoint_id,
    number: delivery_count + BigInt(i + 1),
    id: state.bookId(book, 'whd'),
    event_id,
    event_sequence: sequence,
    event_type: type,
    object_id,
    created_at: book.now,
  }))
  const replayed: Replayed = {
    deliveries: deliveries.length,
    has_more: beyond !== undefined,
    next: is_range && beyond !== undefined ? beyond.sequence : null,
    last: is_range && beyond !== undefined ? picked.last : null,
  }
  if (deliveries.length === 0) return { ...unchanged(endpoint), replayed }
  const next = { ...endpoint, delivery_count: delivery_count + BigInt(deliveries.length) }
  return { ...changed(state, next), deliveries, replayed }
}

/** What deliveries are not made from yet would overtake those that come before it. */
function comesByItself(endpoint: WebhookEndpoint, event: Deliverable): boolean {
  return event.sequence > endpoint.fanned_out && wants(endpoint, event)
}

function isOfRange(
  endpoint: WebhookEndpoint,
  { event_types = [] }: ReplayRequest,
  event: Deliverable,
): boolean {
  return wants(endpoint, event) && matches(event_types, event.type)
}

/** Every event named by its id is there, and not about another endpoint. */
function checkNamed(
  endpoint: WebhookEndpoint,
  { event, events }: ReplayRequest,
  picked: readonly Deliverable[],
): Problem[] {
  const byId = new Map(picked.map(one => [one.id, one]))
  const check = (id: string, remarks: string): Problem[] => {
    const named = byId.get(id)
    if (named === undefined) {
      return [{ reason: 'not_found', message: 'No such event in this account.', remarks }]
    }
    const foreign = named.object_id.startsWith('whe_') && named.object_id !== endpoint.id
    return foreign ? [invalid(remarks, 'This event is about another webhook endpoint.')] : []
  }
  if (event !== undefined) return check(event, 'event')
  return (events ?? []).flatMap((id, i) => check(id, `events[${i}]`))
}

function refuseDisabled({ status }: WebhookEndpoint): void {
  if (status === 'enabled') return
  throw refusal('webhook_endpoint_disabled', 'The endpoint is disabled; enable it first.')
}

function changed(state: WebhookState, endpoint: WebhookEndpoint): WebhookOutcome {
  state.endpoints.set(nameOf(endpoint), endpoint)
  return { ...unchanged(endpoint), did: 'changed' }
}

function unchanged(endpoint: WebhookEndpoint): WebhookOutcome {
  return { endpoint, did: 'nothing', events: [], deliveries: [], replayed: null }
}
