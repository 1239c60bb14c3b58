// How a payout goes, in words: its network, arrival, rate and price, and the account of its payee.
// Pure.
import { parseDecimal } from '../../values/money/decimal.ts'
import { findChain } from '../../values/network/chain.ts'
import { findNetwork } from '../../values/network/local.ts'
import { paymentNetworksNamed } from '../../values/network/payment.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import type { Json, JsonObject } from '../api.ts'
import { countryWords, currencyWords, labelOf } from '../labels.ts'
import type { Beneficiary, Quote } from '../objects.ts'
import { link, money, words } from '../show.ts'

/** What decides the network, in an option, a quote or a payout; '' or undefined for none. */
export interface Carried {
  readonly type: string
  /** The currency that arrives. */
  readonly currency: string
  readonly local?: string | undefined
  readonly payment_network?: string | undefined
  readonly chain?: string | undefined
  readonly charge_type?: string | undefined
}

const CHARGES: Readonly<Record<string, string>> = {
  ours: 'you pay the charges of all banks',
  shared: 'banks on the way may deduct their charges',
}

/** `SEPA Instant Credit Transfer`, `CHATS – Clearing House Automated Transfer System`. */
export function networkWords(carried: Carried): string {
  const { type, currency, local = '', payment_network = '', chain = '', charge_type = '' } = carried
  switch (type) {
    case 'local': {
      const title = findNetwork(currency, local)?.title
      return title === undefined ? 'Local bank transfer' : titleWords(local, title)
    }
    case 'swift':
      return ['SWIFT', CHARGES[charge_type]].filter(Boolean).join(', ')
    case 'local_payment_network':
      return paymentNetworksNamed(payment_network)[0]?.title ?? words(payment_network)
    case 'wallet':
      return `Token transfer on ${findChain(chain)?.title ?? chain}`
    default:
      return 'Transfer to another account here'
  }
}

/** People know many networks by their abbreviations alone. */
export function titleWords(name: string, title: string): string {
  const short = name.toUpperCase()
  const isKnown = /^[A-Z0-9]{2,6}$/.test(short) && !title.toUpperCase().includes(short)
  return isKnown ? `${short} – ${title}` : title
}

const SECOND_MS = 1000
const HOUR_MS = 3_600_000
/** Until then, hours say more than the day. */
const MOST_HOURS = 12

/** `in seconds`, `within 2 hours`, `by Tuesday 1 December`. The exact time is in the title. */
export function arrivalWords(at: string | null, now: string, zone: string): Html {
  if (at === null) return html`on a day that the banks on the way decide`
  return html`<time datetime="${at}" title="${at}">${roughly(at, now, zone)}</time>`
}

function roughly(at: string, now: string, zone: string): string {
  const left = Date.parse(at) - Date.parse(now)
  if (left <= 90 * SECOND_MS) return 'in seconds'
  if (left < HOUR_MS) return `within ${Math.ceil(left / 60_000)} minutes`
  if (left <= MOST_HOURS * HOUR_MS) {
    const hours = Math.ceil(left / HOUR_MS)
    return `within ${hours} ${hours === 1 ? 'hour' : 'hours'}`
  }
  const day = { weekday: 'long', day: 'numeric', month: 'long', timeZone: zone } as const
  return `by ${new Intl.DateTimeFormat('en-GB', day).format(new Date(at))}`
}

const SHOWN_DIGITS = 6

/** `1 USD = 7.84790 HKD`: six significant digits, all of them in the title. */
export function rateWords(rate: string, from: string, to: string): Html {
  const all = `1 ${from} = ${rate} ${to}`
  return html`<span title="${all}">1 ${from} = ${shortRate(rate)} ${to}</span>`
}

/** Cut off, never rounded up: the shown rate promises no more than the true one. */
export function shortRate(rate: string): string {
  if (parseDecimal(rate) === undefined) return rate
  const [whole = '', fraction = ''] = rate.split('.')
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0
  const own = whole === '0' ? SHOWN_DIGITS + zeros : Math.max(SHOWN_DIGITS - whole.length, 0)
  const shown = fraction.slice(0, own)
  return shown === '' ? whole : `${whole}.${shown}`
}

type Price = Pick<Quote, 'fee_info' | 'exchange_rates' | 'total_debit'> & {
  readonly holding_info: { readonly currency: string }
}

/** `to` is the payout currency. */
export function priceFacts(price: Price, to: string): [string, Content][] {
  const { currency: from } = price.holding_info
  return [
    [
      'Leaves your balance',
      html`<strong>${money(price.total_debit.amount, price.total_debit.currency)}</strong>`,
    ],
    ['Of which fees', money(String(feesOf(price)), from)],
    ['Rate', from !== to && rateWords(price.exchange_rates.holding_to_payout, from, to)],
  ]
}

