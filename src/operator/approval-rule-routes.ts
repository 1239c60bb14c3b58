// GET and POST /v3/operator/approval_rule, and POST /v3/operator/approval_rule/{id}/remove.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { EXPIRES_AFTER_DAYS, MAX_APPROVERS, MAX_DAYS, RULE_SUBJECTS } from '../approval/approval.ts'
import type { RuleCells } from '../approval/load.ts'
import { refusal } from '../errors.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Closed, CurrencyCode, Envelope, Id, Literals, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { addRule, presentRule, removeRule, rulesFor } from './approval-rules.ts'
import { authorOf, callOf, type OfDesk } from './desk.ts'
import { whole } from './price-response.ts'
import { AccountId, MAX_MINOR, type Named } from './request.ts'
import { readOrRefuse } from './words.ts'

const Country = Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166, two letters.' })
const KeyId = Text(64, { minLength: 1, description: 'Only what this API key makes.' })
const Network = Text(64, { minLength: 1, description: 'A local or payment network, or a chain.' })

const AddRule = Closed(
  {
    subject: Type.Optional(
      Literals(RULE_SUBJECTS, {
        default: 'payout',
        description:
          'What people approve: payouts; or each new or changed beneficiary before a payout may ' +
          'go to it, with no conditions but `account_id`, `key_id` and `country`.',
      }),
    ),
    account_id: Type.Optional(AccountId),
    key_id: Type.Optional(KeyId),
    payout_type: Type.Optional(Literals(PAYOUT_TYPES)),
    network: Type.Optional(Network),
    country: Type.Optional(Country),
    currency: Type.Optional(CurrencyCode),
    new_payee: Type.Optional(
      Type.Boolean({ description: 'Only payees, as they are, whom no payout was approved to.' }),
    ),
    at_least: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_MINOR,
        description: 'Only from this amount on, in minor units of `at_least_currency`.',
      }),
    ),
    at_least_currency: Type.Optional(CurrencyCode),
    approvers: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_APPROVERS, default: 1 })),
    expires_after_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_DAYS, default: EXPIRES_AFTER_DAYS }),
    ),
  },
  { title: 'AddApprovalRule', description: 'Conditions hold together; what is left out is any.' },
)
type AddRule = Static<typeof AddRule>

const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })

export const Rule = Type.Object(
  {
    rule_id: Id('apr', 'The rule.'),
    subject: Literals(RULE_SUBJECTS),
    account_id: textOrNull,
    key_id: textOrNull,
    payout_type: textOrNull,
    network: textOrNull,
    country: textOrNull,
    currency: textOrNull,
    new_payee: Type.Boolean(),
    at_least: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    at_least_currency: textOrNull,
    approvers: Type.Integer(),
    expires_after_days: Type.Integer(),
  },
  { title: 'ApprovalRule', description: 'What waits; null is any.' },
)

export function approvalRuleRoutes(app: FastifyInstance, deps: OfDesk): void {
  listRoute(app, deps)
  addRoute(app, deps)
  removeRoute(app, deps)
}

function listRoute(app: FastifyInstance, deps: OfDesk): void {
  app.get(
    '/v3/operator/approval_rule',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listApprovalRules',
        summary:
          'List the rules by which payouts and beneficiaries wait until people approve them.',
        response: Envelope(ListOf(Rule)),
        refusals: [],
      }),
    },
    async (_request, reply) => {
      const rules = await rulesFor(deps.desk.audit)
      return send(reply, success(whole(rules.map(presentRule))))
    },
  )
}

function addRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: AddRule }>(
    '/v3/operator/approval_rule',
    {
      config: { scope: 'installation_write', check: checkAmount },
      schema: operationDocs({
        operationId: 'addApprovalRule',
        summary: 'Let payouts, or beneficiaries, wait until people approve them.',
        description:
          'For payouts made from now on. A payout that one rule fits waits; of several, the most ' +
          'approvers and the fewest days count. Adding a rule twice asks for nothing more.',
        body: AddRule,
        response: Envelope(Rule),
        idempotent: true,
        refusals: ['not_found', 'currency'],
      }),
    },
    async (request, reply) => {
      const call = callOf(request, 'approval-rule add')
      const answer = await deps.desk.changeOnce(call, async sql => {
        return presentRule(readOrRefuse(await addRule(sql, cellsOf(request.body))))
      })
      return send(reply, answer)
    },
  )
}

function removeRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named>(
    '/v3/operator/approval_rule/:id/remove',
    {
      config: { scope: 'installation_write', asksPassword: true, optionalBody: true },
      schema: operationDocs({
        operationId: 'removeApprovalRule',
        summary: 'Remove a rule of approvals.',
        description: 'What waits by it goes on waiting. Payouts made from now on do not.',
        params: pathId('apr'),
        body: Closed({}, { title: 'RemoveApprovalRule', type: ['object', 'null'] }),
        response: Envelope(Rule),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const author = authorOf(request, 'approval-rule remove')
      const rule = await deps.desk.change(author, sql => removeRule(sql, request.params.id))
      return send(reply, success(presentRule(rule)))
    },
  )
}

/** An amount says nothing without its currency, nor a currency without its amount. */
function checkAmount({ at_least, at_least_currency }: AddRule): void {
  if ((at_least === undefined) === (at_least_currency === undefined)) return
  const lacking = at_least === undefined ? 'at_least' : 'at_least_currency'
  throw refusal('invalid_field', 'Send at_least and at_least_currency together.', lacking)
}

function cellsOf(body: AddRule): RuleCells {
  const { at_least, at_least_currency, approvers, expires_after_days, new_payee = false } = body
  const amount = at_least !== undefined &&
    at_least_currency !== undefined && {
      atLeast: formatMajor(BigInt(at_least), currencyExponent(at_least_currency)),
      currency: at_least_currency,
    }
  return {
    beneficiaries: body.subject === 'beneficiary',
    ...(body.account_id !== undefined && { account: body.account_id }),
    ...(body.key_id !== undefined && { key: body.key_id }),
    ...(body.payout_type !== undefined && { type: body.payout_type }),
    ...(body.network !== undefined && { network: body.network }),
    ...(body.country !== undefined && { country: body.country }),
    ...(body.currency !== undefined && { paidIn: body.currency }),
    ...(approvers !== undefined && { approvers: String(approvers) }),
    ...(expires_after_days !== undefined && { days: String(expires_after_days) }),
    newPayee: new_payee,
    ...amount,
  }
}
