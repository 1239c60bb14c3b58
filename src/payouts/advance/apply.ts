// The decision to move a payout: steps through the table of states, and cancellation. Pure.
import { checkActive, checkOpen } from '../../accounts/states.ts'
import type { PayoutUse } from '../../controls/limit/limit.ts'
import { type Book, bookOf, type Journal } from '../../ledger/rules.ts'
import { isOutside, type RailStep } from '../../rails/rail.ts'
import type { Match, StoredMatch } from '../../screening/match.ts'
import type { Entry } from '../../statements/balance-transaction/balance-transaction.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { found, refusal } from '../../values/errors.ts'
import { type Key, nameOf, payoutKey } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { withAnswer } from '../action.ts'
import { checkPerson, isTaken, type Person, personFacts } from '../by-hand/by-hand.ts'
import { PAYOUT_SEAL } from '../columns.ts'
import { holdOf, type OpenPayout, type Payout, type ReadPayout } from '../payout.ts'
import { eventCause, PAYOUT_TRANSITIONS, type PayoutStatus } from '../states.ts'
import type { Advance } from './advance.ts'
import {
  type ApprovalChanges,
  type ApprovalState,
  approvalChanges,
  checkApproved,
  type DecidedApproval,
  decideApproval,
  rememberDecision,
  stepsOfRejected,
  withHold,
} from './by-approval.ts'
import {
  type AttemptChanges,
  attemptChanges,
  attemptFacts,
  judgeRailReport,
  type KnownAttempts,
  reroute,
  sentEvent,
} from './by-rail.ts'
import {
  checkScheduled,
  type HeldState,
  isTransfer,
  receiverOf,
  stepsAfterHold,
  stepsAtExecution,
  stepsByReview,
} from './by-review.ts'
import { eventsWithPriorState } from './event-state.ts'
import { railProgress } from './progress.ts'
import {
  isAtWish,
  isRejectedAtWish,
  type Kept,
  keptOf,
  type PresentPrice,
} from './rate-difference.ts'
import { applyScreening, checkHeld, matchesToDecide, stepsByScreening } from './release.ts'
import { checkRoomForReturn, type Debits, moveMoney, type StepPostings } from './succeed-or-fail.ts'

export interface AdvanceState extends ApprovalState, HeldState, KnownAttempts, Debits {
  /** The database's clock, which sets when a rail is asked. */
  readonly now: Instant
  /** By `account_id/id`. */
  readonly payouts: Map<string, OpenPayout>
  /** The payouts as read, by `account_id/id`, before any step of the batch. */
  readonly read: ReadonlyMap<string, ReadPayout>
  /** Another payout that the same bank reference has paid, by payout id. */
  readonly paid_elsewhere: ReadonlyMap<string, Key>
  /**
   * What prices the payouts that convert and whose price has ended, where they may go back at the
   * wish of the account or the payee; by `account_id/id`.
   */
  readonly present: ReadonlyMap<string, PresentPrice>
  /** What the payouts that may give money back count for limits. */
  readonly uses: readonly PayoutUse[]
  /** Parties of screened payouts that a person has confirmed to be listed, as `account_id/id`. */
  readonly confirmed: ReadonlySet<string>
  /** The stored matches of held payouts that are screened again, by `account_id/id`. */
  readonly stored_matches: ReadonlyMap<string, readonly StoredMatch[]>
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
  const name = nameOf(payoutKey(advance))
  const read = found(state.payouts.get(name))
  const { screened } = advance
  const payout = screened === undefined ? read : applyScreening(state, read, screened)
  const book = bookOf(state.books, advance.account_id)
  const judged = advance.by === 'rail' ? judgeRailReport(state, payout, advance) : undefined
  const decided = advance.act && decideApproval(state, payout, advance.act)
  const steps = judged?.steps ?? decided?.steps ?? stepsOf(state, payout, advance, read)
  checkHeld(payout, steps, { by: advance.by, is_answer: advance.answer !== undefined })
  checkApproved(payout, steps, advance.by)
  checkSteps(payout, steps)
  checkScheduled(state, payout, steps, { by: advance.by, now: book.now })
  const is_held = payout.held_for !== '' || screened !== undefined || decided !== undefined
  checkAccounts(state, book, payout, steps, is_held)
  checkPerson(payout, steps, advance.person, state.paid_elsewhere.get(payout.id))

