// The first step of a new payout: the options, of which the person chooses one. payee.ts has the
// second. A link can lead to each step, and both work without a script.
import { currencyExponent, findCurrency } from '../../values/money/currency.ts'
import { parseMajor } from '../../values/money/decimal.ts'
import { type Html, html } from '../../values/text/html.ts'
import { ApiError, type JsonObject, queryText } from '../api.ts'
import { type Field, fields, optionsOf, post, postForm, problemList, ungrouped } from '../form.ts'
import type { Beneficiary, Payout, PayoutOption, Quote } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, facts, time, words } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'
import { payeeScreen, payPayee, priceFacts } from './payee.ts'

export function newPayoutScreens(screens: Screens): void {
  screens.show('account', '/payouts/new', optionsScreen)
  screens.act('account', '/payouts/new', fixQuote, optionsScreen)
  screens.show('account', '/payouts/new/:quote', payeeScreen)
  screens.act('account', '/payouts/new/:quote', payPayee, payeeScreen)
}

/** As the form or the address has it. */
interface Draft {
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly holding: string
  /** The id of a stored beneficiary, or ''. */
  readonly to: string
}

async function draftOf(visit: Visit): Promise<Draft> {
  const { query, form } = visit
  const fieldOf = (name: string) => form.get(name) ?? query[name] ?? ''
  const like = query.like && (await visit.api.find<Payout>(`/v3/payout/${query.like}`))
  const to = fieldOf('to') || (like ? like.beneficiary : '')
  const stored = to && (await visit.api.find<Beneficiary>(`/v3/beneficiary/${to}`))
  const bank = stored ? (stored.destination_details.bank as JsonObject | undefined) : undefined
  return {
    amount: fieldOf('amount') || (like ? digits(like.amount, like.currency) : ''),
    currency: (
      fieldOf('currency') || (like ? like.currency : String(bank?.currency ?? ''))
    ).toUpperCase(),
    country: (fieldOf('country') || String(bank?.country ?? '')).toUpperCase(),
    holding: fieldOf('holding') || (like ? like.holding_currency : ''),
    to,
  }
}

async function optionsScreen(visit: Visit): Promise<Screen> {
  const draft = await draftOf(visit)
  const isComplete = draft.amount !== '' && draft.currency !== ''
  const { minor, problem } = isComplete ? minorUnits(draft) : { minor: undefined, problem: '' }
  const options = minor !== undefined && (await optionsPart(visit, draft, minor))
  const body = html`<form class="row" action="${visit.root}/payouts/new">
${draft.to && html`<input type="hidden" name="to" value="${draft.to}">`}
${fields(visit, draftFields(visit, draft))}<button class="main">Show the options</button></form>
${
  accountOf(visit).sandbox &&
  !isComplete &&
  html`<p class="faint">No real money moves in a sandbox. <a href="${visit.root}/sandbox">Some
amounts fail or are held</a>, so that you can test both.</p>`
}
${problem && html`<p class="note bad" role="alert">${problem}</p>`}
${options}`
  return { title: 'New payout', body }
}

function draftFields(visit: Visit, { amount, currency, country, holding }: Draft): Field[] {
  const { primary_currency, currencies } = accountOf(visit)
  const from = holding || primary_currency
  return [
    {
      name: 'amount',
      label: 'The payee gets',
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
    {
      name: 'country',
      label: 'Country',
      value: country,
      hint: 'Of the account: HK, DE …',
    },
    { name: 'holding', label: 'From your balance in', value: from, options: optionsOf(currencies) },
  ]
}

/** The problem is one such as more decimals than the currency has. */
function minorUnits({ amount, currency }: Draft): { minor?: bigint; problem: string } {
  if (findCurrency(currency) === undefined)
    return { problem: `“${currency}” is not a currency that Corridor knows.` }
  const exponent = currencyExponent(currency)
  const minor = parseMajor(ungrouped(amount).trim(), exponent)
  if (minor !== undefined && minor > 0n) return { minor, problem: '' }
  const example = exponent === 0 ? '12,000' : `12,000.${'0'.repeat(exponent)}`
  return { problem: `“${amount}” is not an amount in ${currency}: write it like ${example}.` }
}

/** `amount` is in minor units. */
async function optionsPart(visit: Visit, draft: Draft, amount: bigint): Promise<Html> {
  const { currency, country, holding } = draft
  const body = {
    payout_info: { currency, amount },
    holding_info: { currency: holding || accountOf(visit).primary_currency },
    ...(country && { destination_info: { currency, country } }),
  }
  try {
    const { options } = await visit.api.post<Options>('/v3/payout/options', body)
    return optionCards(visit, draft, options)
  } catch (error) {
    const isShown = error instanceof ApiError && error.status < 500 && error.status !== 401
    if (!isShown) throw error
    return problemList(error)
  }
}

interface Options {
  readonly options: readonly PayoutOption[]
}

function optionCards(visit: Visit, draft: Draft, options: readonly PayoutOption[]): Html {
  const possible = options.filter(option => option.possible)
  const others = options.filter(option => !option.possible)
  return html`<h2>${possible.length === 0 ? 'No option is available' : 'Options'}</h2>
<div class="cards">${possible.map(option => optionCard(visit, draft, option))}</div>
${
  others.length > 0 &&
  html`<details><summary>Why other options are not available</summary><ul>${others.map(
    option =>
      html`<li><strong>${nameOf(option)}</strong>:
${option.errors.map(e => e.message).join(' ')}</li>`,
  )}</ul></details>`
}`
}

function optionCard(visit: Visit, draft: Draft, option: PayoutOption): Html {
  const { price, expected_at } = option
  return html`<section class="card"><h3>${nameOf(option)}</h3>
${facts([
  ...(price === null ? [] : priceFacts(price, price.total_debit.amount, draft.currency)),
  ['Arrives', expected_at && time(expected_at)],
])}
${postForm(visit, {
  action: `${visit.root}/payouts/new`,
  button: 'Choose this option',
  hidden: { request: JSON.stringify(option.quote_request), ...draft },
})}</section>`
}

function nameOf({ quote_request }: PayoutOption): string {
  const request: JsonObject = quote_request
  const { payout_type = '' } = quote_request
  const inner = request[payout_type] as JsonObject | undefined
  const how = inner === undefined ? '' : Object.values(inner).join(' ')
  return `${words(payout_type)} ${words(how)}`.trim()
}

/** Returns the path of the second step. */
async function fixQuote(visit: Visit): Promise<string> {
  const { form } = visit
  const request = readRequest(form.get('request') ?? '')
  const quote = await post<Quote>(visit, '/v3/payout/quote', request)
  const country = form.get('country') ?? ''
  const to = form.get('to') ?? ''
  const { charge_type } = request.swift ?? {}
  return `${visit.root}/payouts/new/${quote.id}${queryText({ country, to, charge_type })}`
}

/** Its amounts, which api.ts has made text, are numbers again. */
function readRequest(text: string): { readonly swift?: { readonly charge_type?: string } } {
  try {
    const request = JSON.parse(text, (name, value) =>
      name === 'amount' && typeof value === 'string' && /^\d{1,16}$/.test(value)
        ? BigInt(value)
        : value,
    ) as unknown
    if (typeof request === 'object' && request !== null) return request
  } catch {
    // The error below follows.
  }
  const message = 'Choose an option again.'
  throw new ApiError(400, [{ reason: 'invalid_request', message, remarks: '' }])
}
