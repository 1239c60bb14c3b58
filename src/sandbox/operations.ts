// The writes of sandbox accounts alone: they move the clock, fund the account, and set the status
// of a payout as a rail or an operator would. Money follows the rules of all accounts.
import type { Account } from '../accounts/rules.ts'
import type { Operation } from '../engine/operation.ts'
import { success } from '../http/answer.ts'
import type { Claiming, Reply } from '../http/idempotency/kept-reply.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../ledger/store.ts'
import type { Advance } from '../payouts/advance/advance.ts'
import { advancePayout } from '../payouts/advance/advance-operation.ts'
import type { AdvanceOutcome, AdvanceState } from '../payouts/advance/apply.ts'
import type { RailStep } from '../rails/rail.ts'
import { presentBalanceTransaction } from '../statements/balance-transaction/response.ts'
import { type BookingState, type Fund, fundAccount } from '../statements/funding/operations.ts'
import type { BookingOutcome } from '../statements/funding/rules.ts'
import { refusal } from '../values/errors.ts'
import { type Instant, plusMilliseconds } from '../values/instant.ts'
import { MAX_AHEAD_S } from './request.ts'
import { presentClock } from './response.ts'
import { findClockAhead, updateClock } from './store.ts'

/** Refuses a live account with sandbox_only. */
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

/**
 * POST /v3/sandbox/clock/advance. A batch has one command, because each command moves the clock
 * that it has read.
 */
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
    // Keeps the answer with the new time. With the old time, a long step would make it expire at
    // once.
    books.set(account_id, { ...book, now })
    return { account_id, seconds, now, ahead_s: next_s }
  },

  store: (tx, outcomes) =>
    Promise.all(outcomes.map(({ account_id, seconds }) => updateClock(tx, account_id, seconds))),
}

export function answerClock({ now, ahead_s }: AdvancedClock): Reply {
  return success(presentClock(now, ahead_s))
}

export type FundSandbox = Fund & Claiming

/** POST /v3/sandbox/fund: funding like an operator's. */
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
  readonly step: RailStep
}

type Receivers = ReadonlyMap<string, string>

/** POST /v3/sandbox/payout/{id}/transition: a step like an operator's. */
export const transitionPayout: Operation<
  TransitionPayout,
  AdvanceState,
  AdvanceOutcome,
  Receivers
> = {
  name: 'transition_payout',
  // Rails and operators advance payouts of frozen accounts too.
  while_frozen: true,
  prepare: (tx, commands) => advancePayout.prepare(tx, commands.map(asAdvance)),
  load: (tx, commands, receivers) => advancePayout.load(tx, commands.map(asAdvance), receivers),
  decide: (state, command) => advancePayout.decide(state, asAdvance(command)),
  store: advancePayout.store,
}

function asAdvance({ account_id, payout_id, step }: TransitionPayout): Advance {
  return { account_id, payout_id, by: 'operator', steps: [step] }
}
