// Screens of what waits for an approval, and the page of an import, where people decide about all
// its payouts. Each object has its decision on its own page, too.
import { type Html, html } from '../../values/text/html.ts'
import { showList } from '../list.ts'
import type { GroupApproval, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { copier } from '../show.ts'
import { accountOf, mayOperate, type Screen, type Visit } from '../visit.ts'
import { waitingBeneficiaries } from './beneficiaries.ts'
import { decisionScreens, groupApproval, waitingGroups } from './decision.ts'
import { payoutColumns } from './payout-columns.ts'
import { payoutQueue, queueScreens } from './queue.ts'

export function approvalScreens(screens: Screens): void {
  screens.show('account', '/approvals', queueScreen)
  queueScreens(screens, queueScreen)
  screens.show('account', '/approvals/:id', importScreen)
  decisionScreens(screens, 'payout_import', 'approvals', importScreen)
}

async function queueScreen(visit: Visit): Promise<Screen> {
  const [groups, payouts, beneficiaries] = await Promise.all([
    waitingGroups(visit),
    payoutQueue(visit, emptyText(visit)),
    waitingBeneficiaries(visit),
  ])
  const body = html`${groups}${groups && html`<h2>Payouts</h2>`}${payouts}${beneficiaries}`
  return { title: 'Waiting for approval', live: 'pot_', body }
}

/** Tells an operator how to make payouts wait for a second person. */
function emptyText(visit: Visit): Html {
  if (!mayOperate(visit)) {
    return html`No payout waits for an approval.`
  }
  const { account_id } = accountOf(visit)
  return html`<p>No payout waits for an approval.
<a href="/console/installation/rules?account_id=${account_id}">Add a rule that says which payouts
need one.</a>
A second person approves them: <a href="/console/installation/users">add a user, give the user the
role approver on this account, and create a login link.</a></p>`
}

const API = '/v3/payout_import'

async function importScreen(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  // Read before the payouts, so that its digest never covers more than the page shows.
  const approval = await visit.api.get<GroupApproval>(`${API}/${id}/approval`)
  const payouts = await showList<Payout>(visit, `/approvals/${id}`, {
    api: `${API}/${id}/payout`,
    caption: 'Payouts of the import, newest first',
    columns: payoutColumns(visit),
    withoutDays: true,
    empty: 'The import has no payouts.',
  })
  const body = html`<p class="lead"><code>${id}</code> ${copier('Copy the id', id)}</p>
${groupApproval(visit, id, approval, 'approvals')}
<h2>Payouts of the import</h2>${payouts}`
  return { title: 'Payouts of a file', body, live: 'pot_' }
}
