// The rules of conversions: the terms and the quote of one, and what making it moves. Nothing of a
// conversion waits, so that no wait is a free option: a price holds for two minutes, and the
// command that takes it moves the money. Pure.
import type { Maker } from '../accounts/maker.ts'
import type { Account } from '../accounts/rules.ts'
import { type ApprovalRules, type KeyFacts, rulesOf } from '../controls/approval/approval.ts'
import { neededFor } from '../controls/approval/rules.ts'
import { type Book, bookOf, checkCovers, checkRoom } from '../ledger/rules.ts'
import type { Pricing, PricingAt } from '../prices/price.ts'
import { checkUsable } from '../quotes/expiry.ts'
import type { FixedAmount } from '../quotes/quote.ts'
import { makeQuote, marginOf, priceQuote, totalDebit } from '../quotes/rules.ts'
import { payoutAmountFor } from '../quotes/solve.ts'
import { checkHolding } from '../quotes/terms.ts'
import type { Entry } from '../statements/balance-transaction/balance-transaction.ts'
import { recordLine } from '../statements/balance-transaction/rules.ts'
import type { Event } from '../statements/event/event.ts'
import { recordChange } from '../statements/event/rules.ts'
import { invalidField, type Problem, refusal, refuseIfAny } from '../values/errors.ts'
import { type BookId, nameOf } from '../values/id.ts'
import { type Instant, plusMilliseconds } from '../values/instant.ts'
import { CONVERSION_SEAL } from './columns.ts'
import type { ConversionQuote, ConversionTerms, QuotedConversion } from './conversion.ts'
import { postConversion } from './postings.ts'
import type { ConversionQuoteRequest } from './request.ts'

/**
 * The longest validity of a conversion's quote. A quote is an option that costs nothing. For a
 * payout it is worth little, because another gets the money. What is converted the account keeps.
 */
export const MAX_VALIDITY_S = 120

/**
 * The terms of a request. Refuses with every problem at once: a currency that the account does not
 * hold, the same currency twice, no amount or two.
 */
export function conversionTerms(
  request: ConversionQuoteRequest,
  account: Account,
): ConversionTerms {
  const { holding_info, destination_info } = request
  const [holding_currency, currency] = [holding_info.currency, destination_info.currency]
  const twice = 'A conversion is between two different currencies.'
  refuseIfAny([
    ...checkHolding(holding_currency, account, 'holding_info.currency'),
    ...checkHolding(currency, account, 'destination_info.currency'),
    ...(holding_currency === currency ? [invalidField('destination_info.currency', twice)] : []),
    ...checkOneAmount(request),
  ])
  return {
    payout_type: 'conversion',
    holding_currency,
    payout_currency: currency,
    payout_amount: 0n,
    destination_currency: currency,
    destination_country: '',
    fund_transfer_network: '',
    payment_network: '',
    wallet_type: '',
    wallet_network: '',
    charge_type: '',
    entity_id: '',
  }
}

function checkOneAmount({ total_debit, destination_info }: ConversionQuoteRequest): Problem[] {
  const sent = [total_debit, destination_info.amount].filter(amount => amount !== undefined)
  if (sent.length === 1) return []
  const [remarks, message] =
    sent.length === 0
      ? ['destination_info.amount', 'Send destination_info.amount, or total_debit in its place.']
      : ['total_debit', 'Send either destination_info.amount or total_debit.']
  return [invalidField(remarks, message)]
}

/** The amount that the request fixes, in minor units. */
function fixedAmount({ total_debit, destination_info }: ConversionQuoteRequest): FixedAmount {
  return total_debit === undefined
    ? { path: 'destination_info.amount', amount: BigInt(destination_info.amount ?? 0) }
    : { path: 'total_debit', amount: BigInt(total_debit) }
}

/** The times of a quote: rates age by the database's clock, validity is by the account's. */
interface Times {
  readonly now: Instant
  readonly at: Instant
}

/** The quote of a request. Refuses as `conversionTerms`, `payoutAmountFor` and `priceQuote` do. */
export function quoteConversion(
  identity: Pick<ConversionQuote, 'account_id' | 'id' | 'made_by'>,
  request: ConversionQuoteRequest,
  account: Account,
  pricing: Pricing,
  { now, at }: Times,
): ConversionQuote {
  const asked = conversionTerms(request, account)
  const fixed = fixedAmount(request)
  const terms = { ...asked, payout_amount: payoutAmountFor(fixed, asked, pricing, now) }
  const price = priceQuote(terms, pricing, now, fixed.path)
  const quote = makeQuote(identity, terms, price, 'active', at, pricing)
  const latest = plusMilliseconds(at, MAX_VALIDITY_S * 1000)
  return { ...quote, valid_until: quote.valid_until < latest ? quote.valid_until : latest }
}

