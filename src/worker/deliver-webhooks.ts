// The delivery worker: makes deliveries from events, claims what is due, sends it outside any
// transaction and records what came of it. Each endpoint has a line of its own, so that none waits
// for another. It may be killed at any point: what was sent but not recorded is sent again when
// its claim runs out.
import { setImmediate, setTimeout } from 'node:timers/promises'
import { transactConfined } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { classify } from '../db/failure.ts'
import { isSpread } from '../db/shard.ts'
import type { Deps } from '../deps.ts'
import { presentEvent } from '../event/response.ts'
import { listEventsAfter } from '../event/store.ts'
import { type Key, nameOf, newId } from '../id.ts'
import { during } from '../steps.ts'
import { insertDeliveries } from '../webhook/delivery-store.ts'
import {
  applyResults,
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryResult,
  disableGoneEndpoint,
  type LockedEndpoint,
  listEndpointsWithWork,
  lockEndpoint,
  moveCursor,
} from '../webhook/queue-store.ts'
import { afterAttempt, secretsOf, wants } from '../webhook/rules.ts'
import { type SendResult, send } from '../webhook/send.ts'
import { webhookHeaders } from '../webhook/sign.ts'
import type { Worker } from './settle-payouts.ts'

type Needs = Pick<Deps, 'config' | 'finder' | 'log' | 'metrics'>

/** Most requests out at once, in one process: over all, for one endpoint, and for a new one. */
const MAX_IN_FLIGHT = 256
const MAX_SLOTS = 8
const FIRST_SLOTS = 1

/** All endpoints that are slow to answer share this many, so that the others always have room. */
const MAX_SLOW_IN_FLIGHT = 128
const SLOW_MS = 1_000

/** Events that deliveries are made from in one transaction. */
const FAN_OUT = 500

/** Over the time-out of a request, for recording what came of it. */
const LEASE_MARGIN_MS = 5_000

/**
 * Whatever is answered and not recorded comes twice after a crash. While recording takes longer
 * than this it is we who are slow, and more requests at once gain nothing.
 */
const RECORD_WITHIN_MS = 6

const NONE: ReadonlySet<string> = new Set()

/** One endpoint, as this process knows it. */
interface Line {
  readonly endpoint: Key
  /** Requests that are out, or are being claimed. */
  in_flight: number
  /** Most of them: fewer while the receiver does not answer, or we cannot keep up with it. */
  slots: number
  slow: boolean
  /** What is over and not recorded yet. */
  ended: Ended[]
  /** Work that a turn has still to do. */
  wanted: { claim: boolean; fan_out: boolean }
  /** The last claim left slots free. */
  idle: boolean
  turning: boolean
}

interface Ended {
  /** By performance.now(). */
  readonly at_ms: number
  readonly result: DeliveryResult
  readonly disables: boolean
  readonly label: 'succeeded' | 'refused' | 'unanswered'
  readonly account: 'live' | 'sandbox'
}

interface Turn {
  /** Undefined when it is deleted, or in another's hands. */
  readonly endpoint: LockedEndpoint | undefined
  /** Deliveries whose results were written. */
  readonly applied: ReadonlySet<string>
  readonly claimed: readonly ClaimedDelivery[]
  /** Events are left that deliveries are not made from. */
  readonly to_fan_out: boolean
}

/** Runs until it is stopped. `sql`, the worker's own, bounds the transactions open at once. */
export function startDelivering(deps: Needs, sql: Sql): Worker {
  const stopping = new AbortController()
  const { signal } = stopping
  const lines = new Lines(deps, sql)
  const run = async () => {
    while (!signal.aborted) {
      await lines.look().catch(error => {
        deps.log.warn({ err: error }, 'no look for webhooks that are due')
      })
      await setTimeout(deps.config.webhook_poll_ms, undefined, { signal }).catch(() => {})
    }
  }
  const done = run()
  return {
    async stop() {
      stopping.abort()
      lines.stop()
      await done
      await lines.idle()
    },
  }
}

/** Sends whatever is due, and what becomes due by that; returns how many attempts were made. */
export async function deliverDue(deps: Needs, sql: Sql): Promise<number> {
  const lines = new Lines(deps, sql)
  for (let attempts = -1; attempts < lines.attempts; ) {
    attempts = lines.attempts
    await lines.look()
    await lines.idle()
  }
  return lines.attempts
}

/** The endpoints of one process that have, or had, something to be sent. */
class Lines {
  /** How many requests were sent. */
  attempts = 0
  readonly #deps: Needs
  readonly #sql: Sql
  readonly #lines = new Map<string, Line>()
  #in_flight = 0
  #slow_in_flight = 0
  #stopped = false
  /** Told whenever a line has nothing more to do. */
  #rested: (() => void)[] = []

  constructor(deps: Needs, sql: Sql) {
    this.#deps = deps
    this.#sql = sql
  }

