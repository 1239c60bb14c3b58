// The write of a person who takes a payout to pay it, or gives it back: under the lock of the book,
// as a cancellation is, so that a payout is cancelled or taken and never both.
import { checkActive } from '../account/states.ts'
import { storeBooks } from '../balance-transaction/operations.ts'
import type { Operation } from '../engine/operation.ts'
import { found } from '../errors.ts'
import type { Event } from '../event/event.ts'
import { recordChange } from '../event/rules.ts'
import { nameOf, uniqueKeys } from '../id.ts'
import { bookOf } from '../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../ledger/store.ts'
import { decideHandling, type Handling, wordsOf } from './by-hand.ts'
import { PAYOUT_SEAL } from './columns.ts'
import type { Payout } from './payout.ts'
import { updateTaken } from './state-store.ts'
import { findPayouts } from './store.ts'

export interface HandlePayout extends Handling {
  readonly account_id: string
  readonly payout_id: string
}

interface HandlingState extends LockedBooks {
  readonly payouts: Map<string, Payout>
}

export interface Handled {
  readonly payout: Payout
  readonly event: Event
}

/** What the events are called, which tell the account that it can no longer cancel, or again. */
export const HANDLING_EVENTS = { take: 'payout.taken', release: 'payout.released' } as const

export const handlePayout: Operation<HandlePayout, HandlingState, Handled> = {
  name: 'handle_payout',

  async load(tx, commands) {
    const keys = commands.map(({ account_id, payout_id: id }) => ({ account_id, id }))
    const [locked, payouts] = await Promise.all([
      lockBooks(
        tx,
        keys.map(key => key.account_id),
      ),
      findPayouts(tx, uniqueKeys(keys)),
    ])
    return { ...locked, payouts: new Map(payouts.map(p => [nameOf(p), p])) }
  },

  decide({ books, payouts }, command) {
    const { account_id, payout_id: id, act, person } = command
    const before = found(payouts.get(nameOf({ account_id, id })))
    const book = bookOf(books, account_id)
    if (act === 'take') checkActive(book)
    const payout = decideHandling(before, command, book.now)
    payouts.set(nameOf(payout), payout)
    const { status } = payout
    const facts = { status, by: 'operator', journals: [], ...wordsOf(person) }
    const content = PAYOUT_SEAL.digest(payout)
    const event = recordChange({ books }, payout, HANDLING_EVENTS[act], facts, content)
    return { payout, event }
  },

  store(tx, outcomes, { books }) {
    const writes = outcomes.map(({ event }) => ({ entries: [], events: [event] }))
    const payouts = outcomes.map(outcome => outcome.payout)
    return Promise.all([...storeBooks(tx, books, writes), updateTaken(tx, payouts)])
  },
}
