// What happens to a payout after it was made, as pure functions: steps through the table of states,
// settlement, and money given back from the stored integers.
import { type BalanceTransaction, type Entry, postEntry } from '../balance-transaction/rules.ts'
import { refusal } from '../errors.ts'
import { type Event, recordEvent } from '../event/rules.ts'
import { type NewId, nameOf } from '../id.ts'
import { type Instant, plusMilliseconds } from '../instant.ts'
import { type Book, type Journal, postJournal } from '../ledger/rules.ts'
import type { RailStep } from '../rail/rail.ts'
import { failurePostings, reversalPostings, settlementPostings } from './postings.ts'
import type { Payout } from './rules.ts'
import { isFinal, PAYOUT_TRANSITIONS, type PayoutStatus } from './states.ts'

/** Steps to apply to one payout. */
export interface Advance {
  readonly account_id: string
  readonly payout_id: string
  readonly steps: readonly RailStep[]
  /**
   * `rail`: the steps are the rail's whole history, of which the payout has applied the first
   * `rail_steps`. `operator`: they are new whatever the rail has said.
   */
  readonly by: 'rail' | 'operator'
  /** When the rail is to be asked again; null is never. Not used for an operator's step. */
  readonly ask_again_in_ms: number | null
}

export interface AdvanceState {
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`. */
  readonly payouts: Map<string, Payout>
  /** The debit of each payout and its journal, by `account_id/payout id`. */
  readonly debits: ReadonlyMap<string, { line: BalanceTransaction; journal: Journal }>
  readonly newId: NewId
}

export interface AdvanceOutcome {
  readonly payout: Payout
  /** The payout as each step left it, in order; the last is `payout`. */
  readonly passed: readonly Payout[]
  readonly entries: readonly Entry[]
  /** Journals that move no balance. */
  readonly journals: readonly Journal[]
  readonly events: readonly Event[]
}

/** Applies every step not yet applied. Refuses with invalid_transition, changing nothing. */
export function decideAdvance(state: AdvanceState, advance: Advance): AdvanceOutcome {
  const name = nameOf({ account_id: advance.account_id, id: advance.payout_id })
  const payout = state.payouts.get(name)
  const book = state.books.get(advance.account_id)
  if (payout === undefined || book === undefined) {
    throw refusal('not_found', `No payout ${advance.payout_id} in this account.`)
  }
  const fresh = advance.by === 'rail' ? advance.steps.slice(payout.rail_steps) : advance.steps
  checkSteps(payout, fresh)
  // After this point it succeeds.

  let next = payout
  const passed: Payout[] = []
  const entries: Entry[] = []
  const journals: Journal[] = []
  const events: Event[] = []
  for (const step of fresh) {
    const moved = moveMoney(state, book, next, step.status)
    if (moved !== undefined && 'line' in moved) entries.push(moved)
    else if (moved !== undefined) journals.push(moved)
    const data = { status: step.status, previous_status: next.status, failure: step.failure }
    const record = (type: string, object_id: string, facts: object) =>
      events.push(recordEvent(book, { type, object_id, data: facts }, state.now, state.newId))
    record(`payout.${step.status}`, payout.id, data)
    if (moved !== undefined && 'line' in moved) {
      record('balance_transaction.created', moved.line.id, {})
    }
    next = { ...next, status: step.status, failure: step.failure, updated_at: state.now }
    passed.push(next)
  }
  next = { ...next, ...railProgress(next, advance, fresh.length, state.now) }
  passed.splice(-1, 1, next)
  state.payouts.set(name, next)
  return { payout: next, passed, entries, journals, events }
}

/** Every step must follow from the one before it by the table of states. */
function checkSteps(payout: Payout, steps: readonly RailStep[]): void {
  let status = payout.status
  for (const step of steps) {
    if (!PAYOUT_TRANSITIONS[status].includes(step.status)) {
      const message = `Payout ${payout.id} cannot go from ${status} to ${step.status}.`
      throw refusal('invalid_transition', message, 'status')
    }
    // What a service_account payout has credited belongs to the other account.
    if (payout.type === 'service_account') {
      const message = `Payout ${payout.id} went to another account and is final.`
      throw refusal('invalid_transition', message, 'status')
    }
    status = step.status
  }
}

/**
 * The journal a step causes: settlement moves no balance, failing and reversing give money back.
 */
function moveMoney(
  state: AdvanceState,
  book: Book,
  payout: Payout,
  status: PayoutStatus,
): Journal | Entry | undefined {
  switch (status) {
    case 'succeeded': {
      const postings = settlementPostings(payout)
      return postJournal(book, { kind: 'settlement', source: payout.id, postings }, state.now)
    }
    case 'failed':
      return giveBack(state, book, payout, 'failure')
    case 'reversed':
      return giveBack(state, book, payout, 'reversal')
    default:
      return undefined
  }
}

/** Principal and fees go back as the integers that were taken; nothing is converted again. */
function giveBack(
  state: AdvanceState,
  book: Book,
  payout: Payout,
  kind: 'failure' | 'reversal',
): Entry {
  const debit = state.debits.get(nameOf(payout))
  if (debit === undefined) throw new Error(`payout ${payout.id} has no debit`)
  const { line, journal } = debit
  const postings =
    kind === 'failure' ? failurePostings(journal.postings) : reversalPostings(journal.postings)
  return postEntry(
    book,
    { kind, source: payout.id, postings },
    {
      type: kind === 'failure' ? 'payout_failure' : 'payout_reversal',
      currency: line.currency,
      amount: -line.amount,
      fixed_fee: -line.fixed_fee,
      variable_fee: -line.variable_fee,
      fx_conversions: line.fx_conversions.map(({ exchange_rate, initial, final }) => ({
        exchange_rate,
        initial,
        final,
      })),
      description: payout.id,
      source: line.id,
    },
    state.now,
    state.newId,
  )
}

/**
 * An operator's step takes the payout out of the rail's hands, or it would report what no longer
 * follows; `processing` gives it back, to be asked at once.
 */
function railProgress(payout: Payout, advance: Advance, applied: number, now: Instant) {
  if (advance.by === 'operator') {
    return { ask_rail_at: payout.status === 'processing' ? now : null }
  }
  const again = advance.ask_again_in_ms
  // Null while the rail was asked: the operator has taken the payout out of its hands meanwhile.
  const over = isFinal(payout.status) || again === null || payout.ask_rail_at === null
  return {
    rail_steps: payout.rail_steps + applied,
    ask_rail_at: over ? null : plusMilliseconds(now, again),
  }
}
