// Tries a rail with the examples of GET /v3/payout/requirements, and lists the payouts of a route
// that the rail cannot carry.
import { Literals } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { detailsOf, type StoredDetails } from '../parties/beneficiary/columns.ts'
import { PAYOUT_TYPES, type PayoutType } from '../quotes/quote.ts'
import { CHARGE_TYPES } from '../quotes/request.ts'
import {
  type Alternative,
  alternativesOf,
  type Subject,
} from '../quotes/requirement/alternatives.ts'
import { exampleOf } from '../quotes/requirement/discovery.ts'
import { type Carriage, type Carried, faultWords } from '../rails/carriage.ts'
import { conditionWords, type Route, type RouteConditions, TRANSFER } from '../rails/rules.ts'
import { CURRENCIES, currencyExponent, isStablecoin } from '../values/money/currency.ts'
import { pow10 } from '../values/money/decimal.ts'
import { TOKENS } from '../values/network/chain.ts'
import { NETWORKS } from '../values/network/local.ts'
import { PAYMENT_NETWORKS } from '../values/network/payment.ts'

/** Payouts that differ only in these members, and that a rail cannot carry for one reason. */
export interface NotCarried {
  readonly type: PayoutType
  readonly currencies: readonly string[]
  /** Empty: the country makes no difference. */
  readonly countries: readonly string[]
  /** The networks that payouts may name, '' for none. */
  readonly networks: readonly string[]
  readonly charge_types: readonly string[]
  /** Why, and what would make them fit. */
  readonly why: string
}

const NotCarriedGroup = Type.Object(
  {
    type: Literals(PAYOUT_TYPES),
    currencies: Type.Array(Type.String()),
    countries: Type.Array(Type.String(), {
      description: 'Empty: the country makes no difference.',
    }),
    networks: Type.Array(Type.String(), { description: 'An empty text: no network is named.' }),
    charge_types: Type.Array(Type.String(), { description: 'An empty text: none is named.' }),
    why: Type.String({ description: 'Why, and what would make these payouts fit.' }),
  },
  { title: 'NotCarried', description: 'Payouts that a rail cannot carry, for one reason.' },
)

export const NotCarriedResponse = Type.Array(NotCarriedGroup, {
  description:
    'The payouts of the route that its rail cannot carry, by the examples of GET ' +
    '/v3/payout/requirements; at most 20 groups. The next route takes such payouts, or none does.',
})

type Faults = NonNullable<ReturnType<Carriage['get']>>

/** The most groups that are listed. */
const MOST_GROUPS = 20

/** What the rail with these faults cannot carry of a route; [] when it carries every example. */
export function notCarried(route: RouteConditions, faultsOf: Faults): readonly NotCarried[] {
  const groups = new Map<string, Group>()
  for (const subject of subjectsOf(route)) {
    for (const alternative of alternativesOf(subject)) {
      for (const tried of triedOf(route, subject, alternative)) {
        const why = faultWords(faultsOf(tried))
        if (why !== '') addTo(groups, subject, tried, why)
      }
    }
  }
  return [...groups.values()].slice(0, MOST_GROUPS).map(({ type, why, ...sets }) => ({
    type,
    currencies: [...sets.currencies],
    countries: [...sets.countries].sort(),
    networks: [...sets.networks],
    charge_types: [...sets.charge_types],
    why,
  }))
}

/** The routes to a rail with payouts that it cannot carry; [] for a rail that takes any. */
export function notCarriedOfRoutes(rail: string, routes: readonly Route[], carriage: Carriage) {
  const faultsOf = carriage.get(rail)
  if (faultsOf === undefined) return []
  return routes
    .filter(route => route.rail === rail)
    .map(route => ({ route: conditionWords(route), not_carried: notCarried(route, faultsOf) }))
    .filter(({ not_carried }) => not_carried.length > 0)
}

interface Group extends Pick<NotCarried, 'type' | 'why'> {
  readonly currencies: Set<string>
  readonly countries: Set<string>
  readonly networks: Set<string>
  readonly charge_types: Set<string>
}