  /** Sets every line to work that has some. */
  async look(): Promise<void> {
    for (const { to_fan_out, due, ...endpoint } of await listEndpointsWithWork(this.#deps.finder)) {
      const line = this.#lineOf(endpoint)
      line.wanted.fan_out ||= to_fan_out
      line.wanted.claim ||= due
    }
    for (const [name, line] of this.#lines) {
      if (this.#hasWork(line)) void this.#work(line)
      // What was learned of an endpoint that answers is soon learned again.
      else if (line.in_flight === 0 && !line.turning && !line.slow) this.#lines.delete(name)
    }
  }

  /** Nothing more is claimed; what is out is still recorded. */
  stop(): void {
    this.#stopped = true
  }

  /** Resolves when no request is out and all that came of them is recorded. */
  async idle(): Promise<void> {
    const busy = (line: Line) => line.turning || line.in_flight > 0
    while ([...this.#lines.values()].some(busy)) {
      await new Promise<void>(resolve => this.#rested.push(resolve))
    }
  }

  #lineOf(endpoint: Key): Line {
    const name = nameOf(endpoint)
    const known = this.#lines.get(name)
    if (known !== undefined) return known
    const line: Line = {
      endpoint,
      in_flight: 0,
      slots: FIRST_SLOTS,
      slow: false,
      ended: [],
      wanted: { claim: false, fan_out: false },
      idle: true,
      turning: false,
    }
    this.#lines.set(name, line)
    return line
  }

  #hasWork({ ended, wanted, ...line }: Line): boolean {
    if (ended.length > 0) return true
    if (this.#stopped) return false
    return wanted.fan_out || (wanted.claim && this.#freeSlots(line) > 0)
  }

  #freeSlots({ in_flight, slots, slow }: Pick<Line, 'in_flight' | 'slots' | 'slow'>): number {
    if (this.#stopped) return 0
    const room = MAX_IN_FLIGHT - this.#in_flight
    const slow_room = slow ? MAX_SLOW_IN_FLIGHT - this.#slow_in_flight : room
    return Math.max(0, Math.min(slots - in_flight, room, slow_room))
  }

  #count(line: Line, requests: number): void {
    line.in_flight += requests
    this.#in_flight += requests
    if (line.slow) this.#slow_in_flight += requests
  }

  /** Takes turns until nothing is left to do; one at a time. Never rejects. */
  async #work(line: Line): Promise<void> {
    if (line.turning) return
    line.turning = true
    try {
      while (this.#hasWork(line)) {
        // What ends in the same moment is recorded together.
        await setImmediate()
        await this.#turn(line)
      }
    } catch (error) {
      // The next look tries again.
      const { account_id, id: endpoint_id } = line.endpoint
      this.#deps.log.warn({ err: error, account_id, endpoint_id }, 'webhooks wait')
    } finally {
      line.turning = false
      for (const tell of this.#rested.splice(0)) tell()
    }
  }

  /** One transaction, and what was claimed in it sent off. */
  async #turn(line: Line): Promise<void> {
    const ended = line.ended.splice(0)
    // Until it is committed, a crash would send again: making deliveries comes after recording,
    // unless nothing else is left to be sent.
    const fan_out = line.wanted.fan_out && (ended.length === 0 || line.idle) && !this.#stopped
    const free = this.#freeSlots(line)
    line.wanted = { claim: false, fan_out: line.wanted.fan_out && !fan_out }
    this.#count(line, free)
    let claimed: readonly ClaimedDelivery[] = []
    try {
      const turn = await transactConfined(this.#sql, [line.endpoint.account_id], tx =>
        this.#take(tx, line, ended, fan_out, free),
      )
      claimed = turn.claimed
      line.idle = claimed.length < free
      line.wanted.claim ||= free > 0 && !line.idle
      line.wanted.fan_out ||= turn.to_fan_out
      this.#recorded(line, ended, turn)
      const { endpoint } = turn
      if (endpoint === undefined) return
      for (const delivery of claimed) void this.#send(line, endpoint, delivery)
    } catch (error) {
      // What can never be written is sent again rather than kept for ever.
      if (classify(error) !== 'fault') line.ended.unshift(...ended)
      throw error
    } finally {
      this.#count(line, claimed.length - free)
    }
  }

  async #take(
    tx: TransactionSql,
    line: Line,
    ended: readonly Ended[],
    fan_out: boolean,
    free: number,
  ): Promise<Turn> {
    const lease_ms = this.#deps.config.webhook_timeout_ms + LEASE_MARGIN_MS
    const claiming = () => claimDeliveries(tx, line.endpoint, free, lease_ms)
    const claim = async () => (free > 0 ? during('claim', 'webhooks', free, claiming) : [])
    // Sent at once where nothing in between decides, since what is recorded late may come twice. On
    // a spread database recording takes steps, whose last one wakes what is claimed next.
    const locking = lockEndpoint(tx, line.endpoint, ended.length > 0)
    const results = ended.map(({ result }) => result)
    const recording = results.length > 0 ? applyResults(tx, line.endpoint, results) : NONE
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

  #recorded(line: Line, ended: readonly Ended[], { applied }: Turn): void {
    const late = performance.now() - (ended[0]?.at_ms ?? Infinity) > RECORD_WITHIN_MS
    if (late) line.slots = Math.max(1, line.slots - 1)
    else if (ended.some(one => one.label !== 'unanswered')) {
      line.slots = Math.min(MAX_SLOTS, line.slots + 1)
    }
    for (const { result, label, account } of ended) {
      const kept = applied.has(result.delivery_id) ? label : 'unrecorded'
      this.#deps.metrics.webhookAttempts.inc({ result: kept, account })
    }
  }

  /** Never rejects: whatever happens is a result, which the next turn records. */
  async #send(line: Line, endpoint: LockedEndpoint, delivery: ClaimedDelivery): Promise<void> {
    this.attempts += 1
    const first = delivery.attempts === 1 && !delivery.sandbox
    if (first) this.#deps.metrics.webhookDelay.observe(Math.max(0, delivery.delay_s))
    const requesting = () => this.#request(endpoint, delivery)
    const ids = { delivery_id: delivery.id, event_id: delivery.event_id }
    const sent = await during('webhook', 'send', 1, requesting, { ids }).catch(error => {
      this.#deps.log.error({ err: error, delivery_id: delivery.id }, 'webhook could not be made')
      return NOT_MADE
    })
    const unanswered = sent.status_code === null
    this.#setSlow(line, unanswered || sent.duration_ms > SLOW_MS)
    if (unanswered) line.slots = Math.max(1, Math.trunc(line.slots / 2))
    line.ended.push(endedBy(delivery, sent))
    this.#count(line, -1)
    void this.#work(line)
  }

