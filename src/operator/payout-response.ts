// A payout as operators see it.
import { Money, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { amountToJson } from '../money/json.ts'
import type { Payout } from '../payout/payout.ts'
import { PayoutResponse, presentPayout, UltimateDebtor } from '../payout/response.ts'
import { presentTimeline } from '../timeline/response.ts'
import { ExceptionResponse } from './exception-routes.ts'
import { presentException } from './exceptions.ts'
import type { ShownPayout } from './payouts.ts'
import { AccountId } from './request.ts'

const MEMBERS = {
  account_id: AccountId,
  rail: Type.String({ description: 'The rail of the payout; empty while it has none.' }),
  route: Type.Unknown({ description: 'The route that the payout took, as the route was then.' }),
  rail_reference: Type.String({
    description: 'The reference of the bank for the payout; empty if there is none.',
  }),
  taken_by: Type.String({ description: 'Who pays the payout by hand; empty if nobody does.' }),
  taken_at: textOrNull({ format: 'date-time' }),
  send: Money,
  ultimate_debtor: UltimateDebtor,
  payout: PayoutResponse,
}

export const DeskPayout = Type.Object(MEMBERS, {
  title: 'DeskPayout',
  description: 'A payout with what only operators see.',
})

export const DeskPayoutInFull = Type.Object(
  {
    ...MEMBERS,
    account_name: Type.String(),
    under_review: Type.Boolean({ description: 'Whether an exception of its rail is open.' }),
    exceptions: Type.Array(ExceptionResponse, { description: 'The open exceptions.' }),
    screening: textOrNull({
      description:
        'Why screening holds the payout: `waits`, `open` or `confirmed`; null if it does not.',
    }),
    timeline: Type.Array(Type.Unknown(), {
      description: 'As `GET /v3/payout/{id}/timeline` has it, with what only operators see.',
    }),
  },
  { title: 'DeskPayoutInFull', description: 'A payout, its history, and what it waits for.' },
)

/** The payout as its account sees it, and the members that only operators see. */
export function presentForDesk(payout: Payout) {
  const { account_id, rail, route, rail_reference, taken_by, taken_at } = payout
  return {
    account_id,
    rail,
    route,
    rail_reference,
    taken_by,
    taken_at,
    send: {
      amount: amountToJson(payout.destination_amount),
      currency: payout.destination_currency,
    },
    ultimate_debtor: payout.particulars.ultimate_debtor,
    payout: presentPayout(payout),
  }
}

export function presentInFull({ account, source, held, exceptions }: ShownPayout) {
  const { items, under_review } = presentTimeline(source, 'operator')
  return {
    ...presentForDesk(source.payout),
    account_name: account.name,
    under_review,
    exceptions: exceptions.filter(one => one.closed_at === null).map(presentException),
    screening: held?.screening ?? null,
    timeline: items,
  }
}
