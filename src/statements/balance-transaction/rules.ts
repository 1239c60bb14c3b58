// Makes balance transactions, the lines of a customer's statement, together with the journals that
// move the balance. Pure.
import { type Book, type JournalDraft, postJournal } from '../../ledger/rules.ts'
import type { Event } from '../event/event.ts'
import { recordEvent } from '../event/rules.ts'
import type {
  BalanceTransaction,
  BalanceTransactionType,
  Entry,
  StatementLine,
} from './balance-transaction.ts'
import { conversionsText, LINE_TYPES, makeLine, metadataText } from './columns.ts'

/** Whether a line of this type reverses another line. */
export function isReversal(type: BalanceTransactionType): boolean {
  return type === 'payout_failure' || type.endsWith('_reversal')
}

/**
 * Posts a journal with its line. Throws unless the journal moves `available` by exactly the line's
 * net amount in the line's currency.
 */
export function postEntry(book: Book, draft: JournalDraft, line: StatementLine): Entry {
  const { currency, amount, fixed_fee, variable_fee, fx_conversions, metadata = {} } = line
  const net_amount = amount + fixed_fee + variable_fee
  const [moved, ...others] = draft.postings.filter(posting => posting.code === 'available')
  const isOne = moved !== undefined && others.length === 0
  const fits = isOne && moved.currency === currency && moved.amount === net_amount
  if (LINE_TYPES[draft.kind] === null || !fits || net_amount === 0n) {
    throw new Error(`a line that does not match its ${draft.kind} journal`)
  }
  const stored = {
    ...{ currency, amount, fixed_fee, variable_fee, undoes: line.undoes ?? null },
    fx_conversions: conversionsText(fx_conversions),
    metadata: metadataText(metadata),
  }
  const journal = postJournal(book, { ...draft, line: stored })
  const balance_after = book.balances.get(currency) as bigint
  return {
    journal,
    line: makeLine({ ...journal, ...stored, balance_after }, fx_conversions, metadata),
  }
}

/** Records a line's event. It carries no digest, because the journal's hash covers the line. */
export function recordLine(book: Book, line: BalanceTransaction): Event {
  return recordEvent(book, { type: 'balance_transaction.created', object_id: line.id, data: {} })
}
