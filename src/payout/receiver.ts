// The receiving side of a payout to another account of this installation: whose book is credited,
// and the credit. Pure.
import type { Account } from '../account/rules.ts'
import type { Entry } from '../balance-transaction/balance-transaction.ts'
import { postEntry, recordLine } from '../balance-transaction/rules.ts'
import type { BeneficiaryDetails } from '../beneficiary/beneficiary.ts'
import { refusal } from '../errors.ts'
import type { Event } from '../event/event.ts'
import type { Book } from '../ledger/rules.ts'
import { receiptPostings } from './postings.ts'

/** The deposit address of a payout to another account; undefined for every other payout. */
export function depositAddressOf({
  destination_details,
}: Pick<BeneficiaryDetails, 'destination_details'>): string | undefined {
  return destination_details.service_account?.deposit_address
}

/**
 * The book that a payout by this account to this address credits (§transfer.receiver), or a
 * refusal.
 */
export function findReceiver(
  state: {
    readonly books: ReadonlyMap<string, Book>
    readonly accountsByDepositAddress: ReadonlyMap<string, Account>
  },
  account: Account,
  address: string | undefined,
  currency: string,
): Book {
  const receiver = state.accountsByDepositAddress.get(address ?? '')
  const book = receiver && state.books.get(receiver.account_id)
  const remarks = 'beneficiary_details.destination_details.service_account.deposit_address'
  // A sandbox funds itself: what it holds must never become money, nor money be lost in one. That
  // there is an account on the other side, or one that is closed, is not told.
  const known = receiver?.sandbox === account.sandbox && book?.state !== 'closed'
  if (book === undefined || !known) {
    const others = account.sandbox ? 'sandbox account' : 'live account'
    const message = `No other ${others} has this deposit address.`
    throw refusal('deposit_address_not_found', message, remarks)
  }
  if (receiver.account_id === account.account_id) {
    const message = 'An account cannot pay itself; this deposit address is its own.'
    throw refusal('deposit_address_not_found', message, remarks)
  }
  if (!book.balances.has(currency)) {
    const message = `The receiving account holds no ${currency} balance.`
    throw refusal('deposit_currency_not_accepted', message, remarks)
  }
  return book
}

/** The credit of the receiver's book, and the event that tells its account. */
export function postReceipt(
  receiver: Book,
  payout: { readonly destination_currency: string; readonly destination_amount: bigint },
  payout_id: string,
): { readonly entry: Entry; event(): Event } {
  const entry = postEntry(
    receiver,
    { kind: 'receipt', source: payout_id, postings: receiptPostings(payout) },
    {
      currency: payout.destination_currency,
      amount: payout.destination_amount,
      fixed_fee: 0n,
      variable_fee: 0n,
      fx_conversions: [],
    },
  )
  return { entry, event: () => recordLine(receiver, entry.line) }
}
