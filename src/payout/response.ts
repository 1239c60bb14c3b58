// Payouts as callers see them: the schemas of answers, and the answers themselves.
import Type from 'typebox'
import { BeneficiaryDetailsResponse } from '../beneficiary/response.ts'
import { EXAMPLES } from '../http/docs.ts'
import { Id, Metadata, Minor, Money, RateNumber, Timestamp } from '../http/schema.ts'
import type { Decimal } from '../money/decimal.ts'
import { amountToJson, rateToJson } from '../money/json.ts'
import { Document } from '../party/schema.ts'
import { quoteIdOf } from '../quote/carried.ts'
import { PayoutType } from '../quote/request.ts'
import { answered } from './action.ts'
import { actionAnswers, cancelAnswers, payoutAnswers } from './examples.ts'
import { mt103Document } from './mt103.ts'
import type { Payout } from './payout.ts'
import { LogisticsTracking, PayoutStatus } from './request.ts'
import { uetrOf } from './uetr.ts'

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

export const FailureResponse = Type.Object(
  { code: Type.String(), category: Type.String(), message: Type.String() },
  {
    title: 'PayoutFailure',
    description:
      'Codes: PF000100, cancelled by the account; PF000300, the entity the payout was made for ' +
      'is rejected; PF000310, the receiving account’s balance is full; PF000320, it is closed; ' +
      'OP000100, set by the operator; PF000900 and PR000900, simulated; others are the rail’s.',
  },
)

export const PayoutResponse = Type.Object(
  {
    id: Id('pot', 'Payout id.'),
    object: Type.Literal('payout'),
    amount: Minor,
    currency: Type.String(),
    holding_currency: Type.String(),
    balance_transaction: Id('btr', 'The debit of this payout.'),
    beneficiary: Id('bnf', 'Beneficiary id.'),
    beneficiary_details: BeneficiaryDetailsResponse,
    charge_type: Type.String(),
    confirmation_documents: Type.Array(Document, {
      description: 'Of a payout by SWIFT its MT103, of type `mt103`; a `data:` URL holds it.',
    }),
    documents: Type.Array(Document),
    created_at: Timestamp,
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
    reference_id: Type.String(),
    statement_descriptor: Type.String(),
    status: PayoutStatus,
    status_description: Type.String({
      description: 'In `requires_action` what is asked for, in `compliance_hold` why.',
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
  },
  { title: 'Payout', description: 'One payout as it is now.', [EXAMPLES]: payoutAnswers },
)

/** The same payout, with an example of one that was cancelled. */
export const CancelResponse = { ...PayoutResponse, [EXAMPLES]: cancelAnswers }

/** The same payout, with an example of one whose account has answered. */
export const ActionResponse = { ...PayoutResponse, [EXAMPLES]: actionAnswers }

/** The payout as answers show it (§payout.fields). */
export function presentPayout(payout: Payout) {
  const { particulars, beneficiary_details } = answered(payout)
  const { mt103 } = payout
  const paid = { amount: payout.amount, currency: payout.currency }
  const held = { amount: payout.holding_amount, currency: payout.holding_currency }
  const sent = { amount: payout.destination_amount, currency: payout.destination_currency }
  return {
    id: payout.id,
    object: 'payout',
    amount: amountToJson(payout.amount),
    currency: payout.currency,
    holding_currency: payout.holding_currency,
    balance_transaction: payout.balance_transaction_id,
    beneficiary: payout.beneficiary_id,
    beneficiary_details,
    charge_type: payout.charge_type,
    confirmation_documents: mt103 === '' ? [] : [mt103Document(payout.id, mt103)],
    documents: particulars.documents,
    created_at: payout.created_at,
    holding_fx_quote: payout.holding_fx_id === '' ? '' : quoteIdOf(payout),
    holding_fx_transaction: fx(payout.holding_fx_id, payout.holding_to_payout, held, paid),
    payout_fx_transaction: fx(payout.payout_fx_id, payout.payout_to_destination, paid, sent),
    local: { fund_transfer_network: payout.fund_transfer_network },
    logistics_tracking_details: particulars.logistics_tracking_details,
    metadata: particulars.metadata,
    mt103,
    on_behalf_of: particulars.on_behalf_of,
    purpose: particulars.purpose,
    quote: quoteIdOf(payout),
    reference_id: particulars.reference_id,
    statement_descriptor: particulars.statement_descriptor,
    status: payout.status,
    status_description: payout.status_description,
    failure: payout.failure,
    tracking_details: trackingOf(payout),
    transaction_description: particulars.transaction_description,
    type: payout.type,
  }
}

/** The end-to-end reference where there is one, else what the bank calls the payment. */
function trackingOf({ id, mt103, rail_reference }: Payout) {
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
