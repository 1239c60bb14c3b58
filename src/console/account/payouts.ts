// Screens of payouts: the list, and one payout. Also a quote, with the calculation of its figures.
import { makerName } from '../../accounts/maker.ts'
import { PAYOUT_STATUSES } from '../../payouts/states.ts'
import { PAYOUT_TYPES } from '../../quotes/quote.ts'
import { FAILURES } from '../../values/failures.ts'
import { type Html, html } from '../../values/text/html.ts'
import type { JsonObject, Query } from '../api.ts'
import { anyOf, bodyOf, field, fieldText, post, postForm } from '../form.ts'
import { csvOf, type ListPage } from '../list.ts'
import type { Approval, Money, Payout, PayoutTotals, Quote, Transaction } from '../objects.ts'
import type { Screens } from '../screens.ts'
import {
  copier,
  digits,
  facts,
  idLink,
  linkCopier,
  mainLink,
  members,
  money,
  state,
  time,
  when,
  words,
} from '../show.ts'
import { accountOf, may, type Screen, type Visit } from '../visit.ts'
import { decisionForms, decisionScreens, decisionsOf } from './decision.ts'
import { metadataFields, sentMetadata } from './metadata.ts'
import { payoutColumns } from './payout-columns.ts'
import { networkWords, payeeFacts, rateWords } from './terms.ts'
import { keyNames, timelineOf } from './timeline.ts'

export function payoutScreens(screens: Screens): void {
  screens.list('account', '/payouts', payoutList)
  screens.csv('account', '/payouts', visit => csvOf(visit, payoutList(visit)))
  screens.show('account', '/payouts/:id', showPayout)
  const cancelling = { to: '/v3/payout/:id/cancel', next: '/payouts/:id?done=cancelled' }
  screens.send('account', '/payouts/:id/cancel', cancelling, showPayout)
  screens.act('account', '/payouts/:id/answer', answer, showPayout)
  screens.act('account', '/payouts/:id/metadata', changeMetadata, showPayout)
  decisionScreens(screens, 'payout', 'payouts', showPayout)
  screens.show('account', '/quotes/:id', showQuote)
}

function payoutList(visit: Visit): ListPage<Payout> {
  return {
    title: 'Payouts',
    live: 'pot_',
    above: may(visit, 'maker') && mainLink(`${visit.root}/payouts/new`, 'New payout'),
    api: '/v3/payout',
    caption: 'Payouts, newest first',
    csv: true,
    columns: payoutColumns(visit),
    filters: [
      { name: 'beneficiary_name', label: 'Payee' },
      { name: 'status', label: 'State', options: anyOf(PAYOUT_STATUSES) },
      { name: 'type', label: 'Type', options: anyOf(PAYOUT_TYPES) },
      {
        name: 'scheduled',
        label: 'Scheduled',
        options: { '': 'Any', true: 'Waits for its scheduled time' },
      },
      { name: 'currency', label: 'Currency' },
      { name: 'reference_id', label: 'Your reference' },
      { name: 'made_by', label: 'Made by' },
      { name: 'sort', label: 'Order', options: ORDERS },
    ],
    totals: query => totalsOf(visit, query),
    empty: html`No payouts yet. ${
      may(visit, 'maker') && html`<a href="${visit.root}/payouts/new">Create the first one.</a>`
    }`,
  }
}

const ORDERS = {
  '': 'Newest first',
  created_at: 'Oldest first',
  '-amount': 'Largest amount first',
  amount: 'Smallest amount first',
}

/** The sums of all that the filters fit, whatever the page. */
async function totalsOf(visit: Visit, parameters: Query): Promise<Html> {
  const { sort, limit, starting_after, ending_before, ...query } = parameters
  const totals = await visit.api.get<PayoutTotals>('/v3/payout/totals', query)
  const each = (sums: readonly Money[]) =>
    sums.map(({ amount, currency }) => html` <strong>${money(amount, currency)}</strong>`)
  const fees = totals.debited.map(({ fees, currency }) => ({ amount: fees, currency }))
  return html`<p>${!totals.complete && 'The newest '}${totals.count} payouts: paid${each(
    totals.paid,
  )}, debited${each(totals.debited)}, of which fees${each(fees)}.</p>`
}

