// Finds currencies by code, and networks by currency and country over all payout types. Pure.
import { bankingCountry } from '../../parties/beneficiary/country.ts'
import { invalidParameter, refuseIfAny } from '../../values/errors.ts'
import { CURRENCIES, type Currency } from '../../values/money/currency.ts'
import { currencyProblems } from '../../values/money/problem.ts'
import { CHAINS } from '../../values/network/chain.ts'
import { isCountry } from '../../values/network/country.ts'
import { type Limits, NETWORKS } from '../../values/network/local.ts'
import { PAYMENT_NETWORKS } from '../../values/network/payment.ts'
import type { CurrencyQuery, NETWORK_TYPES, NetworkQuery } from './request.ts'

/** Refuses (400) the first unknown code. */
export function checkCurrencyQuery({ code = [] }: CurrencyQuery): void {
  refuseIfAny(code.flatMap(one => currencyProblems('code', one)).slice(0, 1))
}

export function currenciesFor({ code }: CurrencyQuery): readonly Currency[] {
  return [...CURRENCIES.values()].filter(known => code === undefined || code.includes(known.code))
}

/** A network as all payout types describe it. */
export interface KnownNetwork {
  readonly type: (typeof NETWORK_TYPES)[number]
  readonly name: string
  readonly title: string
  readonly currencies: readonly string[]
  /** Empty for a chain, which pays to any country. */
  readonly countries: readonly string[]
  readonly limits?: Limits
}

const ALL: readonly KnownNetwork[] = [
  ...NETWORKS.map(({ currency, ...network }) => ({
    type: 'local' as const,
    ...network,
    currencies: [currency],
  })),
  ...PAYMENT_NETWORKS.map(({ name, title, currency, countries }) => ({
    type: 'local_payment_network' as const,
    ...{ name, title, countries, currencies: [currency] },
  })),
  ...CHAINS.map(({ type: name, title, currencies }) => ({
    type: 'wallet' as const,
    ...{ name, title, currencies, countries: [] },
  })),
]

/** Refuses (400) an unknown currency and an unknown country, both at once. */
export function checkNetworkQuery({ currency, country }: NetworkQuery): void {
  const message = 'country is not an ISO 3166-1 alpha-2 country code.'
  refuseIfAny([
    ...currencyProblems('currency', currency),
    ...(country === undefined || isCountry(country) ? [] : [invalidParameter('country', message)]),
  ])
}

/** The networks that the query asks for, by type, currency and name. */
export function networksFor({ type, currency, country }: NetworkQuery): readonly KnownNetwork[] {
  return ALL.filter(
    network =>
      (type === undefined || network.type === type) &&
      (currency === undefined || network.currencies.includes(currency)) &&
      (country === undefined || serves(network, country)),
  )
}

/** As requirements have it: a territory counts as the country whose account numbers it has. */
function serves({ type, countries }: KnownNetwork, country: string): boolean {
  if (type !== 'local') return countries.includes(country)
  return countries.some(served => bankingCountry(served) === bankingCountry(country))
}
