// A new payout: the payee first, then the payment and its options, then a review. Money moves by
// the last button alone. Each step works without a script, and carries on what was entered before.
import { chainName } from '../../values/network/chain.ts'
import { paymentNetworkName, paymentNetworksNamed } from '../../values/network/payment.ts'
import { type Html, html } from '../../values/text/html.ts'
import { ApiError, type JsonObject, queryText } from '../api.ts'
import { checkUnchanged, fieldText, inLabels, post, postForm } from '../form.ts'
import { inWords } from '../labels.ts'
import type { Beneficiary, DryRun, Entity, Payout, PayoutOption, Quote } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts, link, state } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'
import { payeeStep } from './choose-payee.ts'
import { CARRIED, carried, minorOf, paymentFields } from './payment-fields.ts'
import { reviewOf } from './review.ts'
import { arrivalWords, networkWords, payeeCard, priceFacts, textAt } from './terms.ts'

export function payScreens(screens: Screens): void {
  screens.show('account', '/payouts/new', show)
  screens.act('account', '/payouts/new', advance, again)
}

async function show(visit: Visit): Promise<Screen> {
  const { like: id, to } = visit.query
  const like = id ? await visit.api.find<Payout>(`/v3/payout/${id}`) : undefined
  const chosen = to || like?.beneficiary
  if (!chosen) return payeeStep(visit)
  return paymentStep(visit, await payeeNamed(visit, chosen), like)
}

function payeeNamed({ api }: Visit, id: string): Promise<Beneficiary> {
  return api.get<Beneficiary>(`/v3/beneficiary/${id}`)
}

const payeeOf = (visit: Visit) => payeeNamed(visit, fieldText(visit, 'to'))

/** By the hidden field `step` of the sent form. */
async function advance(visit: Visit): Promise<Screen | string> {
  switch (fieldText(visit, 'step')) {
    case 'change':
      return paymentStep(visit, await payeeOf(visit))
    case 'choose':
      return review(visit, await payeeOf(visit), await fixQuote(visit, requestOf(visit)))
    case 'pay':
      return pay(visit)
    default:
      return optionsStep(visit, await payeeOf(visit))
  }
}

/** The step whose form was refused. */
async function again(visit: Visit): Promise<Screen> {
  const payee = await payeeOf(visit)
  if (fieldText(visit, 'step') === 'pay') return review(visit, payee, await quoteOf(visit))
  return paymentStep(visit, payee)
}

async function paymentStep(visit: Visit, payee: Beneficiary, like?: Payout): Promise<Screen> {
  const title = `Pay ${payee.name}`
  const why = notPayable(payee)
  const place = `${visit.root}/beneficiaries/${payee.id}`
  if (why !== '') {
    return { title, body: html`${payeeCard(visit.root, payee)}<p class="note wait">${why}</p>` }
  }
  const on_behalf_of =
    fieldText(visit, 'on_behalf_of') || (visit.query.on_behalf_of ?? like?.on_behalf_of ?? '')
  const edit = `${place}/edit${queryText({ next: 'pay', like: like?.id, on_behalf_of })}`
  const other = `${visit.root}/payouts/new${queryText({ on_behalf_of })}`
  const body = html`${payeeCard(visit.root, payee)}${await principal(visit, on_behalf_of)}
<p class="acts">${link(edit, 'Correct this payee')} ${link(other, 'Pay somebody else')}</p>
${postForm(visit, {
  action: `${visit.root}/payouts/new`,
  button: 'Continue',
  hidden: { step: 'options', to: payee.id, on_behalf_of },
  body: await paymentFields(visit, payee, like),
})}
${
  accountOf(visit).sandbox &&
  html`<p class="faint">No real money moves in a sandbox. <a href="${visit.root}/sandbox">Some
amounts fail or are held</a>, so that you can test both.</p>`
}`
  return { title, body }
}

/** '' for a payout in the account's own name. */
async function principal(visit: Visit, id: string): Promise<Html | ''> {
  if (id === '') return ''
  const { name, approval_status } = await visit.api.get<Entity>(`/v3/entity/${id}`)
  return html`<p>In the name of <strong>${link(`${visit.root}/entities/${id}`, name)}</strong>
${approval_status !== 'approved' && html`, which is ${state(approval_status)}`}</p>`
}

/** '' for a payee that can be paid. */
function notPayable({ status, archived_at }: Beneficiary): string {
  if (archived_at !== null) return 'This payee is archived. Unarchive it to pay it.'
  if (status === 'pending_approval')
    return 'This payee waits for an approval, and cannot be paid yet.'
  if (status === 'rejected')
    return 'This payee was rejected. It can be paid after it is changed and approved.'
  return status === 'erased' ? 'The data of this payee is erased: it cannot be paid.' : ''
}

type QuoteRequest = PayoutOption['quote_request']

interface Options {
  readonly options: readonly PayoutOption[]
}

