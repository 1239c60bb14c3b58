// Compares every quote with the price that its own basis makes, which keeps rates and fees that
// have been replaced since. Compares it also with the payout that has used it. The figures of a
// payout that carries its quote are compared with that price.
import type { Instant } from '../instant.ts'
import { formatDecimal } from '../money/decimal.ts'
import type { PriceSources } from '../price/price.ts'
import { type Basis, sourcesOf } from '../quote/basis.ts'
import { type Carrier, carriedFigures, carriedQuoteTerms } from '../quote/carried.ts'
import type { Price, QuoteTerms } from '../quote/quote.ts'
import { priceQuote } from '../quote/rules.ts'
import { QUOTE_COLUMNS, type QuoteRow } from '../quote/store.ts'
import type { BadRow } from './problem.ts'
import {
  countOf,
  nameRows,
  ofAccount,
  payoutProblem,
  quoteProblem,
  rule,
  statement,
  type Verifying,
} from './rows.ts'
import { checkEach } from './stream.ts'

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

/** Many prices in a row have the same basis. As text it is compared easily, and read once. */
type WithBasis<Row> = Omit<Row, 'basis'> & { readonly basis: string | null }

const COLUMNS = QUOTE_COLUMNS.map(name => (name === 'basis' ? 'basis::text' : name))

const QUOTES = statement`
  select ${COLUMNS.join(', ')} from quotes
  where ${ofAccount('account_id')} order by account_id, id`

export async function checkPrices(of: Verifying): Promise<void> {
  await checkEach<WithBasis<QuoteRow>>(of, 'quotes', QUOTES, row => {
    const wrong: Wrong = (expected, found) => quoteProblem(row, expected, found)
    checkPrice(row, row, row.basis, row, wrong)
  })
}

/** The columns of a payout that the price of its carried quote depends on. */
export type PricedPayout = WithBasis<Omit<Carrier<string>, 'quote_validity_s' | 'on_behalf_of'>>

/** Columns of `PricedPayout` that no other check reads, of payouts `p`. */
export const PRICED_COLUMNS = `p.holding_to_payout, p.payout_to_destination, p.created_at,
  p.fund_transfer_network, p.charge_type, p.destination_country, p.basis::text as basis,
  case when p.type in ('wallet', 'local_payment_network') then p.beneficiary_details
    else '{"destination_details":{}}'::json end as beneficiary_details`

/** The price that a payout carries, with which its figures are compared. Throws BadRow. */
export function checkCarried(payout: PricedPayout): Price {
  const carrier = { ...payout, basis: null, quote_validity_s: null, on_behalf_of: '' }
  const wrong: Wrong = (expected, found) => payoutProblem(payout, expected, found)
  const figures = carriedFigures<string>(carrier)
  return checkPrice(carriedQuoteTerms(carrier), figures, payout.basis, payout, wrong)
}

type Wrong = (expected: string, found: string) => BadRow

/** Figures as they are stored: amounts, and rates as text. */
type Stored = { readonly [Name in (typeof FIGURES)[number]]?: bigint | string }

function checkPrice(
  terms: QuoteTerms,
  stored: Stored,
  basis: string | null,
  { created_at }: { readonly created_at: Instant },
  wrong: Wrong,
): Price {
  const price = priceAgain(terms, basis, created_at)
  if (price instanceof Error) throw wrong('a basis that makes a price', price.message)
  for (const name of FIGURES) {
    if (!(name in stored)) continue
    const expected = written(price[name])
    const found = String(stored[name])
    if (found !== expected) throw wrong(`${name} ${expected}, by its basis`, found)
  }
  return price
}

/** The price by the same rules from the stored basis, or why it makes none. */
function priceAgain(terms: QuoteTerms, basis: string | null, created_at: Instant): Price | Error {
  try {
    if (basis === null) throw new Error('none is stored')
    return priceQuote(terms, sourcesFrom(basis, terms), created_at)
  } catch (error) {
    // The document is no basis: this row is wrong, and the verification goes on.
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** The sources of prices by the text of their basis, and what else they are made from. */
const known = new Map<string, PriceSources>()
const MOST_KNOWN = 1_000

function sourcesFrom(basis: string, terms: QuoteTerms): PriceSources {
  const { payout_type, holding_currency, payout_currency } = terms
  const name = [payout_type, holding_currency, payout_currency, basis].join(' ')
  let sources = known.get(name)
  if (sources === undefined) {
    sources = sourcesOf(JSON.parse(basis) as Basis, terms)
    if (known.size === MOST_KNOWN) known.clear()
    known.set(name, sources)
  }
  return sources
}

function written(figure: Price[(typeof FIGURES)[number]]): string {
  return typeof figure === 'bigint' ? figure.toString() : formatDecimal(figure)
}

/**
 * A quote is used by the payout that names it, or that names the quote it was renewed as, from the
 * time of that payout. An unused quote is as it was made. The quotes that payouts name are checked
 * with the payouts.
 */
const USES = rule('quotes')`
  select q.account_id, q.id as key,
    case q.status when 'used' then 'a payout, the quote being used'
      when 'active' then 'never changed, being active' else 'active or used' end as expected,
    case when q.status is distinct from 'used'
        then concat_ws(', ', coalesce(q.status, 'no status'), 'updated ' || q.updated_at,
          nullif(q.renewed_as, ''))
      when p.id is null then 'none'
      else 'used ' || coalesce(q.updated_at::text, 'never') || ', the payout being of '
        || p.created_at end as found
  from quotes q left join payouts p on p.account_id = q.account_id
    and p.quote_id = coalesce(nullif(q.renewed_as, ''), q.id)
  where ${ofAccount('q.account_id')} and case q.status
    when 'used' then p.id is null or p.created_at is distinct from q.updated_at
    when 'active'
      then q.updated_at is distinct from q.created_at or q.renewed_as is distinct from ''
    else true end`

/** Checks the status of the quotes, and returns how many there are. */
export async function checkUses(of: Verifying): Promise<number> {
  await nameRows(of, USES)
  return countOf(of, 'count(*)', 'quotes')
}
