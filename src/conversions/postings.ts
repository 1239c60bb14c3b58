// The journals of a conversion: what leaves one balance, and what arrives in the other. Pure.
import type { Book, Posting } from '../ledger/rules.ts'
import { fxConversions, type PostedFigures, payoutPostings } from '../payouts/postings.ts'
import type { Entry } from '../statements/balance-transaction/balance-transaction.ts'
import { postEntry } from '../statements/balance-transaction/rules.ts'
import { numberedId, withPrefix } from '../values/id.ts'
import type { ConversionQuote } from './conversion.ts'

/**
 * The postings of both journals. They are those of a payout, except that what is in transit for a
 * payout arrives at once. Each journal has one currency.
 */
export function conversionPostings(quote: PostedFigures): {
  readonly sold: readonly Posting[]
  readonly bought: readonly Posting[]
} {
  const all = payoutPostings(quote, false).map(posting =>
    posting.code === 'in_transit' ? { ...posting, code: 'available' as const } : posting,
  )
  const of = (wanted: string) => all.filter(({ currency }) => currency === wanted)
  return { sold: of(quote.holding_currency), bought: of(quote.destination_currency) }
}

/** Posts both journals of a conversion. Each line names the other one. */
export function postConversion(
  book: Book,
  quote: ConversionQuote,
  id: string,
): readonly [sold: Entry, bought: Entry] {
  const { sold, bought } = conversionPostings(quote)
  const lineOf = (number: bigint) =>
    numberedId('btr', { account_id: book.account_id, created_at: book.now }, number)
  const first = book.journal_count + 1n
  const fx_conversions = fxConversions(quote)
  const out = postEntry(
    book,
    { kind: 'conversion_out', source: id, postings: sold },
    {
      currency: quote.holding_currency,
      amount: -quote.holding_amount,
      fixed_fee: -quote.fixed_fee_holding,
      variable_fee: -quote.variable_fee_holding,
      fx_conversions,
      metadata: { counterpart: lineOf(first + 1n) },
    },
  )
  const back = postEntry(
    book,
    { kind: 'conversion_in', source: withPrefix(id, 'cni'), postings: bought },
    {
      currency: quote.destination_currency,
      amount: quote.destination_amount,
      fixed_fee: 0n,
      variable_fee: 0n,
      fx_conversions,
      metadata: { counterpart: lineOf(first) },
    },
  )
  return [out, back]
}
