// Applies the steps of any actor to a payout: refuses what no actor may do, and works out what is
// written. Pure.
import { checkActive, checkOpen } from '../../accounts/states.ts'
import type { PayoutUse } from '../../controls/limit/limit.ts'
import { type Book, bookOf, type Journal } from '../../ledger/rules.ts'
import type { RailStep } from '../../rails/rail.ts'
import type { Match } from '../../screening/match.ts'
import type { Entry } from '../../statements/balance-transaction/balance-transaction.ts'
import type { Event } from '../../statements/event/event.ts'
import { found, refusal } from '../../values/errors.ts'
import { nameOf, payoutKey } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { holdOf, type OpenPayout, type Payout, type ReadPayout } from '../payout.ts'
import { checkExecuted } from '../schedule.ts'
import { type Cause, PAYOUT_TRANSITIONS, type PayoutStatus } from '../states.ts'
import type { Advance } from './advance.ts'
import {
  type AttemptChanges,
  attemptChanges,
  attemptFacts,
  type KnownAttempts,
} from './attempt-changes.ts'
import { stepsByAccount } from './by-account.ts'
import {
  type ApprovalChanges,
  approvalChanges,
  type DecidedApproval,
  rememberDecision,
  stepsByApproval,
} from './by-approval.ts'
import { checkOperator, type OperatorState, stepsByOperator } from './by-operator.ts'
import { judgeRailReport, reroute, sentEvent } from './by-rail.ts'
import { type ReviewState, stepsByReview } from './by-review.ts'
import { eventsWithPriorState } from './event-state.ts'
import { railProgress } from './progress.ts'
import { isTransfer, receiverOf } from './release.ts'
import type { Judged } from './report.ts'
import {
  checkRoomForReturn,
  type GivenBackState,
  keptAt,
  moveMoney,
  recordStep,
  type StepPostings,
} from './succeed-or-fail.ts'

export interface AdvanceState extends ReviewState, OperatorState, KnownAttempts, GivenBackState {
  /** The database's clock, which sets when a rail is asked. */
  readonly now: Instant
  /** By `account_id/id`. */
  readonly payouts: Map<string, OpenPayout>
  /** The payouts before any step of the batch, by `account_id/id`. */
  readonly read: ReadonlyMap<string, ReadPayout>
  /** The uses of limits by the payouts that may give money back. */
  readonly uses: readonly PayoutUse[]
}

export interface AdvanceOutcome extends AttemptChanges {
  readonly payout: OpenPayout
  /**
   * The payout after each step, in order; empty when only the time of the next question changes.
   */
  readonly versions: readonly OpenPayout[]
  readonly entries: readonly Entry[]
  /** The hold that the first step ends. */
  readonly ended_hold: ReturnType<typeof holdOf>
  /** The hold that begins when the payout is approved. */
  readonly new_hold: ReturnType<typeof holdOf>
  readonly approval: ApprovalChanges
  /** Journals without a statement line. */
  readonly journals: readonly Journal[]
  readonly events: readonly Event[]
  /** The matches that a person must decide since this command. */
  readonly matches: readonly Match[]
  /** The version of the lists that a held payout was compared with; null: it was not compared. */
  readonly compared: bigint | null
}

/**
 * Applies every new step. Refuses with not_found, invalid_transition, payout_not_cancellable,
 * account_frozen, account_closed, calendar_ended, object_full or balance_limit_exceeded, as
 * `checkDecision`, `checkPerson` and `keptOf` do, and leaves the state as it was.
 */
export function decideAdvance(state: AdvanceState, advance: Advance): AdvanceOutcome {
  const { by } = advance
  const name = nameOf(payoutKey(advance))
  const read = found(state.payouts.get(name))
  const book = bookOf(state.books, advance.account_id)
  const moved = stepsOf(state, read, advance)
  const { steps, payout = read, judged, decided } = moved
  checkApproved(payout, steps, by)
  checkSteps(payout, steps)
  checkExecuted(payout, steps, by, book.now)
  checkAccounts(state, book, payout, steps, isHeldBefore(payout, advance))
  if (by === 'operator') checkOperator(state, payout, advance)

  const versions = versionsOf(payout, moved, book.now)
  const last = versions.at(-1) ?? payout
  const progress = railProgress(last, advance, steps.length, state.now, judged)
  const kept = steps.map(step => keptAt(state, payout, step, by, book.now))
  const moves = steps.map(({ status }, i) =>
    moveMoney(state, book, versions[i - 1] ?? payout, status, kept[i]),
  )
  // From here on, nothing can refuse the steps.

  const events: Event[] = rememberDecision(state, payout, decided)
  const report = by === 'rail' ? advance.report : undefined
  const rail_facts = attemptFacts(state.attempts.get(name), report)
  for (const [i, step] of steps.entries()) {
    const around = { before: versions[i - 1] ?? payout, after: versions[i] ?? last }
    const facts = { by, facts: moved.facts, rail_facts }
    events.push(...recordStep(state, around, step, moves[i] as StepPostings, facts))
  }
  let next: OpenPayout = { ...last, ...progress }
  const rerouted = judged && reroute(state, book, next, judged)
  if (rerouted !== undefined) {
    next = rerouted.payout
    events.push(rerouted.event)
  }
  const sent = judged && sentEvent(state, next, judged, report)
  if (sent !== undefined) events.push(sent)
  if (next.rail_steps !== payout.rail_steps || steps.length > 0) versions.splice(-1, 1, next)
  state.payouts.set(name, next)
  return {
    payout: next,
    versions,
    entries: moves.flatMap(({ entries }) => entries),
    journals: moves.flatMap(({ journals }) => journals),
    events: eventsWithPriorState(payout, next, events),
    ended_hold: next.held_for === '' ? holdOf(payout) : null,
    new_hold: payout.held_for === '' ? holdOf(next) : null,
    approval: approvalChanges(state, payout, next, by, decided),
    ...attemptChanges(state, book.now, next, by === 'rail' ? advance : undefined, judged),
    ...(moved.screening ?? { matches: [], compared: null }),
  }
}