const CANCELLABLE = ['pending_approval', 'processing', 'requires_action', 'compliance_hold']

async function showPayout(visit: Visit): Promise<Screen> {
  const id = visit.params.id ?? ''
  const path = `/v3/payout/${id}`
  const readApproval = () => visit.api.find<Approval>(`${path}/approval`)
  let payout = await visit.api.get<Payout>(path)
  let shownApproval: Approval | undefined
  if (payout.status === 'pending_approval') {
    // Read before the payout, so that its digest never covers more than the page shows.
    shownApproval = await readApproval()
    payout = await visit.api.get<Payout>(path)
  }
  const key_names = await keyNames(visit)
  const [failed, approval, timeline, transaction, quote] = await Promise.all([
    failure(visit, payout),
    shownApproval ?? readApproval(),
    timelineOf(visit, id, key_names),
    visit.api.find<Transaction>(`/v3/balance_transaction/${payout.balance_transaction}`),
    payout.quote === '' ? undefined : visit.api.find<Quote>(`/v3/payout/quote/${payout.quote}`),
  ])
  const title = `${digits(payout.amount, payout.currency)} ${payout.currency} to ${
    payout.beneficiary_details.name || 'a payee'
  }`
  const body = html`<div data-live-part>
<p class="lead">${state(payout.status)} ${payout.status_description}</p>
${scheduled(payout)}${failed}
${moneyOf(visit.root, payout, transaction, quote)}
${approval && approvalOf(visit, payout, approval)}
${answerForm(visit, payout)}
${acts(visit, payout)}
<h2>What happened</h2>${timeline}
<h2>Payee</h2>${facts(payeeFacts(payout.beneficiary_details))}
<h2>Details</h2>${detailsOf(visit.root, payout, key_names)}</div>${metadataForm(visit, payout)}`
  return { title, body, live: id }
}

/** Only while it is `processing`, as only the API knows a sandbox's clock. */
function scheduled({ execute_at, status }: Payout): Html | '' {
  if (execute_at === null || status !== 'processing') return ''
  return html`<p>This payout is scheduled for ${time(execute_at)}. It is not sent before that time,
and you can cancel it until then.</p>`
}

const CHECK_THE_PAYEE =
  'Check the name and the account with the payee. You can pay again, to a corrected payee too.'

/** Why a payout has failed or was returned, where its money went, and the next step. */
async function failure(visit: Visit, { id, failure: why, status }: Payout): Promise<Html | ''> {
  if (why === null) return ''
  const { results } = await visit.api.list<Transaction>('/v3/balance_transaction', { payout: id })
  const line = ({ id, net, operation_type }: Transaction) =>
    html`<a href="${visit.root}/transactions/${id}">${
      operation_type === 'debit' ? 'Debit' : 'Refund'
    } of ${money(net.amount.replace(/^-/, ''), net.currency)}</a>`
  const moved = results.toReversed().map((one, i) => html`${i > 0 && ', '}${line(one)}`)
  const fix = FAILURES.get(why.code)?.fix
  const code = html`<code>${why.code}</code>`
  const place = `/docs/failure-codes#${why.code.toLowerCase()}`
  return html`<div class="note bad"><p><strong>${
    status === 'reversed' ? 'Why the money came back' : 'Why it failed'
  }:</strong> ${why.message}</p>
<p><strong>What to do:</strong> ${fix ?? CHECK_THE_PAYEE} ${
    may(visit, 'maker') && html`<a href="${visit.root}/payouts/new?like=${id}">Pay again</a>`
  }</p>
<p>The amount and its fees are back in your balance: ${moved}.</p>
<p class="faint">Code ${fix === undefined ? code : html`<a href="${place}">${code}</a>`},
category: ${words(why.category)}.</p></div>`
}

