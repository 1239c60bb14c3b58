// Writes endpoints in one operation. It locks the account's book before the endpoint's row.
import { randomBytes } from 'node:crypto'
import type { Operation } from '../engine/operation.ts'
import { success } from '../http/answer.ts'
import type { Claiming, Reply } from '../http/idempotency/kept-reply.ts'
import { readRange } from '../http/list.ts'
import { type Author, writeAs } from '../ledger/audit/store.ts'
import { bookOf } from '../ledger/rules.ts'
import { lockBooks } from '../ledger/store.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { accountsOf } from '../sql/shard.ts'
import { storeBooks } from '../statements/balance-transaction/operations.ts'
import { type Cut, isAfter, refuseArchived, refuseBefore } from '../statements/event/cut.ts'
import { findCut } from '../statements/event/cut-store.ts'
import { findEvents, findNumbers, listSubjectsAfter } from '../statements/event/store.ts'
import { Refusal } from '../values/errors.ts'
import { type BookId, type Key, nameOf, uniqueKeys } from '../values/id.ts'
import {
  decideWebhook,
  type Picked,
  type WebhookChange,
  type WebhookOutcome,
  type WebhookState,
} from './decide.ts'
import { cancelPending, countPending, insertDeliveries, listDead } from './delivery-store.ts'
import type { ReplayRequest } from './request.ts'
import { presentEndpoint, presentReplay, presentTest } from './response.ts'
import { MAX_CANCELLED, MAX_REPLAYED } from './rules.ts'
import { newSecret } from './sign.ts'
import { countEndpoints, lockEndpoints, writeEndpoints } from './store.ts'
import type { WebhookEndpoint } from './webhook.ts'

export interface WriteWebhook extends Claiming {
  readonly change: WebhookChange
  /** The caller of the API, for the audit log; undefined where the transaction has an author. */
  readonly author?: Author
  /** Thrown by `decide`, so that a repeat of a request that succeeded still gets its answer. */
  readonly refused?: Refusal | undefined
}

/** Standard Webhooks allows 24 to 64 bytes; this is the length of SHA-256. */
const SECRET_BYTES = 32

/** Its lanes run one command a transaction, so a transaction has one author. */
export function writeWebhook(
  bookId: BookId,
): Operation<WriteWebhook, WebhookState, WebhookOutcome> {
  return {
    name: 'write_webhook',

    async load(tx, commands) {
      const [{ author } = {}] = commands
      if (author !== undefined) void writeAs(tx, author)
      const creating = commands.filter(({ change }) => change.kind === 'create')
      const [{ books }, locked, counts] = await Promise.all([
        lockBooks(tx, accountsOf(commands)),
        lockNamed(tx, commands),
        countEndpoints(tx, accountsOf(creating)),
      ])
      const endpoints = new Map(locked.map(endpoint => [nameOf(endpoint), endpoint]))
      const [pending, picked] = await Promise.all([
        countCancellable(tx, commands, endpoints),
        pickEvents(tx, commands, endpoints),
      ])
      return {
        books,
        endpoints,
        counts: new Map(counts.map(({ account_id, count }) => [account_id, count])),
        pending,
        picked,
        bookId,
        newSecret: () => newSecret(randomBytes(SECRET_BYTES)),
      }
    },

    decide(state, { account_id, change, refused }) {
      if (refused !== undefined) throw refused
      return decideWebhook(state, account_id, change)
    },

    store(tx, outcomes, state) {
      const rows = (...did: readonly WebhookOutcome['did'][]) =>
        outcomes.filter(o => did.includes(o.did)).map(o => o.endpoint)
      const [created, deleted] = [rows('created'), rows('deleted')]
      const changed = uniqueKeys(rows('changed', 'emptied'))
      const deliveries = outcomes.flatMap(outcome => outcome.deliveries)
      const ending = uniqueKeys(rows('emptied', 'deleted'))
      return Promise.all([
        ...storeBooks(tx, state.books, outcomes),
        writeEndpoints(tx, { created, changed, deleted }),
        insertDeliveries(tx, deliveries),
        ...ending.map(endpoint => {
          const { now } = bookOf(state.books, endpoint.account_id)
          return cancelPending(tx, endpoint, MAX_CANCELLED, now)
        }),
      ])
    },
  }
}

