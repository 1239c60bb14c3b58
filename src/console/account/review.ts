// The review of a payout before money moves: the payee, the amounts, the way and the arrival, with
// all that would refuse it, and one button that pays.
import { type Html, html } from '../../values/text/html.ts'
import { bodyText } from '../../values/text/json-digits.ts'
import type { JsonObject } from '../api.ts'
import { fieldText, postForm, seenOf } from '../form.ts'
import { inWords } from '../labels.ts'
import type { Beneficiary, DryRun, Quote } from '../objects.ts'
import { digits, facts, money, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { carried, purposeWords } from './payment-fields.ts'
import { arrivalWords, networkWords, payeeCard, priceFacts } from './terms.ts'

export interface Review {
  readonly payee: Beneficiary
  /** In whose name it is; '' for the account's own. */
  readonly by: Html | ''
  readonly quote: Quote
  /** The body that made the quote. */
  readonly request: object
  /** Undefined once the quote cannot be used any more. */
  readonly tried: DryRun | undefined
  /** The form that leads back. */
  readonly change: Html
}

export function reviewOf(visit: Visit, review: Review): Screen {
  const { payee, by, quote, request, tried, change } = review
  const { payout_info: paid, destination_info: arriving } = quote
  const body = html`${payeeCard(visit.root, payee)}${by}
<section class="card">${facts([
    ['The payee gets', html`<strong>${money(arriving.amount, arriving.currency)}</strong>`],
    ['You pay out', paid.currency !== arriving.currency && money(paid.amount, paid.currency)],
    ...priceFacts(quote, paid.currency),
    [
      'Your balance now',
      tried?.price && money(tried.price.available.amount, tried.price.available.currency),
    ],
    ['How', wayOf(quote, request)],
    [
      'Arrives',
      tried?.execute_at ? '' : arrivalWords(quote.expected_at, quote.created_at, visit.zone),
    ],
    ['Is sent', tried?.execute_at && time(tried.execute_at)],
    ['Description', fieldText(visit, 'transaction_description')],
    ['Reference on the invoice', fieldText(visit, 'creditor_reference')],
    ['Purpose', purposeWords(fieldText(visit, 'purpose'))],
    ['Your reference', fieldText(visit, 'reference_id')],
  ])}</section>
${tried === undefined ? expired(visit, quote, request) : payPart(visit, review, tried)}
${change}`
  return { title: 'Check the payment', body }
}

function wayOf(quote: Quote, request: object): string {
  const { swift } = request as { readonly swift?: { readonly charge_type?: string } }
  return networkWords({
    type: quote.payout_type,
    currency: quote.destination_info.currency,
    local: quote.local.fund_transfer_network,
    payment_network: quote.local_payment_network.payment_network,
    chain: quote.wallet.type,
    charge_type: swift?.charge_type,
  })
}

/** A used quote may have paid by this very form, whose answer was lost: no new price is offered. */
function expired(visit: Visit, { status }: Quote, request: object): Html {
  if (status === 'used') {
    return html`<p class="note bad" role="alert">A payment was made with this price, perhaps this
one. Look at the <a href="${visit.root}/payouts">newest payouts</a> before you pay again.</p>`
  }
  return html`<p class="note bad" role="alert">This price is not valid any more.</p>
${postForm(visit, {
  action: `${visit.root}/payouts/new`,
  button: 'Get a new price',
  hidden: { ...carried(visit), step: 'choose', request: bodyText(request) },
})}`
}

const DUPLICATE = 'possible_duplicate_payout'

function payPart(visit: Visit, { payee, quote, request }: Review, tried: DryRun): Html {
  const refusals = tried.errors.filter(({ reason }) => reason !== DUPLICATE)
  const isLikeAnother = refusals.length < tried.errors.length || visit.formError?.is(DUPLICATE)
  const { payout_info: paid, valid_until } = quote
  return html`${notes(tried)}
${
  refusals.length === 0 &&
  postForm(visit, {
    action: `${visit.root}/payouts/new`,
    button: `Pay ${digits(paid.amount, paid.currency)} ${paid.currency}`,
    hidden: {
      ...carried(visit),
      step: 'pay',
      quote: quote.id,
      request: bodyText(request),
      ...seenOf(payee as JsonObject),
    },
    body: html`${isLikeAnother && DIFFERENT}
<p>This price is valid until ${time(valid_until)}
<strong data-until="${valid_until}"></strong></p>`,
  })
}`
}

const DIFFERENT = html`<p class="note wait">You have paid this payee the same amount with the same
reference lately.</p>
<p class="field"><label><input type="checkbox" name="allow_duplicate" value="true" required>
This is a different payment: pay it anyway</label></p>`

const LOW = 'insufficient_balance'

function lowBalance({ available, total_debit }: NonNullable<DryRun['price']>): Html {
  return html`It needs ${money(total_debit.amount, total_debit.currency)}, fees included. Your
balance has ${money(available.amount, available.currency)}.`
}

/** What would refuse the payout, what a person should look at, and who decides next. */
function notes({ errors, warnings, approvals_needed, held_for, price }: DryRun): Html {
  const refusals = errors.filter(({ reason }) => reason !== DUPLICATE)
  const others = approvals_needed === '1' ? '1 other person' : `${approvals_needed} other people`
  return html`${
    refusals.length > 0 &&
    html`<div class="note bad" role="alert"><p><strong>This payment would be refused.</strong></p>
<ul>${refusals.map(
      ({ reason, message }) =>
        html`<li>${price && reason === LOW ? lowBalance(price) : inWords(message)}</li>`,
    )}</ul></div>`
  }
${warnings.map(warning => html`<p class="note wait">${warning}</p>`)}
${
  approvals_needed !== '0' &&
  html`<p class="note wait">It is sent once ${others} of your account
${approvals_needed === '1' ? 'has' : 'have'} approved it.</p>`
}
${held_for !== '' && html`<p class="note wait">It waits for the review of the entity.</p>`}`
}
