// The people of an account and their invitations, for the account's owners.

import { notGivenBy } from '../../accounts/user/rules.ts'
import { ACCOUNT_ROLES, type AccountRole } from '../../accounts/user/user.ts'
import { html } from '../../values/text/html.ts'
import { emptyBody, fieldText, post, postForm, withUnlistedCalls } from '../form.ts'
import { type Column, rows } from '../list.ts'
import type { Invitation, MadeInvitation, Member } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { copier, state, time } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'

const API = '/v3/session/invitation'

export function peopleScreens(screens: Screens): void {
  screens.show('account', '/people', show)
  screens.act('account', '/people', invite, show)
  const one = { to: `${API}/:id`, next: '/people?done=saved', again: show }
  screens.sendEach('account', '/people/:id', one, { revoke: emptyBody })
}

/** The roles that the reader may give, an owner's own. */
function givable({ person, account }: Visit): AccountRole[] {
  const own = person.roles.get(account?.account_id ?? '') ?? []
  return ACCOUNT_ROLES.filter(role => notGivenBy(own, [role]).length === 0)
}

/** Shows the link this once, as text: whoever opens it gets the roles. */
async function invite(visit: Visit): Promise<Screen> {
  const email = fieldText(visit, 'email')
  const roles = givable(visit).filter(role => visit.form.has(`role:${role}`))
  const asked = { roles, ...(email !== '' && { email }) }
  const made = await post<MadeInvitation>(withUnlistedCalls(visit), API, asked)
  const person = email === '' ? 'the person' : html`<strong>${email}</strong>`
  const body = html`<p>Give this link to ${person} and to nobody else:
whoever opens it becomes ${made.roles.join(', ')} of this account. It works once,
until ${time(made.expires_at)}, and is not shown again.</p>
<pre class="secret" tabindex="0">${made.link}</pre><p>${copier('Copy the link', made.link)}</p>
<p><a class="button" href="${visit.root}/people">Back to the people</a></p>`
  return { title: 'The invitation is created', body }
}

const MEMBERS: readonly Column<Member>[] = [
  { name: 'User', show: ({ user, full_name }) => html`<strong>${user}</strong><br>${full_name}` },
  { name: 'Roles', show: ({ roles }) => roles.join(', ') },
  { name: 'State', show: ({ disabled }) => state(disabled ? 'disabled' : 'active') },
]

async function show(visit: Visit): Promise<Screen> {
  if (!may(visit, 'owner')) {
    return { title: 'People', body: html`<p>An owner of this account invites people.</p>` }
  }
  const [members, invitations] = await Promise.all([
    visit.api.list<Member>('/v3/session/member'),
    visit.api.list<Invitation>(API),
  ])
  const body = html`${rows(
    { caption: 'Who works for this account', empty: 'Nobody.', columns: MEMBERS },
    members.results,
  )}
<h2>Invitations</h2>${rows(
    { caption: 'Invitations, newest first', empty: 'None.', columns: invitationColumns(visit) },
    invitations.results,
  )}
<h2>A new invitation</h2>${postForm(visit, {
    action: `${visit.root}/people`,
    button: 'Create the invitation',
    asksPassword: true,
    body: html`<fieldset><legend>Roles</legend>${givable(visit).map(
      role =>
        html`<label><input type="checkbox" name="role:${role}"${
          role === 'viewer' && html` checked`
        }> ${role}: ${MEANS[role]}</label>`,
    )}</fieldset>`,
    fields: [
      { name: 'email', label: 'E-mail', hint: 'For whom it is; you hand over the link yourself' },
    ],
  })}
<p>An operator of this installation takes roles away.</p>`
  return { title: 'People', body }
}

const MEANS: Readonly<Record<AccountRole, string>> = {
  viewer: 'reads everything',
  maker: 'makes payouts',
  approver: 'approves the payouts of others',
  owner: 'invites people and makes keys',
}

function invitationColumns(visit: Visit): Column<Invitation>[] {
  return [
    { name: 'For', show: ({ email }) => email || 'whoever has the link' },
    { name: 'Roles', show: ({ roles }) => roles.join(', ') },
    { name: 'By', show: ({ invited_by }) => invited_by },
    { name: 'Until', show: ({ expires_at }) => time(expires_at) },
    { name: 'State', show: one => stateOf(visit, one) },
  ]
}

function stateOf(visit: Visit, one: Invitation) {
  if (one.accepted_by !== null) return html`accepted by <strong>${one.accepted_by}</strong>`
  if (one.ended_at !== null) return 'revoked'
  if (Date.parse(one.expires_at) < Date.now()) return 'expired'
  return postForm(visit, {
    action: `${visit.root}/people/${one.invitation_id}/revoke`,
    button: 'Revoke',
    small: true,
    asksPassword: true,
  })
}
