// Screens of accounts: balances, state, keys, and the bookings of money that comes in or goes out.
import { type Html, html } from '../../values/text/html.ts'
import { US_STATES } from '../../values/us-state.ts'
import {
  amountOf,
  bodyOf,
  type Field,
  fieldText,
  optionsOf,
  post,
  postForm,
  REASON,
  reasonOf,
  withUnlistedCalls,
} from '../form.ts'
import { type ListPage, rows, type Table } from '../list.ts'
import type { MadeKey, OperatorAccount, OperatorAccountInFull, OperatorKey } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts, link, money, state, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { fundingKeyForms, fundingKeyPart } from './funding-keys.ts'

const API = '/v3/operator/account'

export function accountScreens(screens: Screens): void {
  screens.list('installation', '/accounts', list)
  screens.show('installation', '/accounts/:id', show)
  const account = { to: `${API}/:id`, next: '/accounts/:id?done=saved', again: show }
  screens.sendEach('installation', '/accounts/:id', account, {
    freeze: reasonOf,
    unfreeze: reasonOf,
    close: reasonOf,
  })
  const bookings = { ...account, to: '/v3/operator' }
  screens.sendEach('installation', '/accounts/:id', bookings, {
    fund: visit => ({ ...booking(visit), source: fieldText(visit, 'source') || undefined }),
    withdraw: visit => ({ ...booking(visit), ...reasonOf(visit) }),
  })
  screens.act('installation', '/accounts/:id/revoke', revokeKey, show)
  screens.act('installation', '/accounts/:id/key', makeKey, show)
  screens.act('installation', '/accounts/:id/us-state', setUsState, show)
  fundingKeyForms(screens, show)
}

function booking(visit: Visit): object {
  const { amount, currency } = amountOf(visit)
  const { id: account_id } = visit.params
  return { account_id, currency, amount, reference: fieldText(visit, 'reference') }
}

async function revokeKey(visit: Visit): Promise<string> {
  await post(visit, `/v3/operator/key/${fieldText(visit, 'key_id')}/revoke`, {})
  return `${visit.root}/accounts/${visit.params.id}?done=saved`
}

async function makeKey(visit: Visit): Promise<Screen> {
  const { id } = visit.params
  const body = bodyOf(visit.form, ['scope', 'name'])
  const made = await post<MadeKey>(withUnlistedCalls(visit), `${API}/${id}/key`, body)
  const shown = html`<p>This is the key with its secret. It is not shown again:</p>
<pre class="secret" tabindex="0">${made.key_id}:${made.secret}</pre>
<p><a class="button" href="${visit.root}/accounts/${id}">To the account</a></p>`
  return { title: 'The key is created', body: shown }
}

function list(visit: Visit): ListPage<OperatorAccount> {
  return {
    title: 'Accounts',
    api: API,
    caption: 'Accounts',
    cursorOf: ({ account_id }) => account_id,
    columns: [
      {
        name: 'Account',
        show: ({ account_id: id, name }) => link(`${visit.root}/accounts/${id}`, name || id),
      },
      { name: 'Id', show: ({ account_id }) => html`<code>${account_id}</code>` },
      { name: 'State', show: row => state(row.state) },
      { name: 'Mode', show: ({ sandbox }) => (sandbox ? 'sandbox' : 'live') },
      { name: 'Balances', number: true, show: ({ balances }) => balancesOf(balances) },
      { name: 'Opened', show: ({ created_at }) => time(created_at) },
    ],
    empty: 'No accounts.',
  }
}

function balancesOf(balances: OperatorAccount['balances']): Html[] {
  return Object.entries(balances)
    .filter(([, amount]) => amount !== '0')
    .map(([currency, amount]) => html`${money(amount, currency)}<br>`)
}