  const started = { ...payout, rail_reference: railReference(payout, steps, advance.person) }
  const versions = versionsOf(started, steps, advance, decided?.hold, book.now)
  const last = versions.at(-1) ?? started
  const progress = railProgress(last, advance, steps.length, state.now, judged)
  const kept = steps.map(step => keptAt(state, payout, step, advance.by, book.now))
  const moves = steps.map(({ status }, i) =>
    moveMoney(state, book, versions[i - 1] ?? started, status, kept[i]),
  )
  // From here on, nothing can refuse the steps.

  const events: Event[] = rememberDecision(state, payout, decided)
  for (const [i, step] of steps.entries()) {
    const around = { before: versions[i - 1] ?? started, after: versions[i] ?? last }
    events.push(...recordStep(state, around, step, advance, moves[i] as StepPostings))
  }
  const entries = moves.flatMap(moved => moved.entries)
  const journals = moves.flatMap(moved => moved.journals)
  let next: OpenPayout = { ...last, ...progress }
  const rerouted = judged && reroute(state, book, next, judged)
  if (rerouted !== undefined) {
    next = rerouted.payout
    events.push(rerouted.event)
  }
  const sent = judged && sentEvent(state, next, judged, advance.report)
  if (sent !== undefined) events.push(sent)
  if (next.rail_steps !== payout.rail_steps || steps.length > 0) versions.splice(-1, 1, next)
  state.payouts.set(name, next)
  const ended_hold = next.held_for === '' ? holdOf(payout) : null
  const new_hold = payout.held_for === '' ? holdOf(next) : null
  const approval = approvalChanges(state, payout, next, advance.by, decided)
  const completed = eventsWithPriorState(payout, next, events)
  const changes = attemptChanges(state, book.now, advance, { payout: next, judged })
  const screening = matchesToDecide(read, payout, screened, state.stored_matches.get(name))
  const outcome = { payout: next, versions, entries, journals, events: completed, ...screening }
  return { ...outcome, ended_hold, new_hold, ...changes, approval }
}

/** What the house keeps when this step gives the money back. Nothing is posted before. */
function keptAt(
  { present, approvals }: AdvanceState,
  payout: Payout,
  step: RailStep,
  by: Advance['by'],
  at: Instant,
): Kept | undefined {
  const price = present.get(nameOf(payout))
  const goesBack = step.status === 'failed' || step.status === 'reversed'
  if (price === undefined || !goesBack) return undefined
  const { account_id, particulars } = payout
  const entity = approvals.get(nameOf({ account_id, id: particulars.on_behalf_of }))
  const wish =
    isAtWish(step, by) || isRejectedAtWish(step, by, entity?.submitted_at, price.ended_at)
  return wish ? keptOf(payout, price, at) : undefined
}

/** Records the event of a step and those of its statement lines. */
function recordStep(
  state: AdvanceState,
  { before, after }: { readonly before: OpenPayout; readonly after: OpenPayout },
  step: RailStep,
  advance: Advance,
  moved: StepPostings,
): Event[] {
  const written = [...moved.entries.map(({ journal }) => journal), ...moved.journals]
  const rail_facts =
    advance.by === 'rail' ? attemptFacts(state.attempts.get(nameOf(after)), advance.report) : {}
  const { status, failure } = step
  const data = {
    ...{ status, previous_status: before.status, failure },
    ...stepFacts(before, step, advance),
    ...eventCause(advance.by, before.account_id, written),
    ...rail_facts,
  }
  const type = `payout.${status}` as const
  const content = PAYOUT_SEAL.digest(after)
  return [recordChange(state, after, type, data, content), ...moved.events()]
}

/** A payment keeps its reference. Only the event of a return stores the return's reference. */
function railReference(payout: Payout, steps: readonly RailStep[], person?: Person): string {
  const { rail_reference } = payout
  const pays = steps.some(({ status }) => status === 'succeeded')
  return pays || rail_reference === '' ? (person?.reference ?? rail_reference) : rail_reference
}

