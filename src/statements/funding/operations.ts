// The operations that book an operator's money on accounts, and that reverse bookings.
import type { Operation } from '../../engine/operation.ts'
import { type LockedBooks, lockBooks } from '../../ledger/store.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { accountsOf } from '../../sql/shard.ts'
import { nameOf } from '../../values/id.ts'
import { storeBooks } from '../balance-transaction/operations.ts'
import { findEntries } from '../balance-transaction/store.ts'
import {
  type Booking,
  type BookingOutcome,
  decideBooking,
  decideReversal,
  type EarlierBookings,
  type Reversal,
  type Reversible,
} from './rules.ts'
import { findBooked, keepReferences } from './store.ts'

export interface BookingState extends LockedBooks {
  readonly earlier: EarlierBookings
}

/** Books funding, a withdrawal or an adjustment. */
export const bookMoney: Operation<Booking, BookingState, BookingOutcome> = {
  name: 'book_money',
  async load(tx, commands) {
    const [locked, earlier] = await Promise.all([
      lockBooks(tx, accountsOf(commands)),
      findBooked(tx, commands),
    ])
    return { ...locked, earlier }
  },
  decide: ({ books, earlier }, booking) => decideBooking(books, earlier, booking),
  store: (tx, outcomes, { books }) =>
    Promise.all([...storeBooks(tx, books, outcomes), ...keepReferences(tx, outcomes)]),
}

/** A funding. `reference` is the bank's. */
export type Fund = Pick<Booking, 'account_id' | 'currency' | 'amount' | 'source'> &
  Partial<Pick<Booking, 'reference' | 'reason' | 'by'>>

/** Books funding: a line of type `escrow`. */
export const fundAccount: Operation<Fund, BookingState, BookingOutcome> = {
  name: 'fund_account',
  load: (tx, commands) => bookMoney.load(tx, commands.map(asBooking), undefined),
  decide: (state, command) => bookMoney.decide(state, asBooking(command)),
  store: bookMoney.store,
}

function asBooking({ reference = '', reason = '', by = '', ...fund }: Fund): Booking {
  return { kind: 'funding', ...fund, reference, reason, by }
}

export interface ReversalState extends BookingState {
  readonly reversible: Reversible
}

/** Reverses a booking, once. */
export const reverseBooking: Operation<Reversal, ReversalState, BookingOutcome> = {
  name: 'reverse_booking',
  async load(tx, commands) {
    const reversals = commands.map(({ account_id, id }) => {
      return { account_id, source: id, reference: '' }
    })
    const [locked, earlier, reversible] = await Promise.all([
      lockBooks(tx, accountsOf(commands)),
      findBooked(tx, reversals),
      loadReversible(tx, commands),
    ])
    return { ...locked, earlier, reversible }
  },
  decide: (state, reversal) => decideReversal(state, state.earlier, reversal),
  store: bookMoney.store,
}

async function loadReversible(tx: TransactionSql, commands: readonly Reversal[]) {
  const entries = await findEntries(tx, commands)
  return new Map(entries.map(entry => [nameOf(entry.line), entry]))
}
