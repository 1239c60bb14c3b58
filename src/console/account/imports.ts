// What one import of a file has made, and the approval of all of it that waits. An import is known
// by its id alone: the name of its file is kept nowhere.
import { html } from '../../html.ts'
import { showList } from '../list.ts'
import type { GroupApproval, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { copier } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { decisionScreens } from './decision.ts'
import { groupApproval } from './groups.ts'
import { payoutColumns } from './payouts.ts'

const API = '/v3/payout_import'

export function importScreens(screens: Screens): void {
  screens.show('account', '/approvals/:id', importScreen)
  decisionScreens(screens, 'payout_import', 'approvals', importScreen)
}

async function importScreen(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  // Before the payouts: a digest is never of more than the page has.
  const approval = await visit.api.get<GroupApproval>(`${API}/${id}/approval`)
  const page = `${visit.root}/approvals/${id}`
  const payouts = await showList<Payout>(visit, {
    api: `${API}/${id}/payout`,
    page,
    caption: 'Payouts of the import, newest first',
    columns: payoutColumns(visit.root),
    filters: [],
    withoutDays: true,
    empty: 'It has none.',
  })
  const body = html`<p class="lead"><code>${id}</code> ${copier('Copy the id', id)}</p>
${groupApproval(visit, id, approval, 'approvals')}
<h2>Its payouts</h2>${payouts}`
  return { title: 'Payouts of a file', body, live: 'pot_' }
}