/** What a conversion is decided by, read under the locks of the books. */
export interface ConversionState {
  /** By the database's clock, by which rates age. */
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`. Decisions mark the quotes that they use. */
  readonly quotes: Map<string, ConversionQuote>
  readonly pricing: PricingAt
  readonly rules: ApprovalRules
  /** By id of the key. */
  readonly keys: ReadonlyMap<string, KeyFacts>
  readonly bookId: BookId
}

/** A request to convert, and who makes it. */
export interface AskedConversion {
  readonly account: Account
  readonly quote_id: string
  readonly maker: Maker
  /** '' in a session. */
  readonly key_id: string
}

export interface Converted {
  readonly conversion: QuotedConversion
  readonly entries: readonly Entry[]
  readonly events: readonly Event[]
}

/**
 * Makes a conversion at its quote. Refuses, in order: unknown quote (404), quote used, expired or
 * left behind by the rate (422), an approval that payouts like this one need (403), balance too low
 * (422), balance of the other currency too high (422).
 */
export function decideConversion(state: ConversionState, asked: AskedConversion): Converted {
  const { account, quote_id, maker } = asked
  const { account_id } = account
  const book = bookOf(state.books, account_id)
  const quote = state.quotes.get(nameOf({ account_id, id: quote_id }))
  if (quote === undefined) {
    throw refusal('not_found', `No quote ${quote_id} in this account.`, 'quote')
  }
  checkUsable(quote, book.now)
  checkNoLoss(state, account, quote)
  checkNoApproval(state, asked, quote)
  const { holding_currency, destination_currency, destination_amount } = quote
  checkCovers(book, 'The conversion', holding_currency, totalDebit(quote), 'quote')
  checkRoom(book, destination_currency, destination_amount, 'quote')
  // From here on, nothing refuses the conversion.
  const used = { ...quote, status: 'used' as const, updated_at: book.now }
  state.quotes.set(nameOf(used), used)
  const conversion = {
    account_id,
    id: state.bookId(book, 'cnv'),
    quote_id,
    number: book.journal_count + 1n,
    holding_currency,
    destination_currency,
    made_by: maker,
    created_at: book.now,
  }
  const entries = postConversion(book, quote, conversion.id)
  const sealed = CONVERSION_SEAL.digest(conversion)
  const events = [
    recordChange(state, conversion, 'conversion.completed', {}, sealed),
    ...entries.map(({ line }) => recordLine(book, line)),
  ]
  return { conversion: { ...conversion, quote: used }, entries, events }
}

/**
 * Refuses a quote at which the house would lose by the present rate. Whoever holds quotes and takes
 * the one that the rate has left behind would gain without a risk, as the money stays theirs. A
 * quote holds while the rate moves by no more than its spread.
 */
function checkNoLoss(
  { books, pricing }: Pick<ConversionState, 'books' | 'pricing'>,
  account: Account,
  quote: ConversionQuote,
): void {
  const { rates } = pricing(account, bookOf(books, account.account_id).now)
  if (marginOf(quote, rates).fx_income_holding >= 0n) return
  const message = 'The rate has moved by more than the spread of this quote; request a new one.'
  throw refusal('quote_expired', message, 'quote')
}

/**
 * Refuses a conversion where a payout of the same amount would wait for people's approval, whatever
 * its payee and its way. A conversion that waited would be a free option, so it does not wait.
 */
function checkNoApproval(
  { now, books, pricing, rules, keys }: ConversionState,
  { account, key_id }: AskedConversion,
  { payout_currency: currency, payout_amount: amount }: ConversionQuote,
): void {
  const { account_id } = account
  const { now: at } = bookOf(books, account_id)
  const judged = {
    key_id,
    payout_type: 'conversion',
    networks: [],
    currency,
    destination_currency: currency,
    amount,
    payee_is_new: false,
    mayBeIn: () => false,
  }
  const needed = neededFor(
    rulesOf(rules, account_id, 'payout'),
    judged,
    { makes_only: keys.get(key_id)?.makes_only ?? false },
    { pricing: pricing(account, at), rates_now: now },
    at,
  )
  if (needed === null) return
  const [rule] = needed.rules
  const why = rule === undefined ? 'of this key' : `of this amount (rule ${rule})`
  const message = `People approve payments ${why}, and a conversion does not wait for them.`
  throw refusal('approval_needed', message, 'quote')
}
