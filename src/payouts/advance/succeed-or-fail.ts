// The money of a step: what a settlement posts, and what goes back from the integers of the stored
// debit. Pure.

import { type Book, checkReturn, type Journal, postJournal } from '../../ledger/rules.ts'
import type { Entry } from '../../statements/balance-transaction/balance-transaction.ts'
import { postEntry, recordLine } from '../../statements/balance-transaction/rules.ts'
import type { Event } from '../../statements/event/event.ts'
import { nameOf } from '../../values/id.ts'
import type { Payout } from '../payout.ts'
import {
  failurePostings,
  postReceipt,
  reversalPostings,
  settlementPostings,
  withKept,
} from '../postings.ts'
import type { PayoutStatus } from '../states.ts'
import { type HeldState, isTransfer, receiverOf } from './by-review.ts'
import type { Kept } from './rate-difference.ts'

export interface Debits {
  /** The debit of each payout and its journal, by `account_id/payout id`. */
  readonly debits: ReadonlyMap<string, Entry>
}

/** Refuses money back that would overflow its balance. */
export function checkRoomForReturn(state: Debits, book: Book, payout: Payout): void {
  const { line } = debitOf(state, payout)
  checkReturn(book, line.currency, -(line.amount + line.fixed_fee + line.variable_fee))
}

/** What a step posts. `events` is called after the step's own event is recorded. */
export interface StepPostings {
  readonly entries: readonly Entry[]
  readonly journals: readonly Journal[]
  events(): Event[]
}

/**
 * Posts the step. `succeeded` settles the payout, and credits the receiver of a transfer. `failed`
 * and `reversed` give the money back, apart from what the house has kept.
 */
export function moveMoney(
  state: HeldState & Debits,
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
  state: Debits,
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
function debitOf(state: Debits, payout: Payout): Entry {
  const debit = state.debits.get(nameOf(payout))
  if (debit === undefined) throw new Error(`payout ${payout.id} has no debit`)
  return debit
}
