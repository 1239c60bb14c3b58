// POST /v3/payout?dry_run=true on the wire: the query, the schema of the answer, and the answer.
import Type, { type Static } from 'typebox'
import { DOCUMENTED } from '../http/docs.ts'
import { ErrorDetail } from '../http/error-docs.ts'
import { presentProblem } from '../http/errors.ts'
import { Closed, Literals, Money } from '../http/schema.ts'
import { amountToJson } from '../money/json.ts'
import { PRICE, presentPrice } from '../quote/response.ts'
import { totalDebit } from '../quote/rules.ts'
import type { DryRun } from './dry-run.ts'

/** Whether a payout is only tried; by default it is made. */
export const DryRunQuery = Closed({
  dry_run: Type.Optional(
    Literals(['true', 'false'], {
      description: 'Says what the payout would be refused for and what it would cost.',
      [DOCUMENTED]: { type: 'boolean', default: false },
    }),
  ),
})
export type DryRunQuery = Static<typeof DryRunQuery>

const Price = Type.Object(
  {
    ...PRICE,
    total_debit: Money,
    available: Type.Object(
      { currency: Type.String(), amount: Type.String({ description: 'Minor units as text.' }) },
      { description: 'The balance that it would be taken from, as it is now.' },
    ),
  },
  { title: 'DryRunPrice', description: 'What the payout would cost; null when it has no price.' },
)

export const DryRunResponse = Type.Object(
  {
    object: Type.Literal('payout_dry_run'),
    outcome: Literals(['would_create', 'would_hold', 'would_refuse']),
    errors: Type.Array(ErrorDetail, {
      description: 'Everything it would be refused for; the first is the answer of a creation.',
    }),
    complete: Type.Boolean({
      description: 'False when a refusal keeps later checks from being made: mend it, ask again.',
    }),
    price: Type.Union([Price, Type.Null()]),
    rail: Type.String({ description: 'The rail that would take it; empty when none would.' }),
    held_for: Type.String({ description: 'The entity whose review it would wait for, or empty.' }),
  },
  { title: 'PayoutDryRun', description: 'What the payout would come to at this moment.' },
)

export function presentDryRun({ problems, held_for, quote, routed, book }: DryRun) {
  const passed = held_for === '' ? 'would_create' : 'would_hold'
  return {
    object: 'payout_dry_run',
    outcome: problems.length === 0 ? passed : 'would_refuse',
    errors: problems.map(presentProblem),
    complete: quote !== undefined,
    price: quote === undefined ? null : presentCost(quote, book),
    rail: routed?.rail ?? '',
    held_for,
  }
}

function presentCost(quote: NonNullable<DryRun['quote']>, { balances }: DryRun['book']) {
  const { holding_currency: currency } = quote
  return {
    ...presentPrice(quote),
    total_debit: { currency, amount: amountToJson(totalDebit(quote)) },
    available: { currency, amount: String(balances.get(currency) ?? 0n) },
  }
}
