// A worker: rounds of work in this process, one after the other, until it is stopped.
import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '../deps.ts'

export interface Worker {
  /** Resolves when the current rounds are finished. */
  stop(): Promise<void>
}

/** Starts a worker. A round never rejects, and returns the milliseconds until the next; 0: none. */
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

/** Handles a failure that stops no other work: logs it in these words, and gives the fallback. */
export function warned<T>(
  { log }: Pick<Deps, 'log'>,
  words: string,
  fallback: T,
  facts: object = {},
): (error: unknown) => T {
  return error => {
    log.warn({ err: error, ...facts }, words)
    return fallback
  }
}
