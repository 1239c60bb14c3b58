// The operations that make quotes of conversions, and conversions.
import type { Maker } from '../accounts/maker.ts'
import type { Account } from '../accounts/rules.ts'
import type { ApprovalRules, KeyFacts } from '../controls/approval/approval.ts'
import type { Operation } from '../engine/operation.ts'
import type { Claiming } from '../http/idempotency/kept-reply.ts'
import { bookOf } from '../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../ledger/store.ts'
import type { PricingAt } from '../prices/price.ts'
import { QUOTE_SEAL } from '../quotes/columns.ts'
import { findConversionQuotes, insertQuotes, markQuotesUsed } from '../quotes/store.ts'
import { accountsOf } from '../sql/shard.ts'
import { storeBooks } from '../statements/balance-transaction/operations.ts'
import type { Event } from '../statements/event/event.ts'
import { recordChange } from '../statements/event/rules.ts'
import { type BookId, byName } from '../values/id.ts'
import type { ConversionQuote } from './conversion.ts'
import type { ConversionQuoteRequest } from './request.ts'
import {
  type AskedConversion,
  type ConversionState,
  type Converted,
  decideConversion,
  quoteConversion,
} from './rules.ts'
import { insertConversions } from './store.ts'

interface Reference {
  pricing(price_version: bigint | null): Promise<PricingAt>
  approvalRules(): ApprovalRules
  keys(): ReadonlyMap<string, KeyFacts>
  readonly bookId: BookId
}

export interface CreateConversionQuote extends Claiming {
  readonly account: Account
  readonly request: ConversionQuoteRequest
  readonly maker: Maker
}

export interface CreatedConversionQuote {
  readonly quote: ConversionQuote
  readonly event: Event
}

interface QuoteState extends LockedBooks {
  readonly pricing: PricingAt
}

/** POST /v3/conversion/quote. It locks the book, because the event takes the next number. */
export function createConversionQuote(
  reference: Pick<Reference, 'pricing' | 'bookId'>,
): Operation<CreateConversionQuote, QuoteState, CreatedConversionQuote> {
  return {
    name: 'create_conversion_quote',
    ofOneShard: () => true,
    async load(tx, commands) {
      const locked = await lockBooks(tx, accountsOf(commands))
      return { ...locked, pricing: await reference.pricing(locked.price_version) }
    },

    decide({ now, books, pricing }, { account, request, maker }) {
      const { account_id } = account
      const book = bookOf(books, account_id)
      const { now: at } = book
      const identity = { account_id, id: reference.bookId(book, 'coq'), made_by: maker }
      const quote = quoteConversion(identity, request, account, pricing(account, at), { now, at })
      const sealed = QUOTE_SEAL.digest(quote)
      return {
        quote,
        event: recordChange({ books }, quote, 'conversion_quote.created', {}, sealed),
      }
    },

    store(tx, outcomes, { books }) {
      const writes = outcomes.map(({ event }) => ({ events: [event] }))
      const quotes = outcomes.map(({ quote }) => quote)
      return Promise.all([...storeBooks(tx, books, writes), insertQuotes(tx, quotes)])
    },
  }
}

export interface CreateConversion extends Claiming, AskedConversion {}

/**
 * POST /v3/conversion. Both journals, the conversion and the use of the quote are written in one
 * transaction, under the lock of the account's book.
 */
export function createConversion(
  reference: Reference,
): Operation<CreateConversion, ConversionState, Converted> {
  return {
    name: 'create_conversion',
    ofOneShard: () => true,
    async load(tx, commands) {
      const keys = commands.map(({ account_id, quote_id: id }) => ({ account_id, id }))
      const [locked, quotes] = await Promise.all([
        lockBooks(tx, accountsOf(commands)),
        findConversionQuotes(tx, keys),
      ])
      // The rules of approvals are of the same version as the prices.
      const pricing = await reference.pricing(locked.price_version)
      return {
        ...locked,
        quotes: byName(quotes),
        pricing,
        rules: reference.approvalRules(),
        keys: reference.keys(),
        bookId: reference.bookId,
      }
    },

    decide: decideConversion,

    store(tx, outcomes, { books }) {
      const conversions = outcomes.map(({ conversion }) => conversion)
      return Promise.all([
        ...storeBooks(tx, books, outcomes),
        markQuotesUsed(
          tx,
          conversions.map(({ quote }) => ({ ...quote, renewed_as: '' })),
        ),
        insertConversions(tx, conversions),
      ])
    },
  }
}
