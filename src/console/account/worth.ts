// What balances are worth in the account's primary currency, at the mid rates of this moment.
import { findCurrency } from '../../values/money/currency.ts'
import { divideHalfUp, multiplyByRate, parseDecimal } from '../../values/money/decimal.ts'
import { ApiError } from '../api.ts'
import type { Balance } from '../objects.ts'
import { accountOf, type Visit } from '../visit.ts'

export interface Worth {
  readonly primary: string
  /** By currency, in minor units of the primary one. Currencies without a rate are missing. */
  readonly each: ReadonlyMap<string, bigint>
  readonly total: bigint
  /** Those that the total leaves out. */
  readonly without: readonly string[]
}

export async function worthOf(visit: Visit, { available }: Balance): Promise<Worth> {
  const { primary_currency: primary } = accountOf(visit)
  const found = await Promise.all(
    available.map(async ({ amount, currency }) => {
      const value = await inPrimary(visit, BigInt(amount), currency, primary)
      return [currency, value] as const
    }),
  )
  const each = new Map<string, bigint>()
  for (const [currency, value] of found) if (value !== undefined) each.set(currency, value)
  const total = [...each.values()].reduce((sum, value) => sum + value, 0n)
  const without = found.flatMap(([currency, value]) => (value === undefined ? [currency] : []))
  return { primary, each, total, without }
}

/** Undefined without a rate that may be used now. */
async function inPrimary(visit: Visit, amount: bigint, from: string, to: string) {
  if (from === to || amount === 0n) return amount
  const mid = parseDecimal(await midOf(visit, from, to))
  const exponents = [findCurrency(from)?.exponent, findCurrency(to)?.exponent] as const
  if (mid === undefined || exponents[0] === undefined || exponents[1] === undefined)
    return undefined
  return multiplyByRate(amount, mid, exponents[0], exponents[1], divideHalfUp)
}

/** '' when the API has none. */
async function midOf(visit: Visit, from: string, to: string): Promise<string> {
  try {
    const { mid } = await visit.api.unlisted().get<{ mid: string }>('/v3/rate', { from, to })
    return mid
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) return ''
    throw error
  }
}
