// A worker runs rounds of work in this process, one after the other, until it is stopped.
import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '../../runtime/deps.ts'

export interface Worker {
  stop(): Promise<void>
}

/** A round never rejects, and returns the milliseconds to wait for the next. */
export function startWorker(round: (signal: AbortSignal) => Promise<number>): Worker {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    while (!signal.aborted) {
      const wait_ms = await round(signal)
      if (wait_ms > 0) await delay(wait_ms, undefined, { signal }).catch(() => {})
    }
  }
  const done = run()
  return {
    stop() {
      stopping.abort()
      return done
    },
  }
}

/** For `catch`, where a failure stops no other work: logs a warning and gives the fallback. */
export function warned<T>(
  { log }: Pick<Deps, 'log'>,
  message: string,
  fallback: T,
  facts: object = {},
): (error: unknown) => T {
  return error => {
    log.warn({ err: error, ...facts }, message)
    return fallback
  }
}

export class RailSlots {
  readonly #most: number
  readonly #inHand = new Map<string, Set<Promise<void>>>()

  constructor(most: number) {
    this.#most = most
  }

  free(rails: Iterable<string>): string[] {
    return [...rails].filter(rail => (this.#inHand.get(rail)?.size ?? 0) < this.#most)
  }

  areFree(): boolean {
    return [...this.#inHand.values()].every(rounds => rounds.size < this.#most)
  }

  /** Fills a slot of the rail until `work` ends, which never rejects. */
  fill(rail: string, work: Promise<unknown>): void {
    const rounds = this.#inHand.get(rail) ?? new Set()
    this.#inHand.set(rail, rounds)
    const round = work.then(() => {
      rounds.delete(round)
    })
    rounds.add(round)
  }

  /** Resolves once a round ends; never without one. */
  async nextFree(): Promise<void> {
    await Promise.race(this.#rounds())
  }

  async end(): Promise<void> {
    await Promise.all(this.#rounds())
  }

  #rounds(): Promise<void>[] {
    return [...this.#inHand.values()].flatMap(rounds => [...rounds])
  }
}
