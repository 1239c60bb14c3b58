// Gathers the items of an account that arrive while the database is busy with earlier ones, so that
// many answers or webhooks share a transaction.
import { nextTurn } from '../../values/event-loop.ts'

/** The most items of one transaction. */
const MOST = 200

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/**
 * A function that does `work` for one item, together with other items of the same account. `work`
 * returns its results in the order of the items. When items fail together, each is tried alone.
 */
export function gather<T, R>(
  work: (account_id: string, items: readonly T[]) => Promise<readonly R[]>,
): (account_id: string, item: T) => Promise<R> {
  const queues = new Map<string, Waiting<T, R>[]>()
  const run = async (account_id: string, all: readonly Waiting<T, R>[]): Promise<void> => {
    const items = all.map(({ item }) => item)
    try {
      const results = await work(account_id, items)
      for (const [i, { resolve }] of all.entries()) resolve(results[i] as R)
    } catch (error) {
      if (all.length > 1) for (const waiting of all) await run(account_id, [waiting])
      else for (const { reject } of all) reject(error)
    }
  }
  const drain = async (account_id: string, queue: Waiting<T, R>[]) => {
    // Waits one turn of the event loop, to gather simultaneous calls.
    await nextTurn()
    while (queue.length > 0) await run(account_id, queue.splice(0, MOST))
    queues.delete(account_id)
  }
  return (account_id, item) => {
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    const queue = queues.get(account_id) ?? []
    queue.push({ item, resolve, reject })
    if (!queues.has(account_id)) {
      queues.set(account_id, queue)
      void drain(account_id, queue)
    }
    return promise
  }
}
