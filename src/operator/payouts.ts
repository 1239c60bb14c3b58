// What operators do with payouts: a person takes a payout to pay it by hand, releases it, and
// reports the result.
import type { Account } from '../account/rules.ts'
import { listAccounts } from '../account/store.ts'
import type { Sql } from '../db/connect.ts'
import { previousStatus } from '../event/event.ts'
import { given } from '../given.ts'
import { type Handling, operatorStep, type Person } from '../payout/by-hand.ts'
import { handlePayout } from '../payout/by-hand-operation.ts'
import { findHeldByScreening, type HeldByScreening } from '../payout/screening-store.ts'
import { GIVEN_BACK_STATUSES } from '../payout/states.ts'
import { advancePayout } from '../payout/step-operation.ts'
import type { Failure, RailStatus, RailStep } from '../rail/rail.ts'
import type { TimelineSource } from '../timeline/rules.ts'
import { findTimeline } from '../timeline/store.ts'
import { accountIdOf } from './accounts.ts'
import { deedOf, known, type Operator } from './deed.ts'

export interface ShownPayout {
  readonly account: Account
  readonly source: TimelineSource
  readonly held: HeldByScreening | undefined
}

/** A payout of any account, with its history and what screening holds it for. */
export async function showPayout(
  { audit, sql }: { readonly audit: Sql; readonly sql: Sql },
  payout_id: string,
): Promise<ShownPayout> {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  const key = { account_id, id: payout_id }
  const account = (await listAccounts(sql)).find(known => known.account_id === account_id)
  const held = await findHeldByScreening(audit, key)
  const source = await findTimeline(sql, key)
  return known('payout', payout_id, source && account && { account, source, held })
}

/** What a person says about a step. */
interface Words {
  /** The bank's reference of the payment. */
  readonly reference?: string
  readonly reason?: string
  /** Confirms a reference that has already paid another payout. */
  readonly force?: boolean
}

export interface AskedHandling extends Words {
  readonly act: Handling['act']
  /** The person from whom the payout is taken over. */
  readonly from?: string
}

/** A person takes a payout, or gives it back unpaid. */
export async function handling(
  audit: Sql,
  operator: Operator,
  payout_id: string,
  { act, from, ...words }: AskedHandling,
) {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  const person = personOf(operator, words)
  const held = (taken_by: string) => ({ account_id, id: payout_id, taken_by })
  const command = given({ account_id, payout_id, act, person, from })
  return deedOf(handlePayout, command, ({ before, payout }) => ({
    table_name: 'payouts',
    reason: person.reason ?? '',
    before: held(before.taken_by),
    after: held(payout.taken_by),
  }))
}

export interface AskedTransition extends Words {
  readonly status: RailStatus
  /**
   * Goes with a status that gives the money back. Without a message of its own it has the reason.
   */
  readonly failure?: Partial<Failure>
  /** What the account must provide. */
  readonly description?: string
}

/** A person sets the status of a payout. */
export async function transition(
  audit: Sql,
  operator: Operator,
  payout_id: string,
  asked: AskedTransition,
) {
  const step = stepOf(asked)
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  const { reason, description, failure } = asked
  const person = personOf(operator, asked)
  const by = { by: 'operator', person, ask_again_in_ms: null } as const
  const command = { account_id, payout_id, steps: [step], ...by }
  return deedOf(advancePayout, command, ({ payout: { id, status, rail_reference }, events }) => ({
    table_name: 'payouts',
    reason: reason ?? failure?.message ?? description ?? '',
    before: { account_id, id, status: previousStatus(events) },
    after: { account_id, id, status, rail_reference },
  }))
}

/** The step that the person sets. Refuses (400) words that do not go with the status. */
export function stepOf({ status, failure, description, reason }: AskedTransition): RailStep {
  const told = GIVEN_BACK_STATUSES.includes(status) && reason !== undefined
  const whole = told ? { message: reason, ...failure } : failure
  return operatorStep(status, given({ failure: whole, description }))
}

function personOf({ name, is_login }: Operator, { reference, reason, force }: Words): Person {
  return given({ name, is_login, force: force === true, reference, reason })
}
