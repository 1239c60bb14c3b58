// The entry of the console and its search box: an id leads to its page, and any other text is
// looked up as the caller's own reference.
import { html } from '../../text/html.ts'
import { mayRunInstallation } from '../../user/rules.ts'
import { queryText } from '../api.ts'
import type { Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { pageOf } from '../show.ts'

export function doorScreens(screens: Screens): void {
  screens.show('person', '', async visit => {
    const [first] = visit.accounts
    if (first !== undefined) return `/console/${first.account_id}`
    if (mayRunInstallation(visit.person.role, 'read')) return '/console/installation'
    const body = html`<p>You have no role on any account yet. An operator gives you one by
<code>corridor user role ${visit.person.user} --account ID --role viewer</code>.</p>`
    return { title: `Welcome, ${visit.person.user}`, body }
  })
  screens.show('account', '/find', async visit => {
    const text = (visit.query.q ?? '').trim()
    const page = pageOf(visit.root, text)
    if (page !== undefined) return page
    const { results } = await visit.api.list<Payout>('/v3/payout', {
      reference_id: text,
      limit: '2',
    })
    const [only] = results
    if (only !== undefined && results.length === 1) return `${visit.root}/payouts/${only.id}`
    return `${visit.root}/payouts${queryText({ reference_id: text })}`
  })
}
