// The screen of approval rules and limits, and the form of a rule. A rule never changes: the form
// of a change adds the new rule, then removes the old one, so payouts are never without either.
import {
  EXPIRES_AFTER_DAYS,
  MAX_APPROVERS,
  type RULE_SUBJECTS,
} from '../../controls/approval/approval.ts'
import { neededWords, ruleWords } from '../../controls/approval/words.ts'
import { RuleResponse } from '../../operator/approval-rules.ts'
import { PAYOUT_TYPES } from '../../quotes/quote.ts'
import { groupedNumbers } from '../../values/money/words.ts'
import { type Html, html } from '../../values/text/html.ts'
import { ApiError, type ListOf } from '../api.ts'
import { accountField, accountsOf, countryOptions, currencyOptions, withNames } from '../choices.ts'
import {
  amountOf,
  anyOf,
  bodyOf,
  countOf,
  emptyBody,
  type Field,
  fieldText,
  optionsOf,
  post,
  postForm,
} from '../form.ts'
import { type Column, rows, withNumbers } from '../list.ts'
import type { ApprovalRule, OperatorAccount } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, mainLink, plain } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'
import { limitScreens, limitTable, removeForm } from './limits.ts'

const API = '/v3/operator/approval_rule'

export function ruleScreens(screens: Screens): void {
  screens.show('installation', '/rules', show)
  screens.show('installation', '/rules/approvals/new', form)
  screens.act('installation', '/rules/approvals/new', save, form)
  const rule = { to: `${API}/:id`, next: '/rules?done=saved', again: show }
  screens.sendEach('installation', '/rules/approvals/:id', rule, { remove: emptyBody })
  limitScreens(screens)
}

async function show(visit: Visit): Promise<Screen> {
  const { account_id } = visit.query
  const [rules, accounts] = await Promise.all([
    visit.api.list<ApprovalRule>(API, { account_id }),
    accountsOf(visit),
  ])
  const limits = await limitTable(visit, accounts)
  const ofAccount = account_id === undefined ? '' : `?account_id=${account_id}`
  const add = (place: string, name: string) =>
    mayOperate(visit) && mainLink(`${visit.root}/rules/${place}/new${ofAccount}`, name)
  const all = account_id !== undefined && link(`${visit.root}/rules`, 'Show those of all accounts')
  const whose = withNames(account_id ?? '', accounts)
  const body = html`${all && html`<p>Those that count for ${whose}. ${all}</p>`}
<h2>Approval rules</h2>
${add('approvals', 'New approval rule')}
<p>A payout that fits a rule waits, with its money held, until so many approvers of its account have
approved it; never the person who made it.</p>
${tableOf(visit, rules.results, accounts)}
<h2>Limits</h2>
${add('limits', 'New limit')}
<p>A payout that would exceed a limit is refused.</p>
${limits}`
  return { title: 'Limits and rules', body }
}

function whatWaits(rule: ApprovalRule): string {
  const at_least = rule.at_least === null ? null : BigInt(rule.at_least)
  return groupedNumbers(ruleWords({ ...rule, at_least }))
}

function tableOf(
  visit: Visit,
  rules: readonly ApprovalRule[],
  accounts: ListOf<OperatorAccount>,
): Html {
  const columns: Column<ApprovalRule>[] = [
    { name: 'What waits', show: rule => withNames(whatWaits(rule), accounts) },
    { name: 'Needs', show: rule => neededWords(withNumbers(RuleResponse, rule)) },
  ]
  const change: Column<ApprovalRule> = {
    name: '',
    show: ({ rule_id }) =>
      html`${link(
        `${visit.root}/rules/approvals/new?rule=${rule_id}`,
        'Change',
      )} ${removeForm(visit, `approvals/${rule_id}`)}`,
  }
  const table = {
    caption: 'Approval rules',
    empty: 'No rules: payouts go out as soon as they are made.',
    columns: mayOperate(visit) ? [...columns, change] : columns,
  }
  return rows(table, rules)
}

const CONDITIONS = [
  'account_id',
  'key_id',
  'payout_type',
  'network',
  'country',
  'currency',
] as const

