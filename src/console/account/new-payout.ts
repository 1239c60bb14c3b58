// A new payout, in two steps that a link can lead to: the ways it could go, side by side; and, at a
// fixed quote, whom it pays. Each works without a script.

import { currencyExponent, findCurrency } from '../../money/currency.ts'
import { parseMajor } from '../../money/decimal.ts'
import { type Html, html } from '../../text/html.ts'
import { ApiError, type JsonObject, queryText } from '../api.ts'
import { deed, type Field, fields, named, post, problemList, ungrouped } from '../form.ts'
import type { Beneficiary, Payout, PayoutOption, Quote } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, facts, time, words } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'
import { payeeScreen, payPayee, priceFacts } from './payee.ts'

export function newPayoutScreens(screens: Screens): void {
  screens.show('account', '/payouts/new', waysScreen)
  screens.act('account', '/payouts/new', fixQuote, waysScreen)
  screens.show('account', '/payouts/new/:quote', payeeScreen)
  screens.act('account', '/payouts/new/:quote', payPayee, payeeScreen)
}

/** What the person wants to pay, as the address has it. */
interface Wish {
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly holding: string
  /** A known beneficiary. */
  readonly to: string
}

async function wishOf(visit: Visit): Promise<Wish> {
  const { query, form } = visit
  const said = (name: string) => form.get(name) ?? query[name] ?? ''
  const like = query.like && (await visit.api.find<Payout>(`/v3/payout/${query.like}`))
  const to = said('to') || (like ? like.beneficiary : '')
  const known = to && (await visit.api.find<Beneficiary>(`/v3/beneficiary/${to}`))
  const bank = known ? (known.destination_details.bank as JsonObject | undefined) : undefined
  return {
    amount: said('amount') || (like ? digits(like.amount, like.currency) : ''),
    currency: (
      said('currency') || (like ? like.currency : String(bank?.currency ?? ''))
    ).toUpperCase(),
    country: (said('country') || String(bank?.country ?? '')).toUpperCase(),
    holding: said('holding') || (like ? like.holding_currency : ''),
    to,
  }
}

async function waysScreen(visit: Visit): Promise<Screen> {
  const wish = await wishOf(visit)
  const asked = wish.amount !== '' && wish.currency !== ''
  const { minor, problem } = asked ? minorUnits(wish) : { minor: undefined, problem: '' }
  const ways = minor !== undefined && (await waysOf(visit, wish, minor))
  const body = html`<form class="row" action="${visit.root}/payouts/new">
${wish.to && html`<input type="hidden" name="to" value="${wish.to}">`}
${fields(visit, wishFields(visit, wish))}<button class="main">Show the ways</button></form>
${
  accountOf(visit).sandbox &&
  !asked &&
  html`<p class="faint">Nothing real moves in a sandbox. <a href="${visit.root}/sandbox">Some
amounts fail or are held</a>, so that you can see it.</p>`
}
${problem && html`<p class="note bad" role="alert">${problem}</p>`}
${ways}`
  return { title: 'New payout', body }
}

function wishFields(visit: Visit, { amount, currency, country, holding }: Wish): Field[] {
  const { primary_currency, currencies } = accountOf(visit)
  const from = holding || primary_currency
  return [
    {
      name: 'amount',
      label: 'They get',
      value: amount,
      required: true,
      hint: 'For example 12,000.00',
    },
    {
      name: 'currency',
      label: 'Currency',
      value: currency,
      required: true,
      hint: 'HKD, EUR, USD …',
    },
    { name: 'country', label: 'Country', value: country, hint: 'Of their account: HK, DE …' },
    { name: 'holding', label: 'From your balance in', value: from, options: named(currencies) },
  ]
}