/** Reasons that differ only in a currency or a country are one. */
function addTo(
  groups: Map<string, Group>,
  { type, currency, country }: Subject,
  { fund_transfer_network: network, charge_type }: Carried,
  why: string,
): void {
  const reason = why.replace(new RegExp(`\\b(?:${currency}|${country})\\b`, 'g'), '')
  const group = groups.getOrInsertComputed(`${type} ${reason}`, () => ({
    type,
    why,
    currencies: new Set<string>(),
    countries: new Set<string>(),
    networks: new Set<string>(),
    charge_types: new Set<string>(),
  }))
  group.currencies.add(currency)
  if (country !== '') group.countries.add(country)
  group.networks.add(network)
  group.charge_types.add(charge_type)
}

/** Each type, currency and country of payouts that fit the route. */
function subjectsOf(route: RouteConditions): readonly Subject[] {
  const types = PAYOUT_TYPES.filter(
    type => type !== TRANSFER && (route.payout_type ?? type) === type,
  )
  const network = route.network ?? ''
  return types.flatMap(type => {
    const currencies = route.currency === null ? CURRENCIES_OF[type] : [route.currency]
    return currencies.flatMap(currency => {
      const any = { type, currency, network, country: route.country ?? '' }
      if (any.country !== '' || type !== 'local') return [any]
      const countries = new Set(alternativesOf(any).flatMap(known => known.countries))
      return Array.from(countries, country => ({ ...any, country }))
    })
  })
}

const CURRENCIES_OF: Readonly<Record<PayoutType, readonly string[]>> = {
  swift: [...CURRENCIES.keys()].filter(code => !isStablecoin(code)),
  local: [...new Set(NETWORKS.map(({ currency }) => currency))],
  local_payment_network: [...new Set(PAYMENT_NETWORKS.map(({ currency }) => currency))],
  wallet: TOKENS,
  service_account: [],
}

const NOBODY = 'bnf_00000000000000000000'

/** Payouts to the alternative's example, over each network and with each sharing of charges. */
function triedOf(
  route: RouteConditions,
  { type, currency }: Subject,
  { needs, networks }: Alternative,
): readonly Carried[] {
  const example = exampleOf(needs.map(({ field }) => field))
  const payout = {
    beneficiary_details: detailsOf(example as StoredDetails, NOBODY),
    answers: [],
    particulars: {
      purpose: 'supplier_payment',
      transaction_description: 'Invoice 17',
      reference_id: '',
      creditor_reference: '',
      ultimate_debtor: null,
    },
    destination_amount:
      route.max_amount ?? route.min_amount ?? pow10(currencyExponent(currency) + 2),
    destination_currency: currency,
  }
  const named = route.network === null ? ['', ...networks] : [route.network]
  const over = type === 'local' ? named : ['']
  const charges = type === 'swift' ? ['', ...CHARGE_TYPES] : ['']
  return over.flatMap(fund_transfer_network =>
    charges.map(charge_type => ({ ...payout, fund_transfer_network, charge_type })),
  )
}

/** The most names of a list that words show. */
const MOST_NAMES = 8

/** `local EUR over target2 to DE, FR and 18 more: …`, a line for each group. */
export function notCarriedWords(groups: readonly NotCarried[]): readonly string[] {
  return groups.map(({ type, currencies, countries, networks, charge_types, why }) => {
    const charged = charge_types.includes('') ? [] : charge_types
    const words = [
      type,
      listWords(currencies),
      type === 'local' && overWords(networks),
      charged.length > 0 && `with charge_type ${listWords(charged)}`,
      countries.length > 0 && `to ${listWords(countries)}`,
    ]
    return `${words.filter(Boolean).join(' ')}: ${why}`
  })
}

function overWords(networks: readonly string[]): string {
  const named = networks.filter(Boolean)
  if (named.length === 0) return 'without a network'
  return `over ${listWords(named)}${named.length < networks.length ? ' or no network' : ''}`
}

function listWords(names: readonly string[]): string {
  const left = names.length - MOST_NAMES
  const shown = names.slice(0, MOST_NAMES).join(', ')
  return left > 0 ? `${shown} and ${left} more` : shown
}
