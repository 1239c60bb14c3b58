// Writes of sandbox accounts alone. Money follows the rules of all accounts.
import type { Maker } from '../accounts/maker.ts'
import type { Account } from '../accounts/rules.ts'
import type { Operation } from '../engine/operation.ts'
import { success } from '../http/answer.ts'
import type { Claiming, Reply } from '../http/idempotency/kept-reply.ts'
import { Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../ledger/store.ts'
import type { Advance } from '../payouts/advance/advance.ts'
import { advancePayout } from '../payouts/advance/advance-operation.ts'
import type { AdvanceOutcome, AdvanceState } from '../payouts/advance/apply.ts'
import type { RailStep } from '../rails/rail.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { presentBalanceTransaction } from '../statements/balance-transaction/response.ts'
import { type BookingState, type Fund, fundAccount } from '../statements/funding/operations.ts'
import type { BookingOutcome } from '../statements/funding/rules.ts'
import { refusal } from '../values/errors.ts'
import { type Instant, plusMilliseconds } from '../values/instant.ts'
import { MAX_AHEAD_S } from './request.ts'

export function checkSandbox({ sandbox }: Account): void {
  if (sandbox) return
  const message = 'This account is no sandbox; only sandboxes have this operation.'
  throw refusal('sandbox_only', message)
}

export interface AdvanceClock extends Claiming {
  readonly seconds: number
}

interface ClockState extends LockedBooks {
  readonly books: Map<string, Book>
  readonly ahead_s: number
}

export interface AdvancedClock {
  readonly account_id: string
  readonly seconds: number
  /** The account's time, and how far it is ahead of the database's. */
  readonly now: Instant
  readonly ahead_s: number
}

/** A batch has one command, because each command moves the clock that it has read. */
export const advanceClock: Operation<AdvanceClock, ClockState, AdvancedClock> = {
  name: 'advance_clock',
  while_frozen: true,

  async load(tx, commands) {
    const [{ account_id } = { account_id: '' }] = commands
    const [locked, ahead_s] = await Promise.all([
      lockBooks(tx, [account_id]),
      findClockAhead(tx, account_id),
    ])
    return { ...locked, books: new Map(locked.books), ahead_s }
  },

  decide({ books, ahead_s }, { account_id, seconds }) {
    const next_s = ahead_s + seconds
    if (next_s > MAX_AHEAD_S) {
      const left = MAX_AHEAD_S - ahead_s
      const message = `A clock can be ${MAX_AHEAD_S} seconds ahead at most; ${left} are left.`
      throw refusal('invalid_field', message, 'seconds')
    }
    // After this point it succeeds.
    const book = bookOf(books, account_id)
    const now = plusMilliseconds(book.now, seconds * 1000)
    // With the old time, a long step would make the answer expire at once.
    books.set(account_id, { ...book, now })
    return { account_id, seconds, now, ahead_s: next_s }
  },

  store: (tx, outcomes) =>
    Promise.all(outcomes.map(({ account_id, seconds }) => updateClock(tx, account_id, seconds))),
}

export function answerClock({ now, ahead_s }: AdvancedClock): Reply {
  return success({ object: 'sandbox_clock', now, ahead_s })
}

export type FundSandbox = Fund & Claiming

/** Funds a sandbox as an operator funds an account. */
export const fundSandbox: Operation<FundSandbox, BookingState, BookingOutcome> = {
  ...fundAccount,
  name: 'fund_sandbox',
  while_frozen: true,
}

export function answerFunding({ entries: [{ line }] }: BookingOutcome): Reply {
  return success(presentBalanceTransaction(line))
}

export interface TransitionPayout extends Claiming {
  readonly payout_id: string
  readonly maker: Maker
  readonly step: RailStep
}

/** A step like an operator's. */
export const transitionPayout: Operation<
  TransitionPayout,
  AdvanceState,
  AdvanceOutcome,
  ReadonlyMap<string, string>
> = {
  name: 'transition_payout',
  // Rails and operators advance payouts of frozen accounts too.
  while_frozen: true,
  prepare: (tx, commands) => advancePayout.prepare(tx, commands.map(asAdvance)),
  load: (tx, commands, receivers) => advancePayout.load(tx, commands.map(asAdvance), receivers),
  decide: (state, command) => advancePayout.decide(state, asAdvance(command)),
  store: advancePayout.store,
}

function asAdvance({ account_id, payout_id, step, maker }: TransitionPayout): Advance {
  return { account_id, payout_id, by: 'operator', steps: [step], maker }
}

export const ClockResponse = Type.Object(
  {
    object: Type.Literal('sandbox_clock'),
    now: Timestamp,
    ahead_s: Type.Integer({
      description: 'Seconds by which the account’s clock is ahead of real time.',
    }),
  },
  { title: 'SandboxClock' },
)

/** In whole seconds, rounded down. */
async function findClockAhead(tx: TransactionSql, account_id: string): Promise<number> {
  const [row] = await tx<{ ahead_s: number }[]>`
    select floor(extract(epoch from clock_ahead))::integer as ahead_s
    from books where account_id = ${account_id}`
  return row?.ahead_s ?? 0
}

/**
 * The book must be locked. Locks endpoints before their deliveries, as the delivery worker does. A
 * delivery in flight keeps its due time, because it would be sent twice otherwise. A payout's claim
 * moves with its due time: a report in flight is applied.
 */
function updateClock(tx: TransactionSql, account_id: string, seconds: number) {
  const step = `${seconds} seconds`
  // `at time zone 'UTC'` makes the expression independent of settings, as Citus demands.
  const sooner = (column: 'ask_rail_at' | 'claimed_until' | 'due_at') =>
    tx`(${tx(column)} at time zone 'UTC' - ${step}::interval) at time zone 'UTC'`
  const locking = tx`
    select from webhook_endpoints where account_id = ${account_id} order by id for update`
  return Promise.all([
    tx`
      update books set clock_ahead = clock_ahead + ${step}::interval
      where account_id = ${account_id}`,
    tx`
      update open_payouts
      set ask_rail_at = ${sooner('ask_rail_at')}, claimed_until = ${sooner('claimed_until')}
      where account_id = ${account_id} and ask_rail_at is not null`,
    tx`
      update ended_reviews set due_at = ${sooner('due_at')}
      where account_id = ${account_id}`,
    locking,
    tx`
      update webhook_deliveries d set due_at = ${sooner('due_at')}
      where account_id = ${account_id} and due_at is not null and (attempts = 0 or exists (
        select from webhook_attempts a
        where a.account_id = ${account_id} and a.delivery_id = d.id and a.number = d.attempts))`,
  ])
}
