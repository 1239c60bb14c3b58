// What waits for an approval. The decision is made on the page of the payout, where all of it is
// seen.
import { showList } from '../list.ts'
import type { Screens } from '../screens.ts'
import { rootOf } from '../visit.ts'
import { payoutColumns } from './payouts.ts'

export function approvalScreens(screens: Screens): void {
  screens.show('account', '/approvals', async visit => ({
    title: 'Waiting for approval',
    live: 'pot_',
    body: await showList(visit, {
      api: '/v3/payout',
      page: `${rootOf(visit)}/approvals`,
      caption: 'Payouts that wait for an approval',
      columns: payoutColumns(rootOf(visit)),
      filters: [],
      fixed: { status: 'pending_approval' },
      empty: 'Nothing waits for an approval.',
    }),
  }))
}