/** The amount in minor units, or what is wrong with it. No decimals are ever cut off. */
function minorUnits({ amount, currency }: Wish): { minor?: bigint; problem: string } {
  if (findCurrency(currency) === undefined)
    return { problem: `${currency} is no currency we know.` }
  const exponent = currencyExponent(currency)
  const minor = parseMajor(ungrouped(amount).trim(), exponent)
  if (minor !== undefined && minor > 0n) return { minor, problem: '' }
  const example = exponent === 0 ? '12,000' : `12,000.${'0'.repeat(exponent)}`
  return { problem: `“${amount}” is no amount of ${currency}: write it like ${example}.` }
}

/** The ways that the payout could go, or why there are none. */
async function waysOf(visit: Visit, wish: Wish, amount: bigint): Promise<Html> {
  const { currency, country, holding } = wish
  const body = {
    payout_info: { currency, amount },
    holding_info: { currency: holding || accountOf(visit).primary_currency },
    ...(country && { destination_info: { currency, country } }),
  }
  try {
    const { options } = await visit.api.post<Options>('/v3/payout/options', body)
    return waysTable(visit, wish, options)
  } catch (error) {
    const isShown = error instanceof ApiError && error.status < 500 && error.status !== 401
    if (!isShown) throw error
    return problemList(error)
  }
}

interface Options {
  readonly options: readonly PayoutOption[]
}

function waysTable(visit: Visit, wish: Wish, options: readonly PayoutOption[]): Html {
  const possible = options.filter(option => option.possible)
  const others = options.filter(option => !option.possible)
  return html`<h2>${possible.length === 0 ? 'No way leads there' : 'Ways it can go'}</h2>
<div class="cards">${possible.map(option => way(visit, wish, option))}</div>
${
  others.length > 0 &&
  html`<details><summary>Why not another way</summary><ul>${others.map(
    option =>
      html`<li><strong>${nameOf(option)}</strong>:
${option.errors.map(e => e.message).join(' ')}</li>`,
  )}</ul></details>`
}`
}

function way(visit: Visit, wish: Wish, option: PayoutOption): Html {
  const { price, expected_at } = option
  return html`<section class="card"><h3>${nameOf(option)}</h3>
${facts([
  ...(price === null ? [] : priceFacts(price, price.total_debit.amount, wish.currency)),
  ['Arrives', expected_at && time(expected_at)],
])}
${deed(visit, {
  action: `${visit.root}/payouts/new`,
  button: 'Fix this quote',
  hidden: { request: JSON.stringify(option.quote_request), ...wish },
})}</section>`
}

function nameOf({ quote_request }: PayoutOption): string {
  const asked: JsonObject = quote_request
  const { payout_type = '' } = quote_request
  const inner = asked[payout_type] as JsonObject | undefined
  const how = inner === undefined ? '' : Object.values(inner).join(' ')
  return `${words(payout_type)} ${words(how)}`.trim()
}

/** Makes the quote of the chosen way. The amounts stay text until the API reads them. */
async function fixQuote(visit: Visit): Promise<string> {
  const { form } = visit
  const request = readRequest(form.get('request') ?? '')
  const quote = await post<Quote>(visit, '/v3/payout/quote', request)
  const country = form.get('country') ?? ''
  const to = form.get('to') ?? ''
  const { charge_type } = request.swift ?? {}
  return `${visit.root}/payouts/new/${quote.id}${queryText({ country, to, charge_type })}`
}

/** Reads amounts, which the API's answer has as text, as the numbers that they were. */
function readRequest(text: string): { readonly swift?: { readonly charge_type?: string } } {
  try {
    const asked = JSON.parse(text, (name, value) =>
      name === 'amount' && typeof value === 'string' && /^\d{1,16}$/.test(value)
        ? BigInt(value)
        : value,
    ) as unknown
    if (typeof asked === 'object' && asked !== null) return asked
  } catch {
    // The error below says so.
  }
  const message = 'Choose one of the ways again.'
  throw new ApiError(400, [{ reason: 'invalid_request', message, remarks: '' }])
}
