// Screens of payout batches: the list, and one batch with its items and its approval.
import { type Html, html } from '../../values/text/html.ts'
import { type Column, type Listing, type ListPage, showList } from '../list.ts'
import type { Batch, BatchItem, GroupApproval, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts, idLink, mainLink, makerWords, money, state, time, words } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'
import { decisionScreens, groupApproval } from './decision.ts'

export function batchScreens(screens: Screens): void {
  screens.list('account', '/batches', batchList)
  screens.show('account', '/batches/:id', batchScreen)
  decisionScreens(screens, 'payout_batch', 'batches', batchScreen)
}

function batchList(visit: Visit): ListPage<Batch> {
  return {
    title: 'Batches',
    above: may(visit, 'maker') && mainLink(`${visit.root}/batches/new`, 'New batch'),
    api: '/v3/payout_batch',
    caption: 'Batches, newest first',
    columns: [
      { name: 'Batch', show: ({ id }) => idLink(visit.root, id) },
      { name: 'State', show: ({ status }) => state(status) },
      { name: 'Payouts', number: true, show: ({ counts }) => counts.payouts },
      { name: 'Created', number: true, show: ({ counts }) => counts.created },
      { name: 'Refused', number: true, show: ({ counts }) => counts.refused },
      { name: 'Your reference', show: ({ reference_id }) => reference_id },
      { name: 'Made by', show: ({ made_by }) => makerWords(made_by) },
      { name: 'Time', show: ({ created_at }) => time(created_at) },
    ],
    filters: [{ name: 'reference_id', label: 'Your reference' }],
    empty: 'No batches yet.',
  }
}

async function batchScreen(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  // Read before the batch and its items, so that its digest never covers more than the page shows.
  const approval = await visit.api.find<GroupApproval>(`/v3/payout_batch/${id}/approval`)
  const batch = await visit.api.get<Batch>(`/v3/payout_batch/${id}`)
  const hasApproval =
    approval !== undefined && (approval.waiting !== '0' || approval.ended.length > 0)
  const body = html`<p class="lead">${state(batch.status)}</p>
${facts([
  ['Made by', makerWords(batch.made_by)],
  ['Payouts', batch.counts.payouts],
  ['Created', batch.counts.created],
  ['Held', batch.counts.held],
  ['Refused', batch.counts.refused],
  ['Mode', words(batch.mode)],
  ['Your reference', batch.reference_id],
  ...costsOf('Costs', batch.totals),
  ['Time', time(batch.created_at)],
])}
${hasApproval && groupApproval(visit, id, approval, 'batches')}
<h2>Payouts of the batch</h2>${await showList(visit, `/batches/${id}`, itemList(visit, id))}`
  return { title: batch.reference_id || 'Batch', body, live: 'pot_' }
}

export function costsOf(label: string, totals: Batch['totals']): [string, Html][] {
  return totals.map(({ currency = '', total_debit = '' }) => [
    `${label} in ${currency}`,
    money(total_debit, currency),
  ])
}

const REFUSAL_COLUMNS: readonly Column<Item>[] = [
  { name: 'Your reference', show: ({ reference_id }) => reference_id },
  {
    name: 'Why it was refused',
    show: ({ errors }) => errors.map(({ message }) => message).join(' '),
  },
]

/** With its payout as it is now; a refused item has none. */
type Item = BatchItem & { readonly made?: Payout | undefined }

function itemList(visit: Visit, id: string): Listing<Item> {
  return {
    api: `/v3/payout_batch/${id}/item`,
    caption: 'Payouts of the batch, in its order',
    columns: [
      { name: 'No.', number: true, show: ({ position }) => String(BigInt(position) + 1n) },
      { name: 'Payee', show: ({ made }) => made?.beneficiary_details.name },
      {
        name: 'Amount',
        number: true,
        show: ({ made }) => made && money(made.amount, made.currency),
      },
      { name: 'State', show: ({ status, made }) => state(made?.status ?? status) },
      { name: 'Payout', show: ({ payout }) => payout && idLink(visit.root, payout) },
      ...REFUSAL_COLUMNS,
    ],
    complete: items => Promise.all(items.map(item => withPayout(visit, item))),
    withoutDays: true,
    cursorOf: ({ position }) => position,
    filters: [
      {
        name: 'status',
        label: 'State',
        options: { '': 'Any', created: 'created', refused: 'refused' },
      },
    ],
    empty: 'The batch has no payouts.',
  }
}

async function withPayout({ api }: Visit, item: BatchItem): Promise<Item> {
  if (item.payout === '') return item
  return { ...item, made: await api.unlisted().find<Payout>(`/v3/payout/${item.payout}`) }
}
