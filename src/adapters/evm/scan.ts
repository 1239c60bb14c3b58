// Reads the transfers from and to our wallets in final blocks, range by range, so that the books
// of the chain are complete whatever this process has missed. Notes what each wallet has at the
// last of these blocks: its balance and its transfers must agree to the unit.
import type { Agreed, Block, Hex, Transfer } from './chain.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import { transactHouse } from './slot-store.ts'
import {
  type Balance,
  insertTransfers,
  noteBalances,
  type TimedTransfer,
} from './transfer-store.ts'
import { findWallets, noteRead } from './wallet-store.ts'

/** Providers answer ranges up to some thousand blocks, and short ones surely. */
const RANGE = 500n
/** The most ranges of one round. */
const MOST_RANGES = 4

/**
 * Reads on from where each wallet stands. Returns whether all are read up to the newest final
 * block: a long way takes several rounds.
 */
export async function scanTransfers(rail: OpenEvmRail): Promise<boolean> {
  const { chain, config, sql } = rail
  const final = await chain.final()
  if (!('agreed' in final)) return false
  const addresses = config.wallets.map(({ address }) => address)
  const wallets = await findWallets(sql, config.chain.id, addresses)
  const groups = [...Map.groupBy(wallets, ({ read_block }) => read_block)]
  const whole = await eachOf(groups, async ([read, all]) => {
    const of_these = all.map(({ address }) => address)
    let from = read + 1n
    for (let n = 0; n < MOST_RANGES && from <= final.agreed.number; n++) {
      const end = from + RANGE - 1n
      const to = end < final.agreed.number ? end : final.agreed.number
      const is_last = to === final.agreed.number
      if (!(await scanRange(rail, of_these, { from, to, is_last }))) return false
      from = to + 1n
    }
    return from > final.agreed.number
  })
  return whole.every(Boolean)
}

interface Range {
  readonly from: bigint
  readonly to: bigint
  /** Whether it ends at the newest final block: nodes may have forgotten balances of older ones. */
  readonly is_last: boolean
}

/** False while the providers say nothing clear of the range. */
async function scanRange(rail: OpenEvmRail, wallets: readonly Hex[], range: Range) {
  const { chain, config, sql } = rail
  const { from, to, is_last } = range
  const tokens = [...config.tokens.values()].map(({ address }) => address)
  const [found, last, balances] = await Promise.all([
    chain.transfers(wallets, tokens, from, to),
    chain.block(to),
    is_last ? balancesAt(rail, wallets, tokens, to) : [],
  ])
  const block = blockOf(last)
  if (!('agreed' in found) || block === undefined || balances === undefined) return false
  const transfers = await timed(rail, found.agreed)
  if (transfers === undefined) return false
  await transactHouse(sql, [], async tx => {
    await insertTransfers(tx, config.chain.id, transfers)
    await noteBalances(tx, config.chain.id, balances, block)
    await noteRead(tx, config.chain.id, wallets, block)
  })
  return true
}

function blockOf(answer: Agreed<Block | null>): Block | undefined {
  return 'agreed' in answer ? (answer.agreed ?? undefined) : undefined
}

/** The transfers with the times of their blocks; undefined while a time is not agreed. */
async function timed({ chain }: OpenEvmRail, transfers: readonly Transfer[]) {
  const numbers = [...new Set(transfers.map(({ block }) => block))]
  const blocks = await eachOf(numbers, async number => blockOf(await chain.block(number)))
  const by_number = new Map(blocks.map((block, i) => [numbers[i], block]))
  const all: TimedTransfer[] = []
  for (const transfer of transfers) {
    const block = by_number.get(transfer.block)
    if (block?.hash !== transfer.block_hash) return undefined
    all.push({ ...transfer, at: block.at })
  }
  return all
}

/** Undefined while a balance is not agreed. */
async function balancesAt(
  { chain }: OpenEvmRail,
  wallets: readonly Hex[],
  tokens: readonly Hex[],
  number: bigint,
): Promise<readonly Balance[] | undefined> {
  const pairs = wallets.flatMap(wallet => tokens.map(token => ({ wallet, token })))
  const found = await eachOf(pairs, async ({ wallet, token }): Promise<Balance[]> => {
    const units = await chain.balance(wallet, token, number)
    return 'agreed' in units ? [{ wallet, token, units: units.agreed }] : []
  })
  return found.every(one => one.length === 1) ? found.flat() : undefined
}
