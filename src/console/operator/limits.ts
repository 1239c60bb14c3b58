// The screen of limits and approval rules.
import { approvalRules } from '../../operator/approval-rules.ts'
import { limits } from '../../operator/limits.ts'
import { html } from '../../values/text/html.ts'
import { bodyOf, emptyBody, fieldText, optionsOf, postForm } from '../form.ts'
import { actionTable } from '../list.ts'
import type { Screens } from '../screens.ts'
import type { Screen, Visit } from '../visit.ts'

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
  const [rules, limited] = await Promise.all([
    actionTable(visit, approvalRules, {
      caption: 'Approval rules',
      empty: 'No rules: payouts go out as soon as they are made.',
      act: id => removeForm(visit, `approvals/${id}`),
    }),
    actionTable(visit, limits, {
      caption: 'Limits',
      empty: 'No limits.',
      query: { account_id },
      act: id => removeForm(visit, `limits/${id}`),
    }),
  ])
  const body = html`<h2>Approval rules</h2>${rules}
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
<h2>Limits</h2>${limited}`
  return { title: 'Limits and rules', body }
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
