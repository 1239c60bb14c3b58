// The fields of a payment: amount, currency, balance and purpose. Later steps carry them on as
// hidden fields.
import { currencyExponent, findCurrency } from '../../values/money/currency.ts'
import { parseMajor } from '../../values/money/decimal.ts'
import { findChain } from '../../values/network/chain.ts'
import { paymentNetworksNamed } from '../../values/network/payment.ts'
import { type Html, html } from '../../values/text/html.ts'
import { ApiError } from '../api.ts'
import { currencyChoices } from '../choices.ts'
import { type Field, fields, fieldText, ungrouped } from '../form.ts'
import { currencyWords, labelOf } from '../labels.ts'
import type { Balance, Beneficiary, Payout } from '../objects.ts'
import { digits, words } from '../show.ts'
import { accountOf, type Visit } from '../visit.ts'
import { currenciesOf } from './corridor.ts'
import { textAt } from './terms.ts'

/** The names of the fields, `to`, the payee, and the entity in whose name it is. */
export const CARRIED = [
  'to',
  'amount',
  'currency',
  'holding',
  'purpose',
  'transaction_description',
  'reference_id',
  'creditor_reference',
  'execute_at',
  'on_behalf_of',
] as const

export function carried(visit: Visit): Record<string, string> {
  return Object.fromEntries(CARRIED.map(name => [name, fieldText(visit, name)]))
}

/** In minor units of the form's currency. Refuses (400) text that is no amount. */
export function minorOf(visit: Visit): bigint {
  const [text, currency] = [fieldText(visit, 'amount'), fieldText(visit, 'currency')]
  const refused = (message: string, remarks: string) =>
    new ApiError(400, [{ reason: 'invalid_field', message, remarks }])
  if (findCurrency(currency) === undefined) throw refused('Choose a currency.', 'currency')
  const exponent = currencyExponent(currency)
  const minor = parseMajor(ungrouped(text), exponent)
  if (minor !== undefined && minor > 0n) return minor
  const example = exponent === 0 ? '12,000' : `12,000.${'0'.repeat(exponent)}`
  throw refused(`“${text}” is not an amount in ${currency}: write it like ${example}.`, 'amount')
}

const PURPOSES: Readonly<Record<string, string>> = {
  supplier_payment: 'Goods or services of a supplier',
  salary: 'Salary or wages',
  rent: 'Rent',
  refund: 'Refund to a customer',
  tax: 'Tax or duty',
  loan_repayment: 'Repayment of a loan',
  intercompany: 'Transfer within a group of companies',
  donation: 'Donation',
  personal: 'Personal or family support',
}

export const purposeWords = (purpose: string) => PURPOSES[purpose] ?? words(purpose)

export async function paymentFields(
  visit: Visit,
  payee: Beneficiary,
  like: Payout | undefined,
): Promise<Html> {
  const { query } = visit
  const likely = likelyCurrencies(payee)
  const currency = query.currency?.toUpperCase() || like?.currency || likely[0] || ''
  const amount = query.amount ?? (like ? digits(like.amount, like.currency) : '')
  const purpose = like?.purpose ?? 'supplier_payment'
  const main: Field[] = [
    {
      name: 'amount',
      label: 'Amount that is paid',
      value: amount,
      required: true,
      hint: 'For example 12,000.00',
    },
    {
      name: 'currency',
      label: 'Currency',
      value: currency,
      options: isToken(payee) ? choicesOf(likely) : currencyChoices(likely),
    },
    await holdingField(visit, like, currency),
    {
      name: 'transaction_description',
      label: 'Description',
      value: like?.transaction_description ?? '',
      required: true,
      hint: 'What the payee sees, such as Invoice 2041',
    },
    {
      name: 'purpose',
      label: 'Purpose',
      value: purpose,
      options: {
        ...PURPOSES,
        ...(!Object.hasOwn(PURPOSES, purpose) && { [purpose]: words(purpose) }),
      },
    },
    { name: 'reference_id', label: 'Your reference (optional)' },
  ]
  return html`${fields(visit, main)}<details><summary>Reference on the invoice, or pay it
later</summary>${fields(visit, [payee.destination_details.type === 'bank' && REFERENCE, LATER])}
</details>`
}

const REFERENCE: Field = {
  name: 'creditor_reference',
  label: `${labelOf('creditor_reference')} (optional)`,
  hint:
    'The QRR, RF or structured reference that the invoice shows; the payee gets it in place of ' +
    'the description. A QR-IBAN needs its QRR',
}

const LATER: Field = {
  name: 'execute_at',
  label: 'Pay it later, at this time in UTC (optional)',
  type: 'datetime-local',
  hint: 'The money leaves your balance now, at this price. You can cancel until that time.',
}

/** The balances with what is available in each. */
async function holdingField(
  visit: Visit,
  like: Payout | undefined,
  currency: string,
): Promise<Field> {
  const { primary_currency, currencies } = accountOf(visit)
  const { available } = await visit.api.unlisted().get<Balance>('/v3/balance')
  const labels = available.map(({ amount, currency: code }) => [
    code,
    `${code} – ${digits(amount, code)} available`,
  ])
  const same = currencies.includes(currency) ? currency : primary_currency
  return {
    name: 'holding',
    label: 'From your balance in',
    value: like?.holding_currency ?? same,
    options: Object.fromEntries(labels),
  }
}

const isToken = ({ destination_details: { type } }: Beneficiary) => type === 'wallet'

const choicesOf = (codes: readonly string[]) =>
  Object.fromEntries(codes.map(code => [code, currencyWords(code)]))

/** The currency that the payee's account is in, or what networks carry to it. */
function likelyCurrencies({ destination_details: details }: Beneficiary): readonly string[] {
  const own = textAt(details, 'bank.currency') || textAt(details, 'wallet.currency')
  if (own !== '') return [own]
  const chain = findChain(textAt(details, 'wallet.type'))
  if (chain !== undefined) return chain.currencies
  const network = textAt(details, 'local_payment_network.type')
  if (network !== '') return paymentNetworksNamed(network).map(({ currency }) => currency)
  const country = textAt(details, 'bank.country') || textAt(details, 'bank.iban').slice(0, 2)
  return country === '' ? [] : currenciesOf(country)
}
