// The ways to name a destination, from what is known of a payout. Each way lists the members that
// it needs. Validation, messages and GET /v3/payout/requirements all come from this table. Pure.
import { bankingCountry } from '../beneficiary/country.ts'
import { exampleAddress } from '../beneficiary/wallet-address.ts'
import { CHAINS, type Chain, findChain } from '../network/chain.ts'
import { type Network, networksOf } from '../network/local.ts'
import { type KeyForm, PAYMENT_NETWORKS, type PaymentNetwork } from '../network/payment.ts'
import type { PayoutType } from '../quote/quote.ts'
import { BIC, type Codes, localShape, type Shape, swiftShape } from './bank.ts'
import {
  BANK_CURRENCY,
  BANK_NAME,
  codeField,
  constant,
  countryField,
  destinationType,
  type Field,
  field,
  ibanField,
  KEY,
  NAME,
  numberField,
  PARTY,
  POSTAL_CODE,
  partyField,
  STREET,
  WALLET,
} from './fields.ts'

/** The known facts of a payout; '' where a fact is unknown. */
export interface Subject {
  readonly type: PayoutType
  /** The currency that arrives. */
  readonly currency: string
  /** The country of the account, by `bankingCountry`. */
  readonly country: string
  /** The local network, the local payment network or the chain. */
  readonly network: string
}

/** A required member, and the members that may replace it. */
export interface Need {
  readonly field: Field
  readonly instead: readonly Field[]
}

/** A set of members that names a destination completely. */
export interface Way {
  readonly name: string
  /** The member that identifies a bank account; undefined for other destinations. */
  readonly account?: 'iban' | 'account_number'
  /** Countries and networks of the way. An empty list means any. */
  readonly countries: readonly string[]
  readonly networks: readonly string[]
  readonly needs: readonly Need[]
  readonly optional: readonly Field[]
}

/** The ways to name a destination of this subject. None when it cannot be paid. */
export function waysOf(subject: Subject): readonly Way[] {
  switch (subject.type) {
    case 'swift':
      return shapeWays(swiftShape(subject.country), [subject.country], [], [STREET, POSTAL_CODE])
    case 'local':
      return localWays(subject)
    case 'local_payment_network':
      return paymentNetworksMeant(subject).flatMap(keyWays)
    case 'wallet':
      return chainsMeant(subject).map(chain => walletWay(chain, subject.currency))
    default:
      return [SERVICE_ACCOUNT]
  }
}

/** The local networks of the currency, limited to the named network and the known country. */
export function localNetworksMeant({ currency, country, network }: Subject): Network[] {
  return networksOf(currency).filter(
    ({ name, countries }) =>
      (network === '' || name === network.toLowerCase()) &&
      (country === '' || countries.some(served => bankingCountry(served) === country)),
  )
}

/** The local payment networks that match the known facts. */
export function paymentNetworksMeant({ currency, country, network }: Subject): PaymentNetwork[] {
  return PAYMENT_NETWORKS.filter(
    known =>
      (currency === '' || known.currency === currency) &&
      (network === '' || known.name === network.toLowerCase()) &&
      (country === '' || known.countries.includes(country)),
  )
}

export function chainsMeant({ currency, network }: Subject): Chain[] {
  const named = findChain(network)
  return CHAINS.filter(
    chain =>
      (network === '' || chain === named) &&
      (currency === '' || chain.currencies.includes(currency)),
  )
}

/** Keeps the ways over known networks, of which there are a few hundred at most. */
const FOUND = new Map<string, readonly Way[]>()

function localWays(subject: Subject): readonly Way[] {
  const key = `${subject.currency} ${subject.country} ${subject.network.toLowerCase()}`
  const found = FOUND.get(key)
  if (found !== undefined) return found
  const known = localNetworksMeant(subject)
  const ways = localWaysOver(known, subject)
  if (known.length > 0) FOUND.set(key, ways)
  return ways
}

/**
 * One way or two for each shape of an account, in the order of the networks. Without a network, the
 * first one of a country comes first. Countries that use IBANs alone share one way.
 */
