// The API keys of an account, for the account's owners.
import { type Content, html } from '../../values/text/html.ts'
import { emptyBody, fieldText, post, postForm, withUnlistedCalls } from '../form.ts'
import { type Column, rows } from '../list.ts'
import type { MadeKey, OperatorKey } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { copier, time } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'

const API = '/v3/session/key'

export function keyScreens(screens: Screens): void {
  screens.show('account', '/keys', show)
  screens.act('account', '/keys', make, show)
  screens.act('account', '/keys/:id/rotate', rotate, show)
  const one = { to: `${API}/:id`, next: '/keys?done=saved', again: show }
  screens.sendEach('account', '/keys/:id', one, { revoke: emptyBody })
}

async function make(visit: Visit): Promise<Screen> {
  const asked = { scope: fieldText(visit, 'scope'), name: fieldText(visit, 'name') }
  const made = await post<MadeKey>(withUnlistedCalls(visit), API, asked)
  return madeScreen(visit, made)
}

async function rotate(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const made = await post<MadeKey>(withUnlistedCalls(visit), `${API}/${id}/rotate`, {})
  const next = html`<p>The old key <code>${id}</code> works on. Revoke it once your programs use the
new one.</p>`
  return madeScreen(visit, made, next)
}

/** Shows the secret this once. */
function madeScreen(visit: Visit, { key_id, secret, scope }: MadeKey, next: Content = ''): Screen {
  const body = html`<p>The key has scope ${scope}. Its secret is not shown again.</p>
<pre class="secret" tabindex="0">${key_id}:${secret}</pre>
<p>${copier('Copy id and secret', `${key_id}:${secret}`)}</p>${next}
<p><a class="button" href="${visit.root}/keys">Back to the keys</a></p>`
  return { title: 'The key is created', body }
}

async function show(visit: Visit): Promise<Screen> {
  if (!may(visit, 'owner')) {
    return { title: 'API keys', body: html`<p>An owner of this account makes its keys.</p>` }
  }
  const keys = await visit.api.list<OperatorKey>(API)
  const columns: Column<OperatorKey>[] = [
    { name: 'Key', show: ({ key_id, name }) => html`<code>${key_id}</code><br>${name}` },
    { name: 'Scope', show: ({ scope }) => scope },
    { name: 'Owner', show: ({ owner }) => owner ?? '' },
    { name: 'Created', show: ({ created_at }) => time(created_at) },
    { name: 'Last used', show: ({ last_used_at }) => time(last_used_at) },
    { name: '', show: key => actsOf(visit, key) },
  ]
  const scopes = {
    read: 'read: reads everything',
    ...(may(visit, 'maker') && { write: 'write: makes payouts, too' }),
  }
  const body = html`${rows({ caption: 'API keys', empty: 'No key yet.', columns }, keys.results)}
<h2>A new key</h2>${postForm(visit, {
    action: `${visit.root}/keys`,
    button: 'Create the key',
    asksPassword: true,
    fields: [
      { name: 'name', label: 'What it is for' },
      { name: 'scope', label: 'Scope', options: scopes },
    ],
  })}
<p>You own the keys that you make, and approve none of their payouts.</p>`
  return { title: 'API keys', body }
}

function actsOf(visit: Visit, { key_id, revoked_at, scope }: OperatorKey) {
  if (revoked_at !== null) return html`revoked ${time(revoked_at)}`
  const form = (act: string, button: string) =>
    postForm(visit, {
      action: `${visit.root}/keys/${key_id}/${act}`,
      button,
      small: true,
      asksPassword: true,
    })
  const mayMake = scope === 'read' || (scope === 'write' && may(visit, 'maker'))
  return html`${mayMake && form('rotate', 'Replace')}${form('revoke', 'Revoke')}`
}
