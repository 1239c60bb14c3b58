// Long work in the one thread there is, cut so that others get their turn in between.

/** Work of one request goes on for so long before it lets others in. */
const SLICE_MS = 10

/** Resolves once what came in meanwhile has been looked at, and what was written is on its way. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** `work` for each item in order; when it has gone on for too long, others come first. */
export async function forEachInTurns<T>(
  items: readonly T[],
  work: (item: T, i: number) => void,
): Promise<void> {
  let since = performance.now()
  for (const [i, item] of items.entries()) {
    work(item, i)
    if (performance.now() - since < SLICE_MS) continue
    await nextTurn()
    since = performance.now()
  }
}

/** Resolves once all that is ready to run has run, before anything new is read from a socket. */
export function nextTick(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve))
}
