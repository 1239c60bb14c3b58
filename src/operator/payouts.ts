// Shows payouts to operators, and makes their deeds: a person takes a payout to pay it by hand,
// gives it back unpaid, and reports the result.
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
import type { RailException } from '../rail/attempt.ts'
import { findExceptions } from '../rail/exception-store.ts'
import type { Failure, RailStatus, RailStep } from '../rail/rail.ts'
import type { TimelineSource } from '../timeline/rules.ts'
import { findTimeline } from '../timeline/store.ts'
import { accountIdOf } from './accounts.ts'
import { deedOf, known, type Operator } from './deed.ts'

export interface ShownPayout {
  readonly account: Account
  readonly source: TimelineSource
  readonly held: HeldByScreening | undefined
  readonly exceptions: readonly RailException[]
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
  const exceptions = await findExceptions(audit, [key])
  const source = await findTimeline(sql, key)
  return known('payout', payout_id, source && account && { account, source, held, exceptions })
}

/** What a person states about a step. */
interface Statement {
  /** The bank's reference of the payment. */
  readonly reference?: string
  readonly reason?: string
  /** Confirms a reference that has already paid another payout. */
  readonly force?: boolean
}

export interface AskedHandling extends Statement {
  readonly act: Handling['act']
  /** The person who has taken the payout, from whom this one takes it over. */
  readonly from?: string
}

/** The deed by which a person takes a payout, or gives it back unpaid. */
export async function handlingDeed(
  audit: Sql,
  operator: Operator,
  payout_id: string,
  { act, from, ...statement }: AskedHandling,
) {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  const person = personOf(operator, statement)
  const row = (taken_by: string) => ({ account_id, id: payout_id, taken_by })
  const command = given({ account_id, payout_id, act, person, from })
  return deedOf(handlePayout, command, ({ before, payout }) => ({
    table_name: 'payouts',
    reason: person.reason ?? '',
    before: row(before.taken_by),
    after: row(payout.taken_by),
  }))
}

export interface AskedTransition extends Statement {
  readonly status: RailStatus
  /** For a status that gives the money back. Its message is the reason by default. */
  readonly failure?: Partial<Failure>
  /** What the account must provide, for `requires_action`. */
  readonly description?: string
  /** Whether the account or the payee wants the money back. */
  readonly at_wish?: boolean
}

/** The deed by which a person sets the status of a payout. */
export async function transitionDeed(
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

/** The step to the status. Refuses (400) a failure or description that does not fit the status. */
export function stepOf({
  status,
  failure,
  description,
  reason,
  at_wish,
}: AskedTransition): RailStep {
  const isExplained = GIVEN_BACK_STATUSES.includes(status) && reason !== undefined
  const withMessage = isExplained ? { message: reason, ...failure } : failure
  return operatorStep(status, given({ failure: withMessage, description, at_wish }))
}

function personOf({ name, is_login }: Operator, { reference, reason, force }: Statement): Person {
  return given({ name, is_login, force: force === true, reference, reason })
}
