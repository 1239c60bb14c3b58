// What each institution holds of the money of clients, which share that is, and whether it is above
// the share that is set. Pure.
import { formatMajor } from '../values/money/decimal.ts'
import type { External, Resource, SafeguardedPool } from './safeguarding.ts'

/** Minor units of one currency. '' names no institution: these accounts count as one. */
export interface Holding {
  readonly institution: string
  readonly bank: bigint
  readonly book: bigint
}

/** Small letters and one space between words: two spellings are one institution. */
const folded = (name: string) => name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

/** What one account at a bank holds. */
export const holdingOf = ({ institution, bank, book }: External): Holding => ({
  ...{ institution, bank: BigInt(bank), book: BigInt(book) },
})

/** Sums holdings by institution, the largest first. */
export function byInstitution(holdings: readonly Holding[]): Holding[] {
  const groups = Map.groupBy(holdings, ({ institution }) => folded(institution))
  const sum = (of: readonly bigint[]) => of.reduce((total, amount) => total + amount, 0n)
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => ({
      institution: group[0]?.institution.trim() ?? '',
      bank: sum(group.map(({ bank }) => bank)),
      book: sum(group.map(({ book }) => book)),
    }))
    .sort((a, b) => (a.book > b.book ? -1 : Number(a.book < b.book)))
}

/** The largest share of one institution that the operator wants, in percent. */
export interface MostShare {
  readonly pool: SafeguardedPool
  /** '' for all currencies together. */
  readonly currency: string
  readonly most_share: number
}

/** An institution's share of the money of a pool. */
export interface Share {
  readonly pool: SafeguardedPool
  /** `currency`: of this currency alone; `pool`: of all, in this currency at mid. */
  readonly of: 'currency' | 'pool'
  readonly currency: string
  readonly institution: string
  /** Minor units, by the books. */
  readonly amount: bigint
  /** In percent with two digits, rounded down. */
  readonly share: string
  /** Null for not set. */
  readonly most_share: number | null
  /** `only_one`: it holds all. `above`: more than the share that is set. */
  readonly state: '' | 'only_one' | 'above'
}

/** The currency in which all money is added up. `convert`: undefined without a rate. */
export interface Base {
  readonly currency: string
  convert(amount: bigint, from: string): bigint | undefined
}

/**
 * The shares by pool: in each currency, and of all money together where each currency has a rate.
 * An account that is overdrawn counts as nothing: another one of its institution counts in full.
 * Where money cannot be added up, the share that is set for all holds for each currency that has
 * none of its own.
 */
export function sharesOf(
  resources: readonly Pick<Resource, 'pool' | 'currency' | 'nostros'>[],
  limits: readonly MostShare[],
  base: Base,
): Share[] {
  const held = resources.map(({ nostros, ...one }) => ({
    ...one,
    holdings: nostros.map(holdingOf).filter(({ book }) => book > 0n),
  }))
  const pools = Map.groupBy(held, ({ pool }) => pool)
  return [...pools].flatMap(([pool, own]) => {
    const limitOf = (currency: string) =>
      limits.find(one => one.pool === pool && one.currency === currency)?.most_share ?? null
    const all = ofAll(own, base)
    const fallback = all === undefined ? limitOf('') : null
    return [
      ...own.flatMap(({ currency, holdings }) =>
        rowsOf(
          { pool, of: 'currency', currency, most_share: limitOf(currency) ?? fallback },
          byInstitution(holdings),
        ),
      ),
      ...(all === undefined
        ? []
        : rowsOf({ pool, of: 'pool', currency: base.currency, most_share: limitOf('') }, all)),
    ]
  })
}

/** Undefined when a currency has no rate. */
function ofAll(
  own: readonly { readonly currency: string; readonly holdings: readonly Holding[] }[],
  base: Base,
): Holding[] | undefined {
  const converted: Holding[] = []
  for (const { currency, holdings } of own) {
    for (const { institution, book } of byInstitution(holdings)) {
      const amount = base.convert(book, currency)
      if (amount === undefined) return undefined
      // What the bank says of it is of no use in another currency.
      converted.push({ institution, bank: 0n, book: amount })
    }
  }
  return byInstitution(converted)
}

type Group = Pick<Share, 'pool' | 'of' | 'currency' | 'most_share'>

function rowsOf(group: Group, holdings: readonly Holding[]): Share[] {
  // What is less than a unit of the base is nothing in it.
  const held = holdings.filter(({ book }) => book > 0n)
  const total = held.reduce((sum, { book }) => sum + book, 0n)
  const { pool, of, currency, most_share } = group
  return held.map(({ institution, book: amount }) => {
    const hundredths = (amount * 10_000n) / total
    const isAbove = most_share !== null && amount * 100n > BigInt(most_share) * total
    const isOnly = held.length === 1 ? 'only_one' : ''
    return {
      ...{ pool, of, currency, institution, amount },
      share: formatMajor(hundredths, 2),
      ...{ most_share, state: isAbove ? 'above' : isOnly },
    }
  })
}
