// Reads the transfers from and to our wallets in final blocks, range by range, so that the books of
// the chain are complete whatever this process has missed.
import { eachOf, type OpenEvmRail } from './open.ts'
import { transactHouse } from './slot-store.ts'
import { insertTransfers } from './transfer-store.ts'
import { findWallets, noteRead } from './wallet-store.ts'

/** Providers answer ranges up to some thousand blocks, and short ones surely. */
const RANGE = 500n
/** The most ranges of one round. */
const MOST_RANGES = 4

/** Reads on from where each wallet stands, up to the newest final block. */
export async function scanTransfers({ chain, config, sql }: OpenEvmRail): Promise<void> {
  const final = await chain.final()
  if (!('agreed' in final)) return
  const addresses = config.wallets.map(({ address }) => address)
  const tokens = [...config.tokens.values()].map(({ address }) => address)
  const wallets = await findWallets(sql, config.chain.id, addresses)
  await eachOf([...Map.groupBy(wallets, ({ read_block }) => read_block)], async ([read, all]) => {
    let from = read + 1n
    const of_these = all.map(({ address }) => address)
    for (let n = 0; n < MOST_RANGES && from <= final.agreed.number; n++) {
      const end = from + RANGE - 1n
      const to = end < final.agreed.number ? end : final.agreed.number
      const [found, last] = await Promise.all([
        chain.transfers(of_these, tokens, from, to),
        chain.block(to),
      ])
      if (!('agreed' in found) || !('agreed' in last) || last.agreed === null) return
      const block = last.agreed
      await transactHouse(sql, [], async tx => {
        await insertTransfers(tx, config.chain.id, found.agreed)
        await noteRead(tx, config.chain.id, of_these, block)
      })
      from = to + 1n
    }
  })
}
