// How much of a search a run makes: `npm test` a share that a change can wait for, `npm run test:long`
// all that was promised.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/** True in `npm run test:long`. */
export const LONG = process.env.CORRIDOR_TEST_LONG === '1'

/** `share(200, 5_000)`: 200 in `npm test`, 5,000 in the long run. */
export function share<T>(usual: T, long: T): T {
  return LONG ? long : usual
}

/**
 * A promise in time. Every run prints the figure; it is judged by the long run alone, which has the
 * machine for itself: elsewhere other work decides how long anything takes, and a test asserts what
 * came before what.
 */
export function promised(t: TestContext, what: string, took_ms: number, most_ms: number): void {
  const words = `${what}: ${Math.round(took_ms)} ms, of ${most_ms} ms promised`
  t.diagnostic(words)
  if (LONG) assert.ok(took_ms <= most_ms, words)
}
