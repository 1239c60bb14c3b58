// Takes over from the chain what the database does not know: after a restore, the chain has
// payments of wallets that are lost here. Each says by its tag which attempt it paid.

import type { BeneficiaryDetails } from '../../parties/beneficiary/beneficiary.ts'
import { attemptId } from '../../rails/attempt.ts'
import type { Sql } from '../../sql/connect.ts'
import type { Instant } from '../../values/instant.ts'
import { behindArguments, tagOf } from './abi.ts'
import type { Block, Chain, Hex, SeenTransaction } from './chain.ts'
import type { EvmConfig } from './config.ts'
import { eachOf } from './open.ts'
import { type Order, orderOf } from './order.ts'
import type { Place } from './slot.ts'
import { insertForeign, insertSlots, transactHouse } from './slot-store.ts'
import { foundTransaction } from './tagged.ts'
import { insertTransactions } from './transaction-store.ts'
import { listUnexplained } from './transfer-store.ts'
import { findWallets, reopenWallet, type Wallet } from './wallet-store.ts'

export interface AdoptingRail {
  readonly name: string
  readonly config: EvmConfig
  readonly chain: Chain
}

/** A payment that was found by its tag. */
export interface Adopted {
  readonly order: Order
  readonly place: Place
  readonly hash: Hex
  readonly known: SeenTransaction
}

/** What a stopped wallet has used on the chain since the database last knew. */
export interface WalletFound {
  readonly wallet: Wallet
  /** The next nonce by the chain. */
  readonly next_nonce: bigint
  readonly adopted: readonly Adopted[]
  /** Nonces whose transactions have no tag of ours. */
  readonly foreign: readonly Place[]
}

/** Why a wallet cannot be looked at now, as a sentence. */
export class NotNow extends Error {
  override readonly name = 'NotNow'
}

/**
 * Looks at the stopped wallets of a rail. Writes nothing.
 * @throws NotNow when the providers disagree, or transactions of a wallet are not final yet
 */
export async function findLost(rail: AdoptingRail, audit: Sql): Promise<readonly WalletFound[]> {
  const { config } = rail
  const addresses = config.wallets.map(({ address }) => address)
  const stopped = (await findWallets(audit, config.chain.id, addresses)).filter(
    ({ state }) => state === 'stopped',
  )
  if (stopped.length === 0) return []
  const orders = await listOrders(rail, audit)
  return eachOf(stopped, wallet => findOf(rail, audit, wallet, orders), 1)
}

async function findOf(
  rail: AdoptingRail,
  audit: Sql,
  wallet: Wallet,
  orders: ReadonlyMap<string, Order>,
): Promise<WalletFound> {
  const { chain } = rail
  const { chain_id, address } = wallet
  const final = await agreed(chain.final(), 'the newest final block')
  const next_nonce = await agreed(chain.nonce(address, final.number), `the nonce of ${address}`)
  for (const at of ['latest', 'pending'] as const) {
    if ((await agreed(chain.nonce(address, at), `the nonce of ${address}`)) !== next_nonce) {
      throw new NotNow(`wallet ${address} has transactions that are not final yet: try again later`)
    }
  }
  const hashes = [
    ...(await listUnexplained(audit, chain_id, address)),
    ...(await hashesSince(rail, wallet, final)),
  ]
  const transactions = new Map<bigint, { readonly hash: Hex; readonly known: SeenTransaction }>()
  await eachOf([...new Set(hashes)], async hash => {
    const known = await agreed(chain.transaction(hash), `transaction ${hash}`)
    if (known?.sender === address) transactions.set(known.nonce, { hash, known })
  })
  const lost = range(wallet.next_nonce, next_nonce)
  const adopted = lost.flatMap((nonce): Adopted[] => {
    const found = transactions.get(nonce)
    const order = found && orders.get(behindArguments(found.known.data))
    if (found === undefined || order === undefined) return []
    return [{ order, place: { chain_id, wallet: address, nonce }, ...found }]
  })
  const known = new Set(adopted.map(({ place }) => place.nonce))
  const foreign = lost
    .filter(nonce => !known.has(nonce))
    .map(nonce => ({ chain_id, wallet: address, nonce }))
  return { wallet, next_nonce, adopted, foreign }
}

