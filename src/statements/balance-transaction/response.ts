// Balances and balance transactions as callers see them.
import type { TSchema } from 'typebox'
import { ExpandedOf } from '../../http/expand.ts'
import { Id, Literals, MinorText, Money, RateNumber, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import type { Instant } from '../../values/instant.ts'
import { amountToJson, rateToJson } from '../../values/money/json.ts'
import { BALANCE_TRANSACTION_TYPES, type BalanceTransaction } from './balance-transaction.ts'
import { OPERATION_TYPES } from './request.ts'

export const BalanceTransactionResponse = Type.Object(
  {
    id: Id('btr', 'Balance transaction id.'),
    object: Type.Literal('balance_transaction'),
    amount: Type.Integer({ description: 'Signed minor units, without fees.' }),
    currency: Type.String(),
    created_at: Timestamp,
    description: Type.String(),
    fee_details: Type.Array(
      Type.Object({
        amount: Type.Integer({ description: 'Negative for a deduction.' }),
        currency: Type.String(),
        type: Literals(['fixed_fee', 'variable_fee'] as const),
      }),
    ),
    fx_conversions: Type.Array(
      Type.Object({ exchange_rate: RateNumber, initial: Money, final: Money }),
    ),
    net: Money,
    balance_after: MinorText('The balance in this currency after the line.'),
    metadata: Type.Record(Type.String(), Type.String(), {
      description:
        'For bookings of the operator: `reference`, the bank’s reference, and `reason`, if ' +
        'they were given. For money back at the wish of the account or the payee: ' +
        '`rate_difference`, what the house kept because the rate has moved since the price of ' +
        'the payout ended, in minor units; `fx_conversions` then has the conversion back. For a ' +
        'conversion: `counterpart`, the line of its other balance. Empty otherwise.',
    }),
    operation_type: Literals(OPERATION_TYPES),
    source: Type.String(),
    type: Literals(BALANCE_TRANSACTION_TYPES),
  },
  {
    title: 'BalanceTransactionAlone',
    description: 'One movement on a balance.',
  },
)

/** A balance transaction that may show its payout. The caller gives the schema of payouts. */
export function ExpandableLine(payout: TSchema) {
  return Type.Object(
    {
      ...BalanceTransactionResponse.properties,
      expanded: Type.Optional(ExpandedOf({ payout })),
    },
    {
      title: 'BalanceTransaction',
      description: 'One movement on a balance, with its payout if `expand` asks for it.',
    },
  )
}

/** The payout that a line debits or gives back; '' for any other line. */
export function payoutOf({ source, description }: BalanceTransaction): string {
  return [source, description].find(id => id.startsWith('pot_')) ?? ''
}

/** The balance transaction as answers show it (§line.fields). */
export function presentBalanceTransaction(line: BalanceTransaction) {
  const { currency } = line
  const fees = [
    { amount: line.fixed_fee, type: 'fixed_fee' },
    { amount: line.variable_fee, type: 'variable_fee' },
  ].filter(fee => fee.amount !== 0n)
  // Only operators see who booked the line, and that its payment funds other accounts too.
  const { by: _by, split: _split, nostro: _nostro, ...metadata } = line.metadata
  return {
    id: line.id,
    object: 'balance_transaction',
    amount: amountToJson(line.amount),
    currency,
    created_at: line.created_at,
    description: line.description,
    fee_details: fees.map(({ amount, type }) => ({ amount: amountToJson(amount), currency, type })),
    fx_conversions: line.fx_conversions.map(({ exchange_rate, initial, final }) => ({
      exchange_rate: rateToJson(exchange_rate),
      initial: { amount: amountToJson(initial.amount), currency: initial.currency },
      final: { amount: amountToJson(final.amount), currency: final.currency },
    })),
    net: { amount: amountToJson(line.net_amount), currency },
    balance_after: String(line.balance_after),
    metadata,
    operation_type: line.operation_type,
    source: line.source,
    type: line.type,
  }
}

export const BalanceResponse = Type.Object(
  {
    object: Type.Literal('balance'),
    available: Type.Array(
      Type.Object({
        currency: Type.String(),
        amount: MinorText(''),
      }),
    ),
    updated_at: Timestamp,
  },
  {
    title: 'Balance',
    description: 'Every balance currency of the account, zeros included.',
  },
)

/** Every balance currency of the account, zeros included; amounts are text (§balance.list). */
export function presentBalance(
  balances: readonly { readonly currency: string; readonly available: bigint }[],
  updated_at: Instant,
) {
  return {
    object: 'balance',
    available: balances.map(({ currency, available }) => ({
      currency,
      amount: available.toString(),
    })),
    updated_at,
  }
}
