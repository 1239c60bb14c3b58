// Payouts as callers see them: the schemas of answers, and the answers themselves.
import type { Static } from 'typebox'
import { shownMaker } from '../accounts/maker.ts'
import { ApprovalResponse } from '../controls/approval/response.ts'
import { DOCUMENTED } from '../http/docs.ts'
import { presentProblem } from '../http/errors.ts'
import { ExpandedOf } from '../http/expand.ts'
import {
  Closed,
  ErrorDetail,
  Id,
  Literals,
  MadeBy,
  Metadata,
  Minor,
  Money,
  RateNumber,
  Timestamp,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { Document } from '../parties/beneficiary/contact.ts'
import { BeneficiaryDetailsResponse, BeneficiaryResponse } from '../parties/beneficiary/response.ts'
import { ENTITY_TYPES } from '../parties/entity/request.ts'
import { EntityResponse } from '../parties/entity/response.ts'
import { quoteIdOf } from '../quotes/carried.ts'
import { PayoutType } from '../quotes/request.ts'
import { Fees, money, PRICE, presentFees, presentPrice, QuoteResponse } from '../quotes/response.ts'
import { feesInPayoutCurrency, totalDebit } from '../quotes/rules.ts'
import { expectedArrival } from '../rails/plan.ts'
import { BalanceTransactionResponse } from '../statements/balance-transaction/response.ts'
import { FAILURE_CODES } from '../values/failures.ts'
import type { Decimal } from '../values/money/decimal.ts'
import { amountToJson, rateToJson } from '../values/money/json.ts'
import { withAnswers } from './action.ts'
import type { DryRun } from './create/dry-run.ts'
import { metadataOf } from './metadata.ts'
import type { Payout } from './payout.ts'
import { type EXPANDED, LogisticsTracking, PayoutStatus } from './request.ts'
import { mt103Document } from './swift/mt103.ts'
import { uetrOf } from './swift/uetr.ts'

const FxTransaction = Type.Object(
  {
    id: Type.Optional(Id('fx', 'Foreign-exchange transaction id, 23 characters.')),
    object: Type.Optional(Type.Literal('fx_transaction')),
    exchange_rate: Type.Optional(RateNumber),
    initial: Type.Optional(Money),
    final: Type.Optional(Money),
  },
  { title: 'FxTransaction', description: 'Empty when nothing was converted on this side.' },
)

const FailureCode = Type.String({
  title: 'FailureCode',
  'x-extensible-enum': FAILURE_CODES,
  description:
    'The page `/docs/failure-codes` of the service has each code with its meaning and what to ' +
    'do. An operator may give another code by hand.',
})

export const FailureResponse = Type.Object(
  { code: FailureCode, category: Type.String(), message: Type.String() },
  {
    title: 'PayoutFailure',
    description: 'Why a payout failed or came back. `message` is for people.',
  },
)

/** For operators and rails; the account has `on_behalf_of`. */
export const UltimateDebtor = Type.Union(
  [
    Type.Object(
      {
        name: Type.String({ maxLength: 255 }),
        type: Literals(ENTITY_TYPES),
        id: Type.String({
          maxLength: 64,
          description:
            'Its registration number, or a person’s national identification number; empty for ' +
            'none.',
        }),
      },
      { title: 'UltimateDebtor' },
    ),
    Type.Null(),
  ],
  { description: 'For whom the account pays, as of the creation; null: for itself.' },
)

export const PayoutResponse = Type.Object(
  {
    id: Id('pot', 'Payout id.'),
    object: Type.Literal('payout'),
    amount: Minor,
    currency: Type.String(),
    holding_currency: Type.String(),
    fee_info: Fees,
    total_debit: Type.Object(Money.properties, {
      title: 'TotalDebit',
      description: 'What has left the balance: the amount in the holding currency and both fees.',
    }),
    balance_transaction: Id('btr', 'The debit of this payout.'),
    beneficiary: Id('bnf', 'Beneficiary id.'),
    beneficiary_details: BeneficiaryDetailsResponse,
    charge_type: Type.String(),
    confirmation_documents: Type.Array(Document, {
      description: 'For a payout by SWIFT: its MT103, of type `mt103`, in a `data:` URL.',
    }),
    documents: Type.Array(Document),
    made_by: MadeBy,
    created_at: Timestamp,
    updated_at: Type.String({
      format: 'date-time',
      description:
        'When the payout last changed: its state, its answers, its rail, or the person who ' +
        'pays it. Before the first change it equals `created_at`. A new forecast of the ' +
        'rail and a change of the metadata do not count as changes.',
    }),
    execute_at: Type.Union([Timestamp, Type.Null()], {
      description:
        'When the payout is executed. Until then it is `processing`, is not sent, and can ' +
        'be cancelled. Null: the payout is executed at once.',
    }),
    expected_at: Type.Union([Timestamp, Type.Null()], {
      description:
        'When the beneficiary has the money at the latest, calculated from the release of ' +
        'the payout, the business days of its currency and the rules of its network, or as ' +
        'the rail says. Null where that is not known, while the payout is held, and when it ' +
        'has failed.',
    }),
    holding_fx_quote: Type.String({
      description: 'The quote that fixed the holding rate; empty when nothing was converted.',
    }),
    holding_fx_transaction: FxTransaction,
    payout_fx_transaction: FxTransaction,
    local: Type.Object({ fund_transfer_network: Type.String() }),
    logistics_tracking_details: Type.Array(LogisticsTracking),
    metadata: Type.Union([Metadata, Type.Null()]),
    mt103: Type.String({
      description: 'The message of a payout by SWIFT, as it was when the payout was made.',
    }),
    on_behalf_of: Type.String(),
    purpose: Type.String(),
    quote: Id('poq', 'The quote used; one is recorded even when none was sent.'),
    rail: Type.String({
      description:
        'The rail that has the payout now, or had it last: `simulator` for sandboxes, ' +
        '`manual` where people pay, or the name of another rail; empty for a transfer to ' +
        'another account. GET /v3/payout/{id}/timeline shows each attempt.',
    }),
    reference_id: Type.String(),
    creditor_reference: Type.String({
      description: 'The reference on the invoice, without blanks and marks; empty for none.',
    }),
    statement_descriptor: Type.String(),
    status: PayoutStatus,
    status_description: Type.String({
      description:
        'For `requires_action`: what is asked for. For `compliance_hold`: why the payout is ' +
        'held.',
    }),
    failure: Type.Union([FailureResponse, Type.Null()]),
    tracking_details: Type.Object({
      tracking_number: Type.String(),
      tracking_type: Type.String({
        description:
          '`uetr` for payouts by SWIFT: the number is the end-to-end reference. `bank_reference` ' +
          'for others, once the bank that paid has given one.',
      }),
    }),
    transaction_description: Type.String(),
    type: PayoutType,
    expanded: Type.Optional(
      ExpandedOf({
        beneficiary: BeneficiaryResponse,
        quote: QuoteResponse,
        on_behalf_of: EntityResponse,
        balance_transaction: BalanceTransactionResponse,
        approval: ApprovalResponse,
      } satisfies Record<(typeof EXPANDED)[number], object>),
    ),
  },
  { title: 'Payout', description: 'One payout as it is now.' },
)

/** The payout as answers show it (§payout.fields). */
export function presentPayout(payout: Payout) {
  const { particulars, beneficiary_details } = withAnswers(payout)
  const { mt103 } = payout
  const charged = chargedFor(payout)
  const paid = { amount: payout.amount, currency: payout.currency }
  const held = { amount: payout.holding_amount, currency: payout.holding_currency }
  const sent = { amount: payout.destination_amount, currency: payout.destination_currency }
  return {
    id: payout.id,
    object: 'payout',
    amount: amountToJson(payout.amount),
    currency: payout.currency,
    holding_currency: payout.holding_currency,
    fee_info: presentFees({ ...charged, ...feesInPayoutCurrency(charged) }),
    total_debit: money(payout.holding_currency, totalDebit(charged)),
    balance_transaction: payout.balance_transaction_id,
    beneficiary: payout.beneficiary_id,
    beneficiary_details,
    charge_type: payout.charge_type,
    confirmation_documents: mt103 === '' ? [] : [mt103Document(payout.id, mt103)],
    documents: particulars.documents,
    made_by: shownMaker(payout.made_by),
    created_at: payout.created_at,
    updated_at: payout.updated_at,
    execute_at: payout.execute_at,
    expected_at: expectedArrival(payout),
    holding_fx_quote: payout.holding_fx_id === '' ? '' : quoteIdOf(payout),
    holding_fx_transaction: fx(payout.holding_fx_id, payout.holding_to_payout, held, paid),
    payout_fx_transaction: fx(payout.payout_fx_id, payout.payout_to_destination, paid, sent),
    local: { fund_transfer_network: payout.fund_transfer_network },
    logistics_tracking_details: particulars.logistics_tracking_details,
    metadata: metadataOf(payout),
    mt103,
    on_behalf_of: particulars.on_behalf_of,
    purpose: particulars.purpose,
    quote: quoteIdOf(payout),
    rail: payout.rail,
    reference_id: particulars.reference_id,
    creditor_reference: particulars.creditor_reference,
    statement_descriptor: particulars.statement_descriptor,
    status: payout.status,
    status_description: payout.status_description,
    failure: payout.failure,
    tracking_details: trackingOf(payout),
    transaction_description: particulars.transaction_description,
    type: payout.type,
  }
}

/** The debited integers and their rate, under the names that a quote has for them. */
function chargedFor(payout: Payout) {
  return {
    holding_currency: payout.holding_currency,
    payout_currency: payout.currency,
    holding_to_payout: payout.holding_to_payout,
    holding_amount: payout.holding_amount,
    fixed_fee_holding: payout.fixed_fee,
    variable_fee_holding: payout.variable_fee,
  }
}

/** The UETR of an MT103; without one, the bank's reference of the payment. */
export function trackingOf({ id, mt103, rail_reference }: Payout) {
  if (mt103 !== '') return { tracking_number: uetrOf(id), tracking_type: 'uetr' }
  const tracking_type = rail_reference === '' ? '' : 'bank_reference'
  return { tracking_number: rail_reference, tracking_type }
}

interface Side {
  readonly amount: bigint
  readonly currency: string
}

function fx(id: string, rate: Decimal, initial: Side, final: Side) {
  if (id === '') return {}
  return {
    id,
    object: 'fx_transaction',
    exchange_rate: rateToJson(rate),
    initial: { amount: amountToJson(initial.amount), currency: initial.currency },
    final: { amount: amountToJson(final.amount), currency: final.currency },
  }
}

/** A sum may have more digits than a JSON number keeps. */
const SumText = Type.String({ description: 'Minor units, as text.' })

export const PayoutTotalsResponse = Type.Object(
  {
    object: Type.Literal('payout_totals'),
    complete: Type.Boolean({
      description: 'False: more than 2,000 payouts fit, and these are the totals of the newest.',
    }),
    count: Type.Integer({ description: 'How many payouts were summed.' }),
    paid: Type.Array(Type.Object({ currency: Type.String(), amount: SumText }), {
      description: 'What was paid out, by currency.',
    }),
    debited: Type.Array(
      Type.Object({
        currency: Type.String(),
        amount: SumText,
        fees: SumText,
      }),
      { description: 'What was debited, fees included, and the fees, by currency of the balance.' },
    ),
  },
  { title: 'PayoutTotals', description: 'The sums of the payouts that filters fit.' },
)

/** Whether a payout is a dry run; by default it is made. */
export const DryRunQuery = Closed({
  dry_run: Type.Optional(
    Literals(['true', 'false'], {
      description:
        'With `true`: the answer says with which errors the payout would be refused and what ' +
        'it would cost, and no payout is made.',
      [DOCUMENTED]: { type: 'boolean', default: false },
    }),
  ),
})
export type DryRunQuery = Static<typeof DryRunQuery>

const Price = Type.Object(
  {
    ...PRICE,
    available: Type.Object(
      { currency: Type.String(), amount: Type.String({ description: 'Minor units as text.' }) },
      { description: 'The balance that would pay the payout, as it is now.' },
    ),
  },
  { title: 'DryRunPrice', description: 'What the payout would cost; null when it has no price.' },
)

export const ApprovalsNeeded = Type.Integer({
  minimum: 0,
  description: 'How many people would have to approve the payout before it goes out.',
})

export const DryRunResponse = Type.Object(
  {
    object: Type.Literal('payout_dry_run'),
    outcome: Literals(['would_create', 'would_await_approval', 'would_hold', 'would_refuse']),
    errors: Type.Array(ErrorDetail, {
      description:
        'Every error with which the payout would be refused; the first one decides the answer ' +
        'of a creation.',
    }),
    warnings: Type.Array(Type.String(), {
      description:
        'What refuses nothing and a person should look at, such as a BIC of another SEPA country ' +
        'than that of the IBAN.',
    }),
    complete: Type.Boolean({
      description: 'False when an error prevents later checks: correct it and ask again.',
    }),
    price: Type.Union([Price, Type.Null()]),
    rail: Type.String({
      description: 'The rail that would take the payout; empty when none would.',
    }),
    held_for: Type.String({
      description: 'The entity whose review the payout would wait for, or empty.',
    }),
    execute_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When the payout would be executed; null when at once.',
    }),
    approvals_needed: ApprovalsNeeded,
  },
  { title: 'PayoutDryRun', description: 'The result that the payout would have at this moment.' },
)

/** The answer of a dry run. */
export function presentDryRun(dry_run: DryRun) {
  const { problems, warnings, held_for, execute_at, approvals_needed } = dry_run
  const { quote, routed, book } = dry_run
  const made = held_for === '' ? 'would_create' : 'would_hold'
  const passed = approvals_needed === 0 ? made : 'would_await_approval'
  return {
    object: 'payout_dry_run',
    outcome: problems.length === 0 ? passed : 'would_refuse',
    errors: problems.map(presentProblem),
    warnings,
    complete: quote !== undefined,
    price: quote === undefined ? null : presentCost(quote, book),
    rail: routed?.rail ?? '',
    held_for,
    execute_at,
    approvals_needed,
  }
}

function presentCost(quote: NonNullable<DryRun['quote']>, { balances }: DryRun['book']) {
  const { holding_currency: currency } = quote
  return {
    ...presentPrice(quote),
    available: { currency, amount: String(balances.get(currency) ?? 0n) },
  }
}