/** An option, and why this payee cannot be paid by it; empty when the payee can. */
interface Judged {
  readonly option: PayoutOption
  readonly problems: readonly string[]
}

async function optionsStep(visit: Visit, payee: Beneficiary): Promise<Screen> {
  const amount = minorOf(visit)
  if (payee.destination_details.type === 'service_account') {
    const request = { payout_type: 'service_account', ...infosOf(visit, amount) }
    return review(visit, payee, await fixQuote(visit, request))
  }
  const judged = await judgedOptions(visit, payee, amount)
  const possible = judged.filter(({ problems }) => problems.length === 0)
  const [only, ...others] = possible
  if (only !== undefined && others.length === 0) {
    const request = withAmounts(JSON.stringify(only.option.quote_request))
    return review(visit, payee, await fixQuote(visit, request))
  }
  const refused = judged.filter(({ problems }) => problems.length > 0)
  const edit = `${visit.root}/beneficiaries/${payee.id}/edit${queryText({ next: 'pay' })}`
  const body = html`${payeeCard(visit.root, payee)}
<h2>${possible.length === 0 ? 'Nothing carries this payment' : 'Choose how it goes'}</h2>
<div class="cards">${possible.map(({ option }) => optionCard(visit, option))}</div>
${
  refused.length > 0 &&
  html`<details${possible.length === 0 && html` open`}><summary>Why other options are not
available</summary><ul>${refused.map(
    ({ option, problems }) =>
      html`<li><strong>${nameOf(option.quote_request)}</strong>: ${problems.join(' ')}</li>`,
  )}</ul><p>${link(edit, 'Add what is missing to the payee')}</p></details>`
}
${changeForm(visit)}`
  return { title: `Pay ${payee.name}`, body }
}

function infosOf(visit: Visit, amount: bigint) {
  const currency = fieldText(visit, 'currency')
  const entity_id = fieldText(visit, 'on_behalf_of')
  return {
    payout_info: { currency, amount },
    holding_info: { currency: fieldText(visit, 'holding') },
    ...(entity_id !== '' && { entity_id }),
  }
}

/** The options that lead to this payee. A dry run of each says what the payee lacks. */
async function judgedOptions(visit: Visit, payee: Beneficiary, amount: bigint): Promise<Judged[]> {
  const infos = infosOf(visit, amount)
  const arrives = arrival(payee, infos.payout_info.currency)
  const body = { ...infos, ...(arrives && { destination_info: arrives }) }
  const { options } = await inLabels(visit.api.post<Options>('/v3/payout/options', body))
  const leading = options.filter(({ quote_request }) => reaches(payee, quote_request))
  const tried = await Promise.all(
    leading.map(async option => {
      if (!option.possible) return { option, errors: option.errors }
      const { errors } = await dryRun(visit, { ...payment(visit, option.quote_request), amount })
      return { option, errors }
    }),
  )
  const [first] = tried.filter(({ option }) => option.possible)
  const ofForm = first?.errors.filter(({ remarks }) => isOfForm(remarks)) ?? []
  if (ofForm.length > 0) throw new ApiError(400, ofForm.map(labelled))
  return tried.map(({ option, errors }) => ({
    option,
    problems: errors
      .filter(error => !option.possible || isOfPayee(error))
      .map(e => inWords(e.message)),
  }))
}

const labelled = <P extends { readonly message: string }>(problem: P): P => ({
  ...problem,
  message: inWords(problem.message),
})

const isOfForm = (remarks: string) => CARRIED.some(name => name === remarks && name !== 'amount')
const isOfPayee = ({ remarks }: { readonly remarks: string }) => remarks.startsWith('beneficiary')

/** What arrives and where; undefined where the payee does not say the country. */
function arrival({ destination_details: details }: Beneficiary, currency: string) {
  const { type, bank, local_payment_network: key } = details
  if (type === 'local_payment_network') {
    const served = paymentNetworksNamed(key?.type ?? '')
    const network = served.find(one => one.currency === currency) ?? served[0]
    return network && { currency: network.currency, country: network.countries[0] ?? '' }
  }
  const country = textAt(bank, 'country') || textAt(bank, 'iban').slice(0, 2)
  return country === '' ? undefined : { currency: textAt(bank, 'currency') || currency, country }
}

function reaches({ destination_details: details }: Beneficiary, request: QuoteRequest): boolean {
  const { payout_type } = request
  const { type, wallet, local_payment_network: key } = details
  switch (type) {
    case 'bank':
      return payout_type === 'local' || payout_type === 'swift'
    case 'wallet':
      return request.wallet?.type === chainName(wallet?.type ?? '')
    default:
      return request.local_payment_network?.type === paymentNetworkName(key?.type ?? '')
  }
}

