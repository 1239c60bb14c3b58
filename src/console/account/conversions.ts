// Screens of conversions: the list, one conversion, and a new one: the currencies and an amount
// first, then the price for review. Money moves by the last button alone.
import { type Html, html } from '../../values/text/html.ts'
import { anyOf, type Field, fields, fieldText, inLabels, minorOf, post, postForm } from '../form.ts'
import { currencyWords } from '../labels.ts'
import type { ListPage } from '../list.ts'
import type { Balance, Conversion, ConversionQuote, Money } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, facts, idLink, link, mainLink, makerWords, money, time } from '../show.ts'
import { accountOf, may, type Screen, type Visit } from '../visit.ts'
import { rateWords } from './terms.ts'

const NEW = '/conversions/new'

export function conversionScreens(screens: Screens): void {
  screens.list('account', '/conversions', conversionList)
  screens.show('account', NEW, amountStep)
  screens.act('account', NEW, advance, again)
  screens.show('account', '/conversions/:id', showConversion)
}

function conversionList(visit: Visit): ListPage<Conversion> {
  const { currencies } = accountOf(visit)
  return {
    title: 'Conversions',
    live: 'btr_',
    above: may(visit, 'maker') && mainLink(`${visit.root}${NEW}`, 'Convert'),
    api: '/v3/conversion',
    caption: 'Conversions, newest first',
    columns: [
      {
        name: 'When',
        show: ({ id, created_at }) => link(`${visit.root}/conversions/${id}`, time(created_at)),
      },
      {
        name: 'Left, with fees',
        number: true,
        show: ({ total_debit }) => money(total_debit.amount, total_debit.currency),
      },
      {
        name: 'Came in',
        number: true,
        show: ({ destination_info }) => money(destination_info.amount, destination_info.currency),
      },
      { name: 'Rate', show: rateOf },
      { name: 'Made by', show: ({ made_by }) => makerWords(made_by) },
    ],
    filters: [
      { name: 'holding_currency', label: 'From', options: anyOf(currencies) },
      { name: 'destination_currency', label: 'To', options: anyOf(currencies) },
    ],
    empty: 'No conversions yet.',
  }
}

type Price = Pick<
  ConversionQuote,
  'holding_info' | 'destination_info' | 'fee_info' | 'exchange_rate' | 'total_debit'
>

function rateOf({ exchange_rate, holding_info, destination_info }: Price): Html {
  return rateWords(exchange_rate, holding_info.currency, destination_info.currency)
}

function priceFacts(price: Price): readonly (readonly [string, Html | false])[] {
  const { fixed, variable } = price.fee_info
  const fees = BigInt(fixed.in_holding_currency) + BigInt(variable.in_holding_currency)
  const { total_debit, destination_info } = price
  const strong = ({ amount, currency }: Money) => html`<strong>${money(amount, currency)}</strong>`
  return [
    [`Leaves your ${total_debit.currency} balance`, strong(total_debit)],
    ['Of which fees', fees > 0n && money(String(fees), total_debit.currency)],
    ['Rate', rateOf(price)],
    [`Arrives in your ${destination_info.currency} balance`, strong(destination_info)],
  ]
}

async function showConversion(visit: Visit): Promise<Screen> {
  const made = await visit.api.get<Conversion>(`/v3/conversion/${visit.params.id}`)
  const { holding_info, destination_info, balance_transactions: lines } = made
  const body = html`${facts([
    ...priceFacts(made),
    [
      'Lines of the statement',
      html`${idLink(visit.root, lines.debit)}
${idLink(visit.root, lines.credit)}`,
    ],
    ['Made by', makerWords(made.made_by)],
    ['When', time(made.created_at)],
    ['Id', html`<code>${made.id}</code>`],
  ])}`
  return { title: `${holding_info.currency} to ${destination_info.currency}`, body }
}

/** What the amount of the form is: a label by the name of the request's member. */
const SIDES = {
  destination_info: 'is what arrives',
  total_debit: 'is the most to take, fees included',
} as const

async function amountStep(visit: Visit): Promise<Screen> {
  const { currencies } = accountOf(visit)
  const title = 'Convert'
  if (currencies.length < 2) {
    const body = html`<p>Your account has one currency. Ask whoever runs this installation for
another one.</p>`
    return { title, body }
  }
  const { available } = await visit.api.get<Balance>('/v3/balance')
  const held = available.map(({ amount, currency }) => html`<li>${money(amount, currency)}</li>`)
  const body = html`<p>Change money of one of your balances into another currency. You see the price
first.</p><ul class="plain">${held}</ul>
${postForm(visit, {
  action: `${visit.root}${NEW}`,
  button: 'See the price',
  hidden: { step: 'price' },
  body: fields(visit, amountFields(visit)),
})}`
  return { title, body }
}

