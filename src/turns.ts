// Long work of a process in turns, so that its other work goes on between them.

/** How long the others wait at most for one turn. */
const TURN_MS = 5

/** Does each in its order; other work of the process goes on between some of them. */
export async function inTurns<T>(items: Iterable<T>, each: (item: T) => void): Promise<void> {
  let turn = performance.now()
  for (const item of items) {
    if (performance.now() - turn > TURN_MS) {
      await new Promise(resolve => setImmediate(resolve))
      turn = performance.now()
    }
    each(item)
  }
}
