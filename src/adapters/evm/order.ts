// The payment that an attempt orders, in the terms of the chain, and why a rail cannot make it.
// Pure.
import { plainAddress } from '../../parties/beneficiary/wallet-address.ts'
import type { CarriageFault, Carried } from '../../rails/carriage.ts'
import type { RailPayout } from '../../rails/rail.ts'
import { pow10 } from '../../values/money/decimal.ts'
import { moneyWords } from '../../values/money/words.ts'
import { findChain } from '../../values/network/chain.ts'
import { tagOf, transferData } from './abi.ts'
import type { Hex } from './chain.ts'
import type { EvmConfig } from './config.ts'
import { readAddress } from './hex.ts'
import type { SlotKey } from './slot.ts'

/** The members of a payout that decide its payment. */
export type Ordered = Carried &
  Pick<RailPayout, 'account_id' | 'id' | 'created_at'> & {
    readonly attempt: Pick<RailPayout['attempt'], 'id' | 'number' | 'uetr'>
  }

export interface Order {
  readonly payout: Ordered
  readonly key: SlotKey
  readonly currency: string
  /** Minor units of the currency. */
  readonly amount: bigint
  /** The same in the smallest unit of the token. */
  readonly units: bigint
  readonly token: Hex
  readonly payee: Hex
  /** The tag of the attempt; undefined where the settings have none. */
  readonly tag: Hex | undefined
  readonly calldata: Hex
}

/** The places of USDC and USDT in payouts. */
export const PLACES = 6

/** The highest address that nobody has a key of: those of precompiled contracts. */
const MOST_RESERVED = 0xffffn

export function keyOf({ account_id, id: payout_id, attempt }: Ordered): SlotKey {
  return { account_id, payout_id, attempt: attempt.number }
}

/** The order of an attempt, or why this rail cannot make it. */
export function orderOf(
  config: EvmConfig,
  payout: Ordered,
): Order | { readonly faults: readonly CarriageFault[] } {
  const faults = carriageFaults(config, payout)
  const token = config.tokens.get(payout.destination_currency)
  const payee = payeeOf(payout)
  if (faults.length > 0 || token === undefined || payee === undefined) return { faults }
  const { destination_amount: amount, destination_currency: currency } = payout
  const units = amount * pow10(token.decimals - PLACES)
  const tag = config.tag ? tagOf(payout.attempt.id) : undefined
  const calldata = transferData(payee, units, tag)
  return {
    ...{ payout, key: keyOf(payout), currency, amount, units, token: token.address, payee },
    ...{ tag, calldata },
  }
}

/** Why a rail with these settings never carries a payout. A cap only makes it wait. */
export function carriageFaults(config: EvmConfig, payout: Carried): readonly CarriageFault[] {
  const { chain, tokens, wallets, treasury_address } = config
  const wallet = payout.beneficiary_details.destination_details.wallet
  if (wallet === undefined) return [fault('a chain pays wallets alone')]
  const asked = findChain(wallet.type ?? '')
  const named = findChain(payout.fund_transfer_network)
  if (asked?.type !== chain.type || (named !== undefined && named.type !== chain.type)) {
    const other = asked?.type === chain.type ? named : asked
    return [fault(`the payee’s wallet is on ${other?.title ?? 'another chain'}`)]
  }
  const faults: CarriageFault[] = []
  const { destination_currency: currency } = payout
  if (!tokens.has(currency)) faults.push(fault(`the rail has no contract of ${currency}`))
  const payee = payeeOf(payout)
  if (payee === undefined || BigInt(payee) <= MOST_RESERVED) {
    faults.push(fault('the payee’s address is none of a wallet', ADDRESS))
  } else if ([...tokens.values()].some(({ address }) => address === payee)) {
    faults.push(fault('the payee’s address is the contract of a token', ADDRESS))
  } else if (payee === treasury_address || wallets.some(({ address }) => address === payee)) {
    faults.push(TO_OURSELVES)
  }
  return faults
}

/** The cap of the settings that a payout is above, in words; '' when it is below. */
export function capFault({ max_payout }: EvmConfig, payout: Carried): string {
  const { destination_amount: amount, destination_currency: currency } = payout
  if (max_payout === null || amount <= max_payout) return ''
  return `a payment is at most ${moneyWords(max_payout, currency)}`
}

/** The faults of a payout as routes show them: with the cap that would make it wait. */
export function shownFaults(config: EvmConfig, payout: Carried): readonly CarriageFault[] {
  const cap = capFault(config, payout)
  return [...carriageFaults(config, payout), ...(cap === '' ? [] : [fault(cap, 'amount')])]
}

const ADDRESS = 'destination_details.wallet.deposit_address'

function fault(message: string, member: CarriageFault['member'] = null): CarriageFault {
  return { member, message, remedy: '' }
}

/** Why money that a payout sends to a wallet of the house would reach no payee. */
export const TO_OURSELVES = fault('the payee’s address is one of ours', ADDRESS)

function payeeOf({ beneficiary_details }: Carried): Hex | undefined {
  const { wallet } = beneficiary_details.destination_details
  return readAddress(plainAddress(wallet?.deposit_address ?? ''))
}
