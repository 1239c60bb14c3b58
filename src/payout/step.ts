// What happens to a payout after it was made, as pure functions: steps through the table of states,
// cancellation, settlement, and money given back from the stored integers.
import { checkActive, checkOpen } from '../account/states.ts'
import type { BalanceTransaction, Entry } from '../balance-transaction/balance-transaction.ts'
import { postEntry, recordLine } from '../balance-transaction/rules.ts'
import type { Approvals } from '../entity/rules.ts'
import { found, refusal } from '../errors.ts'
import type { Event } from '../event/event.ts'
import { recordEvent } from '../event/rules.ts'
import { type Key, nameOf } from '../id.ts'
import { type Instant, plusMilliseconds } from '../instant.ts'
import { type Book, bookOf, hasRoom, type Journal, postJournal } from '../ledger/rules.ts'
import { isAsked, type RailStep } from '../rail/rail.ts'
import { makeAnswer } from './action.ts'
import { checkPerson, isInHands, type Person, wordsOf } from './by-hand.ts'
import { PAYOUT_SEAL } from './columns.ts'
import { holdOf, type OpenPayout, type Payout, type ReadPayout } from './payout.ts'
import { failurePostings, postReceipt, reversalPostings, settlementPostings } from './postings.ts'
import type { ActionRequest } from './request.ts'
import { eventCause, isFinal, PAYOUT_TRANSITIONS, type PayoutStatus } from './states.ts'

/** Steps to apply to one payout. */
export interface Advance {
  readonly account_id: string
  readonly payout_id: string
  readonly steps: readonly RailStep[]
  /**
   * `rail`: the steps are the rail's whole history, of which the payout has applied the first
   * `rail_steps`. `operator`: they are new whatever the rail has said. `review`: none are given;
   * they follow from the approval of the entity that the payout is held for. `account`: none are
   * given; it answers what was asked of it, or else cancels the payout.
   */
  readonly by: 'rail' | 'operator' | 'review' | 'account'
  /** When the rail is to be asked again; null is never. Used for the rail's steps only. */
  readonly ask_again_in_ms: number | null
  /** The claim that the rail was asked under. Used for the rail's steps only. */
  readonly claim?: Instant
  /** How many answers the rail was told of; all when absent. Used for the rail's steps only. */
  readonly told?: number
  /** Of the operator: who it is. */
  readonly person?: Person
  /** What the account answers. */
  readonly answer?: ActionRequest
}