function writtenOf({ written_today, daily_rows, daily_mb }: OperatorAccount): Html {
  const count = (value: string | number) => Number(value).toLocaleString('en-US')
  const { rows, bytes, until } = written_today
  const mb = Math.floor(Number(bytes) / 1e6)
  return html`${count(rows)} of ${count(daily_rows)} rows, ${count(mb)} of
${count(daily_mb)} MB, until ${time(until)}`
}

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const account = await visit.api.get<OperatorAccountInFull>(`${API}/${id}`)
  const body = html`<p class="lead">${state(account.state)} ${account.state_reason}</p>
${facts([
  ['Id', html`<code>${id}</code>`],
  ['Mode', account.sandbox ? 'sandbox' : 'live'],
  ['Balances', balancesOf(account.balances)],
  ['Deposit address', html`<code>${account.deposit_address}</code>`],
  ['Opened', time(account.created_at)],
  ['Written today', writtenOf(account)],
  ['State of the US', account.us_state === 'none' ? 'none' : US_STATES[account.us_state]],
  ['Payouts', link(`${visit.root}/payouts?account_id=${id}`, 'its payouts')],
  ['Income', link(`${visit.root}/accounts/${id}/income`, 'its income')],
  ['Limits', link(`${visit.root}/rules?account_id=${id}`, 'its limits')],
])}
${stateForms(visit, id, account.state)}
${usStateForm(visit, id, account)}
<h2>Money</h2>${moneyForms(visit, id, account)}
${await fundingKeyPart(visit, account)}
<h2>API keys</h2>${keysOf(visit, id, account.keys)}`
  return { title: account.name || id, body }
}

/** By the account's state and the route. */
const ACTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  active: { freeze: 'Freeze' },
  frozen: { unfreeze: 'Unfreeze', close: 'Close' },
}

function stateForms(visit: Visit, id: string, now: string): Html {
  return html`<div class="side">${Object.entries(ACTS[now] ?? {}).map(([name, button]) =>
    postForm(visit, {
      action: `${visit.root}/accounts/${id}/${name}`,
      under: button,
      button,
      asksPassword: name === 'unfreeze',
      danger: name !== 'unfreeze',
      fields: [REASON],
    }),
  )}</div>`
}

/** The state counts from the day on which it is said. */
function usStateForm(visit: Visit, id: string, { us_state }: OperatorAccount): Html {
  const options = { none: 'No state of the US', ...US_STATES }
  const hint = 'Counts from today on, for the report by state'
  return postForm(visit, {
    action: `${visit.root}/accounts/${id}/us-state`,
    under: 'Change the state of the US',
    button: 'Save the state',
    asksPassword: true,
    fields: [{ name: 'us_state', label: 'State of the US', options, value: us_state, hint }],
  })
}

async function setUsState(visit: Visit): Promise<string> {
  const { id } = visit.params
  await visit.api.send('PATCH', `${API}/${id}`, bodyOf(visit.form, ['us_state']))
  return `${visit.root}/accounts/${id}?done=saved`
}

function moneyForms(visit: Visit, id: string, { currencies }: OperatorAccount): Html {
  const form = (name: string, button: string, last: Field) =>
    postForm(visit, {
      action: `${visit.root}/accounts/${id}/${name}`,
      under: button,
      button,
      asksPassword: true,
      fields: [
        { name: 'amount', label: 'Amount', required: true },
        { name: 'currency', label: 'Currency', options: optionsOf(currencies) },
        { name: 'reference', label: 'The bank’s reference', required: true },
        last,
      ],
    })
  const source = { name: 'source', label: 'Source of the money (optional)' }
  return html`<div class="side">${form('fund', 'Book money in', source)}
${form('withdraw', 'Book money out', REASON)}</div>`
}

function keysOf(visit: Visit, id: string, keys: readonly OperatorKey[]): Html {
  const path = `${visit.root}/accounts/${id}`
  const table: Table<OperatorKey> = {
    caption: 'Keys of the account',
    empty: 'No keys.',
    columns: [
      { name: 'Key', show: ({ key_id }) => html`<code>${key_id}</code>` },
      { name: 'Name', show: ({ name }) => name },
      { name: 'Scope', show: ({ scope }) => scope },
      { name: 'Owner', show: ({ owner }) => owner },
      { name: 'Last used', show: ({ last_used_at }) => time(last_used_at) },
      {
        name: 'State',
        show: ({ key_id, revoked_at }) =>
          revoked_at !== null
            ? html`revoked ${time(revoked_at)}`
            : postForm(visit, {
                action: `${path}/revoke`,
                under: 'Revoke',
                button: 'Revoke this key',
                asksPassword: true,
                danger: true,
                hidden: { key_id },
              }),
      },
    ],
  }
  return html`${rows(table, keys)}
${postForm(visit, {
  action: `${path}/key`,
  under: 'A new key',
  button: 'Create the key',
  asksPassword: true,
  fields: [
    { name: 'scope', label: 'Scope', options: optionsOf(['read', 'write', 'operator']) },
    { name: 'name', label: 'Name (optional)' },
  ],
})}`
}
