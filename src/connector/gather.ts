// Gathers items that come while the database is busy with earlier ones, by account, so that many
// answers and webhooks share a transaction.
import { nextTurn } from '../turns.ts'

/** Most items of one transaction. */
const MOST = 200

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes a function that does `work` for one item, together with others of the same account. The
 * results of `work` are in the order of its items. When items fail together, each is tried alone.
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
      if (all.length > 1) for (const one of all) await run(account_id, [one])
      else for (const { reject } of all) reject(error)
    }
  }
  const empty = async (account_id: string, queue: Waiting<T, R>[]) => {
    // Waits one turn of the event loop, to gather calls that come together.
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
      void empty(account_id, queue)
    }
    return promise
  }
}
