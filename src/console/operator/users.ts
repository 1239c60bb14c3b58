// Users: who there is, what each may do and where, and when each was seen last. They are changed on
// the machine; the page says by which commands.
import { type Html, html } from '../../html.ts'
import { rows } from '../list.ts'
import type { Screens } from '../screens.ts'
import { state, time } from '../show.ts'
import { rootOf, type Screen, type Visit } from '../visit.ts'
import type { DeskUser } from './objects.ts'

export function userScreens(screens: Screens): void {
  screens.show('installation', '/users', show)
}

async function show(visit: Visit): Promise<Screen> {
  const users = await visit.api.list<DeskUser>('/v3/operator/user')
  const table = rows(
    { ...visit, query: {} },
    {
      caption: 'Users, by name',
      empty: 'No users.',
      columns: [
        {
          name: 'User',
          show: ({ name, full_name }) => html`<strong>${name}</strong><br>${full_name}`,
        },
        { name: 'Is', show: ({ role }) => role },
        { name: 'On accounts', show: ({ accounts }) => rolesOf(visit, accounts) },
        { name: 'Last seen', show: ({ last_seen_at }) => time(last_seen_at) },
        { name: 'State', show: stateOf },
        {
          name: 'Did',
          show: ({ name }) => html`<a href="${rootOf(visit)}/audit?by=${name}">their acts</a>`,
        },
      ],
    },
    users,
  )
  const body = html`${table}
<h2>Change them</h2><p>A session or a key that is stolen makes no people and gives no rights: this
is done on the machine, and the audit log has it.</p>
<pre tabindex="0">npx corridor user create bob --name "Bob Noyce" --role member
npx corridor user role bob approver --account acc_…
npx corridor user login-link bob
npx corridor user log-out bob
npx corridor user disable bob --reason "Left"</pre>`
  return { title: 'Users', body }
}

function rolesOf(visit: Visit, accounts: DeskUser['accounts']): Html[] {
  return [...Map.groupBy(accounts, ({ account_id }) => account_id)].map(
    ([id, given]) =>
      html`<a href="${rootOf(visit)}/accounts/${id}"><code>${id}</code></a>
${given.map(({ role }) => role).join(', ')}<br>`,
  )
}

function stateOf({ disabled_at, disabled_reason }: DeskUser): Html {
  if (disabled_at === null) return state('active')
  return html`${state('disabled')} ${time(disabled_at)}<br>${disabled_reason}`
}
