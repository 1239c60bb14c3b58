// Which positions of the book a payout moves, and the journals that move them. Every list of
// postings sums to zero in each currency; the book leaves out postings of zero. Pure.
import { type Book, mirrored, type Posting } from '../ledger/rules.ts'
import type { PricedType, Quote } from '../quotes/quote.ts'
import { totalDebit } from '../quotes/rules.ts'
import type { Entry, FxConversion } from '../statements/balance-transaction/balance-transaction.ts'
import { postEntry, recordLine } from '../statements/balance-transaction/rules.ts'
import type { Event } from '../statements/event/event.ts'

/** The figures of a quote, or of a payout made with it, that postings are computed from. */
export type PostedFigures = Pick<
  Quote,
  | 'holding_currency'
  | 'holding_amount'
  | 'payout_currency'
  | 'payout_amount'
  | 'destination_currency'
  | 'destination_amount'
  | 'fixed_fee_holding'
  | 'variable_fee_holding'
  | 'fx_income_holding'
  | 'fx_income_destination'
>

/**
 * The creation of a payout. The balance pays principal and fees. Each conversion passes principal
 * through the fx position at mid, and the rest is income. The destination amount is then in
 * transit, or with another account of this installation.
 */
export function payoutPostings(quote: PostedFigures, is_transfer: boolean): Posting[] {
  const { holding_currency, payout_currency, destination_currency } = quote
  const { holding_amount, payout_amount, destination_amount } = quote
  const { fx_income_holding, fx_income_destination } = quote
  const fees = quote.fixed_fee_holding + quote.variable_fee_holding
  const postings: Posting[] = [
    { code: 'available', currency: holding_currency, amount: -totalDebit(quote) },
    { code: 'fees', currency: holding_currency, amount: fees },
  ]
  if (holding_currency !== payout_currency) {
    postings.push(
      { code: 'fx', currency: holding_currency, amount: holding_amount - fx_income_holding },
      { code: 'fx_income', currency: holding_currency, amount: fx_income_holding },
      { code: 'fx', currency: payout_currency, amount: -payout_amount },
    )
  }
  if (payout_currency !== destination_currency) {
    postings.push(
      { code: 'fx', currency: payout_currency, amount: payout_amount },
      {
        code: 'fx',
        currency: destination_currency,
        amount: -(destination_amount + fx_income_destination),
      },
      { code: 'fx_income', currency: destination_currency, amount: fx_income_destination },
    )
  }
  postings.push({
    code: is_transfer ? 'inter_account' : 'in_transit',
    currency: destination_currency,
    amount: destination_amount,
  })
  return postings
}

/** The receiver's side of a payout; inter_account sums to zero over all books. */
export function receiptPostings(
  quote: Pick<PostedFigures, 'destination_currency' | 'destination_amount'>,
): Posting[] {
  const { destination_currency: currency, destination_amount: amount } = quote
  return [
    { code: 'inter_account', currency, amount: -amount },
    { code: 'available', currency, amount },
  ]
}

/**
 * Settlement: the amount in transit has reached the beneficiary. A held payout to another account
 * of this installation has reached that account.
 */
export function settlementPostings(
  payout: Pick<PostedFigures, 'destination_currency' | 'destination_amount'>,
  is_transfer: boolean,
): Posting[] {
  const { destination_currency: currency, destination_amount: amount } = payout
  return [
    { code: 'in_transit', currency, amount: -amount },
    { code: is_transfer ? 'inter_account' : 'settled', currency, amount },
  ]
}

/** Money back before settlement: the debit with every sign reversed. */
export function failurePostings(creation: readonly Posting[]): Posting[] {
  return mirrored(creation)
}

/** Money back after settlement: the same, from `settled` instead of `in_transit`. */
export function reversalPostings(creation: readonly Posting[]): Posting[] {
  return mirrored(creation).map(posting =>
    posting.code === 'in_transit' ? { ...posting, code: 'settled' as const } : posting,
  )
}

/** Money back without the house's part, which leaves `available` and is income of the exchange. */
export function withKept(back: readonly Posting[], currency: string, kept: bigint): Posting[] {
  if (kept === 0n) return [...back]
  const income: Posting = { code: 'fx_income', currency, amount: 0n }
  const isIncome = (posting: Posting) =>
    posting.code === 'fx_income' && posting.currency === currency
  const all = back.some(isIncome) ? back : [...back, income]
  return all.map(posting => {
    const { code, amount } = posting
    if (isIncome(posting)) return { ...posting, amount: amount + kept }
    return code === 'available' ? { ...posting, amount: amount - kept } : posting
  })
}

/** Posts the debit: principal and fees leave the balance (§payout.debit). */
export function postDebit(book: Book, quote: Quote, id: string, is_transfer: boolean): Entry {
  return postEntry(
    book,
    { kind: 'payout', source: id, postings: payoutPostings(quote, is_transfer) },
    {
      currency: quote.holding_currency,
      amount: -quote.holding_amount,
      fixed_fee: -quote.fixed_fee_holding,
      variable_fee: -quote.variable_fee_holding,
      fx_conversions: fxConversions(quote),
    },
  )
}

/** The conversions of a debit, holding side first (§payout.conversions). */
export function fxConversions(quote: Quote<PricedType>): FxConversion[] {
  const { holding_currency, payout_currency, destination_currency } = quote
  const paid = { amount: quote.payout_amount, currency: payout_currency }
  const conversions: FxConversion[] = []
  if (holding_currency !== payout_currency) {
    const initial = { amount: quote.holding_amount, currency: holding_currency }
    conversions.push({ exchange_rate: quote.holding_to_payout, initial, final: paid })
  }
  if (payout_currency !== destination_currency) {
    const final = { amount: quote.destination_amount, currency: destination_currency }
    conversions.push({ exchange_rate: quote.payout_to_destination, initial: paid, final })
  }
  return conversions
}

/** Posts the credit to the receiver's book; `event` makes the event of its statement line. */
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
