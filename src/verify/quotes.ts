// Compares every price with the price that its stored basis makes, and a used quote with its
// payout.
import type { PriceSources } from '../prices/price.ts'
import { type Basis, sourcesOf } from '../quotes/basis.ts'
import { type Carrier, carriedFigures, carriedQuoteTerms } from '../quotes/carried.ts'
import type { Price, PricedType, QuoteTerms } from '../quotes/quote.ts'
import { priceFigures } from '../quotes/rules.ts'
import { QUOTE_COLUMNS, type QuoteRow } from '../quotes/store.ts'
import type { Instant } from '../values/instant.ts'
import { formatDecimal } from '../values/money/decimal.ts'
import type { BadRow } from './problem.ts'
import {
  countOf,
  nameRows,
  ofAccount,
  payoutProblem,
  quoteProblem,
  rule,
  statement,
  type Verification,
} from './rows.ts'
import { checkEach } from './stream.ts'

/** Rates come first, because amounts follow from them. */
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

type Figures = Pick<Price, (typeof FIGURES)[number]>

/** Many rows in sequence have one basis, which is then parsed once. */
type WithBasis<Row> = Omit<Row, 'basis'> & { readonly basis: string | null }

const COLUMNS = QUOTE_COLUMNS.map(name => (name === 'basis' ? 'basis::text' : name))

const QUOTES = statement`
  select ${COLUMNS.join(', ')} from quotes
  where ${ofAccount('account_id')} order by account_id, id`

export async function checkPrices(run: Verification): Promise<void> {
  await checkEach<WithBasis<QuoteRow>>(run, 'quotes', QUOTES, row => {
    const wrong: Wrong = (expected, found) => quoteProblem(row, expected, found)
    checkPrice(row, row, row.basis, row, wrong)
  })
}

/** They determine the price of a carried quote. */
export type PricedPayout = WithBasis<Omit<Carrier<string>, 'quote_validity_s' | 'on_behalf_of'>>

/** Columns that no other check reads, of payouts `p`. */
export const PRICED_COLUMNS = `p.holding_to_payout, p.payout_to_destination, p.created_at,
  p.fund_transfer_network, p.charge_type, p.destination_country, p.basis::text as basis,
  case when p.type in ('wallet', 'local_payment_network') then p.beneficiary_details
    else '{"destination_details":{}}'::json end as beneficiary_details`

/** Throws BadRow if the payout's figures differ. */
export function checkCarried(payout: PricedPayout): Figures {
  const carrier = { ...payout, basis: null, quote_validity_s: null, on_behalf_of: '' }
  const wrong: Wrong = (expected, found) => payoutProblem(payout, expected, found)
  const figures = carriedFigures<string>(carrier)
  return checkPrice(carriedQuoteTerms(carrier), figures, payout.basis, payout, wrong)
}

type Wrong = (expected: string, found: string) => BadRow

/** Stored figures: amounts, and rates as text. */
type Stored = { readonly [Name in (typeof FIGURES)[number]]?: bigint | string }

function checkPrice(
  terms: QuoteTerms<PricedType>,
  stored: Stored,
  basis: string | null,
  { created_at }: { readonly created_at: Instant },
  wrong: Wrong,
): Figures {
  const price = recomputePrice(terms, basis, created_at)
  if (price instanceof Error) throw wrong('a basis from which a price follows', price.message)
  for (const name of FIGURES) {
    if (!(name in stored)) continue
    const expected = figureText(price[name])
    const found = String(stored[name])
    if (found !== expected) throw wrong(`${name} ${expected}, by its basis`, found)
  }
  return price
}

/** Computes a price anew by the service's rules. */
function recomputePrice(terms: QuoteTerms<PricedType>, basis: string | null, created_at: Instant) {
  try {
    if (basis === null) throw new Error('no basis is stored')
    return priceFigures(terms, sourcesFrom(basis, terms), created_at, 'amount')
  } catch (error) {
    // An invalid basis is a problem of this row. The verification goes on.
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** The sources of prices, by type, currencies and basis. */
const sourcesByBasis = new Map<string, PriceSources>()
const MOST_SOURCES = 1_000

function sourcesFrom(basis: string, terms: QuoteTerms<PricedType>): PriceSources {
  const { payout_type, holding_currency, payout_currency } = terms
  const name = [payout_type, holding_currency, payout_currency, basis].join(' ')
  let sources = sourcesByBasis.get(name)
  if (sources === undefined) {
    sources = sourcesOf(JSON.parse(basis) as Basis, terms)
    if (sourcesByBasis.size === MOST_SOURCES) sourcesByBasis.clear()
    sourcesByBasis.set(name, sources)
  }
  return sources
}

function figureText(figure: Figures[keyof Figures]): string {
  return typeof figure === 'bigint' ? figure.toString() : formatDecimal(figure)
}

/**
 * Used: a payout names it or its renewal, made when the quote was updated, or a conversion does.
 * Active: unchanged.
 * `matchPayouts` checks the quotes that payouts name.
 */
const USES = rule('quotes')`
  select q.account_id, q.id as key,
    case q.status when 'used' then 'a payout or a conversion, as the quote is used'
      when 'active' then 'no change, as the quote is active' else 'active or used' end as expected,
    case when q.status is distinct from 'used'
        then concat_ws(', ', coalesce(q.status, 'no status'), 'updated ' || q.updated_at,
          nullif(q.renewed_as, ''))
      when m.created_at is null then 'none'
      else 'used ' || coalesce(q.updated_at::text, 'never') || ', that made '
        || m.created_at end as found
  from quotes q left join (
    select account_id, quote_id, created_at from payouts where ${ofAccount('account_id')}
    union all
    select account_id, quote_id, created_at from conversions where ${ofAccount('account_id')}
  ) m on m.account_id = q.account_id and m.quote_id = coalesce(nullif(q.renewed_as, ''), q.id)
  where ${ofAccount('q.account_id')} and case q.status
    when 'used' then m.created_at is distinct from q.updated_at
    when 'active'
      then q.updated_at is distinct from q.created_at or q.renewed_as is distinct from ''
    else true end`

export async function checkUses(run: Verification): Promise<number> {
  await nameRows(run, USES)
  return countOf(run, 'count(*)', 'quotes')
}
