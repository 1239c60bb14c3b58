// Screens of all accounts' payouts. An operator takes one, pays it by hand, and reports the result.
import { PAYOUT_STATUSES, STEP_STATUSES } from '../../payouts/states.ts'
import { MANUAL } from '../../rails/rail.ts'
import { type Html, html } from '../../values/text/html.ts'
import { payeeFacts } from '../account/terms.ts'
import { type Item, itemList } from '../account/timeline.ts'
import { anyOf, bodyOf, emptyBody, optionsOf, postForm, REASON, reasonOf } from '../form.ts'
import type { ListPage } from '../list.ts'
import type { OperatorPayoutInFull, OperatorPayoutRow } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { copier, digits, facts, link, money, plain, state, time, when, words } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

const API = '/v3/operator/payout'

export function operatorPayoutScreens(screens: Screens): void {
  screens.list('installation', '/payouts', list)
  screens.show('installation', '/payouts/:id', show)
  const payout = { to: `${API}/:id`, next: '/payouts/:id?done=saved', again: show }
  screens.sendEach('installation', '/payouts/:id', payout, {
    take: emptyBody,
    release: reasonOf,
    transition: ({ form }) => bodyOf(form, ['status', 'reference', 'reason', 'description']),
    void: ({ form }) => ({ ...bodyOf(form, ['reason']), [form.get('then') ?? '']: true }),
  })
}

function list(visit: Visit): ListPage<OperatorPayoutRow> {
  const { root } = visit
  return {
    title: 'Payouts of all accounts',
    live: 'pot_',
    api: API,
    caption: 'Payouts, newest first',
    cursorOf: ({ payout }) => payout.id,
    columns: [
      {
        name: 'Payout',
        show: ({ payout: { id, beneficiary_details } }) =>
          link(`${root}/payouts/${id}`, beneficiary_details.name || id),
      },
      {
        name: 'Amount',
        number: true,
        show: ({ payout: { amount, currency } }) => money(amount, currency),
      },
      { name: 'State', show: ({ payout }) => state(payout.status) },
      { name: 'Rail', show: ({ rail }) => rail || '–' },
      { name: 'Taken by', show: ({ taken_by }) => taken_by },
      { name: 'Account', show: ({ account_id: id }) => link(`${root}/accounts/${id}`, id) },
      { name: 'Created', show: ({ payout }) => when(payout.created_at) },
    ],
    filters: [
      { name: 'status', label: 'State', options: anyOf(PAYOUT_STATUSES) },
      { name: 'rail', label: 'Rail' },
      { name: 'account_id', label: 'Account' },
    ],
    empty: 'No payouts.',
  }
}

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const { payout, ...found } = await visit.api.get<OperatorPayoutInFull>(`${API}/${id}`)
  const { account_id, screening } = found
  const { amount, currency, beneficiary_details } = payout
  const items = found.timeline as unknown as readonly Item[]
  const isByHand = found.rail === MANUAL
  const body = html`<div data-live-part><p class="lead">${state(payout.status)}
${payout.status_description}
${screening && link(`${visit.root}/screening/${id}`, `Screening: ${words(screening)}`)}</p>
${
  payout.failure &&
  html`<div class="note bad">${payout.failure.message}
<code>${payout.failure.code}</code></div>`
}
${exceptionsOf(visit, found)}
${found.why_not_taken.map(sentence => html`<div class="note wait">${sentence}</div>`)}
${isByHand && whyByHand(items)}
${facts([
  ['Amount to send', money(found.send.amount, found.send.currency)],
  ['Account', link(`${visit.root}/accounts/${account_id}`, found.account_name || account_id)],
  ['Rail', found.rail],
  ['Reference of the bank', found.rail_reference],
  ['Taken by', found.taken_by],
  ['Taken', found.taken_at && time(found.taken_at)],
  ['Created', time(payout.created_at)],
  ['Id', html`<code>${id}</code>`],
])}</div>
<h2>${isByHand ? 'For the form of the bank' : 'The payment'}</h2>${bankForm({ ...found, payout })}
${forms(visit, id, found.taken_by, payout.status === 'processing' && isOnChain(items))}
<h2>What happened</h2>${itemList(visit.root, items, new Map())}`
  const title = `${digits(amount, currency)} ${currency} to ${beneficiary_details.name}`
  return { title, body, live: id }
}

