// The ways in which a payee can be paid in a country and a currency, each with its fields, from the
// requirements of the API.
import { TOKENS } from '../../values/network/chain.ts'
import { NETWORKS } from '../../values/network/local.ts'
import { ApiError, type Json, type Query } from '../api.ts'
import { labelOf } from '../labels.ts'
import type { Requirement, Requirements } from '../objects.ts'
import { words } from '../show.ts'
import type { Visit } from '../visit.ts'
import { textAt, titleWords } from './terms.ts'

/** One set of members that is enough for a payee. */
export interface Way {
  /** For the address of the page: `local.0`. */
  readonly id: string
  /** The type of the payouts. */
  readonly type: string
  readonly label: string
  readonly fields: readonly Requirement[]
}

type Alternative = Requirements['alternatives'][number]

/** Where the money is to go; '' for what is not chosen. */
export interface Place {
  readonly country: string
  readonly currency: string
}

/** Whether enough is chosen for ways to be known. */
export function isChosen({ country, currency }: Place): boolean {
  return currency !== '' && (country !== '' || TOKENS.includes(currency))
}

/** The currencies that networks carry there, the country's own first: HKD begins like HK. */
export function currenciesOf(country: string): readonly string[] {
  const carried = NETWORKS.filter(({ countries }) => countries.includes(country))
  const codes = [...new Set(carried.map(({ currency }) => currency))]
  const isOwn = (code: string) => code.startsWith(country)
  return [...codes.filter(isOwn), ...codes.filter(code => !isOwn(code))]
}

/** Every way for a new payee there. A wallet is in no country. */
export async function waysTo(visit: Visit, { country, currency }: Place): Promise<readonly Way[]> {
  const isToken = TOKENS.includes(currency)
  const found = isToken
    ? [waysOf(visit, { type: 'wallet', currency })]
    : ['local', 'local_payment_network', 'swift'].map(type =>
        waysOf(visit, { type, currency, country }),
      )
  return (await Promise.all([...found, waysOf(visit, { type: 'service_account' })])).flat()
}

/** Those that a stored payee may have, by the type of its destination. */
export async function waysLike(visit: Visit, payee: Json, place: Place): Promise<readonly Way[]> {
  const type = textAt(payee, 'destination_details.type')
  if (type === 'bank') {
    const ways = await waysTo(visit, place)
    return ways.filter(way => way.type === 'local' || way.type === 'swift')
  }
  return waysOf(visit, { type, network: textAt(payee, `destination_details.${type}.type`) })
}

/** None where the API knows no way: a currency that no network carries there. */
async function waysOf({ api }: Visit, query: Query): Promise<readonly Way[]> {
  try {
    const found = await api.get<Requirements>('/v3/payout/requirements', query)
    return found.alternatives.map((alternative, i) => ({
      id: `${found.type}.${i}`,
      type: found.type,
      label: labelOfWay(found, alternative),
      fields: alternative.fields,
    }))
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return []
    throw error
  }
}

/** `Bank account, by IBAN`, `Pix key, by CPF`, `Wallet on Ethereum`. */
function labelOfWay({ type, networks, alternatives }: Requirements, one: Alternative): string {
  const { name } = one
  const titles = one.networks.map(network => {
    const title = networks.find(known => known.name === network)?.title
    return title === undefined ? network : titleWords(network, title)
  })
  switch (type) {
    case 'local': {
      const alike = alternatives.filter(other => other.name === name)
      const over = alike.length > 1 ? `, over ${titles.join(' or ')}` : ''
      return `Bank account, by ${inSentence(name)}${over}`
    }
    case 'swift':
      return `Bank account over SWIFT, by ${inSentence(name)}`
    case 'local_payment_network':
      return `${titles[0]}, by ${KEYS[keyTypeOf(one)] ?? words(keyTypeOf(one))}`
    case 'wallet':
      return `Wallet on ${titles[0]}`
    default:
      return 'Another account here, by its deposit address'
  }
}

const KEYS: Readonly<Record<string, string>> = {
  abn: 'ABN',
  cnpj: 'CNPJ',
  cpf: 'CPF',
  email: 'e-mail address',
  evp: 'random key',
  fps_id: 'FPS id',
  national_id: 'national identity number',
  nric: 'NRIC',
  phone: 'telephone number',
  tax_id: 'tax number',
  uen: 'UEN',
  vpa: 'UPI address',
}

function keyTypeOf({ name, networks }: Alternative): string {
  return name.slice((networks[0] ?? '').length + 1)
}

/** `IBAN` stays, `Account number` becomes small. */
function inSentence(name: string): string {
  return labelOf(name).replace(/^[A-Z](?=[a-z])/, first => first.toLowerCase())
}

/** The value of a member that has only one; undefined for every other member. */
export function constantOf({ pattern }: Pick<Requirement, 'pattern'>): string | undefined {
  return /^\^([a-z_]+)\$$/.exec(pattern)?.[1]
}

/** How many of its members a stored payee lacks, or has with another constant value. */
export function lacking(way: Way, payee: Json): number {
  return way.fields.filter(field => {
    const present = presentField(field, payee)
    if (present === undefined) return field.required
    const constant = constantOf(present)
    return constant !== undefined && textAt(payee, present.path) !== constant
  }).length
}

/** The member that the payee has: the field's own one, or one that can stand for it. */
export function presentField(field: Requirement, payee: Json): Requirement | undefined {
  const all = [field, ...field.or.map(instead => ({ ...field, ...instead }))]
  return all.find(({ path }) => textAt(payee, path) !== '')
}
