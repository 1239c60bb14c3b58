// Approval rules: which payouts and beneficiaries people must approve. A rule never changes. A
// payout that waits by a removed rule goes on waiting.
import { listApiKeys } from '../accounts/store.ts'
import {
  type ApprovalRule,
  EXPIRES_AFTER_DAYS,
  MAX_APPROVERS,
  MAX_DAYS,
  RULE_SUBJECTS,
} from '../controls/approval/approval.ts'
import { type AskedRule, judgeRule } from '../controls/approval/asked-rule.ts'
import { deleteRule, insertRule, listRules } from '../controls/approval/rule-store.ts'
import { neededWords, ruleWords } from '../controls/approval/words.ts'
import { pathId } from '../http/docs.ts'
import {
  Closed,
  CurrencyCode,
  Id,
  integerOrNull,
  Literals,
  MINOR_OF,
  optional,
  Text,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { PAYOUT_TYPES } from '../quotes/quote.ts'
import type { Sql } from '../sql/connect.ts'
import { newId } from '../values/id.ts'
import { amountToJson } from '../values/money/json.ts'
import { COUNTRIES } from '../values/network/country.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { networkName } from './limit-changes.ts'
import { accountNamed, known } from './operator-write.ts'
import { AccountId, MAX_MINOR } from './request.ts'

const AddRule = Closed(
  optional({
    subject: Literals(RULE_SUBJECTS, {
      default: 'payout',
      description:
        'What people approve: payouts; or each new or changed beneficiary before a payout ' +
        'may go to it. A rule for beneficiaries has no conditions but `account_id`, ' +
        '`key_id` and `country`.',
    }),
    account_id: AccountId,
    key_id: Text(64, {
      minLength: 1,
      description: 'Only payouts and beneficiaries that this API key makes.',
    }),
    payout_type: Literals(PAYOUT_TYPES),
    network: Text(64, { minLength: 1, description: 'A local or payment network, or a chain.' }),
    country: Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166, two letters.' }),
    currency: CurrencyCode,
    new_payee: Type.Boolean({
      description:
        'Only payouts to payees, with their present details, to whom no payout was approved ' +
        'before.',
    }),
    at_least: Type.Integer({
      minimum: 1,
      maximum: MAX_MINOR,
      [MINOR_OF]: 'at_least_currency',
      description: 'Only from this amount on, in minor units of `at_least_currency`.',
    }),
    at_least_currency: CurrencyCode,
    approvers: Type.Integer({ minimum: 1, maximum: MAX_APPROVERS, default: 1 }),
    expires_after_days: Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      default: EXPIRES_AFTER_DAYS,
    }),
  }),
  {
    title: 'AddApprovalRule',
    description: 'All conditions must hold; a condition that is left out holds for everything.',
  },
)

export const RuleResponse = Type.Object(
  {
    rule_id: Id('apr', 'The rule.'),
    subject: Literals(RULE_SUBJECTS),
    account_id: textOrNull(),
    key_id: textOrNull(),
    payout_type: textOrNull(),
    network: textOrNull(),
    country: textOrNull(),
    currency: textOrNull(),
    new_payee: Type.Boolean(),
    at_least: integerOrNull(),
    at_least_currency: textOrNull(),
    approvers: Type.Integer(),
    expires_after_days: Type.Integer(),
  },
  { title: 'ApprovalRule', description: 'A rule: what waits for approval. Null is any.' },
)

const listOf = reading({
  name: 'approval-rule list',
  path: '/v3/operator/approval_rule',
  operationId: 'listApprovalRules',
  summary: 'List the rules by which payouts and beneficiaries wait until people approve them.',
  query: Closed(optional({ account_id: AccountId })),
  response: RuleResponse,
  list: true,
  refusals: ['invalid_query_parameter', 'not_found'],
  find: async (audit, { account_id }) => (await rulesFor(audit, account_id)).map(presentRule),
  command: {
    words: rules => rules.map(rule => ({ rule: rule.rule_id, ...columnsOf(rule) })),
    options: { account_id: 'only those for payouts of this account' },
    none: 'no rule: corridor approval-rule add adds one',
    help: '\nExample:\n  corridor approval-rule list',
  },
})

