// The second step of a new payout: the payee and the purpose, at an active quote.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { queryText } from '../api.ts'
import {
  bodyOf,
  type Field,
  field,
  fields,
  fieldText,
  optionsOf,
  post,
  postForm,
  setMember,
} from '../form.ts'
import type { Beneficiary, Payout, Quote, Requirement, Requirements } from '../objects.ts'
import { facts, money, time, words } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

export async function payeeScreen(visit: Visit): Promise<Screen> {
  const { query } = visit
  const quote = await visit.api.get<Quote>(`/v3/payout/quote/${visit.params.quote}`)
  const requirements = await visit.api.get<Requirements>('/v3/payout/requirements', {
    type: quote.payout_type,
    currency: quote.payout_type === 'service_account' ? '' : quote.destination_info.currency,
    country: query.country,
    network: networkOf(quote),
  })
  const to = query.to ?? ''
  const stored = to === '' ? undefined : await visit.api.find<Beneficiary>(`/v3/beneficiary/${to}`)
  const newPrice = `${visit.root}/payouts/new${queryText({
    currency: quote.payout_info.currency,
    country: query.country,
    to,
  })}`
  const body = html`${terms(quote, newPrice)}
${
  quote.status === 'active' &&
  postForm(visit, {
    action: `${visit.root}/payouts/new/${quote.id}${queryText(query)}`,
    button: 'Pay',
    body: html`${stored === undefined ? payeeFields(visit, requirements) : storedPayee(stored)}
<h2>The payment</h2>${purposeFields(visit, requirements)}
${visit.formError?.is('possible_duplicate_payout') && duplicateField()}`,
  })
}`
  return { title: 'Whom do you pay?', body }
}

/** For a wallet its chain; '' for none. */
function networkOf(quote: Quote): string {
  const wallet = quote.wallet.network ?? quote.wallet.type
  const { fund_transfer_network: local } = quote.local
  return local || quote.local_payment_network.payment_network || (wallet ? String(wallet) : '')
}

/** `newPrice` is the path of step one. */
function terms(quote: Quote, newPrice: string): Html {
  const { holding_info: from, payout_info: to } = quote
  const total = BigInt(from.amount) + feesOf(quote)
  const validity =
    quote.status === 'active'
      ? html`<p>This price is valid until ${time(quote.valid_until)}
<strong data-until="${quote.valid_until}"></strong>. <a href="${newPrice}">Get a new price</a></p>`
      : html`<p class="note bad">This quote is ${quote.status}.
<a href="${newPrice}">Get a new price.</a></p>`
  return html`<section class="card">${facts([
    ['The payee gets', money(to.amount, to.currency)],
    ...priceFacts(quote, String(total), to.currency),
    ['Arrives', quote.expected_at && time(quote.expected_at)],
  ])}${validity}</section>`
}

type Price = Pick<Quote, 'fee_info' | 'exchange_rates'> & {
  readonly holding_info: { readonly currency: string }
}

/** `to` is the payout currency. */
export function priceFacts(price: Price, total: string, to: string): [string, Content][] {
  const { currency: from } = price.holding_info
  const rate = `1 ${from} = ${price.exchange_rates.holding_to_payout} ${to}`
  return [
    ['You pay', html`<strong>${money(total, from)}</strong>`],
    ['of which fees', money(String(feesOf(price)), from)],
    ['Rate', from !== to && rate],
  ]
}

function feesOf({ fee_info: { fixed, variable } }: Pick<Quote, 'fee_info'>): bigint {
  return BigInt(fixed.in_holding_currency) + BigInt(variable.in_holding_currency)
}

function storedPayee({ id, name }: Beneficiary): Html {
  return html`<p>To <strong>${name}</strong>
<input type="hidden" name="beneficiary" value="${id}"></p>`
}

function payeeFields(visit: Visit, { alternatives }: Requirements): Html {
  const chosen = alternatives.find(({ name }) => name === visit.query.by) ?? alternatives[0]
  if (chosen === undefined) return html`<p>No details of the payee are needed.</p>`
  const path = visit.here.split('?', 1)[0] ?? ''
  const others = alternatives.filter(({ name }) => name !== chosen.name)
  return html`<h2>The payee</h2>
${
  others.length > 0 &&
  html`<p>Name the payee’s account by <strong>${words(chosen.name)}</strong>, or by ${others.map(
    ({ name }) =>
      html`<a href="${path}${queryText({ ...visit.query, by: name })}">${words(name)}</a> `,
  )}</p>`
}
${chosen.fields.map(required => payeeField(visit, required))}`
}

