// Keyed payouts under load, remembered with their answers, and asked again with the same keys once
// the dust has settled: the judge of every crash.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../../../src/db/connect.ts'
import { localPayout } from '../given/bodies.ts'
import { share } from '../share.ts'
import { type HttpAnswer, type HttpClient, seeded, tally } from './process.ts'

/** One payout asked for under its own key. */
export interface Asked {
  readonly key: string
  readonly amount: number
  readonly asked_at: number
  /** It is paid by a quote, which is asked for first, under the same key. */
  readonly quoted: boolean
  /** The id of that quote, once it was heard. */
  quote?: string
  /** What the client got: an answer, or the code of the error that took its place. */
  answer?: HttpAnswer
  error?: string
  /** What it got before it asked again, such as `503 service_unavailable` or `ECONNRESET`. */
  readonly earlier: string[]
  /** When it got the last of it. */
  ended_at: number
}

export interface Load {
  readonly asked: readonly Asked[]
  /** Asks no more; resolves when all that was asked has ended. */
  stop(): Promise<void>
}

interface LoadOptions {
  readonly client: HttpClient
  readonly clients: number
  /** Is asked before each request, so that a test can lead a client elsewhere. */
  readonly address: (worker: number) => string
  readonly name: string
  /** Gives each client a generator of its own: what one asks for is not up to the others' pace. */
  readonly random: () => number
  readonly amount?: (random: () => number) => number
  /** How many of a hundred are paid by a quote; none unless said otherwise. */
  readonly quoted_percent?: number
  /** Clients that get no 200 ask again by the same key until they do. */
  readonly insist?: boolean
  /** Each client's pause after a success, and after anything else: PAUSE_MS and RETRY_MS. */
  readonly pause_ms?: number | ((worker: number) => number)
  readonly retry_ms?: number
  readonly onEnd?: (asked: Asked, worker: number) => void
}

/** In the usual run, beside which others run, some hundred requests a second are enough. */
const PAUSE_MS = share(20, 0)
const RETRY_MS = share(40, 10)

/** A key that has no result by then is stuck; clients that insist give it up. */
const STUCK_MS = 120_000

/** Starts `clients` loops of keyed payouts. */
export function startLoad(options: LoadOptions): Load {
  const { amount = random => 1 + Math.floor(random() * 900) } = options
  const { pause_ms = PAUSE_MS, retry_ms = RETRY_MS } = options
  const asked: Asked[] = []
  let stopped = false
  const work = async (worker: number, random: () => number) => {
    for (let i = 0; !stopped && !options.client.closed(); i++) {
      const one: Asked = {
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

/** The last answers in words, for whoever waited for others in vain. */
export function lastWords({ asked }: Pick<Load, 'asked'>): string {
  const ended = asked.filter(({ ended_at }) => ended_at > 0).slice(-8)
  return ended
    .map(({ key, answer, error }) => `${key}: ${answer?.status ?? error} ${answer?.text ?? ''}`)
    .join('\n')
}

async function ask(options: LoadOptions, worker: number, one: Asked): Promise<void> {
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

/** The answer to the payout, or to its quote if that one was not to be had. */
async function pay(client: HttpClient, address: string, one: Asked): Promise<HttpAnswer> {
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
 * Asks everything again. Each key must end in one 200, byte for byte the first one if there was one,
 * and each 200 in one payout of its own; no money moved besides.
 */
export async function askAgain(
  client: HttpClient,
  address: string,
  asked: readonly Asked[],
): Promise<{ acknowledged: number; committed_unheard: number }> {
  let acknowledged = 0
  let committed_unheard = 0
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
      } else if (replayed) committed_unheard += 1
      assert.ok(!ids.has(again.json.data.id))
      ids.add(again.json.data.id)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  assert.equal(ids.size, asked.length)
  return { acknowledged, committed_unheard }
}

/** Every payout there is came from one of these keys, took what was asked, and has one quote. */
export async function checkPaid(
  sql: Sql,
  account_id: string,
  asked: readonly Asked[],
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