/** The most nonces that one run takes over. */
const MOST_LOST = 10_000n

function range(from: bigint, to: bigint): bigint[] {
  if (to - from > MOST_LOST) throw new NotNow(`more than ${MOST_LOST} transactions are lost`)
  return Array.from({ length: Number(to > from ? to - from : 0n) }, (_, i) => from + BigInt(i))
}

const RANGE = 500n

/** The transactions of transfers that left the wallet after the block up to which it was read. */
async function hashesSince(
  { chain, config }: AdoptingRail,
  { address, read_block }: Wallet,
  final: Block,
): Promise<Hex[]> {
  const tokens = [...config.tokens.values()].map(token => token.address)
  const hashes: Hex[] = []
  for (let from = read_block + 1n; from <= final.number; from += RANGE) {
    const end = from + RANGE - 1n
    const to = end < final.number ? end : final.number
    const found = await agreed(
      chain.transfers([address], tokens, from, to),
      `transfers from block ${from} to ${to}`,
    )
    hashes.push(...found.filter(({ sender }) => sender === address).map(one => one.tx_hash))
  }
  return hashes
}

async function agreed<T>(
  asking: Promise<{ readonly agreed: T } | { readonly unclear: string }>,
  what: string,
): Promise<T> {
  const answer = await asking
  if ('agreed' in answer) return answer.agreed
  throw new NotNow(`the providers do not agree about ${what}: ${answer.unclear}`)
}

/** The orders of open attempts of the rail that have no slot, by their tags. */
async function listOrders({ name, config }: AdoptingRail, audit: Sql) {
  const rows = await audit<
    {
      readonly account_id: string
      readonly id: string
      readonly number: number
      readonly uetr: string
      readonly destination_amount: bigint
      readonly destination_currency: string
      readonly fund_transfer_network: string
      readonly charge_type: string
      readonly created_at: Instant
      readonly beneficiary_details: BeneficiaryDetails
    }[]
  >`
    select p.account_id, p.id, a.number, a.uetr, p.destination_amount, p.destination_currency,
      p.fund_transfer_network, p.charge_type, p.created_at, p.beneficiary_details
    from payout_attempts a join payouts p on p.account_id = a.account_id and p.id = a.payout_id
    where a.rail = ${name} and a.ended_as = '' and not exists (
      select from evm_slots s where s.account_id = a.account_id and s.payout_id = a.payout_id
        and s.attempt = a.number and s.purpose = 'pay')`
  return new Map(
    rows.flatMap(({ number, uetr, ...row }) => {
      const attempt = { id: attemptId(row.id, number), number, uetr }
      const order = orderOf({ ...config, tag: true }, { ...row, ...PLAIN, attempt })
      return 'faults' in order ? [] : [[tagOf(attempt.id), order] as const]
    }),
  )
}

/** What decides no payment on a chain. */
const PLAIN = {
  answers: [],
  particulars: {
    ...{ purpose: '', transaction_description: '', reference_id: '', creditor_reference: '' },
    ultimate_debtor: null,
  },
} as const

/**
 * Writes what was found: slots for all nonces, and the transactions of those with a tag. The wallet
 * is open afterwards, and the watch decides by the receipts.
 * @throws NotNow when another process has moved the wallet since
 */
export async function adoptFound(
  sql: Sql,
  rail: string,
  { wallet, next_nonce, adopted, foreign }: WalletFound,
  by: string,
): Promise<void> {
  await transactHouse(
    sql,
    adopted.map(({ order }) => order.key.account_id),
    async tx => {
      if (!(await reopenWallet(tx, wallet, next_nonce))) {
        throw new NotNow(`wallet ${wallet.address} has moved meanwhile: try again`)
      }
      await insertSlots(
        tx,
        adopted.map(({ order, place }) => {
          const { key, currency, amount, units, token, payee, calldata } = order
          return {
            ...{ ...key, ...place, rail, purpose: 'pay', currency, amount, units, token, payee },
            ...{ calldata, to_contract: false, state: 'signed', adopted_by: by },
            uetr: order.payout.attempt.uetr,
          } as const
        }),
      )
      await insertForeign(tx, rail, foreign, by)
      await insertTransactions(
        tx,
        adopted.map(({ place, hash, known }) => foundTransaction(place, 1, hash, known)),
      )
    },
  )
}