function amountFields({ query, account }: Visit): readonly Field[] {
  const currencies = account?.currencies ?? []
  const options = Object.fromEntries(currencies.map(code => [code, currencyWords(code)]))
  const [first = '', second = ''] = currencies
  const from = query.from ?? first
  const to = from === first ? second : first
  return [
    { name: 'from', label: 'From', options, value: from, member: 'holding_info.currency' },
    { name: 'to', label: 'To', options, value: to, member: 'destination_info.currency' },
    { name: 'amount', label: 'Amount', required: true, member: 'destination_info.amount' },
    { name: 'side', label: 'The amount', options: SIDES, member: 'total_debit' },
  ]
}

/** By the hidden field `step` of the sent form. */
async function advance(visit: Visit): Promise<Screen | string> {
  if (fieldText(visit, 'step') === 'convert') return convert(visit)
  const [from, to] = [fieldText(visit, 'from'), fieldText(visit, 'to')]
  const is_debit = fieldText(visit, 'side') === 'total_debit'
  const amount = minorOf(visit, 'amount', is_debit ? from : to)
  const body = {
    holding_info: { currency: from },
    destination_info: { currency: to, ...(!is_debit && { amount }) },
    ...(is_debit && { total_debit: amount }),
  }
  // Without the key of the form: after a step back, the same form asks for another price.
  return review(
    visit,
    await inLabels(visit.api.post<ConversionQuote>('/v3/conversion/quote', body)),
  )
}

/** The step whose form was refused. */
async function again(visit: Visit): Promise<Screen> {
  return fieldText(visit, 'step') === 'convert'
    ? review(visit, await quoteOf(visit))
    : amountStep(visit)
}

const quoteOf = (visit: Visit) =>
  visit.api.get<ConversionQuote>(`/v3/conversion/quote/${fieldText(visit, 'quote')}`)

async function review(visit: Visit, quote: ConversionQuote): Promise<Screen> {
  const { holding_info, destination_info, valid_until, status } = quote
  const { available } = await visit.api.get<Balance>('/v3/balance')
  const has = (code: string) => available.find(({ currency }) => currency === code)?.amount ?? '0'
  const { currency } = holding_info
  const is_short = BigInt(has(currency)) < BigInt(quote.total_debit.amount)
  const button =
    `Convert ${digits(quote.total_debit.amount, currency)} ${currency} to ` +
    `${digits(destination_info.amount, destination_info.currency)} ${destination_info.currency}`
  const body = html`<section class="card">${facts([
    ...priceFacts(quote),
    [
      'Your balances now',
      html`${money(has(currency), currency)},
${money(has(destination_info.currency), destination_info.currency)}`,
    ],
  ])}</section>
${is_short && html`<p class="note bad" role="alert">Your ${currency} balance has too little.</p>`}
${
  status === 'active'
    ? !is_short &&
      postForm(visit, {
        action: `${visit.root}${NEW}`,
        button,
        hidden: { step: 'convert', quote: quote.id },
        body: html`<p>It is final: a conversion cannot be taken back. This price is valid until
${time(valid_until)} <strong data-until="${valid_until}"></strong></p>`,
      })
    : over(visit, status)
}
${change(visit, quote)}`
  return { title: 'Check the conversion', body }
}

/** A used quote may have converted by this very form, whose answer was lost. */
function over({ root }: Visit, status: ConversionQuote['status']): Html {
  return status === 'used'
    ? html`<p class="note bad" role="alert">This price was used. Look at your
${link(`${root}/conversions`, 'conversions')} before you convert again.</p>`
    : html`<p class="note bad" role="alert">This price is not valid any more. See the price of
now.</p>`
}

/** Another price of the same, and the way back. */
function change(visit: Visit, quote: ConversionQuote): Html {
  const { holding_info, destination_info } = quote
  const amount = digits(destination_info.amount, destination_info.currency)
  return html`${postForm(visit, {
    action: `${visit.root}${NEW}`,
    button: 'See the price of now',
    hidden: {
      step: 'price',
      from: holding_info.currency,
      to: destination_info.currency,
      amount,
      side: 'destination_info',
    },
    small: true,
  })} ${link(`${visit.root}${NEW}?from=${holding_info.currency}`, 'Change the amount')}`
}

async function convert(visit: Visit): Promise<string> {
  const body = { quote: fieldText(visit, 'quote') }
  const made = await inLabels(post<Conversion>(visit, '/v3/conversion', body))
  return `${visit.root}/conversions/${made.id}?done=converted`
}
