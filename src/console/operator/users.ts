// Screens of users. Operators make users, give and take roles, make login links and log users out.
// They change only others than themselves.
import { ACCOUNT_ROLES, type UserRole } from '../../accounts/user/user.ts'
import { type Html, html } from '../../values/text/html.ts'
import { ApiError, type ListOf } from '../api.ts'
import {
  bodyOf,
  emptyBody,
  type Field,
  type FormSpec,
  fieldText,
  optionsOf,
  post,
  postForm,
  REASON,
  reasonOf,
  withUnlistedCalls,
} from '../form.ts'
import { type Column, rows, type Table } from '../list.ts'
import type { FactorRule, OperatorAccount, OperatorUser } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { copier, facts, link, state, time } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'

const API = '/v3/operator/user'
const FACTOR = '/v3/operator/second_factor'

export function userScreens(screens: Screens): void {
  screens.show('installation', '/users', list)
  screens.act('installation', '/users', make, list)
  screens.show('installation', '/users/:name', show)
  const onAccount = (visit: Visit) => ({
    account_id: fieldText(visit, 'account_id'),
    role: fieldText(visit, 'role'),
  })
  const user = { to: `${API}/:name`, next: '/users/:name?done=saved', again: show }
  screens.sendEach('installation', '/users/:name', user, {
    role: visit => ({ role: fieldText(visit, 'role') }),
    account_role: onAccount,
    'account_role/remove': onAccount,
    disable: reasonOf,
    enable: emptyBody,
    log_out: emptyBody,
    reset_factor: emptyBody,
    email: visit => ({ email: fieldText(visit, 'email') }),
  })
  const rule = { to: FACTOR, next: '/users?done=saved', again: list }
  const ofScope = (visit: Visit) => bodyOf(visit.form, ['account_id'])
  screens.sendEach('installation', '/second-factor', rule, { require: ofScope, waive: ofScope })
  screens.act('installation', '/users/:name/login_link', makeLink, show)
}

async function make(visit: Visit): Promise<string> {
  const name = fieldText(visit, 'name')
  const body = { name, full_name: fieldText(visit, 'full_name'), role: fieldText(visit, 'role') }
  const made = await post<OperatorUser>(visit, API, body)
  return `${visit.root}/users/${made.name}?done=saved`
}

/** Shows it this once, and as text: whoever follows it becomes that user. */
async function makeLink(visit: Visit): Promise<Screen> {
  const { name } = visit.params
  const path = `${API}/${name}/login_link`
  const made = await post<{ link: string; expires_at: string }>(withUnlistedCalls(visit), path, {})
  const body = html`<p>Give this link to <strong>${name}</strong> and to nobody else:
whoever opens it sets the password and is logged in as ${name}. The link works once,
until ${time(made.expires_at)}, and is not shown again.</p>
<pre class="secret" tabindex="0">${made.link}</pre><p>${copier('Copy the link', made.link)}</p>
<p><a class="button" href="${visit.root}/users/${name}">Back to ${name}</a></p>`
  return { title: 'The login link is created', body }
}

async function list(visit: Visit): Promise<Screen> {
  const [users, required] = await Promise.all([
    visit.api.list<OperatorUser>(API),
    visit.api.list<FactorRule>(FACTOR),
  ])
  const table: Table<OperatorUser> = {
    caption: 'Users, by name',
    empty: 'No users.',
    columns: [
      {
        name: 'User',
        show: ({ name, full_name }) =>
          html`<a href="${visit.root}/users/${name}"><strong>${name}</strong></a><br>${full_name}`,
      },
      { name: 'Role', show: ({ role }) => role },
      { name: 'Roles on accounts', show: ({ accounts }) => rolesOf(visit.root, accounts) },
      { name: 'Last seen', show: ({ last_seen_at }) => time(last_seen_at) },
      { name: 'Second factor', show: ({ second_factor_at }) => time(second_factor_at) },
      { name: 'State', show: stateOf },
      {
        name: 'Changes',
        show: ({ name }) => link(`${visit.root}/audit?by=${name}`, 'their changes'),
      },
    ],
  }
  const newUser = mayOperate(visit) && html`<h2>A new user</h2>${newForm(visit)}`
  const body = html`${rows(table, users.results)}${newUser}
<h2>Second factor</h2>${factorRules(visit, required.results)}`
  return { title: 'Users', body }
}

/** Who must have a second factor, with forms for those who may change it. */
function factorRules(visit: Visit, required: readonly FactorRule[]): Html {
  const who: Column<FactorRule> = {
    name: 'Required of',
    show: ({ account_id }) =>
      account_id === null ? 'every user' : accountLink(visit.root, account_id),
  }
  const form = (act: string, button: string, spec: Partial<FormSpec>) =>
    postForm(visit, {
      action: `${visit.root}/second-factor/${act}`,
      button,
      asksPassword: true,
      ...spec,
    })
  const waive: Column<FactorRule> = {
    name: '',
    show: ({ account_id }) =>
      form('waive', 'No longer', { small: true, hidden: { account_id: account_id ?? '' } }),
  }
  const since: Column<FactorRule> = { name: 'Since', show: one => time(one.required_at) }
  const account = { name: 'account_id', label: 'Of the people of', hint: ACCOUNT_HINT }
  return html`${rows(
    {
      caption: 'Who must have a second factor',
      empty: 'Nobody must have a second factor.',
      columns: mayOperate(visit) ? [who, since, waive] : [who, since],
    },
    required,
  )}
${mayOperate(visit) && form('require', 'Require it', { under: 'Require it', fields: [account] })}`
}

const ACCOUNT_HINT = 'acc_…, or empty for every user'

const NAME_HINT = 'Small letters, digits, “.”, “_” and “-”, such as bob'

