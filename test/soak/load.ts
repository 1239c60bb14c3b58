// Pays at a constant rate, each payout with a key of its own, and repeats a request with its key
// until it is answered 200. It keeps of each payout only its id, so that an hour fits into memory.
import { setTimeout as delay } from 'node:timers/promises'
import { localPayout } from '../support/given/bodies.ts'
import type { HttpClient } from '../support/service/process.ts'

/** Requests that wait at a time; a payout that is due above this waits. */
const MOST_OUT = 128
const RETRY_MS = 1_000

export interface SoakLoad {
  /** Keys sent so far. */
  sent(): number
  /** By the number of the key, the id of its payout; undefined until it is acknowledged. */
  readonly ids: readonly (string | undefined)[]
  /** Answers and errors by their kind since the last call. */
  takeTally(): Record<string, number>
  /** 0 sends nothing new. */
  setRate(per_second: number): void
  /** Sends nothing new; resolves when each key has its payout. */
  stop(): Promise<void>
}

/** The amounts end in the digits that the rail pays at once. */
export const amountOf = (number: number) => 1_010 + 100 * (number % 50)

export const keyOf = (number: number) => `soak-${number}`

export function payNumber(client: HttpClient, address: string, number: number) {
  const body = { ...localPayout, amount: amountOf(number) }
  return client.post(address, '/v3/payout', body, keyOf(number))
}

export function startSoakLoad(client: HttpClient, address: string, per_second: number): SoakLoad {
  const ids: (string | undefined)[] = []
  let tally: Record<string, number> = {}
  let rate = per_second
  let stopped = false
  const count = (kind: string) => {
    tally[kind] = (tally[kind] ?? 0) + 1
  }
  const out = new Set<Promise<void>>()
  const insist = async (number: number) => {
    while (!client.closed()) {
      try {
        const { status, json } = await payNumber(client, address, number)
        count(String(status))
        if (status === 200) {
          ids[number] = json.data.id
          return
        }
      } catch (error) {
        count((error as NodeJS.ErrnoException).code ?? String(error))
      }
      await delay(RETRY_MS)
    }
  }
  const run = async () => {
    let due = performance.now()
    while (!stopped && !client.closed()) {
      const pause_ms = 1000 / rate
      if (rate === 0) {
        await delay(20)
        continue
      }
      if (out.size >= MOST_OUT) await Promise.race(out)
      const number = ids.length
      ids.push(undefined)
      const one = insist(number).finally(() => out.delete(one))
      out.add(one)
      // What an outage has delayed is not made up for: the rate is the most that is sent.
      due = Math.max(due + pause_ms, performance.now() - 1_000)
      const wait_ms = due - performance.now()
      if (wait_ms > 1) await delay(wait_ms)
    }
  }
  const running = run()
  return {
    sent: () => ids.length,
    ids,
    takeTally() {
      const taken = tally
      tally = {}
      return taken
    },
    setRate(next) {
      rate = next
    },
    async stop() {
      stopped = true
      await running
      await Promise.all(out)
    },
  }
}