async function save(visit: Visit): Promise<string> {
  const amount = fieldText(visit, 'at_least')
  const at_least = amount === '' ? undefined : amountOf(visit, 'at_least', 'at_least_currency')
  await post(visit, API, {
    ...bodyOf(visit.form, ['subject', ...CONDITIONS]),
    ...(fieldText(visit, 'new_payee') === 'yes' && { new_payee: true }),
    ...(at_least && { at_least: at_least.amount, at_least_currency: at_least.currency }),
    approvers: countOf(visit, 'approvers'),
    expires_after_days: countOf(visit, 'expires_after_days'),
  })
  const replaced = fieldText(visit, 'replaced')
  if (replaced !== '') await removeReplaced(visit, replaced)
  return `${visit.root}/rules?done=saved`
}

/** A form that is sent again finds its old rule removed. */
async function removeReplaced(visit: Visit, rule_id: string): Promise<void> {
  try {
    await visit.api.post(`${API}/${rule_id}/remove`, {})
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
  }
}

async function form(visit: Visit): Promise<Screen> {
  const rule_id = visit.form.get('replaced') || visit.query.rule
  const [rules, accounts] = await Promise.all([
    rule_id ? visit.api.list<ApprovalRule>(API) : undefined,
    accountsOf(visit),
  ])
  const rule = rules?.results.find(one => one.rule_id === rule_id)
  if (rule_id && rule === undefined) {
    const message = 'The rule is removed.'
    throw new ApiError(404, [{ reason: 'not_found', message, remarks: '' }])
  }
  const account = accountField(accounts, rule?.account_id ?? visit.query.account_id)
  const body = html`<p>All conditions must fit; a condition that is left open fits every payout. The
rule is for payouts that are made from now on. Of several rules that fit, the most approvals and the
fewest days count.</p>
${postForm(visit, {
  action: `${visit.root}/rules/approvals/new`,
  button: rule === undefined ? 'Add the rule' : 'Save the rule',
  asksPassword: rule !== undefined,
  hidden: rule === undefined ? {} : { replaced: rule.rule_id },
  fields: ruleFields(account, rule),
})}`
  return { title: rule === undefined ? 'New approval rule' : 'Change an approval rule', body }
}

const SUBJECTS: Readonly<Record<(typeof RULE_SUBJECTS)[number], string>> = {
  payout: 'Payouts',
  beneficiary: 'New and changed beneficiaries, before a payout may go to them',
}

const PAYEES = { '': 'All payees', yes: 'Payees to whom no payout was approved before' }
const COUNTS = Array.from({ length: MAX_APPROVERS }, (_, i) => String(i + 1))
const AMOUNT_HINT =
  'Such as 10,000.00, without fees; others are converted at mid. Empty: every amount'
const COUNTRY_HINT = 'Payouts whose country is not known need the approval, too'

function ruleFields(account: Field, rule: ApprovalRule | undefined): readonly Field[] {
  const { at_least = null, at_least_currency = null } = rule ?? {}
  const currency = at_least_currency ?? 'USD'
  const { '': _, ...currencies } = currencyOptions('')
  const amount = at_least === null ? '' : plain(at_least, currency)
  const days = rule?.expires_after_days ?? String(EXPIRES_AFTER_DAYS)
  const field = (name: keyof ApprovalRule & string, more: Omit<Field, 'name' | 'value'>): Field => {
    return { ...more, name, value: String(rule?.[name] ?? '') }
  }
  return [
    field('subject', { label: 'What people approve', options: SUBJECTS }),
    account,
    { name: 'at_least', label: 'From this amount on', value: amount, hint: AMOUNT_HINT },
    {
      name: 'at_least_currency',
      label: 'Currency of this amount',
      value: currency,
      options: currencies,
    },
    field('currency', { label: 'Currency of the payout', options: currencyOptions('Any') }),
    field('payout_type', { label: 'Type', options: anyOf(PAYOUT_TYPES) }),
    field('country', {
      label: 'Country',
      options: countryOptions('Any'),
      hint: COUNTRY_HINT,
    }),
    field('network', { label: 'Network', hint: 'Such as fps or pix. Empty: any' }),
    { name: 'new_payee', label: 'Payees', value: rule?.new_payee ? 'yes' : '', options: PAYEES },
    field('key_id', { label: 'API key', hint: 'key_…, only what it makes. Empty: any' }),
    {
      name: 'approvers',
      label: 'Approvals needed',
      value: rule?.approvers ?? '1',
      options: optionsOf(COUNTS),
    },
    {
      name: 'expires_after_days',
      label: 'Days to decide',
      value: days,
      required: true,
      hint: 'A payout that nobody has approved by then fails',
    },
  ]
}
