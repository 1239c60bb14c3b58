// How much of a search a run makes: `npm test` a share that a change can wait for, `npm run test:long`
// all that was promised.

/** True in `npm run test:long`. */
export const LONG = process.env.CORRIDOR_TEST_LONG === '1'

/** `share(200, 5_000)`: 200 in `npm test`, 5,000 in the long run. */
export function share<T>(usual: T, long: T): T {
  return LONG ? long : usual
}

/**
 * What a bound of time allows beyond the promise in `npm test`, where other files are tested on the
 * same processors; the long run goes by the promise.
 */
export const BUSY_MS = share(2_000, 0)
