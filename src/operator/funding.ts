// The deeds by which operators book money on accounts, and reverse bookings.
import type { Act } from '../audit/act.ts'
import { findAccountOfLine } from '../balance-transaction/store.ts'
import type { Sql } from '../db/connect.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { bookMoney, reverseBooking } from '../funding/operations.ts'
import type { Booking, BookingOutcome } from '../funding/rules.ts'
import { known } from './deed.ts'

/** The deed of a booking; `by` is the name of the operator. */
export function bookingDeed(by: string, asked: Omit<Booking, 'by'>) {
  return { operation: bookMoney, command: { ...asked, by }, act: bookingAct }
}

/** Refuses (400) funding of a live account without a reference: a repeat would book it twice. */
export function checkReference(account: { readonly sandbox: boolean }, reference: string): void {
  if (account.sandbox || reference !== '') return
  const message =
    'a live account is funded with a reference, the bank’s: the same money is then refused when ' +
    'it is booked again by mistake'
  refuseIfAny([invalidField('reference', message)])
}

/** Refuses (400) a split without a reference, which names the split payment. */
export function checkSplit(split: boolean, reference: string): void {
  if (!split || reference !== '') return
  refuseIfAny([invalidField('split', 'split requires reference, which names the split payment')])
}

/** The deed that reverses a booking, once. Refuses (404) an unknown id of a line. */
export async function reversalDeed(audit: Sql, by: string, id: string, reason: string) {
  const account_id = known('balance transaction', id, await findAccountOfLine(audit, id))
  const command = { account_id, id, reason, by }
  return { operation: reverseBooking, command, act: bookingAct }
}

/** The act of a booking or a reversal, as the audit log has it. */
export function bookingAct({ entries: [{ line }] }: BookingOutcome): Act {
  const { account_id, id, type, currency, net_amount, description, metadata } = line
  const { reference = '' } = metadata
  const amount = net_amount.toString()
  const after = { account_id, id, type, currency, amount, reference }
  return { table_name: 'balance_transactions', reason: description, before: null, after }
}