function newForm(visit: Visit): Html {
  return postForm(visit, {
    action: `${visit.root}/users`,
    button: 'Create the user',
    asksPassword: true,
    fields: [
      { name: 'name', label: 'Name to log in with', hint: NAME_HINT, required: true },
      { name: 'full_name', label: 'Full name', required: true },
      { name: 'role', label: 'Role in the installation', options: IN_INSTALLATION },
    ],
  })
}

const IN_INSTALLATION: Readonly<Record<UserRole, string>> = {
  member: 'member: works for accounts only',
  auditor: 'auditor: reads everything',
  operator: 'operator: reads and changes everything',
}

async function show(visit: Visit): Promise<Screen> {
  const { name = '' } = visit.params
  const [users, accounts] = await Promise.all([
    visit.api.list<OperatorUser>(API),
    visit.api.unlisted().list<OperatorAccount>('/v3/operator/account', { limit: '100' }),
  ])
  const user = users.results.find(known => known.name === name)
  if (user === undefined) {
    const message = `There is no user ${name}.`
    throw new ApiError(404, [{ reason: 'not_found', message, remarks: '' }])
  }
  const isSelf = name === visit.person.user
  const body = html`<p class="lead">${user.full_name} ${stateOf(user)}</p>
${facts([
  ['Role in the installation', user.role],
  ['E-mail', user.email],
  ['Last seen', time(user.last_seen_at)],
  ['Second factor since', time(user.second_factor_at)],
  ['Changes', link(`${visit.root}/audit?by=${name}`, 'their changes')],
])}
<h2>Roles on accounts</h2>${onAccounts(visit, user, isSelf)}
${mayOperate(visit) && (isSelf ? ONESELF : changeForms(visit, user, accounts))}`
  return { title: name, body }
}

const ONESELF = html`<p>You cannot change your own roles here. Another operator can, or
whoever runs the server.</p>`

function onAccounts(visit: Visit, { name, accounts }: OperatorUser, isSelf: boolean): Html {
  const columns: Column<GivenRole>[] = [
    { name: 'Account', show: ({ account_id }) => accountLink(visit.root, account_id) },
    { name: 'Role', show: ({ role }) => role },
  ]
  const take: Column<GivenRole> = {
    name: '',
    show: ({ account_id, role }) =>
      postForm(visit, {
        action: `${visit.root}/users/${name}/account_role/remove`,
        button: 'Remove the role',
        small: true,
        asksPassword: true,
        hidden: { account_id, role },
      }),
  }
  const shown = mayOperate(visit) && !isSelf ? [...columns, take] : columns
  return rows(
    { caption: 'Roles on accounts', empty: 'No roles on accounts.', columns: shown },
    accounts,
  )
}

type GivenRole = OperatorUser['accounts'][number]

function changeForms(visit: Visit, user: OperatorUser, accounts: ListOf<OperatorAccount>): Html {
  const form = (path: string, under: string, spec: Omit<FormSpec, 'action'>) =>
    postForm(visit, {
      action: `${visit.root}/users/${user.name}/${path}`,
      under,
      asksPassword: true,
      ...spec,
    })
  const role = { name: 'role', label: 'Role', value: user.role, options: IN_INSTALLATION }
  const isEnabled = user.disabled_at === null
  return html`<h2>Change</h2><div class="side">
${form('account_role', 'A role on an account', {
  button: 'Give the role',
  fields: accountRoleFields(accounts),
})}
${isEnabled && form('login_link', 'Login link', { button: 'Create the link', body: LINK_NOTE })}
${form('email', 'E-mail', { button: 'Save the e-mail', fields: [emailOf(user)] })}
${form('role', 'Role in the installation', { button: 'Give this role', fields: [role] })}
${
  user.second_factor_at !== null &&
  form('reset_factor', 'Second factor', {
    button: 'Remove the second factor',
    body: html`<p>For a lost device. The sessions end; the user can enrol another device.</p>`,
    danger: true,
  })
}
${
  isEnabled && form('log_out', 'Log out everywhere', { button: 'End their sessions', danger: true })
}
${
  isEnabled
    ? form('disable', 'Disable', { button: 'Disable', danger: true, fields: [REASON] })
    : form('enable', 'Enable', { button: 'Enable' })
}</div>`
}

function emailOf({ email }: OperatorUser): Field {
  return { name: 'email', label: 'E-mail', value: email, hint: 'Empty for none' }
}

const LINK_NOTE = html`<p>The link works once, for 15 minutes. The user sets a password
with it.</p>`

function accountRoleFields({ results, has_more }: ListOf<OperatorAccount>): Field[] {
  const account = { name: 'account_id', label: 'Account', required: true }
  const options = results.map(({ account_id: id, name }) => [id, `${name} ${id}`] as const)
  return [
    has_more
      ? { ...account, hint: 'The id of the account, acc_…' }
      : { ...account, options: Object.fromEntries(options) },
    { name: 'role', label: 'Role', options: optionsOf(ACCOUNT_ROLES) },
  ]
}

function rolesOf(root: string, accounts: OperatorUser['accounts']): Html[] {
  return [...Map.groupBy(accounts, ({ account_id }) => account_id)].map(
    ([id, given]) =>
      html`${accountLink(root, id)}
${given.map(({ role }) => role).join(', ')}<br>`,
  )
}

function accountLink(root: string, id: string): Html {
  return link(`${root}/accounts/${id}`, html`<code>${id}</code>`)
}

function stateOf({ disabled_at, disabled_reason }: OperatorUser): Html {
  if (disabled_at === null) return state('active')
  return html`${state('disabled')} ${time(disabled_at)}<br>${disabled_reason}`
}
