// The operation that makes quotes.
import type { Maker } from '../accounts/maker.ts'
import type { Account } from '../accounts/rules.ts'
import type { Operation } from '../engine/operation.ts'
import { bare } from '../http/answer.ts'
import type { Claiming, Reply } from '../http/idempotency/kept-reply.ts'
import { bookOf } from '../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../ledger/store.ts'
import type { Approvals } from '../parties/entity/entity.ts'
import { checkNamed } from '../parties/entity/rules.ts'
import { findApprovals } from '../parties/entity/store.ts'
import type { PricingAt } from '../prices/price.ts'
import type { Route } from '../rails/rules.ts'
import { accountsOf } from '../sql/shard.ts'
import { storeBooks } from '../statements/balance-transaction/operations.ts'
import type { Event } from '../statements/event/event.ts'
import { recordChange } from '../statements/event/rules.ts'
import { type BookId, byName, uniqueKeys } from '../values/id.ts'
import { QUOTE_SEAL } from './columns.ts'
import { judgeTerms } from './judge-terms.ts'
import type { Quote } from './quote.ts'
import type { QuoteRequest } from './request.ts'
import { presentExplained, presentQuote } from './response.ts'
import { checkExpectations, makeQuote } from './rules.ts'
import { insertQuotes } from './store.ts'
import { fixedAmount, quoteTerms } from './terms.ts'

export interface CreateQuote extends Claiming {
  readonly account: Account
  readonly request: QuoteRequest
  readonly maker: Maker
  /** Whether the answer explains the price. */
  readonly explain: boolean
}

interface QuoteState extends LockedBooks {
  readonly pricing: PricingAt
  readonly routes: readonly Route[]
  readonly approvals: Approvals
}

export interface CreatedQuote {
  readonly quote: Quote
  readonly event: Event
}

/** POST /v3/payout/quote. It locks the book, because the event takes the account's next number. */
export function createQuote(reference: {
  pricing(price_version: bigint | null): Promise<PricingAt>
  routes(): readonly Route[]
  readonly bookId: BookId
}): Operation<CreateQuote, QuoteState, CreatedQuote> {
  return {
    name: 'create_quote',
    ofOneShard: () => true,
    async load(tx, commands) {
      const named = commands.flatMap(({ account_id, request: { entity_id } }) =>
        entity_id === undefined ? [] : [{ account_id, id: entity_id }],
      )
      const [locked, approvals] = await Promise.all([
        lockBooks(tx, accountsOf(commands)),
        findApprovals(tx, uniqueKeys(named)),
      ])
      return {
        ...locked,
        pricing: await reference.pricing(locked.price_version),
        routes: reference.routes(),
        approvals: byName(approvals),
      }
    },

    decide({ now, books, pricing: pricingAt, routes, approvals }, { account, request, maker }) {
      const book = bookOf(books, account.account_id)
      const { now: at } = book
      const pricing = pricingAt(account, at)
      const requested = quoteTerms(request, account)
      checkNamed(approvals, account.account_id, requested.entity_id, 'entity_id')
      const fixed = fixedAmount(request)
      const payer = { account, routes }
      const { terms, price, plan } = judgeTerms(requested, payer, pricing, { now, at }, fixed)
      checkExpectations(price, {
        holding_amount: expected(request.holding_info?.amount),
        // A fixed destination amount is the least that must arrive, and no expectation.
        destination_amount: fixed ? undefined : expected(request.destination_info?.amount),
      })
      const { account_id } = account
      const identity = { account_id, id: reference.bookId(book, 'poq'), made_by: maker }
      const made = makeQuote(identity, terms, price, 'active', at, pricing)
      const quote = { ...made, expected_at: plan.expected_at }
      const content = QUOTE_SEAL.digest(quote)
      const event = recordChange({ books }, quote, 'payout_quote.created', {}, content)
      return { quote, event }
    },

    store(tx, outcomes, { books }) {
      const writes = outcomes.map(({ event }) => ({ events: [event] }))
      const quotes = outcomes.map(({ quote }) => quote)
      return Promise.all([...storeBooks(tx, books, writes), insertQuotes(tx, quotes)])
    },
  }
}

/** The answer to POST /v3/payout/quote, which has no envelope. */
export function answerQuote({ quote }: CreatedQuote, { explain }: CreateQuote): Reply {
  const present = explain ? presentExplained : presentQuote
  return bare(present(quote, quote.created_at))
}

function expected(amount: number | undefined): bigint | undefined {
  return amount === undefined ? undefined : BigInt(amount)
}