  async #request(endpoint: LockedEndpoint, delivery: ClaimedDelivery): Promise<SendResult> {
    const { webhook_timeout_ms, webhook_allow_private } = this.#deps.config
    const body = JSON.stringify(presentEvent({ ...delivery, id: delivery.event_id }))
    const timestamp_s = Math.trunc(Date.now() / 1000)
    const secrets = secretsOf(endpoint, endpoint.account_now)
    return send({
      url: endpoint.url,
      headers: webhookHeaders(secrets, delivery.event_id, timestamp_s, body),
      body,
      timeout_ms: webhook_timeout_ms,
      allow_private: webhook_allow_private,
    })
  }

  #setSlow(line: Line, slow: boolean): void {
    if (line.slow === slow) return
    line.slow = slow
    this.#slow_in_flight += slow ? line.in_flight : -line.in_flight
  }
}

/** A request that could not even be begun: tried again like others. */
const NOT_MADE: SendResult = {
  status_code: null,
  retry_after_s: null,
  error: 'failed',
  answer: '',
  duration_ms: 0,
}

/** Makes deliveries from the next events; returns the number of the newest that was looked at. */
async function fanOut(tx: TransactionSql, endpoint: LockedEndpoint): Promise<bigint> {
  const { account_id, id: endpoint_id, fanned_out: after, event_count: to } = endpoint
  const events = await listEventsAfter(tx, account_id, { after, to }, FAN_OUT)
  const deliveries = events
    .filter(event => wants(endpoint, event))
    .map((event, i) => ({
      account_id,
      endpoint_id,
      number: endpoint.delivery_count + BigInt(i + 1),
      id: newId('whd'),
      event_id: event.id,
      event_sequence: event.sequence,
      event_type: event.type,
      object_id: event.object_id,
      created_at: endpoint.account_now,
    }))
  const newest = events.at(-1)?.sequence ?? after
  const inserted = deliveries.length > 0 && insertDeliveries(tx, deliveries)
  await Promise.all([inserted, moveCursor(tx, endpoint, newest, deliveries.length)])
  return newest
}

function endedBy(delivery: ClaimedDelivery, sent: SendResult): Ended {
  const after = afterAttempt(delivery.attempts, sent, Math.random())
  const { status_code, error, answer, duration_ms } = sent
  const refused = status_code === null ? 'unanswered' : 'refused'
  return {
    at_ms: performance.now(),
    disables: after.disables,
    label: after.status === 'succeeded' ? 'succeeded' : refused,
    account: delivery.sandbox ? 'sandbox' : 'live',
    result: {
      delivery_id: delivery.id,
      claimed_until: delivery.due_at,
      number: delivery.attempts,
      status: after.status,
      retry_in_ms: after.status === 'pending' ? after.retry_in_ms : null,
      duration_ms,
      status_code,
      error,
      answer,
    },
  }
}
