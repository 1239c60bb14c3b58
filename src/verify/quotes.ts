// Holds every quote against the price that its own basis makes: rates and fees that have been
// replaced since are in it. What became of the quotes is looked at elsewhere.
import type { TransactionSql } from '../db/connect.ts'
import { formatDecimal } from '../money/decimal.ts'
import { sourcesOf } from '../quote/basis.ts'
import { type Price, priceQuote, type Quote } from '../quote/rules.ts'
import { QUOTE_COLUMNS, type QuoteRow, quoteFromRow } from '../quote/store.ts'
import { ofAccount } from './books.ts'
import { BadRow } from './problem.ts'
import { openStream } from './stream.ts'

/** Every figure of a price; rates first, because amounts follow from them. */
const FIGURES = [
  'holding_to_payout',
  'payout_to_destination',
  'holding_amount',
  'destination_amount',
  'fixed_fee_holding',
  'fixed_fee_payout',
  'variable_fee_holding',
  'variable_fee_payout',
  'fx_income_holding',
  'fx_income_destination',
] as const satisfies readonly (keyof Price)[]

/** Those of one account, or all. Quotes older than the column have no basis. Throws BadRow. */
export async function checkPrices(tx: TransactionSql, account_id: string | null): Promise<void> {
  const quotes = await openStream<QuoteRow>(
    tx,
    `select ${QUOTE_COLUMNS.join(', ')} from quotes
      where basis is not null and ${ofAccount('account_id', account_id)} order by account_id, id`,
    [account_id],
  )
  for (; quotes.row !== undefined; await quotes.next()) checkPrice(quoteFromRow(quotes.row))
  await quotes.close()
}

function checkPrice(quote: Quote): void {
  const { account_id, id: key } = quote
  const wrong = (expected: string, found: string) =>
    new BadRow({ table: 'quotes', account_id, key, expected, found })
  const price = priceAgain(quote)
  if (price instanceof Error) throw wrong('a basis that makes a price', price.message)
  for (const name of FIGURES) {
    const expected = written(price[name])
    const found = written(quote[name])
    if (found !== expected) throw wrong(`${name} ${expected}, by its basis`, found)
  }
}

/** The price by the same rules from the stored basis, or why it makes none. */
function priceAgain(quote: Quote): Price | Error {
  if (quote.basis === null) throw new Error(`quote ${quote.id} has no basis`)
  try {
    return priceQuote(quote, sourcesOf(quote.basis, quote), quote.created_at)
  } catch (error) {
    // Whatever a document holds that is no basis: this row is wrong, and not the verification.
    return error instanceof Error ? error : new Error(String(error))
  }
}

function written(figure: Price[(typeof FIGURES)[number]]): string {
  return typeof figure === 'bigint' ? figure.toString() : formatDecimal(figure)
}
