// What waits for an approval. The decision is made on the page of the payout, the batch, the import
// or the beneficiary, where all of it is seen.
import { type Html, html } from '../../html.ts'
import { mayRunInstallation } from '../../user/rules.ts'
import { showList } from '../list.ts'
import type { Screens } from '../screens.ts'
import { accountOf, type Visit } from '../visit.ts'
import { waitingBeneficiaries } from './beneficiary-approval.ts'
import { waitingGroups } from './groups.ts'
import { payoutColumns } from './payouts.ts'

export function approvalScreens(screens: Screens): void {
  screens.show('account', '/approvals', async visit => {
    const [groups, payouts, beneficiaries] = await Promise.all([
      waitingGroups(visit),
      showList(visit, {
        api: '/v3/payout',
        page: `${visit.root}/approvals`,
        caption: 'Payouts that wait for an approval',
        columns: payoutColumns(visit.root),
        filters: [],
        fixed: { status: 'pending_approval' },
        empty: nothing(visit),
      }),
      waitingBeneficiaries(visit),
    ])
    const body = html`${groups}${groups && html`<h2>Payouts</h2>`}${payouts}${beneficiaries}`
    return { title: 'Waiting for approval', live: 'pot_', body }
  })
}

/** For whoever can change it: how payouts come to wait for a second person. */
function nothing(visit: Visit): Html {
  if (!mayRunInstallation(visit.person.role, 'write')) {
    return html`Nothing waits for an approval.`
  }
  const { account_id } = accountOf(visit)
  return html`<p>Nothing waits for an approval.
<a href="/console/installation/rules?account_id=${account_id}">A rule says which payouts need
one.</a>
A second person approves: <a href="/console/installation/users">make them, give them the role
approver on this account, and a link to log in.</a></p>`
}