function optionCard(visit: Visit, option: PayoutOption): Html {
  const { price, expected_at, quote_request } = option
  const now = new Date().toISOString()
  return html`<section class="card"><h3>${nameOf(quote_request)}</h3>
<p>Arrives ${arrivalWords(expected_at, now, visit.zone)}</p>
${facts(price === null ? [] : priceFacts(price, quote_request.payout_info.currency))}
${postForm(visit, {
  action: `${visit.root}/payouts/new`,
  button: 'Choose',
  hidden: { ...carried(visit), step: 'choose', request: JSON.stringify(quote_request) },
})}</section>`
}

function nameOf(request: QuoteRequest): string {
  const { payout_type: type = 'local', payout_info, destination_info } = request
  return networkWords({
    type,
    currency: destination_info?.currency ?? payout_info.currency,
    local: request.local?.fund_transfer_network,
    payment_network: request.local_payment_network?.type,
    chain: request.wallet?.type,
    charge_type: request.swift?.charge_type,
  })
}

/** Back to the form of the payment, with all that was entered. */
function changeForm(visit: Visit): Html {
  return postForm(visit, {
    action: `${visit.root}/payouts/new`,
    button: 'Change the payment',
    hidden: { ...carried(visit), step: 'change' },
    small: true,
  })
}

const requestOf = (visit: Visit) => withAmounts(fieldText(visit, 'request'))

/** The request as JSON. Its amounts, which api.ts has made text, are numbers again. */
function withAmounts(json: string): object {
  try {
    const request = JSON.parse(json, (name, value) =>
      name === 'amount' && /^\d{1,16}$/.test(String(value)) ? BigInt(value) : value,
    ) as unknown
    if (typeof request === 'object' && request !== null) return request
  } catch {
    // The error below follows.
  }
  const message = 'Choose an option again.'
  throw new ApiError(400, [{ reason: 'invalid_request', message, remarks: '' }])
}

interface FixedQuote {
  readonly quote: Quote
  readonly request: object
}

/** Without the key of the form: after a step back, the same form asks for another quote. */
async function fixQuote({ api }: Visit, request: object): Promise<FixedQuote> {
  return { quote: await inLabels(api.post<Quote>('/v3/payout/quote', request)), request }
}

async function quoteOf(visit: Visit): Promise<FixedQuote> {
  const quote = await visit.api.get<Quote>(`/v3/payout/quote/${fieldText(visit, 'quote')}`)
  return { quote, request: requestOf(visit) }
}

async function review(visit: Visit, payee: Beneficiary, fixed: FixedQuote): Promise<Screen> {
  const { quote, request } = fixed
  const isActive = quote.status === 'active'
  const tried = isActive ? await dryRun(visit, paymentAt(visit, quote, request)) : undefined
  const by = await principal(visit, fieldText(visit, 'on_behalf_of'))
  return reviewOf(visit, { payee, by, quote, request, tried, change: changeForm(visit) })
}

function dryRun(visit: Visit, body: object): Promise<DryRun> {
  const api = visit.api.unlisted()
  return api.post<DryRun>('/v3/payout', body, '', { dry_run: 'true' })
}

/** The members of POST /v3/payout that do not depend on a quote. */
function payment(visit: Visit, request: object): Record<string, unknown> {
  const { payout_type, local, swift } = request as QuoteRequest
  const execute_at = fieldText(visit, 'execute_at')
  const texts = [
    'purpose',
    'transaction_description',
    'reference_id',
    'creditor_reference',
    'on_behalf_of',
  ].flatMap(name =>
    fieldText(visit, name) === '' ? [] : [[name, fieldText(visit, name)] as const],
  )
  return {
    beneficiary: fieldText(visit, 'to'),
    currency: fieldText(visit, 'currency'),
    holding_currency: fieldText(visit, 'holding'),
    type: payout_type ?? 'local',
    ...Object.fromEntries(texts),
    ...(local?.fund_transfer_network && { local }),
    ...(payout_type === 'swift' && { charge_type: swift?.charge_type ?? 'shared' }),
    ...(execute_at !== '' && { execute_at: inUtc(execute_at) }),
  }
}

function paymentAt(visit: Visit, quote: Quote, request: object): Record<string, unknown> {
  return {
    ...payment(visit, request),
    quote: quote.id,
    amount: BigInt(quote.payout_info.amount),
    currency: quote.payout_info.currency,
    holding_currency: quote.holding_info.currency,
    ...(visit.form.get('allow_duplicate') === 'true' && { allow_duplicate: true }),
  }
}

/** A browser's local time has no zone, and may have no seconds. */
function inUtc(local: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? `${local}:00Z` : `${local}Z`
}

const PAYEE_CHANGED = 'The payee was changed after you saw it: check the payment again.'

async function pay(visit: Visit): Promise<string> {
  checkUnchanged(visit, (await payeeOf(visit)) as JsonObject, PAYEE_CHANGED)
  const { quote, request } = await quoteOf(visit)
  const made = await inLabels(post<Payout>(visit, '/v3/payout', paymentAt(visit, quote, request)))
  return `${visit.root}/payouts/${made.id}?done=made`
}
