// Sends payouts with idempotency keys during a crash test, and keeps their answers. Afterwards it
// repeats each request with its key, to check that none was lost or paid twice.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../../../src/sql/connect.ts'
import { localPayout } from '../given/bodies.ts'
import { share } from '../share.ts'
import { type HttpAnswer, type HttpClient, seeded, tally } from './process.ts'

/** One requested payout with its idempotency key. */
export interface KeyedPayout {
  readonly key: string
  readonly amount: number
  readonly asked_at: number
  /** Whether it pays by a quote, which the client requests first, with the same key. */
  readonly quoted: boolean
  /** The id of that quote, once the client has it. */
  quote?: string
  /** The last result: an answer, or the code of the network error. */
  answer?: HttpAnswer
  error?: string
  /** The results before the last repeat, such as `503 service_unavailable` or `ECONNRESET`. */
  readonly earlier: string[]
  /** The time of the last result. */
  ended_at: number
}

export interface Load {
  readonly asked: readonly KeyedPayout[]
  /** Stops the clients; resolves when every request has ended. */
  stop(): Promise<void>
}

interface LoadOptions {
  readonly client: HttpClient
  readonly clients: number
  /**
   * The address for a client's next request, so that a test can move a client to another process.
   */
  readonly address: (worker: number) => string
  readonly name: string
  /** Seeds a generator for each client, so that its requests do not depend on the others' pace. */
  readonly random: () => number
  readonly amount?: (random: () => number) => number
  /** The percentage of payouts by a quote; 0 by default. */
  readonly quoted_percent?: number
  /** Makes each client repeat a request with its key until the answer is 200. */
  readonly insist?: boolean
  /** A client's pause after a 200 and after any other result; PAUSE_MS and RETRY_MS by default. */
  readonly pause_ms?: number | ((worker: number) => number)
  readonly retry_ms?: number
  readonly onEnd?: (asked: KeyedPayout, worker: number) => void
}

/**
 * In the usual run other tests need the machine, too: some hundred requests a second are enough.
 */
const PAUSE_MS = share(20, 0)
const RETRY_MS = share(40, 10)

/** An insisting client gives a key up after this time. */
const STUCK_MS = 120_000

/** Starts `clients` loops that pay with new keys. */
export function startLoad(options: LoadOptions): Load {
  const { amount = random => 1 + Math.floor(random() * 900) } = options
  const { pause_ms = PAUSE_MS, retry_ms = RETRY_MS } = options
  const asked: KeyedPayout[] = []
  let stopped = false
  const work = async (worker: number, random: () => number) => {
    for (let i = 0; !stopped && !options.client.closed(); i++) {
      const one: KeyedPayout = {
        key: `${options.name}-${worker}-${i}`,
        amount: amount(random),
        asked_at: performance.now(),
        quoted: random() * 100 < (options.quoted_percent ?? 0),
        earlier: [],
        ended_at: 0,
      }
      asked.push(one)
      await ask(options, worker, one)
      options.onEnd?.(one, worker)
      const paused_ms = typeof pause_ms === 'number' ? pause_ms : pause_ms(worker)
      const next_ms = one.answer?.status === 200 ? paused_ms : retry_ms
      if (next_ms > 0) await delay(next_ms)
    }
  }
  const workers = Array.from({ length: options.clients }, (_, worker) =>
    work(worker, seeded(options.random() * 2 ** 32)),
  )
  return {
    asked,
    async stop() {
      stopped = true
      await Promise.all(workers)
    },
  }
}

/** The last answers as text, for the message of a test that waited in vain. */
export function lastAnswers({ asked }: Pick<Load, 'asked'>): string {
  const ended = asked.filter(({ ended_at }) => ended_at > 0).slice(-8)
  return ended
    .map(({ key, answer, error }) => `${key}: ${answer?.status ?? error} ${answer?.text ?? ''}`)
    .join('\n')
}

async function ask(options: LoadOptions, worker: number, one: KeyedPayout): Promise<void> {
  for (;;) {
    delete one.answer
    delete one.error
    try {
      one.answer = await pay(options.client, options.address(worker), one)
    } catch (error) {
      one.error = (error as NodeJS.ErrnoException).code ?? String(error)
    }
    one.ended_at = performance.now()
    if (one.answer?.status === 200 || options.insist !== true) return
    if (one.ended_at - one.asked_at > STUCK_MS || options.client.closed()) return
    one.earlier.push(one.error ?? Object.keys(tally([one.answer as HttpAnswer])).join())
    await delay(options.retry_ms ?? RETRY_MS)
  }
}

/**
 * Sends the payout, after its quote if it has one. Returns the payout's answer, or the quote's when
 * that failed.
 */
async function pay(client: HttpClient, address: string, one: KeyedPayout): Promise<HttpAnswer> {
  const { amount, key } = one
  if (!one.quoted) return client.post(address, '/v3/payout', { ...localPayout, amount }, key)
  const payout_info = { currency: localPayout.currency, amount }
  const quote = await client.post(address, '/v3/payout/quote', { payout_info }, key)
  if (quote.status !== 200) return quote
  one.quote ??= quote.json.id
  assert.equal(quote.json.id, one.quote, `${key} has two quotes`)
  const body = { ...localPayout, amount, quote: one.quote }
  return client.post(address, '/v3/payout', body, key)
}

/**
 * Repeats every request. Each must get a 200, byte for byte the earlier 200 if there was one, and
 * each key must have a payout of its own. Counts the acknowledged payouts and those that were
 * committed without an answer.
 */
export async function repeatAll(
  client: HttpClient,
  address: string,
  asked: readonly KeyedPayout[],
): Promise<{ acknowledged: number; committed_unanswered: number }> {
  let acknowledged = 0
  let committed_unanswered = 0
  const ids = new Set<string>()
  const queue = [...asked]
  const work = async () => {
    for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
      const again = await pay(client, address, one)
      assert.equal(again.status, 200, `${one.key}: ${again.text}`)
      const replayed = again.headers['idempotent-replayed'] === 'true'
      if (one.answer?.status === 200) {
        acknowledged += 1
        assert.ok(replayed, `${one.key} was acknowledged and lost`)
        assert.equal(again.text, one.answer.text)
      } else if (replayed) committed_unanswered += 1
      assert.ok(!ids.has(again.json.data.id))
      ids.add(again.json.data.id)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  assert.equal(ids.size, asked.length)
  return { acknowledged, committed_unanswered }
}

/**
 * Checks that the account has one payout and one quote for each of these requests, and their total
 * amount.
 */
export async function checkPaid(
  sql: Sql,
  account_id: string,
  asked: readonly KeyedPayout[],
): Promise<void> {
  const [row] = await sql<{ n: string; total: string; quotes: string }[]>`
    select count(*)::text as n, coalesce(sum(amount), 0)::text as total,
      ((select count(*) from quotes where account_id = ${account_id})
        + count(*) filter (where quote_id = ''))::text as quotes
    from payouts where account_id = ${account_id}`
  const total = asked.reduce((sum, { amount }) => sum + amount, 0)
  const n = String(asked.length)
  assert.deepEqual({ ...row }, { n, total: String(total), quotes: n })
}
