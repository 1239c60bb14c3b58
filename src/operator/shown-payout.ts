// A payout as operators see it, with its history and what it waits for.
import type { Account } from '../accounts/rules.ts'
import { listAccounts } from '../accounts/store.ts'
import { presentTimeline } from '../history/timeline/response.ts'
import type { TimelineSource } from '../history/timeline/rules.ts'
import { findTimeline } from '../history/timeline/store.ts'
import { Money, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { findHeldByScreening, type HeldByScreening } from '../payouts/advance/screening-store.ts'
import type { Payout } from '../payouts/payout.ts'
import { PayoutResponse, presentPayout, UltimateDebtor } from '../payouts/response.ts'
import type { RailException } from '../rails/attempt.ts'
import { findExceptions } from '../rails/exception-store.ts'
import type { Sql } from '../sql/connect.ts'
import { amountToJson } from '../values/money/json.ts'
import { accountIdOf } from './accounts.ts'
import { ExceptionResponse, presentException } from './exceptions.ts'
import { known } from './operator-write.ts'
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

export const OperatorPayout = Type.Object(MEMBERS, {
  title: 'OperatorPayout',
  description: 'A payout with what only operators see.',
})

export const OperatorPayoutInFull = Type.Object(
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
  { title: 'OperatorPayoutInFull', description: 'A payout, its history, and what it waits for.' },
)

export interface ShownPayout {
  readonly account: Account
  readonly source: TimelineSource
  readonly held: HeldByScreening | undefined
  readonly exceptions: readonly RailException[]
}

/** A payout of any account, with its history and what screening holds it for. */
export async function showPayout(audit: Sql, payout_id: string): Promise<ShownPayout> {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  const key = { account_id, id: payout_id }
  const account = (await listAccounts(audit)).find(known => known.account_id === account_id)
  const held = await findHeldByScreening(audit, key)
  const exceptions = await findExceptions(audit, [key])
  const source = await findTimeline(audit, key)
  return known('payout', payout_id, source && account && { account, source, held, exceptions })
}

/** The payout as its account sees it, and the members that only operators see. */
export function presentForOperators(payout: Payout) {
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
    ...presentForOperators(source.payout),
    account_name: account.name,
    under_review,
    exceptions: exceptions.filter(one => one.closed_at === null).map(presentException),
    screening: held?.screening ?? null,
    timeline: items,
  }
}
