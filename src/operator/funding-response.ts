// A booking as operators see it.
import {
  BalanceTransactionResponse,
  presentBalanceTransaction,
} from '../balance-transaction/response.ts'
import type { Correction } from '../funding/rules.ts'
import { Minor } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { amountToJson } from '../money/json.ts'
import { AccountId } from './request.ts'

export const BookingResponse = Type.Object(
  {
    account_id: AccountId,
    by: Type.String({ description: 'Who has booked it.' }),
    balance_before: Minor,
    balance_after: Minor,
    balance_transaction: BalanceTransactionResponse,
  },
  { title: 'Booking', description: 'What was booked, and the balance before and after it.' },
)

export function presentBooking({ entries: [{ line }], balance_before }: Correction) {
  return {
    account_id: line.account_id,
    by: line.metadata.by ?? '',
    balance_before: amountToJson(balance_before),
    balance_after: amountToJson(line.balance_after),
    balance_transaction: presentBalanceTransaction(line),
  }
}
