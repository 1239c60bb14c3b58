// Shows payout groups, the batches and imports that people approve as one: the groups that wait,
// and what a person sees of a group before deciding.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { rows, type Table } from '../list.ts'
import type { GroupApproval, WaitingGroup, WaitingTotal } from '../objects.ts'
import { facts, money, state, time } from '../show.ts'
import type { Visit } from '../visit.ts'
import { decisionForms } from './decision.ts'

/** The waiting groups, for the page of approvals; '' when none waits. */
export async function waitingGroups(visit: Visit): Promise<Html | ''> {
  const { groups } = await visit.api.get<{ groups: readonly WaitingGroup[] }>('/v3/payout_group')
  if (groups.length === 0) return ''
  const table: Table<WaitingGroup> = {
    caption: 'Files and batches that are approved as one',
    empty: '',
    columns: [
      {
        name: 'File or batch',
        show: ({ id }) =>
          id.startsWith('pim_')
            ? html`<a href="${visit.root}/approvals/${id}">Payouts of a file</a>`
            : html`<a href="${visit.root}/batches/${id}">Batch</a>`,
      },
      { name: 'Payouts', number: true, show: ({ totals }) => countOf(totals) },
      { name: 'Payees get', number: true, show: ({ totals }) => sums(totals) },
      { name: 'Created by', show: ({ made_by }) => made_by.join(', ') },
      { name: 'Waiting since', show: ({ since }) => time(since) },
    ],
  }
  return html`<h2>Files and batches</h2>${rows(table, groups)}`
}

const countOf = (totals: readonly WaitingTotal[]) =>
  String(totals.reduce((sum, { payouts }) => sum + BigInt(payouts), 0n))

function sums(totals: readonly WaitingTotal[]): Content {
  return html`<ul class="plain">${totals.map(
    ({ amount, currency }) => html`<li>${money(amount, currency)}</li>`,
  )}</ul>`
}

/** A group's waiting payouts, the statuses of its other payouts, and the forms to decide. */
export function groupApproval(
  visit: Visit,
  id: string,
  approval: GroupApproval,
  place: 'batches' | 'approvals',
): Html {
  const { waiting, totals, made_by, needed, expires_at, approved_by, further, ended } = approval
  const ends = ended.map(({ status, payouts }) => html`<li>${payouts} ${state(status)}</li>`)
  if (waiting === '0') {
    return html`<h2>Approval</h2><p>No payout waits for an approval.</p>
<ul class="plain">${ends}</ul>`
  }
  return html`<h2>Approval</h2>
${facts([
  ['Payouts that wait', waiting],
  ...totals.map(
    ({ currency, amount }) => [`Payees get in ${currency}`, money(amount, currency)] as const,
  ),
  ['Approvals needed', needed],
  ['Approved by', approved_by.join(', ')],
  ['Created by', made_by.join(', ')],
  ['Approval expires', expires_at && time(expires_at)],
  ['Already decided', ends.length > 0 && html`<ul class="plain">${ends}</ul>`],
])}
${
  (further ?? '0') !== '0' &&
  html`<p>${further} more payouts wait. They are shown once these are decided.</p>`
}
${decisionForms(
  visit,
  id,
  { digest: approval.digest, made_by, decisions: approved_by.map(user => ({ user })) },
  place,
)}`
}
