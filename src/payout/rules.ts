// Payouts as pure functions: the outcome of a payout that nothing refuses. State in, outcome out;
// the books in the state are advanced so that the next payout of a batch sees them.
import type { Account } from '../account/rules.ts'
import type { Entry } from '../balance-transaction/balance-transaction.ts'
import { recordLine } from '../balance-transaction/rules.ts'
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { BENEFICIARY_SEAL } from '../beneficiary/columns.ts'
import type { Event } from '../event/event.ts'
import { recordEvent } from '../event/rules.ts'
import { nameOf } from '../id.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { QUOTE_SEAL } from '../quote/columns.ts'
import type { Quote } from '../quote/quote.ts'
import { eventCause } from './cause.ts'
import { PAYOUT_SEAL } from './columns.ts'
import { judgeStrictly } from './ladder.ts'
import { makePayout, postDebit } from './make.ts'
import type { Likeness, Payout, PayoutOutcome, PayoutState } from './payout.ts'
import { useQuote } from './quote.ts'
import { postReceipt } from './receiver.ts'
import type { PayoutRequest } from './request.ts'

/** What a held payout waits for, null when it waits for nothing. */
export function holdOf({ account_id, id: payout_id, held_for: entity_id }: Payout) {
  return entity_id === '' ? null : { account_id, entity_id, payout_id }
}

/** Decides one payout. Refuses as the ladder says (ladder.ts). */
export function decidePayout(
  state: PayoutState,
  account: Account,
  request: PayoutRequest,
  import_keys = '',
): PayoutOutcome {
  const book = bookOf(state.books, account.account_id)
  const judged = judgeStrictly(state, account, request)
  const { sentQuote, held_for, beneficiary, quote, routed, receiver, id, mt103, likeness } = judged
  // After this point the payout succeeds.

  // A held payout credits its receiver when it is released.
  const credited = held_for === '' ? receiver : null
  const entry = postDebit(book, quote, id, credited !== null)
  const receipt = credited && postReceipt(credited, quote, id)
  const carried = sentQuote === null
  const facts = { id, beneficiary, entry, held_for, mt103, import_keys, routed, carried }
  const payout = makePayout(state, quote, request, facts)
  const renewing = sentQuote !== null && quote !== sentQuote ? quote : null
  const used = sentQuote && useQuote(sentQuote, renewing?.id ?? '', book.now)
  if (used !== null) state.quotes.set(nameOf(used), used)
  const made = {
    quote: carried ? quote : renewing,
    carried,
    beneficiary: request.beneficiary === undefined ? beneficiary : null,
  }
  return {
    payout,
    new_quote: renewing,
    used_quote: used,
    new_beneficiary: made.beneficiary,
    likeness: likeness === null ? null : remember(state, payout, likeness),
    entries: receipt === null ? [entry] : [entry, receipt.entry],
    events: [
      ...payoutEvents(book, payout, entry, made),
      ...(receipt === null ? [] : [receipt.event()]),
    ],
  }
}

function remember({ likenesses }: PayoutState, payout: Payout, likeness: string): Likeness {
  const { account_id, id: payout_id, created_at } = payout
  const made = { account_id, likeness, created_at, payout_id }
  likenesses.set(nameOf({ account_id, id: likeness }), made)
  return made
}

/** In the order in which things came to be: beneficiary, quote, payout, statement line, result. */
function payoutEvents(
  book: Book,
  payout: Payout,
  debit: Entry,
  {
    quote,
    carried,
    beneficiary,
  }: {
    readonly quote: Quote | null
    readonly carried: boolean
    readonly beneficiary: Beneficiary | null
  },
): Event[] {
  const { account_id, id, status, status_description } = payout
  const record = (type: string, object_id: string, data: object, content?: string) =>
    recordEvent(book, { type, object_id, data, content })
  const events: Event[] = []
  if (beneficiary !== null) {
    const content = BENEFICIARY_SEAL.digest(beneficiary)
    events.push(record('beneficiary.created', beneficiary.id, {}, content))
  }
  if (quote !== null) {
    // What a payout carries is sealed with the payout.
    const content = carried ? undefined : QUOTE_SEAL.digest(quote)
    events.push(record('payout_quote.created', quote.id, {}, content))
  }
  const debited = eventCause('account', account_id, [debit.journal])
  const content = PAYOUT_SEAL.digest(payout)
  events.push(record('payout.created', id, { status, ...debited }, content))
  events.push(recordLine(book, debit.line))
  if (status !== 'processing') {
    const facts = { status, status_description, ...debited, journals: [] }
    events.push(record(`payout.${status}`, id, facts, content))
  }
  return events
}