function moneyOf(
  root: string,
  payout: Payout,
  transaction: Transaction | undefined,
  quote: Quote | undefined,
): Html {
  const rate = quote?.exchange_rates
  const isConverted = payout.holding_currency !== payout.currency
  const fee = (part: 'fixed' | 'variable') =>
    quote && money(quote.fee_info[part].in_holding_currency, quote.holding_info.currency)
  return facts([
    ['The payee gets', money(payout.amount, payout.currency)],
    [
      'Left your balance',
      transaction && money(transaction.net.amount.replace(/^-/, ''), transaction.net.currency),
    ],
    [
      'Of which converted',
      quote && isConverted && money(quote.holding_info.amount, quote.holding_info.currency),
    ],
    ['Fixed fee', fee('fixed')],
    ['Variable fee', fee('variable')],
    [
      'Rate',
      rate &&
        isConverted &&
        rateWords(rate.holding_to_payout, payout.holding_currency, payout.currency),
    ],
    ['Quote', payout.quote && idLink(root, payout.quote)],
    ['Statement line', idLink(root, payout.balance_transaction)],
    ['Scheduled for', payout.execute_at && time(payout.execute_at)],
    ['Expected arrival', payout.expected_at && when(payout.expected_at)],
  ])
}

function approvalOf(visit: Visit, payout: Payout, approval: Approval): Html {
  const file = `${visit.root}/approvals/${approval.payout_import}`
  return html`<h2>Approval</h2><p>${approval.given} of ${approval.needed} approvals given.
${approval.status === 'pending' && html`The approval expires ${time(approval.expires_at)}.`}
${approval.made_by && html`Created by <strong>${approval.made_by}</strong>.`}</p>
${
  approval.payout_import &&
  html`<p>This payout comes from a file: <a href="${file}">decide about the whole file.</a></p>`
}
${decisionsOf(approval.decisions)}
${approval.status === 'pending' && decisionForms(visit, payout.id, approval, 'payouts')}`
}

function acts(visit: Visit, payout: Payout): Html {
  const { root } = visit
  const { id, status } = payout
  const path = `${root}/payouts/${id}`
  const cancel = { action: `${path}/cancel`, button: 'Cancel this payout' }
  const move = html`<a href="${root}/sandbox?payout=${id}">Change its state in the sandbox</a>`
  const makerActs = html`
${CANCELLABLE.includes(status) && postForm(visit, { ...cancel, danger: true, small: true })}
<a href="${root}/payouts/new?like=${id}">Create a similar payout</a>
${accountOf(visit).sandbox && move}`
  const confirmation = html`<a href="${path}/confirmation" download>Payment confirmation (PDF)</a>`
  return html`<div class="acts">${may(visit, 'maker') && makerActs}
${status === 'succeeded' && confirmation}
${copier('Copy the id', id)}${linkCopier('Copy the link', path)}
</div>`
}

function wayOf(payout: Payout): string {
  const {
    bank,
    wallet,
    local_payment_network: key,
  } = payout.beneficiary_details.destination_details
  return networkWords({
    type: payout.type,
    currency: bank?.currency || payout.currency,
    local: payout.local.fund_transfer_network,
    payment_network: key?.type,
    chain: wallet?.type,
    charge_type: payout.charge_type,
  })
}

function detailsOf(root: string, payout: Payout, key_names: ReadonlyMap<string, string>): Html {
  return facts([
    ['Id', html`<code>${payout.id}</code>`],
    ['How', wayOf(payout)],
    ['Your reference', payout.reference_id],
    ['Reference on the invoice', payout.creditor_reference],
    ['Purpose', words(payout.purpose)],
    ['Description', payout.transaction_description],
    ['On behalf of', payout.on_behalf_of && idLink(root, payout.on_behalf_of)],
    ['Beneficiary', payout.beneficiary && idLink(root, payout.beneficiary)],
    ['Rail', payout.rail],
    ['Made by', makerName(payout.made_by, key_names)],
    ['Created', time(payout.created_at)],
    ['Documents', payout.documents.length > 0 && payout.documents.map(d => members(root, d))],
    ['Metadata', payout.metadata && members(root, payout.metadata)],
    ['MT103', payout.mt103 && html`<pre tabindex="0">${payout.mt103}</pre>`],
  ])
}