function localWaysOver(
  known: readonly Network[],
  { currency, country, network }: Subject,
): readonly Way[] {
  const anywhere = country === '' ? [''] : [country]
  const countries =
    known.length > 0 && country === ''
      ? [...new Set(known.flatMap(n => n.countries.map(bankingCountry)))]
      : anywhere
  const shapes = new Map<Shape, Record<'countries' | 'networks', Set<string>>>()
  for (const served of countries) {
    const over = known.filter(n => n.countries.map(bankingCountry).includes(served))
    const names = over.length > 0 ? over.map(n => n.name) : [network]
    for (const name of names) {
      const shape = localShape(served, currency, name)
      const place = shapes.getOrInsertComputed(shape, () => ({
        countries: new Set(),
        networks: new Set(),
      }))
      place.countries.add(served)
      if (name !== '') place.networks.add(name)
    }
  }
  return Array.from(shapes, ([shape, { countries, networks }]) => {
    const more = [BANK_NAME, BANK_CURRENCY(currency)]
    return shapeWays(shape, [...countries], [...networks], more)
  }).flat()
}

/** The ways of a bank account: by IBAN, by number, or both. */
function shapeWays(
  { iban, number, party }: Shape,
  countries: readonly string[],
  networks: readonly string[],
  more: readonly Field[],
): Way[] {
  const [country = '', other] = countries
  const bank = { countries: countries.filter(Boolean).sort(), networks }
  const code = (names: Codes, where: string) => {
    const [first, ...rest] = names.map(name => codeField(name, where))
    return first === undefined ? [] : [need(first, ...rest)]
  }
  const needs = (account: Field, codes: readonly Codes[], where: string, ...others: Need[]) => [
    need(NAME),
    need(PARTY),
    need(destinationType('bank')),
    need(account),
    ...codes.flatMap(names => code(names, where)),
    ...others,
    ...party.map(path => need(partyField(path, where))),
  ]
  const optional = (names: readonly Codes[]) =>
    more.filter(extra => !names.flat().includes(extra.path.split('.').at(-1) ?? ''))
  const ways: Way[] = []
  if (iban !== undefined) {
    const all = needs(ibanField(country, other === undefined), iban, country || 'DE')
    ways.push({ name: 'iban', account: 'iban', ...bank, needs: all, optional: optional(iban) })
  }
  if (number !== undefined) {
    const { form, codes, country: asked } = number
    const hasBic = codes.some(code => code[0] === BIC[0])
    const where = country || 'US'
    const bics = BIC.map(name => codeField(name, where))
    const stated = asked ? [need(countryField(where), ...(hasBic ? [] : bics))] : []
    const all = needs(numberField(form), codes, where, ...stated)
    const name = 'account_number'
    ways.push({ name, account: name, ...bank, needs: all, optional: optional(codes) })
  }
  return ways
}

/** A way for each type of key of the network. */
function keyWays({ name, countries, title, keys }: PaymentNetwork): Way[] {
  return keys.map(({ type, pattern, title: of, example }: KeyForm) => {
    const kind = constant(`${KEY}.deposit_key_type`, type, 'What the key is.')
    return {
      name: `${name}_${type}`,
      countries,
      networks: [name],
      needs: [
        need(NAME),
        need(PARTY),
        need(destinationType('local_payment_network')),
        need(constant(`${KEY}.type`, name, `${title}.`)),
        ...(keys.length > 1 ? [need(kind)] : []),
        need(field(`${KEY}.deposit_key`, pattern.source, `${of}.`, example)),
      ],
      optional: keys.length > 1 ? [] : [kind],
    }
  })
}

function walletWay({ type, title, currencies }: Chain, currency: string): Way {
  const tokens = currency === '' ? currencies : [currency]
  return {
    name: type,
    countries: [],
    networks: [type],
    needs: [
      need(NAME),
      need(PARTY),
      need(destinationType('wallet')),
      need(constant(`${WALLET}.type`, type, `${title}.`)),
      need(
        field(
          `${WALLET}.deposit_address`,
          '\\S',
          `An address on ${title}; its checksum is verified where the chain has one.`,
          exampleAddress(type),
        ),
      ),
    ],
    optional: [
      field(
        `${WALLET}.currency`,
        `^(${tokens.join('|')})$`,
        'The token that arrives, when it is not the currency of the payout.',
        tokens[0] ?? '',
      ),
    ],
  }
}

const SERVICE_ACCOUNT: Way = {
  name: 'service_account',
  countries: [],
  networks: [],
  needs: [
    need(NAME),
    need(PARTY),
    need(destinationType('service_account')),
    need(
      field(
        'destination_details.service_account.deposit_address',
        '^dep_[0-9a-z]+$',
        'The deposit address of another account of the installation.',
        'dep_06c9zt8k4v0q3w5e7r9t',
      ),
    ),
  ],
  optional: [],
}

function need(of: Field, ...instead: Field[]): Need {
  return { field: of, instead }
}