function feesOf({ fee_info: { fixed, variable } }: Pick<Quote, 'fee_info'>): bigint {
  return BigInt(fixed.in_holding_currency) + BigInt(variable.in_holding_currency)
}

/** The text at a path of an object; '' without one. */
export function textAt(object: Json | undefined, path: string): string {
  let value: Json | undefined = object
  for (const name of path.split('.')) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    value = isObject ? (value as JsonObject)[name] : undefined
  }
  return typeof value === 'string' ? value : ''
}

/** An account by its last characters: `IBAN DE89 … 3000`, `Account … 9012 at Harbour Bank`. */
export function accountWords(details: JsonObject): string {
  const bank_name = textAt(details, 'bank.bank_name')
  const at = bank_name && ` at ${bank_name}`
  const iban = textAt(details, 'bank.iban')
  if (iban !== '') return `IBAN ${iban.slice(0, 4)} … ${iban.slice(-4)}${at}`
  const number = textAt(details, 'bank.account_number')
  if (number !== '') return `Account ${ending(number)}${at}`
  const wallet = textAt(details, 'wallet.deposit_address')
  if (wallet !== '') {
    const chain = textAt(details, 'wallet.type')
    const title = findChain(chain)?.title ?? chain
    return `Wallet ${wallet.slice(0, 6)} … ${wallet.slice(-4)} on ${title}`
  }
  const key = textAt(details, 'local_payment_network.deposit_key')
  const network = textAt(details, 'local_payment_network.type')
  if (network !== '') return `${paymentNetworksNamed(network)[0]?.title ?? network} ${ending(key)}`
  return `Account here ${ending(textAt(details, 'service_account.deposit_address'))}`
}

/** At most half of it, so that a short number stays hidden too. */
function ending(text: string): string {
  const shown = Math.min(4, Math.floor(text.length / 2))
  return shown === 0 ? '…' : `… ${text.slice(-shown)}`
}

/** Where the money goes: `Germany (DE), EUR – Euro`. */
export function placeWords(details: JsonObject): string {
  const { bank, wallet } = details
  const country = textAt(bank, 'country') || textAt(bank, 'iban').slice(0, 2)
  const currency = textAt(bank, 'currency') || textAt(wallet, 'currency')
  return [countryWords(country), currency && currencyWords(currency)].filter(Boolean).join(', ')
}

/** Whom a page is about, without the whole account. */
export function payeeCard(root: string, payee: Beneficiary): Html {
  const details: JsonObject = payee.destination_details
  const place = placeWords(details)
  return html`<section class="card who"><p><strong>${link(
    `${root}/beneficiaries/${payee.id}`,
    payee.name,
  )}</strong>${payee.name_local && `, ${payee.name_local}`}</p>
<p>${accountWords(details)}${place && `, ${place}`}</p></section>`
}

/** Members that say nothing about the payee to people. */
const NOT_SHOWN = ['id', 'object', 'destination', 'status', 'archived_at', 'made_by']
const TIMES = ['created_at', 'updated_at']
const FIRST = ['name', 'name_local', 'type', 'destination_details', 'address']

const KINDS: Readonly<Record<string, string>> = {
  bank: 'Bank account',
  wallet: 'Wallet',
  local_payment_network: 'Key of a payment network',
  service_account: 'Account of this installation',
}

/** Every set member of a payee with its label, in the order of a bank's form. */
export function payeeFacts(details: JsonObject): [string, string][] {
  const names = [...new Set([...FIRST, ...Object.keys(details)])]
  const shown = names.filter(name => ![...NOT_SHOWN, ...TIMES].includes(name))
  return shown
    .flatMap(name => leavesOf(details[name], name))
    .map(([path, text]) => [labelOf(path), shownText(path, text)])
}

function leavesOf(value: Json | undefined, path: string): [string, string][] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'boolean') return [[path, value ? 'yes' : 'no']]
  if (typeof value === 'string') return [[path, value]]
  // A document is one line.
  if (Array.isArray(value)) return value.map(item => [path, itemText(item)])
  return Object.entries(value as JsonObject).flatMap(([name, inner]) =>
    leavesOf(inner, `${path}.${name}`),
  )
}

function itemText(item: Json): string {
  return typeof item === 'object' && item !== null ? Object.values(item).join(', ') : String(item)
}

function shownText(path: string, text: string): string {
  if (path.endsWith('country')) return countryWords(text)
  if (path.endsWith('currency')) return currencyWords(text)
  if (path === 'destination_details.type') return KINDS[text] ?? words(text)
  return path === 'type' ? words(text) : text
}