/**
 * The steps of an operator, a review or the account. A report and an approval are judged before.
 */
function stepsOf(
  state: AdvanceState,
  payout: OpenPayout,
  advance: Advance,
  read: OpenPayout,
): readonly RailStep[] {
  switch (advance.by) {
    case 'rail':
    case 'operator':
      return advance.steps
    case 'review':
      if (advance.screened === undefined) {
        return payout.held_for === ''
          ? stepsAtExecution(state, payout)
          : stepsByReview(state, payout)
      }
      return stepsByScreening(read, payout, () => releaseOf(state, payout))
    case 'account':
      return [advance.answer === undefined ? cancellation(payout) : resumption(payout)]
    case 'approval':
      return []
  }
}

/** The steps of a payout once screening no longer holds it. */
function releaseOf(state: AdvanceState, payout: OpenPayout): readonly RailStep[] {
  if (payout.status === 'pending_approval') return stepsOfRejected(state, payout)
  return stepsAfterHold(state, payout)
}

/** The step of an account that answers a payout in requires_action. */
function resumption(payout: Payout): RailStep {
  if (payout.status === 'requires_action') return { status: 'processing', failure: null }
  const message = `Payout ${payout.id} requires no action: it is ${payout.status}.`
  throw refusal('invalid_transition', message)
}

/** The step of a cancellation, possible until the rail has taken the payout (§state.cancel). */
function cancellation(payout: OpenPayout): RailStep {
  const { id, status, rail_attempts } = payout
  const refused = (why: string) =>
    refusal('payout_not_cancellable', `Payout ${id} can no longer be cancelled: ${why}.`)
  if (!PAYOUT_TRANSITIONS[status].includes('failed')) throw refused(`it is ${status}`)
  // A worker that has claimed the payout may be asking the rail at this moment.
  if (rail_attempts > 0) throw refused('the rail has it')
  if (isTaken(payout)) throw refused('it is being paid by hand')
  const message = 'Cancelled before the rail took it.'
  return { status: 'failed', failure: { code: 'PF000100', category: 'cancelled', message } }
}

/** The payout after each step, in order. */
function versionsOf(
  payout: OpenPayout,
  steps: readonly RailStep[],
  advance: Advance,
  hold: DecidedApproval['hold'] | undefined,
  now: Instant,
): OpenPayout[] {
  let next = payout
  return steps.map(step => {
    next = withStep(next, step, advance, now)
    if (step.status === 'compliance_hold' && hold) next = withHold(next, hold)
    return next
  })
}

/** The payout after a step, which ends its hold and replaces its description. */
function withStep(
  payout: OpenPayout,
  { status, failure, description: status_description = '' }: RailStep,
  { answer, by, screened }: Advance,
  now: Instant,
): OpenPayout {
  const answers = answer === undefined ? payout.answers : withAnswer(payout, answer, now)
  const succeeded_at = payout.status === 'succeeded' ? payout.updated_at : payout.succeeded_at
  // After a person's step, the rail is not asked again unless the step returns the payout to it.
  const taken_over_at =
    by !== 'operator' || !isOutside(payout.rail) ? payout.taken_over_at : takenOverAt(status, now)
  const is_held = status === 'compliance_hold' && by === 'review' && screened === undefined
  const held_for = is_held ? payout.particulars.on_behalf_of : ''
  const state = { status, failure, status_description, held_for, answers, succeeded_at }
  return { ...payout, ...state, taken_over_at, updated_at: now }
}

/** Null for a step to `processing`, which returns the payout to its rail. */
function takenOverAt(status: PayoutStatus, now: Instant): Instant | null {
  return status === 'processing' ? null : now
}

/** The members of the step's event for description, answer, person, reference and reason. */
function stepFacts(payout: Payout, { description }: RailStep, { answer, person }: Advance) {
  return {
    ...personFacts(person),
    ...(description !== undefined && { status_description: description }),
    ...(answer !== undefined && { answer: payout.answers.length + 1 }),
  }
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
    // Before a settlement in the same command posts.
    checkRoomForReturn(state, book, payout)
  }
  if (isTransfer(payout) && leadsTo('succeeded')) checkOpen(receiverOf(state, payout))
}
