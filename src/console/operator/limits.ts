// The screen of limits and approval rules.
import { html } from '../../text/html.ts'
import { bodyOf, emptyBody, fieldText, optionsOf, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { Screens } from '../screens.ts'
import { digits, words } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import type { ApprovalRule, Limit } from './objects.ts'

const RULES = '/v3/operator/approval_rule'
const LIMITS = '/v3/operator/limit'

export function ruleScreens(screens: Screens): void {
  screens.show('installation', '/rules', show)
  const next = '/rules?done=saved'
  screens.send('installation', '/rules/approvals', { to: RULES, body: ruleOf, next }, show)
  const rule = { to: `${RULES}/:id`, next, again: show }
  screens.sendEach('installation', '/rules/approvals/:id', rule, { remove: emptyBody })
  const limit = { to: `${LIMITS}/:id`, next, again: show }
  screens.sendEach('installation', '/rules/limits/:id', limit, { remove: emptyBody })
}

function ruleOf(visit: Visit): object {
  return {
    approvers: BigInt(/^\d$/.exec(fieldText(visit, 'approvers'))?.[0] ?? '1'),
    ...bodyOf(visit.form, ['account_id']),
    ...(fieldText(visit, 'new_payee') === 'yes' && { new_payee: true }),
  }
}

const PAYOUT_OPTIONS = { '': 'all', yes: 'those to new payees' }

async function show(visit: Visit): Promise<Screen> {
  const { account_id } = visit.query
  const [rules, limits] = await Promise.all([
    visit.api.list<ApprovalRule>(RULES),
    visit.api.list<Limit>(LIMITS, { account_id }),
  ])
  const body = html`<h2>Approval rules</h2>${rows(ruleTable(visit), rules.results)}
<details${account_id && html` open`}><summary>A new rule</summary>${postForm(visit, {
    action: `${visit.root}/rules/approvals`,
    button: 'Add the rule',
    fields: [
      {
        name: 'account_id',
        label: 'Account',
        value: account_id ?? '',
        hint: 'acc_…, or empty for every account',
      },
      { name: 'approvers', label: 'Approvals needed', options: optionsOf(['1', '2', '3']) },
      { name: 'new_payee', label: 'For which payouts', options: PAYOUT_OPTIONS },
    ],
  })}</details>
<h2>Limits</h2>${rows(limitTable(visit), limits.results)}`
  return { title: 'Limits and rules', body }
}

function ruleTable(visit: Visit): Table<ApprovalRule> {
  return {
    caption: 'Approval rules',
    empty: 'No rules: payouts go out as soon as they are made.',
    columns: [
      { name: 'Approvals', number: true, show: ({ approvers }) => approvers },
      { name: 'Account', show: ({ account_id }) => account_id ?? 'all' },
      { name: 'Payouts', show: payoutsOf },
      {
        name: '',
        show: ({ rule_id }) => removeForm(visit, `approvals/${rule_id}`),
      },
    ],
  }
}

function payoutsOf(rule: ApprovalRule): string {
  const { payout_type, country, currency, new_payee, at_least, at_least_currency } = rule
  const from =
    at_least === null || at_least_currency === null
      ? ''
      : `from ${digits(at_least, at_least_currency)} ${at_least_currency}`
  const parts = [payout_type && words(payout_type), country, currency, from]
  const text = [...parts, new_payee && 'to new payees'].filter(Boolean).join(', ')
  return text || 'all'
}

function limitTable(visit: Visit): Table<Limit> {
  return {
    caption: 'Limits',
    empty: 'No limits.',
    columns: [
      {
        name: 'At most',
        number: true,
        show: ({ cap, currency }) =>
          currency === null ? `${cap} payouts` : `${digits(cap, currency)} ${currency}`,
      },
      { name: 'Period', show: ({ window }) => window },
      { name: 'For each', show: ({ each }) => each },
      { name: 'Account', show: ({ account_id }) => account_id ?? 'all' },
      { name: 'Rail', show: ({ rail }) => rail ?? 'any' },
      { name: 'Network', show: ({ network }) => network ?? 'any' },
      { name: '', show: ({ limit_id }) => removeForm(visit, `limits/${limit_id}`) },
    ],
  }
}

function removeForm(visit: Visit, path: string) {
  return postForm(visit, {
    action: `${visit.root}/rules/${path}/remove`,
    under: 'Remove',
    button: 'Remove',
    asksPassword: true,
    danger: true,
  })
}
