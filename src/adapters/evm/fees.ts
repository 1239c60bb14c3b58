// What a payment offers for its gas, at first and when it replaces its earlier bytes. Pure.
import { divideUp } from '../../values/money/decimal.ts'
import type { EvmConfig } from './config.ts'

/** Wei for a unit of gas. The tip is part of `max_fee`. */
export interface Fees {
  readonly max_fee: bigint
  readonly tip: bigint
}

/** What the market pays now, as `Chain.market` says. */
interface Market {
  readonly base_fee: bigint
  readonly tip: bigint
}

/** The parts of the settings that bound fees. */
type Caps = Pick<EvmConfig, 'max_fee' | 'max_cost'> & {
  readonly chain: Pick<EvmConfig['chain'], 'min_tip'>
}

/**
 * The fees of a payment's first bytes, which use at most `gas`, above 0. They hold while the base
 * fee doubles. `too_dear` when the market is above a cap: the payment waits.
 */
export function firstFees(market: Market, caps: Caps, gas: bigint): Fees | 'too_dear' {
  return bumpedFees([], market, caps, gas)
}

/**
 * The fees of bytes that replace all earlier ones of the slot. Nodes want 10 % more of both fees,
 * some of them more than that, and each may have other earlier bytes than the last.
 */
export function bumpedFees(
  earlier: readonly Fees[],
  { base_fee, tip: market_tip }: Market,
  caps: Caps,
  gas: bigint,
): Fees | 'too_dear' {
  const tip = most([caps.chain.min_tip, market_tip, ...earlier.map(fees => raised(fees.tip))])
  const least = most([base_fee + tip, ...earlier.map(fees => raised(fees.max_fee))])
  const cap = capOf(caps, gas)
  if (least > cap) return 'too_dear'
  const wanted = 2n * base_fee + tip
  return { tip, max_fee: most([least, wanted < cap ? wanted : cap]) }
}

/** The most for a unit of gas, so that `gas` of it stays within the cost of a payment. */
function capOf({ max_fee, max_cost }: Caps, gas: bigint): bigint {
  const by_cost = max_cost / gas
  return by_cost < max_fee ? by_cost : max_fee
}

/** 12.5 % more, and one, so that a fee of 0 rises as well. */
function raised(fee: bigint): bigint {
  return divideUp(fee * 9n, 8n) + 1n
}

function most(numbers: readonly bigint[]): bigint {
  return numbers.reduce((a, b) => (a > b ? a : b), 0n)
}
