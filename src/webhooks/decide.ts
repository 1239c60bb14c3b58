// Decides the changes that an account asks for. Pure; it advances the state, so that the next
// command of the batch sees the change.
import { isDeepStrictEqual } from 'node:util'
import { type Book, bookOf } from '../ledger/rules.ts'
import type { Event, NamedEvent } from '../statements/event/event.ts'
import { recordEvent } from '../statements/event/rules.ts'
import {
  found,
  invalidField,
  type Problem,
  type Refusal,
  refusal,
  refuseIfAny,
} from '../values/errors.ts'
import { type BookId, nameOf } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import type { EndpointRequest, EndpointUpdate, ReplayRequest } from './request.ts'
import { presentEndpoint } from './response.ts'
import { MAX_CANCELLED, MAX_ENDPOINTS, MAX_REPLAYED, matches, rotated, wants } from './rules.ts'
import { type Delivery, type Replayed, TEST_EVENT, type WebhookEndpoint } from './webhook.ts'

export type WebhookChange =
  | { readonly kind: 'create'; readonly request: EndpointRequest }
  | { readonly kind: 'update'; readonly id: string; readonly update: EndpointUpdate }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'rotate'; readonly id: string; readonly overlap_s: number }
  | { readonly kind: 'test'; readonly id: string }
  | { readonly kind: 'replay'; readonly id: string; readonly request: ReplayRequest }

export type Deliverable = Pick<NamedEvent, 'id' | 'sequence' | 'type' | 'object_id'>

/** A new delivery. Its insertion sets when it is due, which depends on those pending already. */
export type NewDelivery = Omit<Delivery, 'status' | 'attempts' | 'due_at' | 'updated_at'>

export interface Picked {
  /** At most MAX_REPLAYED + 1; the last one shows that there are more. */
  readonly events: readonly Deliverable[]
  /** The last sequence of a range; null when the request names no range. */
  readonly last: bigint | null
  /** Set when the request asks for events that only an archive has. */
  readonly refused?: Refusal
}

/** All that a batch may touch, read under the locks of its books and endpoints. */
export interface WebhookState {
  readonly books: ReadonlyMap<string, Book>
  /** The endpoints that commands name, by nameOf. */
  readonly endpoints: Map<string, WebhookEndpoint>
  readonly counts: Map<string, number>
  /** How many deliveries of an endpoint are pending, counted up to MAX_CANCELLED + 1. */
  readonly pending: ReadonlyMap<string, number>
  readonly picked: ReadonlyMap<WebhookChange, Picked>
  readonly bookId: BookId
  readonly newSecret: () => string
}

export interface WebhookOutcome {
  readonly endpoint: WebhookEndpoint
  /** `emptied`: disabled, with deliveries cancelled; the call that cancels the last deletes it. */
  readonly did: 'created' | 'changed' | 'emptied' | 'deleted' | 'nothing'
  readonly events: readonly Event[]
  readonly deliveries: readonly NewDelivery[]
  readonly replayed: Replayed | null
}

/** Decides one change whose request is valid. Refuses an unknown endpoint with not_found. */
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
      const book = bookOf(state.books, account_id)
      const data = { endpoint: presentEndpoint(endpoint) }
      const event = recordEvent(book, { type: TEST_EVENT, object_id: endpoint.id, data })
      return { ...unchanged(endpoint), events: [event] }
    }
    case 'replay':
      return replay(state, endpoint, change.request, state.picked.get(change))
  }
}

/** Makes an endpoint. It gets the events that are written after it. */
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

/** Unchanged values write nothing. An endpoint that is already disabled keeps its reason. */
function update(
  state: WebhookState,
  before: WebhookEndpoint,
  { url = before.url, status = before.status, description, event_types }: EndpointUpdate,
): WebhookOutcome {
  const reason = before.status === 'disabled' ? before.disabled_reason : 'account'
  const after: WebhookEndpoint = {
    ...before,
    url,
    description: description === undefined ? before.description : (description ?? ''),
    event_types: event_types === undefined ? before.event_types : [...new Set(event_types ?? [])],
    status,
    disabled_reason: status === 'enabled' ? '' : reason,
  }
  if (isDeepStrictEqual(after, before)) return unchanged(before)
  return changed(state, { ...after, updated_at: bookOf(state.books, before.account_id).now })
}

/** One call cancels at most MAX_CANCELLED deliveries; with more pending, the route calls again. */
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

/** Events named by id need no matching subscription. */
function replay(
  state: WebhookState,
  endpoint: WebhookEndpoint,
  request: ReplayRequest,
  picked: Picked = { events: [], last: null },
): WebhookOutcome {
  refuseDisabled(endpoint)
  if (picked.refused !== undefined) throw picked.refused
  refuseIfAny(checkNamed(endpoint, request, picked.events))
  // After this point it succeeds.

  const is_range = request.created !== undefined || request.sequence !== undefined
  const beyond = picked.events[MAX_REPLAYED]
  const events = picked.events
    .slice(0, MAX_REPLAYED)
    .filter(event =>
      is_range ? passesTypes(endpoint, request, event) : !willBeFannedOut(endpoint, event),
    )
    .sort((a, b) => (a.sequence < b.sequence ? -1 : 1))
  const book = bookOf(state.books, endpoint.account_id)
  const newId = () => state.bookId(book, 'whd')
  const deliveries = deliveriesOf(endpoint, events, newId, book.now)
  const replayed: Replayed = {
    deliveries: deliveries.length,
    has_more: beyond !== undefined,
    next: is_range && beyond !== undefined ? beyond.sequence : null,
    last: is_range && beyond !== undefined ? picked.last : null,
  }
  if (deliveries.length === 0) return { ...unchanged(endpoint), replayed }
  const delivery_count = endpoint.delivery_count + BigInt(deliveries.length)
  return { ...changed(state, { ...endpoint, delivery_count }), deliveries, replayed }
}

export function deliveriesOf(
  { account_id, id: endpoint_id, delivery_count }: WebhookEndpoint,
  events: readonly Deliverable[],
  newId: () => string,
  created_at: Instant,
): NewDelivery[] {
  return events.map(({ id: event_id, sequence, type, object_id }, i) => ({
    account_id,
    endpoint_id,
    number: delivery_count + BigInt(i + 1),
    id: newId(),
    event_id,
    event_sequence: sequence,
    event_type: type,
    object_id,
    created_at,
  }))
}

/** A replay of an event that is still to come would overtake the events before it. */
function willBeFannedOut(endpoint: WebhookEndpoint, event: Deliverable): boolean {
  return event.sequence > endpoint.fanned_out && wants(endpoint, event)
}

function passesTypes(
  endpoint: WebhookEndpoint,
  { event_types = [] }: ReplayRequest,
  event: Deliverable,
): boolean {
  return wants(endpoint, event) && matches(event_types, event.type)
}

/** The problems of events named by id: unknown, or about another endpoint. */
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
    return foreign ? [invalidField(remarks, 'This event is about another webhook endpoint.')] : []
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
