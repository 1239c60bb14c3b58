// The delivery worker. Sends due deliveries outside any transaction. Each endpoint has its own
// queue, so that none waits for another. The worker may be killed at any point: a delivery that was
// sent but not recorded is sent again when its claim runs out.
import { withObjects } from '../../history/event-object/operations.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { classify } from '../../sql/failure.ts'
import { isSpread } from '../../sql/shard.ts'
import type { EventWithObject } from '../../statements/event/event.ts'
import { presentEvent } from '../../statements/event/response.ts'
import { during } from '../../values/diagnostics.ts'
import { eachInTurn, nextTurn } from '../../values/event-loop.ts'
import { type Key, nameOf } from '../../values/id.ts'
import {
  applyResults,
  type ClaimedDelivery,
  claimDeliveries,
  disableGoneEndpoint,
  type LockedEndpoint,
  listEndpointsWithWork,
  lockEndpoint,
} from '../../webhooks/queue-store.ts'
import { secretsOf } from '../../webhooks/rules.ts'
import { send } from '../../webhooks/send.ts'
import { webhookHeaders } from '../../webhooks/sign.ts'
import { type EndedAttempt, endedBy, NOT_MADE } from './ended-attempt.ts'
import { fanOut } from './fan-out.ts'
import { startWorker, type Worker, warned } from './worker.ts'

type Needs = Pick<Deps, 'config' | 'finder' | 'log' | 'metrics'>

/** Concurrent requests of one process: to all endpoints, to one, to a new one. */
const MAX_IN_FLIGHT = 256
const MAX_SLOTS = 8
const FIRST_SLOTS = 1

/** Slow endpoints share this many requests, so that the others always have room. */
const MAX_SLOW_IN_FLIGHT = 128
const SLOW_MS = 1_000

/** Bytes of bodies in flight. Beyond it an endpoint claims one delivery at a time. */
const MAX_BYTES_IN_FLIGHT = 32 * 1024 * 1024

/** A claim outlives the request's time-out by this time, in which the attempt is recorded. */
const LEASE_MARGIN_MS = 5_000

/**
 * If recording takes longer, the database is the bottleneck: more concurrent requests gain nothing,
 * and a crash would send more answered deliveries again.
 */
const RECORD_WITHIN_MS = 6

const NONE: ReadonlySet<string> = new Set()

interface Queue {
  readonly endpoint: Key
  in_flight: number
  /** The most requests in flight: fewer while the receiver does not answer or recording is slow. */
  slots: number
  is_slow: boolean
  ended: EndedAttempt[]
  wanted: { claim: boolean; fan_out: boolean }
  /** Whether the last claim left slots free. */
  had_free_slots: boolean
  is_turning: boolean
}

interface Turn {
  /** Undefined when the endpoint is deleted or another process holds it. */
  readonly endpoint: LockedEndpoint | undefined
  readonly applied: ReadonlySet<string>
  readonly claimed: readonly ClaimedDelivery[]
  readonly to_fan_out: boolean
}

/** `sql` is the worker's own pool and bounds its concurrent transactions. */
export function startDelivering(deps: Needs, sql: Sql): Worker {
  const dispatcher = new Dispatcher(deps, sql)
  const finding = startWorker(async () => {
    await dispatcher
      .findWork()
      .catch(warned(deps, 'webhooks that are due could not be found', undefined))
    return deps.config.webhook_poll_ms
  })
  return {
    async stop() {
      dispatcher.stop()
      await finding.stop()
      await dispatcher.idle()
    },
  }
}

/** Sends every delivery that is due or becomes due meanwhile; returns the number of attempts. */
export async function deliverDue(deps: Needs, sql: Sql): Promise<number> {
  const dispatcher = new Dispatcher(deps, sql)
  for (let attempts = -1; attempts < dispatcher.attempts; ) {
    attempts = dispatcher.attempts
    await dispatcher.findWork()
    await dispatcher.idle()
  }
  return dispatcher.attempts
}

class Dispatcher {
  attempts = 0
  readonly #deps: Needs
  readonly #sql: Sql
  readonly #queues = new Map<string, Queue>()
  #in_flight = 0
  #slow_in_flight = 0
  #bytes_in_flight = 0
  #stopped = false
  /** Resolves the waiting calls of `idle`. */
  #onIdle: (() => void)[] = []

  constructor(deps: Needs, sql: Sql) {
    this.#deps = deps
    this.#sql = sql
  }

