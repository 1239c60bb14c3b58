// Takes over from the chain what the database does not know: after a restore, the chain has
// payments of wallets that are lost here. Each says by its tag which attempt it paid.

import type { BeneficiaryDetails } from '../../parties/beneficiary/beneficiary.ts'
import { attemptId } from '../../rails/attempt.ts'
import type { Sql } from '../../sql/connect.ts'
import { type Instant, plusMilliseconds } from '../../values/instant.ts'
import { behindArguments, tagOf } from './abi.ts'
import type { Block, Chain, Hex, SeenTransaction } from './chain.ts'
import type { EvmConfig } from './config.ts'
import { eachOf } from './open.ts'
import { type Order, orderOf } from './order.ts'
import type { Place } from './slot.ts'
import { insertForeign, insertSlots, transactHouse } from './slot-store.ts'
import { CLOCKS_MS, foundTransaction } from './tagged.ts'
import { insertTransactions } from './transaction-store.ts'
import { listUnexplained } from './transfer-store.ts'
import { findLastMade, findWallets, reopenWallet, type Wallet } from './wallet-store.ts'

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
  /** The next nonce, by the chain or by the database, whichever knows more. */
  readonly next_nonce: bigint
  readonly adopted: readonly Adopted[]
  /** Nonces whose transactions have no tag of an attempt that the database has. */
  readonly foreign: readonly Foreign[]
}

interface Foreign extends Place {
  /** `0x` for none. */
  readonly tag: Hex
}

/** Why a wallet cannot be looked at now, as a sentence. */
export class NotNow extends Error {
  override readonly name = 'NotNow'
}

/**
 * Looks at the stopped wallets of a rail. Writes nothing.
 * @throws NotNow when the providers disagree, or unknown transactions of a wallet are not final yet
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
  orders: Map<Hex, Order>,
): Promise<WalletFound> {
  const { chain } = rail
  const { chain_id, address } = wallet
  const final = await agreed(chain.final(), 'the newest final block')
  const final_nonce = await agreed(chain.nonce(address, final.number), `the nonce of ${address}`)
  // Its own open payments may have the nonces before the one that it counted last.
  const next_nonce = final_nonce > wallet.next_nonce ? final_nonce : wallet.next_nonce
  for (const at of ['latest', 'pending'] as const) {
    if ((await agreed(chain.nonce(address, at), `the nonce of ${address}`)) > next_nonce) {
      throw new NotNow(`wallet ${address} has transactions that are not final yet: try again later`)
    }
  }
  const lost = range(wallet.next_nonce, next_nonce)
  const transactions: ReadonlyMap<bigint, Sent> =
    lost.length === 0 ? new Map() : await sentBy(rail, audit, wallet, final)
  const adopted: Adopted[] = []
  const foreign: Foreign[] = []
  for (const nonce of lost) {
    const place = { chain_id, wallet: address, nonce }
    const found = transactions.get(nonce)
    const tag = found === undefined ? '0x' : behindArguments(found.known.data)
    const order = orders.get(tag)
    if (found !== undefined && order !== undefined) adopted.push({ order, place, ...found })
    else foreign.push({ ...place, tag })
    // An attempt has one nonce: a second transaction with its tag is not ours.
    orders.delete(tag)
  }
  return { wallet, next_nonce, adopted, foreign }
}

/** The most nonces that one run takes over. */
const MOST_LOST = 10_000

function range(from: bigint, to: bigint): bigint[] {
  if (to - from > MOST_LOST) throw new NotNow(`more than ${MOST_LOST} transactions are lost`)
  return Array.from({ length: Number(to > from ? to - from : 0n) }, (_, i) => from + BigInt(i))
}

interface Sent {
  readonly hash: Hex
  readonly known: SeenTransaction
}

/**
 * The transactions by which tokens left the wallet since its last known payment, by nonce. Some of
 * their transfers are read already, the others are read now.
 */
async function sentBy(
  rail: AdoptingRail,
  audit: Sql,
  wallet: Wallet,
  final: Block,
): Promise<ReadonlyMap<bigint, Sent>> {
  const { chain_id, address: sender } = wallet
  const since = plusMilliseconds(await findLastMade(audit, wallet), -CLOCKS_MS)
  const left = { chain_id, sender, tokens: tokensOf(rail), since }
  const read = await listUnexplained(audit, left, 2 * MOST_LOST)
  if (read.length === 2 * MOST_LOST) throw new NotNow('too many transactions are lost')
  const hashes = new Set([...read, ...(await hashesSince(rail, wallet, final))])
  const transactions = new Map<bigint, Sent>()
  await eachOf([...hashes], async hash => {
    const known = await agreed(rail.chain.transaction(hash), `transaction ${hash}`)
    if (known?.sender === sender) transactions.set(known.nonce, { hash, known })
  })
  return transactions
}

function tokensOf({ config }: AdoptingRail): Hex[] {
  return [...config.tokens.values()].map(({ address }) => address)
}

const RANGE = 500n

/** The transactions of transfers that left the wallet after the block up to which it was read. */
async function hashesSince(
  rail: AdoptingRail,
  { address, read_block }: Wallet,
  final: Block,
): Promise<Hex[]> {
  const { chain } = rail
  const tokens = tokensOf(rail)
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

/** The orders of attempts of the rail that have no slot, by their tags. */
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
    where a.rail = ${name} and not exists (
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

/** So many attempts of a payout may be lost. */
const MOST_LATER = 3

/**
 * The ids of attempts that the chain has paid and that this database does not have: those of open
 * payouts, which would be paid again.
 */
export async function findUnknown(
  { config }: Pick<AdoptingRail, 'config'>,
  audit: Sql,
  found: readonly WalletFound[],
): Promise<readonly string[]> {
  const tags = new Set(found.flatMap(one => one.foreign.map(({ tag }) => tag)))
  tags.delete('0x')
  if (tags.size === 0) return []
  const rows = await audit<{ readonly id: string; readonly last: number }[]>`
    select p.id, coalesce(max(a.number), 0) as last
    from open_payouts o join payouts p on p.account_id = o.account_id and p.id = o.id
    left join payout_attempts a on a.account_id = p.account_id and a.payout_id = p.id
    where p.destination_currency = any (${[...config.tokens.keys()]}::text[])
    group by p.account_id, p.id`
  return rows.flatMap(({ id, last }) =>
    Array.from({ length: MOST_LATER }, (_, i) => attemptId(id, last + 1 + i)).filter(attempt =>
      tags.has(tagOf(attempt)),
    ),
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
