// An open rail that pays on a chain: its settings, its providers and signers, and the database.
import type { RailDeps } from '../../rails/kind.ts'
import type { Chain, Hex } from './chain.ts'
import type { EvmConfig } from './config.ts'
import type { Leases } from './lease.ts'
import type { Line, Queue } from './queue.ts'
import type { OpenChain } from './quorum.ts'
import type { Signer } from './signer.ts'

export interface OpenEvmRail extends RailDeps {
  readonly name: string
  readonly config: EvmConfig
  readonly chain: Pick<OpenChain, keyof Chain | 'troubles' | 'providers'>
  readonly signers: ReadonlyMap<Hex, Signer>
  readonly leases: Leases
  readonly queue: Queue
  readonly line: Line
  /** Called after a payment is committed: its bytes go out at once. */
  committed(): void
}

/** Runs `work` on each item, at most so many at once; the results have the order of the items. */
export async function eachOf<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  at_once = 16,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const run = async () => {
    while (next < items.length) {
      const i = next++
      results[i] = await work(items[i] as T)
    }
  }
  await Promise.all(Array.from({ length: Math.min(at_once, items.length) }, run))
  return results
}
