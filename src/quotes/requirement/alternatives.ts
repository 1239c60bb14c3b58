// The alternatives by which a payout names its destination. Each lists the members that it needs.
// Validation, messages and GET /v3/payout/requirements all read this table. Pure.
import { bankingCountry } from '../../parties/beneficiary/country.ts'
import { exampleAddress } from '../../parties/beneficiary/wallet-address.ts'
import { CHAINS, type Chain, findChain } from '../../values/network/chain.ts'
import { type Network, networksOf } from '../../values/network/local.ts'
import {
  formsOf,
  type KeyForm,
  PAYMENT_NETWORKS,
  type PaymentNetwork,
  paymentNetworksNamed,
} from '../../values/network/payment.ts'
import type { PayoutType } from '../quote.ts'
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
  SECOND_NAME,
  STREET,
  WALLET,
} from './fields.ts'

/** The known facts of a payout; '' for an unknown fact. */
export interface Subject {
  readonly type: PayoutType
  /** The destination currency. */
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

/** A set of members that identifies a destination completely. */
export interface Alternative {
  readonly name: string
  /** The member that identifies a bank account; undefined for other destinations. */
  readonly account?: 'iban' | 'account_number'
  /** The countries and networks that accept this alternative. An empty list means any. */
  readonly countries: readonly string[]
  readonly networks: readonly string[]
  readonly needs: readonly Need[]
  readonly optional: readonly Field[]
}

/** The alternatives for a destination of this subject; none when no payout can reach it. */
export function alternativesOf(subject: Subject): readonly Alternative[] {
  switch (subject.type) {
    case 'swift':
      return shapeAlternatives(
        swiftShape(subject.country),
        [subject.country],
        [],
        [SECOND_NAME, STREET, POSTAL_CODE],
      )
    case 'local':
      return localAlternatives(subject)
    case 'local_payment_network':
      return matchingPaymentNetworks(subject).flatMap(keyAlternatives)
    case 'wallet':
      return matchingChains(subject).map(chain => walletAlternative(chain, subject.currency))
    default:
      return [SERVICE_ACCOUNT]
  }
}

/** The currency's local networks that match the known network and country. */
export function matchingLocalNetworks({ currency, country, network }: Subject): Network[] {
  return networksOf(currency).filter(
    ({ name, countries }) =>
      (network === '' || name === network.toLowerCase()) &&
      (country === '' || countries.some(served => bankingCountry(served) === country)),
  )
}

/** The local payment networks that match the known currency, country and network. */
export function matchingPaymentNetworks({ currency, country, network }: Subject): PaymentNetwork[] {
  const named = network === '' ? PAYMENT_NETWORKS : paymentNetworksNamed(network)
  return named.filter(
    known =>
      (currency === '' || known.currency === currency) &&
      (country === '' || known.countries.includes(country)),
  )
}

export function matchingChains({ currency, network }: Subject): Chain[] {
  const named = findChain(network)
  return CHAINS.filter(
    chain =>
      (network === '' || chain === named) &&
      (currency === '' || chain.currencies.includes(currency)),
  )
}

/** A cache of alternatives over known networks, a few hundred at most. */
const CACHE = new Map<string, readonly Alternative[]>()

function localAlternatives(subject: Subject): readonly Alternative[] {
  const key = `${subject.currency} ${subject.country} ${subject.network.toLowerCase()}`
  const found = CACHE.get(key)
  if (found !== undefined) return found
  const known = matchingLocalNetworks(subject)
  const alternatives = localAlternativesOver(known, subject)
  if (known.length > 0) CACHE.set(key, alternatives)
  return alternatives
}

/**
 * One or two alternatives for each shape of an account, in the order of countries and networks.
 * Countries that use only IBANs share one alternative. Without a network there is none.
 */
function localAlternativesOver(known: readonly Network[], { currency, country }: Subject) {
  const everywhere = [...new Set(known.flatMap(n => n.countries.map(bankingCountry)))]
  const shapes = new Map<Shape, Record<'countries' | 'networks', Set<string>>>()
  for (const served of country === '' ? everywhere : [country]) {
    const over = known.filter(n => n.countries.map(bankingCountry).includes(served))
    for (const { name } of over) {
      const shape = localShape(served, currency, name)
      const place = shapes.getOrInsertComputed(shape, () => ({
        countries: new Set(),
        networks: new Set(),
      }))
      place.countries.add(served)
      place.networks.add(name)
    }
  }
  return Array.from(shapes, ([shape, { countries, networks }]) => {
    const more = [SECOND_NAME, BANK_NAME, BANK_CURRENCY(currency)]
    return shapeAlternatives(shape, [...countries], [...networks], more)
  }).flat()
}

/** The alternatives for a bank account: by IBAN, by number, or both. */
function shapeAlternatives(
  { iban, number, party }: Shape,
  countries: readonly string[],
  networks: readonly string[],
  more: readonly Field[],
): Alternative[] {
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
  const alternatives: Alternative[] = []
  if (iban !== undefined) {
    const all = needs(ibanField(country, other === undefined), iban, country || 'DE')
    alternatives.push({
      name: 'iban',
      account: 'iban',
      ...bank,
      needs: all,
      optional: optional(iban),
    })
  }
  if (number !== undefined) {
    const { form, codes, country: asked } = number
    const hasBic = codes.some(code => code[0] === BIC[0])
    const where = country || 'US'
    const bics = BIC.map(name => codeField(name, where))
    const stated = asked ? [need(countryField(where), ...(hasBic ? [] : bics))] : []
    const all = needs(numberField(form), codes, where, ...stated)
    const name = 'account_number'
    alternatives.push({ name, account: name, ...bank, needs: all, optional: optional(codes) })
  }
  return alternatives
}

function keyAlternatives({ name, countries, title, keys }: PaymentNetwork): Alternative[] {
  return keys.map(({ type, pattern, title: of, example }: KeyForm) => {
    const kind = constant(`${KEY}.deposit_key_type`, type, 'What the key is.')
    // A key of one form alone shows its type.
    const isUnclear = new Set(formsOf(example, keys, '').map(form => form.type)).size > 1
    return {
      name: `${name}_${type}`,
      countries,
      networks: [name],
      needs: [
        need(NAME),
        need(PARTY),
        need(destinationType('local_payment_network')),
        need(constant(`${KEY}.type`, name, `${title}.`)),
        ...(isUnclear ? [need(kind)] : []),
        need(field(`${KEY}.deposit_key`, pattern.source, `${of}.`, example)),
      ],
      optional: isUnclear ? [] : [kind],
    }
  })
}

function walletAlternative({ type, title, currencies }: Chain, currency: string): Alternative {
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

const SERVICE_ACCOUNT: Alternative = {
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

function need(required: Field, ...instead: Field[]): Need {
  return { field: required, instead }
}
