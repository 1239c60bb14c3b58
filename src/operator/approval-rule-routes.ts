// GET and POST /v3/operator/approval_rule, and POST /v3/operator/approval_rule/{id}/remove.
import type { Static } from 'typebox'
import { EXPIRES_AFTER_DAYS, MAX_APPROVERS, MAX_DAYS, RULE_SUBJECTS } from '../approval/approval.ts'
import type { RuleCells } from '../approval/load.ts'
import { refusal } from '../errors.ts'
import { given } from '../given.ts'
import { pathId } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import {
  Closed,
  CurrencyCode,
  Id,
  integerOrNull,
  Literals,
  optional,
  Text,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { addRule, presentRule, removeRule, rulesFor } from './approval-rules.ts'
import { type DeskRoutes, listAnswer } from './desk-routes.ts'
import { AccountId, MAX_MINOR, majorText } from './request.ts'
import { readOrRefuse } from './words.ts'

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
type AddRule = Static<typeof AddRule>

export const Rule = Type.Object(
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

export function approvalRuleRoutes(routes: DeskRoutes): void {
  routes.read('/v3/operator/approval_rule', {
    operationId: 'listApprovalRules',
    summary: 'List the rules by which payouts and beneficiaries wait until people approve them.',
    response: ListOf(Rule),
    answer: async (_, { audit }) => listAnswer((await rulesFor(audit)).map(presentRule)),
  })
  routes.change('/v3/operator/approval_rule', {
    act: 'approval-rule add',
    config: { check: checkAmount },
    operationId: 'addApprovalRule',
    summary: 'Add a rule by which payouts, or beneficiaries, wait until people approve them.',
    description:
      'The rule is for payouts made from now on. A payout that fits one rule waits; if it ' +
      'fits several rules, the most approvers and the fewest days count. Adding a rule ' +
      'twice changes nothing.',
    body: AddRule,
    response: Rule,
    refusals: ['not_found', 'currency'],
    change: async (sql, { body }) => presentRule(readOrRefuse(await addRule(sql, cellsOf(body)))),
  })
  routes.change('/v3/operator/approval_rule/:id/remove', {
    act: 'approval-rule remove',
    actsAgain: true,
    config: { asksPassword: true },
    operationId: 'removeApprovalRule',
    summary: 'Remove an approval rule.',
    description:
      'Payouts that already wait for approval keep waiting. Payouts made from now on do not ' +
      'wait.',
    params: pathId('apr'),
    emptyBody: 'RemoveApprovalRule',
    response: Rule,
    change: async (sql, { params }) => presentRule(await removeRule(sql, params.id)),
  })
}

/** Refuses (400) an amount without its currency, and a currency without its amount. */
function checkAmount({ at_least, at_least_currency }: AddRule): void {
  if ((at_least === undefined) === (at_least_currency === undefined)) return
  const lacking = at_least === undefined ? 'at_least' : 'at_least_currency'
  throw refusal('invalid_field', 'Send at_least and at_least_currency together.', lacking)
}

/** The body as the texts of the command's options. */
function cellsOf(body: AddRule): RuleCells {
  return given({
    beneficiaries: body.subject === 'beneficiary',
    account: body.account_id,
    key: body.key_id,
    type: body.payout_type,
    network: body.network,
    country: body.country,
    paidIn: body.currency,
    newPayee: body.new_payee ?? false,
    atLeast: majorText(body.at_least, body.at_least_currency),
    currency: body.at_least_currency,
    approvers: body.approvers?.toString(),
    days: body.expires_after_days?.toString(),
  })
}
