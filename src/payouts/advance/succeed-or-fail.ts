// What a step writes: the journal and the statement line when a payout succeeds, fails or is
// reversed, and the event of every step. The integers of the stored debit say what goes back. Pure.
import { type Book, checkReturn, type Journal, postJournal } from '../../ledger/rules.ts'
import type { Approvals } from '../../parties/entity/entity.ts'
import type { RailStep } from '../../rails/rail.ts'
import type { Entry } from '../../statements/balance-transaction/balance-transaction.ts'
import { postEntry, recordLine } from '../../statements/balance-transaction/rules.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { PAYOUT_SEAL } from '../columns.ts'
import type { OpenPayout, Payout } from '../payout.ts'
import {
  failurePostings,
  postReceipt,
  reversalPostings,
  settlementPostings,
  withKept,
} from '../postings.ts'
import { type Cause, eventCause, isGivenBack, type PayoutStatus } from '../states.ts'
import {
  isAtWish,
  isRejectedAtWish,
  type Kept,
  keptOf,
  type PresentPrice,
} from './rate-difference.ts'
import { type HeldState, isTransfer, receiverOf } from './release.ts'

export interface GivenBackState {
  /** The debit of each payout and its journal, by `account_id/payout id`. */
  readonly debits: ReadonlyMap<string, Entry>
  /** Approvals of the entities that payouts are held for, or may be. */
  readonly approvals: Approvals
  /**
   * The present prices of payouts whose price has ended and whose money may go back at the wish of
   * the account or the payee; by `account_id/id`.
   */
  readonly present: ReadonlyMap<string, PresentPrice>
}

/** Refuses money back that would overflow its balance. */
export function checkRoomForReturn(
  state: Pick<GivenBackState, 'debits'>,
  book: Book,
  payout: Payout,
): void {
  const { line } = debitOf(state, payout)
  checkReturn(book, line.currency, -(line.amount + line.fixed_fee + line.variable_fee))
}

/** The postings of a step. `events` is called after the step's own event is recorded. */
export interface StepPostings {
  readonly entries: readonly Entry[]
  readonly journals: readonly Journal[]
  events(): Event[]
}

/**
 * Posts the step. `succeeded` settles the payout, and credits the receiver of a transfer. `failed`
 * and `reversed` give the money back, without the amount that the house keeps.
 */
export function moveMoney(
  state: HeldState & GivenBackState,
  book: Book,
  payout: Payout,
  status: PayoutStatus,
  kept: Kept | undefined,
): StepPostings {
  switch (status) {
    case 'succeeded': {
      // The receipt can be refused, so it comes before the settlement.
      const receipt =
        isTransfer(payout) && postReceipt(receiverOf(state, payout), payout, payout.id)
      const postings = settlementPostings(payout, isTransfer(payout))
      const facts = { kind: 'settlement', source: payout.id, postings } as const
      const journals = [postJournal(book, facts)]
      if (!receipt) return { entries: [], journals, events: () => [] }
      return { entries: [receipt.entry], journals, events: () => [receipt.event()] }
    }
    case 'failed':
      return giveBack(state, book, payout, 'failure', kept)
    case 'reversed':
      return giveBack(state, book, payout, 'reversal', kept)
    default:
      return { entries: [], journals: [], events: () => [] }
  }
}

/**
 * Gives back principal and fees as the integers of the debit, without another conversion. Fees go
 * back whole, whatever the house keeps of the principal.
 */
function giveBack(
  state: GivenBackState,
  book: Book,
  payout: Payout,
  kind: 'failure' | 'reversal',
  kept: Kept | undefined,
): StepPostings {
  const { line, journal } = debitOf(state, payout)
  const difference = kept?.difference ?? 0n
  const mirror =
    kind === 'failure' ? failurePostings(journal.postings) : reversalPostings(journal.postings)
  const postings = withKept(mirror, line.currency, difference)
  const entry = postEntry(
    book,
    { kind, source: payout.id, postings },
    {
      currency: line.currency,
      amount: -line.amount - difference,
      fixed_fee: -line.fixed_fee,
      variable_fee: -line.variable_fee,
      fx_conversions: kept === undefined ? line.fx_conversions : [kept.conversion],
      ...(kept && { metadata: { rate_difference: difference.toString() } }),
      undoes: line.id,
    },
  )
  const event = () => recordLine(book, entry.line)
  return { entries: [entry], journals: [], events: () => [event()] }
}

/** The statement line and the journal of the payout's creation. Throws for a payout without one. */
function debitOf(state: Pick<GivenBackState, 'debits'>, payout: Payout): Entry {
  const debit = state.debits.get(nameOf(payout))
  if (debit === undefined) throw new Error(`payout ${payout.id} has no debit`)
  return debit
}

/**
 * The amount that the house keeps when this step gives the money back. Comes before any posting.
 */
export function keptAt(
  { present, approvals }: GivenBackState,
  payout: Payout,
  step: RailStep,
  by: Cause,
  at: Instant,
): Kept | undefined {
  const price = present.get(nameOf(payout))
  if (price === undefined || !isGivenBack(step)) return undefined
  const { account_id, particulars } = payout
  const entity = approvals.get(nameOf({ account_id, id: particulars.on_behalf_of }))
  const wish =
    isAtWish(step, by) || isRejectedAtWish(step, by, entity?.submitted_at, price.ended_at)
  return wish ? keptOf(payout, price, at) : undefined
}

/** The event of a step, and the events of its statement lines. */
export function recordStep(
  state: { readonly books: ReadonlyMap<string, Book> },
  { before, after }: { readonly before: OpenPayout; readonly after: OpenPayout },
  { status, failure, description }: RailStep,
  moved: StepPostings,
  {
    by,
    facts,
    rail_facts,
  }: { readonly by: Cause; readonly facts: object | undefined; readonly rail_facts: object },
): Event[] {
  const written = [...moved.entries.map(({ journal }) => journal), ...moved.journals]
  const data = {
    ...{ status, previous_status: before.status, failure },
    ...facts,
    ...(description !== undefined && { status_description: description }),
    ...eventCause(by, before.account_id, written),
    ...rail_facts,
  }
  const type = `payout.${status}` as const
  return [recordChange(state, after, type, data, PAYOUT_SEAL.digest(after)), ...moved.events()]
}
