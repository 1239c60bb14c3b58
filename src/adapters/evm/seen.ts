// Asks the providers about open payments, with as few questions as prove what follows: a block's
// hash proves all blocks before it, and the nonce of a wallet which of its payments may be mined.
import type { Instant } from '../../values/instant.ts'
import type { Agreed, Hex, Receipt } from './chain.ts'
import type { Seen } from './decide.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import type { OpenSlot } from './send.ts'
import type { Slot, SlotState } from './slot.ts'

/** Looks at the chain. Returns what was seen for each slot. */
export async function lookAt(
  { chain }: OpenEvmRail,
  open: readonly OpenSlot[],
  now: Instant,
): Promise<(slot: Slot) => Seen> {
  const wallets = [...new Set(open.map(({ slot }) => slot.wallet))]
  const [final, settled, latest] = await Promise.all([
    chain.final().then(agreedOr),
    chain.settled().then(agreedOr),
    byWallet(wallets, wallet => chain.nonce(wallet, 'latest')),
  ])
  // Before the receipts: a reorganization is seen before what came after it.
  const canonical = new Map<bigint, Hex | null>()
  const know = async (numbers: readonly bigint[]) => {
    const unknown = [...new Set(numbers)].filter(number => !canonical.has(number))
    await eachOf(unknown, async number => {
      const block = agreedOr(await chain.block(number))
      if (block !== undefined) canonical.set(number, block?.hash ?? null)
    })
  }
  const mayEnd = (block: bigint) =>
    [final, settled].some(last => last !== undefined && block <= last.number)
  await know(doubtfulBlocks(open, mayEnd, canonical, await newestOf(open, know)))
  const isWanted = ({ slot, transactions }: OpenSlot) => {
    const { wallet, nonce, state } = slot
    if (state === 'paid') return false
    if (state === 'mined') {
      return transactions.some(
        ({ block, block_hash }) =>
          block !== null &&
          (mayEnd(block) || (canonical.has(block) && canonical.get(block) !== block_hash)),
      )
    }
    const count = latest.get(wallet)
    return count === undefined || nonce < count
  }
  const wanted = open.filter(isWanted)
  const hashes = wanted.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
  const receipts = new Map<Hex, Receipt | null>()
  await eachOf(hashes, async hash => {
    const receipt = agreedOr(await chain.receipt(hash))
    if (receipt !== undefined) receipts.set(hash, receipt)
  })
  await know([...receipts.values()].flatMap(receipt => receipt?.block ?? []))
  const of_wanted = [...new Set(wanted.map(({ slot }) => slot.wallet))]
  const final_nonces =
    final === undefined
      ? new Map<Hex, bigint>()
      : await byWallet(of_wanted, wallet => chain.nonce(wallet, final.number))
  return ({ wallet }) => ({
    final: final ?? null,
    settled: settled ?? null,
    receipts,
    canonical,
    final_nonce: final_nonces.get(wallet) ?? null,
    now,
  })
}

function agreedOr<T>(answer: Agreed<T>): T | undefined {
  return 'agreed' in answer ? answer.agreed : undefined
}

async function byWallet(wallets: readonly Hex[], ask: (wallet: Hex) => Promise<Agreed<bigint>>) {
  const counts = await eachOf(wallets, async wallet => agreedOr(await ask(wallet)))
  return new Map(
    wallets.flatMap((wallet, i) => {
      const count = counts[i]
      return count === undefined ? [] : [[wallet, count] as const]
    }),
  )
}

interface InBlock {
  readonly block: bigint
  readonly block_hash: Hex | ''
  readonly state: SlotState
}

function blocksOf(open: readonly OpenSlot[]): InBlock[] {
  return open.flatMap(({ slot: { state }, transactions }) =>
    transactions.flatMap(({ block, block_hash }) =>
      block === null || !['mined', 'paid'].includes(state) ? [] : [{ block, block_hash, state }],
    ),
  )
}

/** The newest block with an open payment, once the chain's block of that number is known. */
async function newestOf(
  open: readonly OpenSlot[],
  know: (numbers: readonly bigint[]) => Promise<void>,
): Promise<InBlock | undefined> {
  const [newest] = blocksOf(open).toSorted((a, b) => (a.block > b.block ? -1 : 1))
  if (newest !== undefined) await know([newest.block])
  return newest
}

/**
 * The blocks to ask for: those in which payments may end; and all others too, if the newest one is
 * not on the chain any more. While it is, so are those before it.
 */
function doubtfulBlocks(
  open: readonly OpenSlot[],
  mayEnd: (block: bigint) => boolean,
  canonical: ReadonlyMap<bigint, Hex | null>,
  newest: InBlock | undefined,
): bigint[] {
  if (newest === undefined) return []
  const is_whole = canonical.get(newest.block) === newest.block_hash
  const ends = ({ block, state }: InBlock) => state === 'mined' && mayEnd(block)
  return blocksOf(open)
    .filter(one => !is_whole || ends(one))
    .map(({ block }) => block)
}