/** The route that led to people. */
function whyByHand(items: readonly Item[]): Html | '' {
  const routed = items.findLast(
    item => (item.kind === 'route' || item.kind === 'attempt') && item.rail === MANUAL,
  )
  const reason = routed !== undefined && 'reason' in routed ? routed.reason : ''
  return reason === '' ? '' : html`<p>People pay this payout. ${reason}</p>`
}

const CHARGES: Readonly<Record<string, string>> = {
  shared: 'SHA: shared, each pays the own bank',
  ours: 'OUR: we pay all charges',
}

/** All that the form of a bank asks for, each with a button that copies it. */
function bankForm(found: Pick<OperatorPayoutInFull, 'payout' | 'send' | 'ultimate_debtor'>): Html {
  const { payout, send, ultimate_debtor: debtor } = found
  const { creditor_reference, tracking_details: tracking } = payout
  // What the account has for itself is not for the bank.
  const { reference_id: _reference, metadata: _metadata, ...payee } = payout.beneficiary_details
  const rows: readonly (readonly [string, string])[] = [
    ['Amount', plain(send.amount, send.currency)],
    ['Currency', send.currency],
    ...payeeFacts(payee).filter(([label]) => label !== 'Where the money goes'),
    ['Charges', CHARGES[payout.charge_type] ?? payout.charge_type],
    // The bank takes one of both.
    [
      creditor_reference === '' ? 'Description for the payee' : 'Reference on the invoice',
      creditor_reference || payout.transaction_description,
    ],
    ['Purpose', words(payout.purpose)],
    ['On behalf of', debtor ? [debtor.name, debtor.id].filter(Boolean).join(', ') : ''],
    ['UETR', tracking.tracking_type === 'uetr' ? tracking.tracking_number : ''],
    ['Our reference', payout.id],
  ]
  return html`<table class="bank-form"><tbody>${rows
    .filter(([, text]) => text !== '')
    .map(
      ([label, text]) => html`<tr><th scope="row">${label}</th><td>${text}</td>
<td>${copier('Copy', text, `Copy: ${label}`)}</td></tr>`,
    )}</tbody></table>`
}

function exceptionsOf({ root }: Visit, { exceptions }: Pick<OperatorPayoutInFull, 'exceptions'>) {
  return exceptions.map(({ payout, kind, message, rail, opened_at }) => {
    const decide = `${root}/exceptions?payout=${payout}`
    return html`<div class="note bad"><strong>${words(kind)}</strong> ${message}
<br>Rail ${rail}, ${time(opened_at)}: ${link(decide, 'decide')}</div>`
  })
}

/** Whether its last attempt has a payment on a chain. */
function isOnChain(items: readonly Item[]): boolean {
  const last = items.findLast(item => item.kind === 'attempt')
  return last !== undefined && Object.hasOwn(last.references, 'nonce')
}

const AFTER_VOID = { fail: 'The payout fails', again: 'Another attempt may follow' }

/** A payment that no block takes is given up; the chain decides which of both it takes. */
function voidForm(visit: Visit, id: string): Html {
  return postForm(visit, {
    action: `${visit.root}/payouts/${id}/void`,
    under: 'Give the payment up',
    button: 'Replace it by one to nobody',
    asksPassword: true,
    fields: [{ name: 'then', label: 'Once it is void', options: AFTER_VOID }, REASON],
  })
}

function forms(visit: Visit, id: string, taken_by: string, may_be_void: boolean): Html {
  const path = `${visit.root}/payouts/${id}`
  const take =
    taken_by === ''
      ? postForm(visit, { action: `${path}/take`, button: 'Take this payout to pay it by hand' })
      : postForm(visit, {
          action: `${path}/release`,
          button: 'Give it back unpaid',
          fields: [REASON],
        })
  return html`<div class="side">${take}
${postForm(visit, {
  action: `${path}/transition`,
  under: 'Record the outcome',
  button: 'Change the state',
  asksPassword: true,
  fields: [
    { name: 'status', label: 'New state', options: optionsOf(STEP_STATUSES) },
    {
      name: 'reference',
      label: 'The bank’s reference',
      hint: 'Only if the payout was paid by hand',
    },
    {
      name: 'description',
      label: 'What the account is asked for',
      hint: 'Only for “requires action”',
    },
    { name: 'reason', label: 'Reason' },
  ],
})}
${may_be_void && voidForm(visit, id)}</div>`
}