export interface AdvanceState {
  /** The database's clock, which the rail is asked by. */
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`. */
  readonly payouts: Map<string, OpenPayout>
  /** The same as they were read. */
  readonly read: ReadonlyMap<string, ReadPayout>
  /** The debit of each payout and its journal, by `account_id/payout id`. */
  readonly debits: ReadonlyMap<string, { line: BalanceTransaction; journal: Journal }>
  /** Of the entities that payouts are held for. */
  readonly approvals: Approvals
  /** Whose book a held payout to another account credits, by `account_id/payout id`. */
  readonly receivers: ReadonlyMap<string, string>
  /** Which other payout the bank's reference has paid, by the id of the one that it is to pay. */
  readonly paid_elsewhere: ReadonlyMap<string, Key>
}

export interface AdvanceOutcome {
  readonly payout: OpenPayout
  /** The payout as each step left it, in order; none when only its rail is to be asked again. */
  readonly passed: readonly OpenPayout[]
  readonly entries: readonly Entry[]
  /** The hold that was over with the first step. */
  readonly ended_hold: ReturnType<typeof holdOf>
  /** Journals that move no balance. */
  readonly journals: readonly Journal[]
  readonly events: readonly Event[]
}

/**
 * Applies every step not yet applied. Refuses with not_found, invalid_transition,
 * payout_not_cancellable, account_frozen or account_closed, changing nothing.
 */
export function decideAdvance(state: AdvanceState, advance: Advance): AdvanceOutcome {
  const name = nameOf({ account_id: advance.account_id, id: advance.payout_id })
  const payout = found(state.payouts.get(name))
  const book = bookOf(state.books, advance.account_id)
  const fresh = stepsOf(state, payout, advance)
  checkSteps(payout, fresh)
  checkAccounts(state, book, payout, fresh)
  checkPerson(payout, fresh, advance.person, state.paid_elsewhere.get(payout.id))
  // After this point it succeeds.

  let next: OpenPayout = { ...payout, rail_reference: railReference(payout, fresh, advance.person) }
  const passed: OpenPayout[] = []
  const entries: Entry[] = []
  const journals: Journal[] = []
  const events: Event[] = []
  for (const step of fresh) {
    const moved = moveMoney(state, book, next, step.status)
    entries.push(...moved.entries)
    journals.push(...moved.journals)
    const written = [...moved.entries.map(({ journal }) => journal), ...moved.journals]
    const cause = eventCause(advance.by, payout.account_id, written)
    const { status, failure } = step
    const step_facts = stepFacts(next, step, advance)
    const data = { status, previous_status: next.status, failure, ...step_facts, ...cause }
    next = withStep(next, step, advance, book.now)
    const content = PAYOUT_SEAL.digest(next)
    const facts = { type: `payout.${step.status}`, object_id: payout.id, data, content }
    events.push(recordEvent(book, facts), ...moved.events())
    passed.push(next)
  }
  next = { ...next, ...railProgress(next, advance, fresh.length, state.now) }
  if (next.rail_steps !== payout.rail_steps || fresh.length > 0) passed.splice(-1, 1, next)
  state.payouts.set(name, next)
  const ended_hold = next.held_for === '' ? holdOf(payout) : null
  return { payout: next, passed, ended_hold, entries, journals, events }
}

/** A payment keeps its reference: what the bank says of its return is told by the step’s event. */
function railReference(payout: Payout, steps: readonly RailStep[], person?: Person): string {
  const { rail_reference } = payout
  const pays = steps.some(({ status }) => status === 'succeeded')
  return pays || rail_reference === '' ? (person?.reference ?? rail_reference) : rail_reference
}

function stepsOf(state: AdvanceState, payout: OpenPayout, advance: Advance): readonly RailStep[] {
  switch (advance.by) {
    case 'rail':
      return stepsByRail(payout, advance.steps)
    case 'operator':
      return advance.steps
    case 'review':
      return stepsByReview(state, payout)
    case 'account':
      return [advance.answer === undefined ? cancellation(payout) : resumption(payout)]
  }
}

/**
 * What is new in the rail's history. A payout that was answered, or given back to the rail, is
 * `processing` before the rail says so.
 */
function stepsByRail(payout: Payout, history: readonly RailStep[]): readonly RailStep[] {
  const fresh = history.slice(payout.rail_steps)
  const known = payout.status === 'processing' && fresh[0]?.status === 'processing'
  return known ? fresh.slice(1) : fresh
}

/** Of holds only this one is for the account to end. */
function resumption(payout: Payout): RailStep {
  if (payout.status === 'requires_action') return { status: 'processing', failure: null }
  const message = `Payout ${payout.id} requires no action: it is ${payout.status}.`
  throw refusal('invalid_transition', message)
}

/** A payout can be cancelled until the rail has taken it (§state.cancel). */
function cancellation(payout: OpenPayout): RailStep {
  if (!PAYOUT_TRANSITIONS[payout.status].includes('failed')) {
    const message = `Payout ${payout.id} can no longer be cancelled: it is ${payout.status}.`
    throw refusal('payout_not_cancellable', message)
  }
  // Whoever claims a payout asks the rail, and may be doing so at this moment.
  if (payout.rail_attempts > 0) {
    const message = `Payout ${payout.id} can no longer be cancelled: the rail has it.`
    throw refusal('payout_not_cancellable', message)
  }
  if (isInHands(payout)) {
    const message = `Payout ${payout.id} can no longer be cancelled: it is being paid by hand.`
    throw refusal('payout_not_cancellable', message)
  }
  const message = 'Cancelled before the rail took it.'
  return { status: 'failed', failure: { code: 'PF000100', category: 'cancelled', message } }
}

/** What the review of its entity means for a held payout; nothing while it is not decided. */
function stepsByReview(state: AdvanceState, payout: Payout): RailStep[] {
  const { account_id, held_for } = payout
  if (held_for === '') return []
  const name = nameOf({ account_id, id: held_for })
  switch (state.approvals.get(name)?.approval_status) {
    case 'approved':
      return [toAccount(payout) ? release(state, payout) : { status: 'processing', failure: null }]
    case 'rejected': {
      const message = `Entity ${held_for}, for which the payout was made, is rejected.`
      const failure = { code: 'PF000300', category: 'compliance', message }
      return [{ status: 'failed', failure }]
    }
    default:
      return []
  }
}

/** What is let go to another account credits it, unless that has filled up or closed meanwhile. */
function release(state: AdvanceState, payout: Payout): RailStep {
  const { destination_currency, destination_amount } = payout
  const receiver = receiverOf(state, payout)
  const failed = (code: string, message: string): RailStep => {
    return { status: 'failed', failure: { code, category: 'receiver', message } }
  }
  if (receiver.state === 'closed') return failed('PF000320', 'The receiving account is closed.')
  if (hasRoom(receiver, destination_currency, destination_amount)) {
    return { status: 'succeeded', failure: null }
  }
  return failed('PF000310', 'The balance of the receiving account cannot take this amount.')
}

/** What held a payout, and said so, is over with the next step; an answer is a step of its own. */
function withStep(
  payout: OpenPayout,
  { status, failure, description: status_description = '' }: RailStep,
  { answer }: Advance,
  now: Instant,
): OpenPayout {
  const answers =
    answer === undefined ? payout.answers : [...payout.answers, makeAnswer(payout, answer, now)]
  return { ...payout, status, failure, status_description, held_for: '', answers, updated_at: now }
}

/** What a step asks of the account, which answer it gave, or who took the step by hand and why. */
function stepFacts(payout: Payout, { description }: RailStep, { answer, person }: Advance) {
  return {
    ...wordsOf(person),
    ...(description !== undefined && { status_description: description }),
    ...(answer !== undefined && { answer: payout.answers.length + 1 }),
  }
}

function toAccount(payout: Payout): boolean {
  return payout.type === 'service_account'
}

/** Every step must follow from the one before it by the table of states. */
function checkSteps(payout: Payout, steps: readonly RailStep[]): void {
  let status = payout.status
  for (const step of steps) {
    if (!PAYOUT_TRANSITIONS[status].includes(step.status)) {
      const message = `Payout ${payout.id} cannot go from ${status} to ${step.status}.`
      throw refusal('invalid_transition', message, 'status')
    }
    // No rail takes a payout to another account, and what it has credited belongs to that account.
    const ends = step.status === 'succeeded' || step.status === 'failed'
    if (toAccount(payout) && !(status === 'compliance_hold' && ends)) {
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
 * What waits for a review has not left yet, so that it does not leave a frozen account; what is
 * with the rail goes on. What is closed gets nothing, neither what was paid to it nor what comes
 * back.
 */
function checkAccounts(
  state: AdvanceState,
  book: Book,
  payout: Payout,
  steps: readonly RailStep[],
): void {
  const leads = (...statuses: PayoutStatus[]) =>
    steps.some(({ status }) => statuses.includes(status))
  if (payout.held_for !== '' && leads('processing', 'succeeded')) checkActive(book)
  if (leads('failed', 'reversed')) checkOpen(book)
  if (toAccount(payout) && leads('succeeded')) checkOpen(receiverOf(state, payout))
}

/** What a step writes to books; the events are made after the step's own. */
interface Moved {
  readonly entries: readonly Entry[]
  readonly journals: readonly Journal[]
  events(): Event[]
}

/**
 * Settlement moves no balance of the payer, but credits an account of this installation that waited
 * for it; failing and reversing give money back.
 */
function moveMoney(state: AdvanceState, book: Book, payout: Payout, status: PayoutStatus): Moved {
  switch (status) {
    case 'succeeded': {
      const postings = settlementPostings(payout, toAccount(payout))
      const facts = { kind: 'settlement', source: payout.id, postings } as const
      const journals = [postJournal(book, facts)]
      if (!toAccount(payout)) return { entries: [], journals, events: () => [] }
      const receipt = postReceipt(receiverOf(state, payout), payout, payout.id)
      return { entries: [receipt.entry], journals, events: () => [receipt.event()] }
    }
    case 'failed':
      return giveBack(state, book, payout, 'failure')
    case 'reversed':
      return giveBack(state, book, payout, 'reversal')
    default:
      return { entries: [], journals: [], events: () => [] }
  }
}

function receiverOf(state: AdvanceState, payout: Payout): Book {
  const receiver = state.receivers.get(nameOf(payout))
  if (receiver === undefined) throw new Error(`payout ${payout.id} has no receiver`)
  return bookOf(state.books, receiver)
}

/** Principal and fees go back as the integers that were taken; nothing is converted again. */
function giveBack(
  state: AdvanceState,
  book: Book,
  payout: Payout,
  kind: 'failure' | 'reversal',
): Moved {
  const debit = state.debits.get(nameOf(payout))
  if (debit === undefined) throw new Error(`payout ${payout.id} has no debit`)
  const { line, journal } = debit
  const postings =
    kind === 'failure' ? failurePostings(journal.postings) : reversalPostings(journal.postings)
  const entry = postEntry(
    book,
    { kind, source: payout.id, postings },
    {
      currency: line.currency,
      amount: -line.amount,
      fixed_fee: -line.fixed_fee,
      variable_fee: -line.variable_fee,
      fx_conversions: line.fx_conversions.map(({ exchange_rate, initial, final }) => ({
        exchange_rate,
        initial,
        final,
      })),
      undoes: line.id,
    },
  )
  const event = () => recordLine(book, entry.line)
  return { entries: [entry], journals: [], events: () => [event()] }
}

/**
 * A step by a person takes the payout out of the rail's hands, or it would report what no longer
 * follows; `processing` gives it back, to be asked at once, if anybody asks that rail.
 */
function railProgress(payout: OpenPayout, advance: Advance, applied: number, now: Instant) {
  // A review that comes late, the hold being over, says nothing about the rail.
  if (advance.by === 'review' && applied === 0) return {}
  if (advance.by !== 'rail') {
    const asked = payout.status === 'processing' && isAsked(payout.rail)
    return { ask_rail_at: asked ? now : null, claimed_until: null }
  }
  const rail_steps = Math.max(payout.rail_steps, advance.steps.length)
  // Answered while the rail was asked: it is due to be told, whatever it has said without that.
  const { told = payout.answers.length } = advance
  if (told < payout.answers.length && !isFinal(payout.status)) return { rail_steps }
  const again = advance.ask_again_in_ms
  // Null while the rail was asked: the operator has taken the payout out of its hands meanwhile.
  const over = isFinal(payout.status) || again === null || payout.ask_rail_at === null
  if (over) return { rail_steps, ask_rail_at: null, claimed_until: null }
  const next = plusMilliseconds(now, again)
  // The claim has moved: the account's clock went on meanwhile, or another has claimed it since.
  const moved = advance.claim !== undefined && payout.claimed_until !== advance.claim
  if (moved && dueAt(payout.ask_rail_at, payout.claimed_until) < next) return { rail_steps }
  return { rail_steps, ask_rail_at: next, claimed_until: null }
}

/** What is claimed is not due before the claim runs out. */
function dueAt(ask_rail_at: Instant, claimed_until: Instant | null): Instant {
  return claimed_until === null || claimed_until < ask_rail_at ? ask_rail_at : claimed_until
}