/** In the names of form fields. */
const PREFIX = 'payee:'

function payeeField(visit: Visit, { path, description, example, pattern, required }: Requirement) {
  const allowed = /^\^\(([^()]+)\)\$$/.exec(pattern)?.[1]?.split('|')
  const constant = /^\^([a-z_]+)\$$/.exec(pattern)?.[1]
  if (constant !== undefined)
    return html`<input type="hidden" name="${PREFIX}${path}" value="${constant}">`
  const spec: Field = {
    name: `${PREFIX}${path}`,
    label: labelOf(path),
    hint: allowed === undefined ? `${description} For example ${example}` : description,
    required,
    value: path === 'destination_details.bank.country' ? (visit.query.country ?? '') : '',
    member: `beneficiary_details.${path}`,
    ...(allowed && { options: optionsOf(allowed) }),
  }
  return field(visit, spec)
}

function labelOf(path: string): string {
  const last = words(path.split('.').at(-1) ?? path)
  const text = { iban: 'IBAN', bic: 'BIC', 'swift code': 'SWIFT code' }[last] ?? last
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function referenceField({ pattern, required_for }: Requirements['creditor_reference']): Field[] {
  if (pattern === '') return []
  const hint =
    'The QRR, RF or structured reference that the invoice shows; the payee gets it in place of ' +
    `the description${required_for === '' ? '' : '. A QR-IBAN needs its QRR'}`
  return [{ name: 'creditor_reference', label: 'Reference on the invoice (optional)', hint }]
}

function purposeFields(
  visit: Visit,
  { purpose: { codes }, creditor_reference: reference }: Requirements,
): Content {
  return fields(visit, [
    {
      name: 'purpose',
      label: 'Purpose',
      required: true,
      value: codes[0] ?? 'supplier_payment',
      ...(codes.length > 0 && { options: optionsOf(codes) }),
    },
    {
      name: 'transaction_description',
      label: 'Description',
      required: true,
      hint: 'What the payee sees, such as Invoice 2041',
    },
    { name: 'reference_id', label: 'Your reference (optional)' },
    ...referenceField(reference),
    {
      name: 'execute_at',
      label: 'Pay it later, at this time in UTC (optional)',
      type: 'datetime-local',
      hint: 'The money leaves your balance now, at this price. You can cancel until that time.',
    },
  ])
}

function duplicateField(): Html {
  return html`<p class="field"><label><input type="checkbox" name="allow_duplicate" value="true">
This is a different payment: create it anyway</label></p>`
}

/** A browser's local time has no zone, and may have no seconds. */
function inUtc(local: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? `${local}:00Z` : `${local}Z`
}

/** The form has them under their own names. */
const MEMBERS = [
  'purpose',
  'transaction_description',
  'reference_id',
  'creditor_reference',
  'beneficiary',
]

export async function payPayee(visit: Visit): Promise<string> {
  const { form } = visit
  const quote = await visit.api.get<Quote>(`/v3/payout/quote/${visit.params.quote}`)
  const body: Record<string, unknown> = {
    quote: quote.id,
    amount: BigInt(quote.payout_info.amount),
    currency: quote.payout_info.currency,
    holding_currency: quote.holding_info.currency,
    type: quote.payout_type,
    ...bodyOf(form, MEMBERS),
  }
  const { fund_transfer_network } = quote.local
  if (fund_transfer_network !== '') body.local = { fund_transfer_network }
  if (quote.payout_type === 'swift') body.charge_type = visit.query.charge_type ?? 'shared'
  const execute_at = fieldText(visit, 'execute_at')
  if (execute_at !== '') body.execute_at = inUtc(execute_at)
  if (form.get('allow_duplicate') === 'true') body.allow_duplicate = true
  for (const [name, value] of form) {
    const text = value.trim()
    if (!name.startsWith(PREFIX) || text === '') continue
    setMember(body, ['beneficiary_details', ...name.slice(PREFIX.length).split('.')], text)
  }
  const made = await post<Payout>(visit, '/v3/payout', body)
  return `${visit.root}/payouts/${made.id}?done=made`
}