const ADD_HELP = `
The conditions of a rule hold together. A payout that at least one rule fits
waits in pending_approval, with its money held, until so many approvers of its
account have approved it; never the person who made it. Of several rules that
fit, the most approvers and the fewest days count. A rule holds for payouts made
from now on, those of sandboxes too.

--at-least is what is paid, without fees, converted at mid and rounded up. What
cannot be converted needs the approval.

With --subject beneficiary no payout goes to a beneficiary before the approval,
and none brings its payee along.

Examples:
  corridor approval-rule add --account acc_7k2m9x4q --at-least 10000 \\
    --at-least-currency USD --approvers 2
  corridor approval-rule add --new-payee
  corridor approval-rule add --subject beneficiary --approvers 2
  corridor approval-rule add --payout-type swift --country US`

const add = writing({
  name: 'approval-rule add',
  path: '/v3/operator/approval_rule',
  operationId: 'addApprovalRule',
  summary: 'Add a rule by which payouts, or beneficiaries, wait until people approve them.',
  description:
    'The rule is for payouts made from now on. A payout that fits one rule waits; if it ' +
    'fits several rules, the most approvers and the fewest days count. Adding a rule ' +
    'twice changes nothing.',
  body: AddRule,
  response: RuleResponse,
  refusals: ['not_found', 'currency'],
  run: (acting, asked) => acting.change(async sql => presentRule(await addRule(sql, asked))),
  command: {
    words: rule => {
      const { needs, 'what waits': of } = columnsOf(rule)
      return `${rule.rule_id}: ${of} need ${needs}`
    },
    help: ADD_HELP,
    options: {
      account_id: 'only of this account (default: of each account)',
      payout_type: 'only payouts of this type',
      network: 'only over this local network, payment network or chain',
      country: 'only to this country, or of beneficiaries with an account there',
      currency: 'only payouts in this currency',
      at_least: 'only from this amount on, in major units',
      at_least_currency: 'the currency of --at-least',
      approvers: 'how many people approve (default: 1)',
      expires_after_days: `how long they can (default: ${EXPIRES_AFTER_DAYS})`,
    },
  },
})

const remove = writing({
  name: 'approval-rule remove',
  path: '/v3/operator/approval_rule/:id/remove',
  operationId: 'removeApprovalRule',
  summary: 'Remove an approval rule.',
  description:
    'Payouts that already wait for approval keep waiting. Payouts made from now on do not ' +
    'wait.',
  params: pathId('apr'),
  emptyBody: 'RemoveApprovalRule',
  asksPassword: true,
  actsAgain: true,
  response: RuleResponse,
  run: (acting, { id }) => acting.change(async sql => presentRule(await removeRule(sql, id))),
  command: {
    words: rule => {
      const { needs, 'what waits': of } = columnsOf(rule)
      return `removed ${rule.rule_id}: ${of} need ${needs}`
    },
    help: '\nExample:\n  corridor approval-rule remove apr_01m7xpm2m0c6hkd4r9ye',
  },
})

export const approvalRules: ActionGroup = {
  actions: [listOf, add, remove],
}

async function addRule(sql: Sql, asked: AskedRule): Promise<ApprovalRule> {
  if (asked.account_id !== undefined) await accountNamed(sql, asked.account_id)
  const keys = await listApiKeys(sql)
  const judged = judgeRule(asked, {
    keys: new Map(keys.map(key => [key.key_id, key.account_id])),
    countries: COUNTRIES,
    networkName,
  })
  const rule = { ...judged, rule_id: newId('apr') }
  await insertRule(sql, rule)
  return rule
}

/** With an account, those that may fit its payouts. Refuses (404) an unknown account. */
async function rulesFor(sql: Sql, account_id?: string): Promise<readonly ApprovalRule[]> {
  if (account_id !== undefined) await accountNamed(sql, account_id)
  const all = await listRules(sql)
  return account_id === undefined
    ? all
    : all.filter(rule => rule.account_id === null || rule.account_id === account_id)
}

/** Refuses (404) an unknown id. */
async function removeRule(sql: Sql, rule_id: string): Promise<ApprovalRule> {
  const rule = (await listRules(sql)).find(one => one.rule_id === rule_id)
  return known('approval rule', rule_id, (await deleteRule(sql, rule_id)) ? rule : undefined)
}

/** The amount is in minor units. */
function presentRule(rule: ApprovalRule) {
  return { ...rule, at_least: rule.at_least === null ? null : amountToJson(rule.at_least) }
}

function columnsOf(rule: ReturnType<typeof presentRule>) {
  const at_least = rule.at_least === null ? null : BigInt(rule.at_least)
  return { 'what waits': ruleWords({ ...rule, at_least }), needs: neededWords(rule) }
}
