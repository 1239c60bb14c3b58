// Holds every quote against the price that its own basis makes: rates and fees that have been
// replaced since are in it. And against the payout that has used it.
import type { TransactionSql } from '../db/connect.ts'
import { formatDecimal } from '../money/decimal.ts'
import { sourcesOf } from '../quote/basis.ts'
import { type Price, priceQuote, type Quote } from '../quote/rules.ts'
import { QUOTE_COLUMNS, type QuoteRow, quoteFromRow } from '../quote/store.ts'
import { BadRow, type Findings } from './problem.ts'
import { nameRows, ofAccount } from './rows.ts'
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

/** Those of one account, or all. */
export async function checkPrices(
  tx: TransactionSql,
  account_id: string | null,
  findings: Findings,
): Promise<void> {
  const quotes = await openStream<QuoteRow>(
    tx,
    `select ${QUOTE_COLUMNS.join(', ')} from quotes
      where ${ofAccount('account_id', account_id)} order by account_id, id`,
    [account_id],
  )
  for (; quotes.row !== undefined; await quotes.next()) {
    const { row } = quotes
    const place = () => ({ table: 'quotes', account_id: row.account_id, key: row.id })
    findings.guard(place, () => checkPrice(quoteFromRow(row)))
  }
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

/**
 * A quote is used by the payout that names it, or that names the one it was renewed as, from when
 * that payout was made; one that is not used is as it was made. That payouts' quotes are used was
 * checked with them.
 */
export async function checkUses(
  tx: TransactionSql,
  account_id: string | null,
  findings: Findings,
): Promise<number> {
  const select = `
    select q.account_id, q.id as key,
      case q.status when 'used' then 'a payout, the quote being used'
        else 'never changed, being ' || coalesce(q.status, 'nothing') end as expected,
      case when q.status <> 'used' then 'updated ' || q.updated_at || ', ' || q.renewed_as
        when p.id is null then 'none'
        else 'used ' || coalesce(q.updated_at::text, 'never') || ', the payout being of '
          || p.created_at end as found
    from quotes q left join payouts p on p.account_id = q.account_id
      and p.quote_id = coalesce(nullif(q.renewed_as, ''), q.id)
    where ${ofAccount('q.account_id', account_id)} and case q.status
      when 'used' then p.id is null or p.created_at is distinct from q.updated_at
      else q.updated_at is distinct from q.created_at or q.renewed_as is distinct from '' end`
  await nameRows(tx, account_id, findings, { table: 'quotes', select })
  const [row] = await tx.unsafe<{ count: string }[]>(
    `select count(*)::text as count from quotes where ${ofAccount('account_id', account_id)}`,
    [account_id],
  )
  return Number(row?.count ?? 0)
}