  /** Starts every queue that has work in the database. */
  async findWork(): Promise<void> {
    for (const { to_fan_out, due, ...endpoint } of await listEndpointsWithWork(this.#deps.finder)) {
      const queue = this.#queueOf(endpoint)
      queue.wanted.fan_out ||= to_fan_out
      queue.wanted.claim ||= due
    }
    for (const [name, queue] of this.#queues) {
      if (this.#hasWork(queue)) void this.#work(queue)
      // The state of a slow endpoint costs time to relearn.
      else if (queue.in_flight === 0 && !queue.is_turning && !queue.is_slow)
        this.#queues.delete(name)
    }
  }

  /** From now on claims no deliveries. Deliveries in flight are still recorded. */
  stop(): void {
    this.#stopped = true
  }

  /** Resolves when no request is being sent and every attempt is recorded. */
  async idle(): Promise<void> {
    const busy = (queue: Queue) => queue.is_turning || queue.in_flight > 0
    while ([...this.#queues.values()].some(busy)) {
      await new Promise<void>(resolve => this.#onIdle.push(resolve))
    }
  }

  #queueOf(endpoint: Key): Queue {
    return this.#queues.getOrInsertComputed(nameOf(endpoint), () => ({
      endpoint,
      in_flight: 0,
      slots: FIRST_SLOTS,
      is_slow: false,
      ended: [],
      wanted: { claim: false, fan_out: false },
      had_free_slots: true,
      is_turning: false,
    }))
  }

  #hasWork({ ended, wanted, ...queue }: Queue): boolean {
    if (ended.length > 0) return true
    if (this.#stopped) return false
    return wanted.fan_out || (wanted.claim && this.#freeSlots(queue) > 0)
  }

  #freeSlots({ in_flight, slots, is_slow }: Pick<Queue, 'in_flight' | 'slots' | 'is_slow'>) {
    if (this.#stopped) return 0
    const room = MAX_IN_FLIGHT - this.#in_flight
    const slow_room = is_slow ? MAX_SLOW_IN_FLIGHT - this.#slow_in_flight : room
    const most = this.#bytes_in_flight < MAX_BYTES_IN_FLIGHT ? slots : 1
    return Math.max(0, Math.min(most - in_flight, room, slow_room))
  }

  #count(queue: Queue, requests: number): void {
    queue.in_flight += requests
    this.#in_flight += requests
    if (queue.is_slow) this.#slow_in_flight += requests
  }

  /** Until no work is left. Never rejects. */
  async #work(queue: Queue): Promise<void> {
    if (queue.is_turning) return
    queue.is_turning = true
    try {
      while (this.#hasWork(queue)) {
        // Lets requests that end in the same moment be recorded together.
        await nextTurn()
        await this.#turn(queue)
      }
    } catch (error) {
      // The next findWork() tries again.
      const { account_id, id: endpoint_id } = queue.endpoint
      const words = 'deliveries of an endpoint could not be claimed or recorded'
      this.#deps.log.warn({ err: error, account_id, endpoint_id }, words)
    } finally {
      queue.is_turning = false
      for (const resolve of this.#onIdle.splice(0)) resolve()
    }
  }

