// Long work in the one thread there is, cut so that others get their turn in between.

/** Work of one request goes on for so long before it lets others in. */
const SLICE_MS = 5

/** Resolves once what came in meanwhile has been looked at, and what was written is on its way. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** Goes from step to step; when that has gone on for too long, others come first. */
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

/** `work` for each item in order, in turns with others. */
export function forEachInTurns<T>(
  items: readonly T[],
  work: (item: T, i: number) => void,
): Promise<void> {
  return runInTurns(eachOf(items, work))
}

function* eachOf<T>(items: readonly T[], work: (item: T, i: number) => void): Generator<void> {
  for (const [i, item] of items.entries()) {
    work(item, i)
    yield
  }
}

/** Resolves once all that is ready to run has run, before anything new is read from a socket. */
export function nextTick(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve))
}