/** The payout after each step, in order. A step ends the hold, and replaces the description. */
function versionsOf(payout: OpenPayout, { steps, changes }: ActorSteps, now: Instant) {
  let next = payout
  return steps.map(step => {
    const { status, failure, description: status_description = '' } = step
    const succeeded_at = next.status === 'succeeded' ? next.updated_at : next.succeeded_at
    const state = { status, failure, status_description, held_for: '', succeeded_at }
    next = { ...next, ...state, updated_at: now, ...changes?.(step) }
    return next
  })
}

interface ActorSteps {
  readonly steps: readonly RailStep[]
  /** The screened payout; by default the payout as read. */
  readonly payout?: OpenPayout
  readonly changes?: (step: RailStep) => Partial<OpenPayout>
  /** Further members of the events of the steps. */
  readonly facts?: object
  readonly judged?: Judged
  readonly decided?: DecidedApproval
  readonly screening?: Pick<AdvanceOutcome, 'matches' | 'compared'>
}

function stepsOf(state: AdvanceState, read: OpenPayout, advance: Advance): ActorSteps {
  const { now } = bookOf(state.books, advance.account_id)
  switch (advance.by) {
    case 'rail': {
      const judged = judgeRailReport(state, read, advance)
      return { steps: judged.steps, judged }
    }
    case 'operator':
      return stepsByOperator(read, advance, now)
    case 'review':
      return stepsByReview(state, read, advance)
    case 'account':
      return stepsByAccount(read, advance, now)
    case 'approval':
      return stepsByApproval(state, read, advance)
  }
}

/** Refuses a step of a payout that waits for its approval. Only a failure needs no approval. */
function checkApproved(payout: OpenPayout, steps: readonly RailStep[], by: Cause): void {
  if (payout.status !== 'pending_approval' || by === 'approval') return
  if (steps.every(({ status }) => status === 'failed')) return
  const message = `Payout ${payout.id} waits for its approval; until then it can only fail.`
  throw refusal('invalid_transition', message, 'status')
}

/** Refuses steps that the table of states does not allow in this order. */
function checkSteps(payout: Payout, steps: readonly RailStep[]): void {
  let status = payout.status
  for (const step of steps) {
    if (!PAYOUT_TRANSITIONS[status].includes(step.status)) {
      const message = `Payout ${payout.id} cannot go from ${status} to ${step.status}.`
      throw refusal('invalid_transition', message, 'status')
    }
    // A payout to another account has no rail, and its credit belongs to the receiver.
    const ends = step.status === 'succeeded' || step.status === 'failed'
    // An approval moves it through `processing` at once.
    const was_pending = payout.status === 'pending_approval'
    if (isTransfer(payout) && !was_pending && !(status === 'compliance_hold' && ends)) {
      const message =
        status === 'compliance_hold'
          ? `Payout ${payout.id} goes to another account: it can only succeed or fail.`
          : `Payout ${payout.id} went to another account and is final.`
      throw refusal('invalid_transition', message, 'status')
    }
    status = step.status
  }
}

/** Whether the payout waits for a review or an approval, so that its account releases it. */
function isHeldBefore({ held_for }: OpenPayout, advance: Advance): boolean {
  const { by } = advance
  return held_for !== '' || by === 'approval' || (by === 'review' && advance.screened !== undefined)
}

/**
 * Refuses steps that an account's state forbids. A frozen account releases no held payout. The
 * steps of a payout that its rail has are applied. A closed account gets no credit: no payment, and
 * no money back. Money back must not overflow its balance.
 */
function checkAccounts(
  state: AdvanceState,
  book: Book,
  payout: Payout,
  steps: readonly RailStep[],
  is_held: boolean,
): void {
  const leadsTo = (...statuses: PayoutStatus[]) =>
    steps.some(({ status }) => statuses.includes(status))
  if (is_held && leadsTo('processing', 'succeeded')) checkActive(book)
  if (leadsTo('failed', 'reversed')) {
    checkOpen(book)
    // Comes before a settlement in the same command posts.
    checkRoomForReturn(state, book, payout)
  }
  if (isTransfer(payout) && leadsTo('succeeded')) checkOpen(receiverOf(state, payout))
}