function metadataForm(visit: Visit, { id, metadata }: Payout): Html | '' {
  if (!may(visit, 'maker')) return ''
  return postForm(visit, {
    action: `${visit.root}/payouts/${id}/metadata`,
    under: 'Change the metadata',
    button: 'Save the metadata',
    fields: metadataFields(metadata),
  })
}

async function changeMetadata(visit: Visit): Promise<string> {
  const { params } = visit
  const metadata = sentMetadata(visit)
  await visit.api.send('PUT', `/v3/payout/${params.id}`, { metadata })
  return `${visit.root}/payouts/${params.id}?done=saved`
}

async function showQuote(visit: Visit): Promise<Screen> {
  const path = `/v3/payout/quote/${visit.params.id}`
  const { explanation, ...terms } = await visit.api.get<JsonObject>(path, { explain: 'true' })
  const body = html`<p class="lead">${state(String(terms.status))}</p>
${members(visit.root, terms)}
<h2>How it was calculated</h2>${members(visit.root, (explanation ?? {}) as JsonObject)}`
  return { title: 'Quote', body }
}

/** The numbers of the form's documents. The API takes up to 20. */
const DOCUMENT_NUMBERS = [0, 1, 2] as const
const DOCUMENT_FIELDS = [
  ['type', 'Type, such as invoice'],
  ['file_name', 'File name'],
  ['url', 'Address (URL) of the file'],
] as const
const PAYEE_FIELDS = [
  ['registration_number', 'Registration number of the payee'],
  ['tax_id', 'Tax id of the payee'],
  ['national_identification_number', 'National identification number of the payee'],
  ['date_of_birth', 'Date of birth of the payee'],
] as const

function answerForm(visit: Visit, { id, status }: Payout): Html | '' {
  if (status !== 'requires_action') return ''
  if (!may(visit, 'maker'))
    return html`<p>This payout waits for an answer from a maker of
this account.</p>`
  return html`<h2>Answer</h2>${postForm(visit, {
    action: `${visit.root}/payouts/${id}/answer`,
    button: 'Send the answer',
    body: html`${DOCUMENT_NUMBERS.map(n => documentFields(visit, n))}
<details><summary>Details of the payee and the payment</summary>${PAYEE_FIELDS.map(
      ([name, label]) =>
        field(visit, {
          name: `beneficiary_details.${name}`,
          label,
          type: name === 'date_of_birth' ? 'date' : 'text',
        }),
    )}${field(visit, { name: 'transaction_description', label: 'Description of the payment' })}
</details>
${field(visit, { name: 'note', label: 'Note (optional)' })}`,
  })}`
}

function documentFields(visit: Visit, n: number): Html {
  const fields = DOCUMENT_FIELDS.map(([name, label]) =>
    field(visit, {
      name: `document:${n}:${name}`,
      member: `documents.${n}.${name}`,
      label,
    }),
  )
  const first = n === 0
  return html`<details${first && html` open`}><summary>Document ${n + 1}</summary>
<div class="row">${fields}</div></details>`
}

/** Returns the path to redirect to. */
async function answer(visit: Visit): Promise<string> {
  const { id } = visit.params
  const documents = DOCUMENT_NUMBERS.map(n =>
    Object.fromEntries(
      DOCUMENT_FIELDS.map(([name]) => [name, fieldText(visit, `document:${n}:${name}`)]).filter(
        ([, value]) => value,
      ),
    ),
  ).filter(document => Object.keys(document).length > 0)
  const members = PAYEE_FIELDS.map(([name]) => `beneficiary_details.${name}`)
  const body = {
    ...bodyOf(visit.form, [...members, 'transaction_description', 'note']),
    ...(documents.length > 0 && { documents }),
  }
  await post(visit, `/v3/payout/${id}/action`, body)
  return `${visit.root}/payouts/${id}?done=answered`
}