/** Only requests that make a secret get it in their answer. */
export function answerWebhook(
  { endpoint, events, replayed }: WebhookOutcome,
  { change }: WriteWebhook,
): Reply {
  switch (change.kind) {
    case 'create':
    case 'rotate':
      return success({ ...presentEndpoint(endpoint), secret: endpoint.secret })
    case 'update':
      return success(presentEndpoint(endpoint))
    case 'delete':
      return success({ id: endpoint.id, object: 'webhook_endpoint', deleted: true })
    case 'test':
      return success(events.map(presentTest)[0] ?? {})
    case 'replay':
      return success(presentReplay(endpoint, replayed))
  }
}

function lockNamed(tx: TransactionSql, commands: readonly WriteWebhook[]) {
  const keys = commands.flatMap(({ account_id, change }) =>
    change.kind === 'create' ? [] : [{ account_id, id: change.id }],
  )
  return lockEndpoints(tx, uniqueKeys(keys))
}

/** Counts up to MAX_CANCELLED + 1, which stands for any larger number. */
async function countCancellable(
  tx: TransactionSql,
  commands: readonly WriteWebhook[],
  endpoints: ReadonlyMap<string, WebhookEndpoint>,
): Promise<Map<string, number>> {
  const keys = commands.flatMap(({ account_id, change }): Key[] =>
    change.kind === 'delete' ? [{ account_id, id: change.id }] : [],
  )
  const existing = uniqueKeys(keys).filter(key => endpoints.has(nameOf(key)))
  const counts = await Promise.all(existing.map(key => countPending(tx, key, MAX_CANCELLED + 1)))
  return new Map(existing.map((key, i) => [nameOf(key), counts[i] ?? 0]))
}

async function pickEvents(
  tx: TransactionSql,
  commands: readonly WriteWebhook[],
  endpoints: ReadonlyMap<string, WebhookEndpoint>,
): Promise<Map<WebhookChange, Picked>> {
  const picks = commands.map(async ({ account_id, change }) => {
    if (change.kind !== 'replay') return []
    const endpoint = endpoints.get(nameOf({ account_id, id: change.id }))
    if (endpoint === undefined) return []
    const picked = await pick(tx, endpoint, change.request).catch(error => {
      if (!(error instanceof Refusal)) throw error
      return { events: [], last: null, refused: error }
    })
    return [[change, picked] as const]
  })
  return new Map((await Promise.all(picks)).flat())
}

/** A range ends at the newest event that was fanned out: later events are delivered anyway. */
async function pick(
  tx: TransactionSql,
  endpoint: WebhookEndpoint,
  request: ReplayRequest,
): Promise<Picked> {
  const { account_id, fanned_out } = endpoint
  const { event, events, created, sequence, status } = request
  if (status !== undefined) {
    return { events: await listDead(tx, endpoint, MAX_REPLAYED + 1), last: null }
  }
  if (created === undefined && sequence === undefined) {
    const ids = new Set([...(events ?? []), ...(event === undefined ? [] : [event])])
    const keys = [...ids].map(id => ({ account_id, id }))
    const found = await findEvents(tx, keys)
    const cut = found.length === keys.length ? undefined : await findCut(tx, account_id)
    for (const key of keys) if (!found.some(({ id }) => id === key.id)) refuseArchived(cut, key)
    return { events: found, last: null }
  }
  const times = readRange(created ?? {})
  const { from, to } =
    sequence === undefined
      ? await findNumbers(tx, account_id, times)
      : { from: BigInt(sequence.from ?? 1), to: BigInt(sequence.to ?? fanned_out) }
  const cut = await findCut(tx, account_id)
  // A range without a lower bound starts at the oldest event in the database.
  const has_start = [sequence?.from, created?.gt, created?.gte].some(one => one !== undefined)
  // Before the first event that is left, a time has no number, but may still be after the cut.
  const reaches = (cut: Cut) =>
    !isAfter(cut, times.above) && (has_start ? from : to) <= cut.sequence
  if (cut !== undefined && reaches(cut)) refuseBefore(cut)
  const last = to < fanned_out ? to : fanned_out
  const within = { after: from - 1n, to: last }
  return { events: await listSubjectsAfter(tx, account_id, within, MAX_REPLAYED + 1), last }
}
