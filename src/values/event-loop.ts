// Cuts long work into slices, so that the event loop serves other requests in between, and bounds
// waits.

/** The longest slice. */
const SLICE_MS = 5

/** Resolves after the event loop has handled pending I/O. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

export async function runInTurns<T>(steps: Generator<void, T>): Promise<T> {
  let since = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (performance.now() - since < SLICE_MS) continue
    await nextTurn()
    since = performance.now()
  }
}

/** Runs the steps at once, for callers that nobody waits behind. */
export function runAtOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Calls `work` for each item, in order, in slices. */
export function forEachInTurns<T>(items: Iterable<T>, work: (item: T, i: number) => void) {
  return runInTurns(eachOf(items, work))
}

function* eachOf<T>(items: Iterable<T>, work: (item: T, i: number) => void): Generator<void> {
  let i = 0
  for (const item of items) {
    work(item, i++)
    yield
  }
}

/** The items of a list that is being read, each in a turn of its own. */
export function eachInTurn<T>(reading: Promise<readonly T[]>, count: number) {
  let before: Promise<unknown> = reading
  return Array.from({ length: count }, (_, i) => {
    const item = before.then(nextTurn).then(async () => (await reading)[i])
    before = item
    return item
  })
}

/** Resolves after all pending callbacks have run, before new I/O is read. */
export function nextTick(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve))
}

/** Waits for the work, at most this long; undefined after that. Rejects if the work does first. */
export async function waitAtMost<T>(milliseconds: number, work: Promise<T> | undefined) {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, milliseconds)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
