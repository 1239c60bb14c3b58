// Limits, and the rules of who must approve what.
import { html } from '../../html.ts'
import { deed, field, post, said } from '../form.ts'
import { rows } from '../list.ts'
import type { Screens } from '../screens.ts'
import { digits, words } from '../show.ts'
import { rootOf, type Screen, type Visit } from '../visit.ts'
import type { ApprovalRule, Limit } from './objects.ts'

export function ruleScreens(screens: Screens): void {
  screens.show('installation', '/rules', show)
  const act = (path: string, act: (visit: Visit) => Promise<unknown>) =>
    screens.act(
      'installation',
      `/rules/${path}`,
      async visit => {
        await act(visit)
        return `${rootOf(visit)}/rules?done=saved`
      },
      show,
    )
  act('approvals', addRule)
  act('approvals/:id/remove', visit =>
    post(visit, `/v3/operator/approval_rule/${visit.params.id}/remove`, {}),
  )
  act('limits/:id/remove', visit => post(visit, `/v3/operator/limit/${visit.params.id}/remove`, {}))
}

async function addRule(visit: Visit): Promise<unknown> {
  const account_id = said(visit, 'account_id')
  const approvers = BigInt(/^\d$/.exec(said(visit, 'approvers'))?.[0] ?? '1')
  const body = {
    approvers,
    ...(account_id && { account_id }),
    ...(said(visit, 'new_payee') === 'yes' && { new_payee: true }),
  }
  return post(visit, '/v3/operator/approval_rule', body)
}

async function show(visit: Visit): Promise<Screen> {
  const { account_id } = visit.query
  const [rules, limits] = await Promise.all([
    visit.api.list<ApprovalRule>('/v3/operator/approval_rule'),
    visit.api.list<Limit>('/v3/operator/limit', { account_id }),
  ])
  // The account of the address is the one to make a rule for, and filters no rule.
  const bare = { ...visit, query: {} }
  const body = html`<h2>Who must approve</h2>${rows(bare, ruleTable(visit), rules)}
<details${account_id && html` open`}><summary>A new rule</summary>${deed(visit, {
    action: `${rootOf(visit)}/rules/approvals`,
    button: 'Add the rule',
    body: html`${field(visit, {
      name: 'account_id',
      label: 'Account',
      value: account_id ?? '',
      hint: 'acc_…; empty is every account',
    })}
${field(visit, {
  name: 'approvers',
  label: 'Approvals needed',
  options: ['1', '2', '3'].map(n => [n, n] as const),
})}
${field(visit, {
  name: 'new_payee',
  label: 'Of which payouts',
  options: [
    ['', 'all'],
    ['yes', 'those to new payees'],
  ],
})}`,
  })}</details>
<h2>Limits</h2>${rows(bare, limitTable(visit), limits)}`
  return { title: 'Limits and rules', body }
}

function ruleTable(visit: Visit) {
  return {
    caption: 'Rules of approvals',
    empty: 'No rules: payouts go out as soon as they are made.',
    columns: [
      { name: 'Approvals', number: true, show: ({ approvers }: ApprovalRule) => approvers },
      { name: 'Account', show: ({ account_id }: ApprovalRule) => account_id ?? 'every one' },
      { name: 'Payouts', show: payoutsOf },
      {
        name: '',
        show: ({ rule_id }: ApprovalRule) => removal(visit, `approvals/${rule_id}`),
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
  const said = [...parts, new_payee && 'to new payees'].filter(Boolean).join(', ')
  return said || 'all'
}

function limitTable(visit: Visit) {
  return {
    caption: 'Limits',
    empty: 'No limits.',
    columns: [
      {
        name: 'At most',
        number: true,
        show: ({ cap, currency }: Limit) =>
          currency === null ? `${cap} payouts` : `${digits(cap, currency)} ${currency}`,
      },
      { name: 'In', show: ({ window }: Limit) => window },
      { name: 'Of each', show: ({ each }: Limit) => each },
      { name: 'Account', show: ({ account_id }: Limit) => account_id ?? 'every one' },
      { name: 'Rail', show: ({ rail }: Limit) => rail ?? 'any' },
      { name: 'Network', show: ({ network }: Limit) => network ?? 'any' },
      { name: '', show: ({ limit_id }: Limit) => removal(visit, `limits/${limit_id}`) },
    ],
  }
}

function removal(visit: Visit, path: string) {
  return html`<details><summary>Remove</summary>${deed(visit, {
    action: `${rootOf(visit)}/rules/${path}/remove`,
    button: 'Remove it',
    asksPassword: true,
    danger: true,
  })}</details>`
}
