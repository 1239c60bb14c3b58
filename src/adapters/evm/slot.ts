// A slot: the nonce of a wallet that one attempt of a payout has for ever, and the transactions
// that were signed for it. Pure.
import type { Instant } from '../../values/instant.ts'
import type { Hex } from './chain.ts'

/**
 * `refused`: the rail has refused the attempt, and it has no nonce. `signed`, `sent` and `mined`
 * are on their way. `stopped`: another transaction seems to have the nonce. `foreign`: another one
 * has it.
 */
export type SlotState =
  | 'refused'
  | 'signed'
  | 'sent'
  | 'mined'
  | 'paid'
  | 'reverted'
  | 'voided'
  | 'differs'
  | 'stopped'
  | 'foreign'

/** What follows once a person has given a payment up: it fails, or another attempt may follow. */
export type VoidAs = 'fail' | 'again'

/** The attempt that a slot pays. A slot of the house has no account, no payout and attempt 0. */
export interface SlotKey {
  readonly account_id: string
  readonly payout_id: string
  readonly attempt: number
}

/** The place of a slot among the transactions of its wallet. */
export interface Place {
  readonly chain_id: bigint
  readonly wallet: Hex
  readonly nonce: bigint
}

/** A slot that has a nonce. */
export interface Slot extends SlotKey, Place {
  readonly id: bigint
  readonly rail: string
  /** The end-to-end reference of the attempt; '' where none is known. */
  readonly uetr: string
  readonly purpose: 'pay' | 'house' | 'foreign'
  /** The sweep that a payment for the house makes; null for any other. */
  readonly sweep: bigint | null
  readonly currency: string
  /** Minor units of the currency. */
  readonly amount: bigint
  /** The amount in the smallest unit of the token. */
  readonly units: bigint
  readonly token: Hex
  readonly payee: Hex
  readonly calldata: Hex
  /** Whether the payee has code, such as a Safe. */
  readonly to_contract: boolean
  readonly state: SlotState
  readonly made_at: Instant
  readonly ended_at: Instant | null
  /** When another transaction seemed to have the nonce for the first time. */
  readonly suspect_at: Instant | null
  /** Who took it over from the chain; '' for the rail's own. */
  readonly adopted_by: string
  /** '' until a person gives it up. */
  readonly void_as: VoidAs | ''
  readonly void_by: string
  readonly void_reason: string
}

/** The bytes that were signed for a slot, and what is known of them. */
export interface SlotTransaction extends Place {
  readonly hash: Hex
  /** Counted from 1 within the slot. */
  readonly number: number
  readonly kind: 'pay' | 'void'
  /** '' for a transaction of the chain that was found by its tag. */
  readonly raw: Hex | ''
  readonly gas: bigint
  /** Wei for a unit of gas. */
  readonly max_fee: bigint
  readonly tip: bigint
  readonly signed_at: Instant
  /** When a provider first had it; null: it was not sent. */
  readonly first_sent_at: Instant | null
  readonly sends: number
  /** What providers said last; '' for nothing. */
  readonly last_answer: string
  /** The block that it is in, as far as is known; null for none, and '' for its hash. */
  readonly block: bigint | null
  readonly block_hash: Hex | ''
  readonly succeeded: boolean | null
  readonly gas_used: bigint | null
  readonly cost_wei: bigint | null
}

/** The most transactions of a slot. Some are left for a person who gives the payment up. */
export const MOST_TRANSACTIONS = 10
export const MOST_PAYMENTS = 7

/** Whether its bytes may still be mined for the first time, so that it holds back later nonces. */
export function isUnmined({ state }: Pick<Slot, 'state'>): boolean {
  return state === 'signed' || state === 'sent'
}

/** The key of an attempt in maps. */
export function slotName({ account_id, payout_id, attempt }: SlotKey): string {
  return `${account_id}/${payout_id}-${attempt}`
}

/** The key of a place in maps. */
export function placeName({ chain_id, wallet, nonce }: Place): string {
  return `${chain_id}/${wallet}/${nonce}`
}

/** `evm:8453`: the source of evidence that a chain gives. */
export function sourceOf(chain_id: bigint): string {
  return `evm:${chain_id}`
}
