// Sizes the searches of tests: `npm test` makes a share, for which a change can wait, and `npm run
// test:long` makes all that reliability.md promises.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/** True in `npm run test:long`. */
export const LONG = process.env.CORRIDOR_TEST_LONG === '1'

/** `share(200, 5_000)`: 200 in `npm test`, 5,000 in the long run. */
export function share<T>(usual: T, long: T): T {
  return LONG ? long : usual
}

/**
 * Checks a promised duration. Every run prints it; only the long run judges it, because it has the
 * machine for itself. In other runs other work slows the machine down, so tests assert the order of
 * events.
 */
export function promised(t: TestContext, what: string, took_ms: number, most_ms: number): void {
  const words = `${what}: ${Math.round(took_ms)} ms, of ${most_ms} ms promised`
  t.diagnostic(words)
  if (LONG) assert.ok(took_ms <= most_ms, words)
}
