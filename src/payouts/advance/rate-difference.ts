// How much of a payout's principal goes back when the account or the payee wants it back. A payout
// that converts is a firm trade. Once its price has ended, the account gets the lower of what was
// taken and what the destination amount is worth at the present rate
// (docs/decisions/prices-and-fees.md). Pure.
import type { Pricing, PricingAt } from '../../prices/price.ts'
import { customerRate } from '../../prices/rate/rules.ts'
import type { RailStep } from '../../rails/rail.ts'
import type { FxConversion } from '../../statements/balance-transaction/balance-transaction.ts'
import { Refusal } from '../../values/errors.ts'
import { type Instant, plusMilliseconds } from '../../values/instant.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { type Decimal, divideDown, pow10, quotient } from '../../values/money/decimal.ts'
import type { Payout } from '../payout.ts'
import type { Cause } from '../states.ts'

/**
 * The failures that the account decides: it cancels, its people reject the payout or let its
 * approval expire, or it submits an entity too late for the price.
 */
const WISHES: readonly string[] = ['PF000100', 'PF000330', 'PF000400', 'PF000410']

/** An operator may give any code, so an operator and a rail mark a wish themselves. */
export function isAtWish({ failure, at_wish }: RailStep, by: Cause): boolean {
  if (by === 'rail' || by === 'operator') return at_wish === true
  return failure !== null && WISHES.includes(failure.code)
}

/** The failure of a payout whose entity is rejected. */
export const ENTITY_REJECTED = 'PF000300'

/**
 * Whether the account has chosen when its entity was rejected: it submitted or changed the entity
 * after the payout's price had ended. Otherwise it could submit a bad entity once the rate has
 * moved against it, and a good one when it has not.
 */
export function isRejectedAtWish(
  { failure }: RailStep,
  by: Cause,
  submitted_at: Instant | null | undefined,
  ended_at: Instant,
): boolean {
  if (by === 'rail' || by === 'operator' || failure?.code !== ENTITY_REJECTED) return false
  return submitted_at != null && submitted_at > ended_at
}

/** Whether the payout converts, so that its price has an end. */
export function isConverted({ holding_fx_id, payout_fx_id }: Payout): boolean {
  return holding_fx_id !== '' || payout_fx_id !== ''
}

/** The end of the payout's price. `quoted` is the end of its quote. */
export function priceEnd(payout: Payout, quoted: Instant | undefined): Instant {
  const { created_at, quote_validity_s } = payout
  return quoted ?? plusMilliseconds(created_at, (quote_validity_s ?? 0) * 1000)
}

export interface PresentPrice {
  readonly pricing: PricingAt
  readonly sandbox: boolean
  /** The time by the database's clock, which judges the age of rates. */
  readonly now: Instant
  /** When the payout's price has ended. */
  readonly ended_at: Instant
}

/**
 * The amount that the house keeps, in minor units of the holding currency, and the conversion back.
 */
export interface Kept {
  readonly difference: bigint
  readonly conversion: FxConversion
}

/** Without a present rate, money waits so long for one. */
const WAIT_MS = 7 * 86_400_000

/**
 * The amount that the house keeps once the price has ended; undefined for none. Refuses with
 * rate_stale or rate_unavailable while there is no present rate, for at most seven days after the
 * rate went stale and the price ended. After that the newest rate counts, however old it is.
 * Without any rate the house keeps nothing.
 */
export function keptOf(payout: Payout, present: PresentPrice, at: Instant): Kept | undefined {
  const { account_id } = payout
  const { pricing, sandbox, now, ended_at } = present
  const prices = pricing({ account_id, sandbox }, at)
  const rates = presentRates(payout, prices, now, at > plusMilliseconds(ended_at, WAIT_MS))
  return rates && compare(payout, rates)
}

/** The rates from holding to payout and from payout to destination currency. */
type Rates = readonly [Decimal, Decimal]

function presentRates(
  { holding_currency, currency, destination_currency }: Payout,
  { rates, policyOf }: Pricing,
  now: Instant,
  has_waited: boolean,
): Rates | undefined {
  const ratesAt = (at: Instant, age: { readonly any_age?: true } = {}): Rates | Refusal => {
    const rate = (from: string, to: string) =>
      customerRate(rates, { ...policyOf(from, to), ...age }, from, to, at)
    try {
      return [rate(holding_currency, currency), rate(currency, destination_currency)]
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }
  const present = ratesAt(now)
  if (!(present instanceof Refusal)) return present
  // A feed that has just failed is no option for a payout that is old.
  const went_stale_lately = !(ratesAt(plusMilliseconds(now, -WAIT_MS)) instanceof Refusal)
  if (!has_waited || went_stale_lately) throw present
  const newest = ratesAt(now, { any_age: true })
  return newest instanceof Refusal ? undefined : newest
}

function compare(payout: Payout, [first, second]: Rates): Kept | undefined {
  const { holding_to_payout, payout_to_destination, holding_amount, destination_amount } = payout
  const now = product(first, second)
  const then = product(holding_to_payout, payout_to_destination)
  // The destination amount costs no less than it did, so nothing is lost, also not by rounding.
  if (now.digits * pow10(then.scale) <= then.digits * pow10(now.scale)) return undefined
  const [holding, destination] = [payout.holding_currency, payout.destination_currency]
  const worth = divideDown(
    destination_amount * pow10(now.scale) * pow10(currencyExponent(holding)),
    now.digits * pow10(currencyExponent(destination)),
  )
  // A line moves something, so that the least amount goes back.
  const given = worth < 1n ? 1n : worth
  if (given >= holding_amount) return undefined
  const conversion = {
    exchange_rate: quotient(pow10(now.scale), now.digits),
    initial: { amount: destination_amount, currency: destination },
    final: { amount: given, currency: holding },
  }
  return { difference: holding_amount - given, conversion }
}

function product(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale }
}
