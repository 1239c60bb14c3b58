// Keyed payouts under load, remembered with their answers, and asked again with the same keys once
// the dust has settled: the judge of every crash.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../../src/db/connect.ts'
import { localPayout } from './bodies.ts'
import type { HttpAnswer, HttpClient } from './process.ts'

/** One payout asked for under its own key. */
export interface Asked {
  readonly key: string
  readonly amount: number
  readonly asked_at: number
  /** What the client got: an answer, or the code of the error that took its place. */
  answer?: HttpAnswer
  error?: string
}

export interface Load {
  readonly asked: readonly Asked[]
  /** Asks no more; resolves when all that was asked has ended. */
  stop(): Promise<void>
}

/**
 * Starts `clients` loops of keyed payouts. `address` is asked before each, and `onEnd` told after, so
 * that a test can lead a client elsewhere.
 */
export function startLoad(options: {
  readonly client: HttpClient
  readonly clients: number
  readonly address: (worker: number) => string
  readonly name: string
  readonly random: () => number
  readonly onEnd?: (asked: Asked, worker: number) => void
}): Load {
  const asked: Asked[] = []
  let stopped = false
  const work = async (worker: number) => {
    for (let i = 0; !stopped; i++) {
      const amount = 1 + Math.floor(options.random() * 900)
      const one: Asked = {
        key: `${options.name}-${worker}-${i}`,
        amount,
        asked_at: performance.now(),
      }
      asked.push(one)
      await ask(options.client, options.address(worker), one)
      options.onEnd?.(one, worker)
      if (one.answer?.status !== 200) await delay(10)
    }
  }
  const workers = Array.from({ length: options.clients }, (_, worker) => work(worker))
  return {
    asked,
    async stop() {
      stopped = true
      await Promise.all(workers)
    },
  }
}

async function ask(client: HttpClient, address: string, one: Asked): Promise<void> {
  try {
    one.answer = await client.post(address, '/v3/payout', bodyOf(one), one.key)
  } catch (error) {
    one.error = (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

const bodyOf = ({ amount }: Asked) => ({ ...localPayout, amount })

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
      const again = await client.post(address, '/v3/payout', bodyOf(one), one.key)
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

/** Every payout there is came from one of these keys, and took what was asked. */
export async function checkPaid(
  sql: Sql,
  account_id: string,
  asked: readonly Asked[],
): Promise<void> {
  const [row] = await sql<{ n: string; total: string }[]>`
    select count(*)::text as n, coalesce(sum(amount), 0)::text as total from payouts
    where account_id = ${account_id}`
  const total = asked.reduce((sum, { amount }) => sum + amount, 0)
  assert.deepEqual({ ...row }, { n: String(asked.length), total: String(total) })
}
