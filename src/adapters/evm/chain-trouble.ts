// What can be wrong with a chain or its providers as a whole: another chain, no new blocks, or two
// histories that both count as final.

import { firstOf } from './agree.ts'
import type { EvmChain } from './chains.ts'
import { PATIENCE_MS } from './heads.ts'
import type { Provider } from './node.ts'
import { blockAt, finalOf } from './provider-reads.ts'

export interface ChainTrouble {
  readonly kind: 'providers_disagree' | 'provider_wrong' | 'chain_stopped' | 'other_chain'
  readonly providers: readonly string[]
  readonly message: string
}

/** A chain that makes no block for so long has stopped. */
const STILL_BLOCKS = 60
const LEAST_STILL_MS = 60_000

export function stillness(
  still_ms: number,
  { block_ms, title }: EvmChain,
  providers: readonly Provider[],
): ChainTrouble[] {
  if (still_ms <= Math.max(STILL_BLOCKS * block_ms, LEAST_STILL_MS)) return []
  const message = `no new block of ${title} for ${Math.floor(still_ms / 1000)} s`
  return [{ kind: 'chain_stopped', providers: providers.map(({ name }) => name), message }]
}

/**
 * Compares, among the providers that have it as final, the highest block that `need` of them have
 * as final. Without so many, the lowest.
 */
export async function disagreements(
  providers: readonly Provider[],
  need: number,
): Promise<ChainTrouble[]> {
  const asked = providers.map(async provider => ({ provider, final: await finalOf(provider) }))
  const finals = await firstOf(asked, need, PATIENCE_MS)
  const heights = finals.map(({ final }) => final.number).toSorted((a, b) => Number(b - a))
  const number = heights[need - 1] ?? heights.at(-1) ?? 0n
  const found = await firstOf(
    finals
      .filter(({ final }) => final.number >= number)
      .map(async ({ provider, final }) => {
        const { hash } = final.number === number ? final : await blockAt(provider, number)
        return { name: provider.name, hash }
      }),
    need,
    PATIENCE_MS,
  )
  const blocks = providers.flatMap(({ name }) => found.filter(one => one.name === name))
  const votes = Map.groupBy(blocks, ({ hash }) => hash)
  if (votes.size < 2) return []
  const isFew = ({ hash }: (typeof blocks)[number]) => (votes.get(hash)?.length ?? 0) < need
  const few = blocks.filter(isFew)
  const wordsOf = (some: typeof blocks) =>
    some.map(({ name, hash }) => `${name} has ${hash}`).join(', ')
  const names = few.map(({ name }) => name)
  if (few.length === blocks.length) {
    const message = `providers disagree about the final block ${number}: ${wordsOf(blocks)}`
    return [{ kind: 'providers_disagree', providers: names, message }]
  }
  const others = wordsOf(blocks.filter(one => !isFew(one)))
  const message = `about the final block ${number}: ${wordsOf(few)}, but ${others}`
  return [{ kind: 'provider_wrong', providers: names, message }]
}