  /** Records, fans out and claims in one transaction, then sends the claimed deliveries. */
  async #turn(queue: Queue): Promise<void> {
    const ended = queue.ended.splice(0)
    // A crash before the commit sends the ended deliveries again, so a turn that records is short.
    const fan_out =
      queue.wanted.fan_out && (ended.length === 0 || queue.had_free_slots) && !this.#stopped
    const free = this.#freeSlots(queue)
    queue.wanted = { claim: false, fan_out: queue.wanted.fan_out && !fan_out }
    this.#count(queue, free)
    let claimed: readonly ClaimedDelivery[] = []
    try {
      const turn = await transactConfined(this.#sql, [queue.endpoint.account_id], tx =>
        this.#transact(tx, queue, ended, fan_out, free),
      )
      claimed = turn.claimed
      queue.had_free_slots = claimed.length < free
      queue.wanted.claim ||= free > 0 && !queue.had_free_slots
      queue.wanted.fan_out ||= turn.to_fan_out
      this.#recorded(queue, ended, turn)
      const { endpoint } = turn
      if (endpoint === undefined) return
      const reading = this.#readObjects(queue, claimed)
      // Each body is written in a turn of its own, because it may have half a megabyte.
      const events = eachInTurn(reading, claimed.length)
      for (const [i, delivery] of claimed.entries()) {
        void this.#send(queue, endpoint, delivery, events[i])
      }
    } catch (error) {
      // Drops results that can never be recorded: their deliveries are sent again.
      if (classify(error) !== 'fault') queue.ended.unshift(...ended)
      throw error
    } finally {
      this.#count(queue, claimed.length - free)
    }
  }

  async #transact(
    tx: TransactionSql,
    queue: Queue,
    ended: readonly EndedAttempt[],
    fan_out: boolean,
    free: number,
  ): Promise<Turn> {
    const lease_ms = this.#deps.config.webhook_timeout_ms + LEASE_MARGIN_MS
    const claiming = () => claimDeliveries(tx, queue.endpoint, free, lease_ms)
    const claim = async () => (free > 0 ? during('claim', 'webhooks', free, claiming) : [])
    // Sends lock, record and claim together, because late recording risks sending twice. On a
    // distributed database the last of several statements makes the next deliveries due.
    const locking = lockEndpoint(tx, queue.endpoint, ended.length > 0)
    const results = ended.map(({ result }) => result)
    const recording = results.length > 0 ? applyResults(tx, queue.endpoint, results) : NONE
    const at_once = results.length > 0 && !fan_out && !isSpread() && !ended.some(o => o.disables)
    const [endpoint, applied, first] = await Promise.all([
      locking,
      recording,
      at_once ? claim() : [],
    ])
    if (endpoint === undefined) return { endpoint, applied, claimed: [], to_fan_out: false }
    const gone = ended.some(one => one.disables && applied.has(one.result.delivery_id))
    if (gone) await disableGoneEndpoint(tx, endpoint)
    if (gone || endpoint.status !== 'enabled') {
      return { endpoint, applied, claimed: [], to_fan_out: false }
    }
    const fanned_out = fan_out ? await fanOut(tx, endpoint) : endpoint.fanned_out
    const claimed = at_once ? first : await claim()
    return { endpoint, applied, claimed, to_fan_out: fanned_out < endpoint.event_count }
  }

  /** Undefined for an event whose read fails. */
  #readObjects(
    { endpoint: { account_id } }: Queue,
    deliveries: readonly ClaimedDelivery[],
  ): Promise<readonly (EventWithObject | undefined)[]> {
    const events = deliveries.map(delivery => delivery.event)
    const read = (some: typeof events) =>
      readConfined(this.#sql, [account_id], tx => withObjects(tx, some))
    const one = async (event: (typeof events)[number]) => (await read([event]).catch(() => []))[0]
    return read(events).catch(() => Promise.all(events.map(one)))
  }

  #recorded(queue: Queue, ended: readonly EndedAttempt[], { applied }: Turn): void {
    const late = performance.now() - (ended[0]?.at_ms ?? Infinity) > RECORD_WITHIN_MS
    if (late) queue.slots = Math.max(1, queue.slots - 1)
    else if (ended.some(one => one.label !== 'unanswered')) {
      queue.slots = Math.min(MAX_SLOTS, queue.slots + 1)
    }
    for (const { result, label, account } of ended) {
      const recorded = applied.has(result.delivery_id) ? label : 'unrecorded'
      this.#deps.metrics.webhookAttempts.inc({ result: recorded, account })
    }
  }

  /** Never rejects; queues the result for the next turn. */
  async #send(
    queue: Queue,
    endpoint: LockedEndpoint,
    delivery: ClaimedDelivery,
    event: Promise<EventWithObject | undefined> | undefined,
  ): Promise<void> {
    this.attempts += 1
    const first = delivery.attempts === 1 && !delivery.sandbox
    if (first) this.#deps.metrics.webhookDelay.observe(Math.max(0, delivery.delay_s))
    const requesting = async () => this.#request(endpoint, await event)
    const ids = { delivery_id: delivery.id, event_id: delivery.event.id }
    const sent = await during('webhook', 'send', 1, requesting, { ids }).catch(error => {
      this.#deps.log.error({ err: error, delivery_id: delivery.id }, 'webhook could not be made')
      return NOT_MADE
    })
    const unanswered = sent.status_code === null
    this.#setSlow(queue, unanswered || sent.duration_ms > SLOW_MS)
    if (unanswered) queue.slots = Math.max(1, Math.trunc(queue.slots / 2))
    queue.ended.push(endedBy(delivery, sent))
    this.#count(queue, -1)
    void this.#work(queue)
  }

  async #request(endpoint: LockedEndpoint, event: EventWithObject | undefined) {
    if (event === undefined) throw new Error('an event without its object')
    const { webhook_timeout_ms, webhook_allow_private } = this.#deps.config
    const body = JSON.stringify(presentEvent(event))
    const timestamp_s = Math.trunc(Date.now() / 1000)
    const secrets = secretsOf(endpoint, endpoint.account_now)
    const headers = webhookHeaders(secrets, event.id, timestamp_s, body)
    this.#bytes_in_flight += body.length
    try {
      return await send({
        url: endpoint.url,
        headers,
        body,
        timeout_ms: webhook_timeout_ms,
        allow_private: webhook_allow_private,
      })
    } finally {
      this.#bytes_in_flight -= body.length
    }
  }

  #setSlow(queue: Queue, is_slow: boolean): void {
    if (queue.is_slow === is_slow) return
    queue.is_slow = is_slow
    this.#slow_in_flight += is_slow ? queue.in_flight : -queue.in_flight
  }
}
