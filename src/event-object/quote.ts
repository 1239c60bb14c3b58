// A quote as it was when it was made. Pure.
import type { NamedEvent, ToldEvent } from '../event/event.ts'
import type { Quote } from '../quote/quote.ts'
import { presentQuote } from '../quote/response.ts'

/** One that was asked for is used later, if at all; one that a payout carries, from the start. */
function quoteAsMade(quote: Quote): Quote {
  const { created_at, updated_at } = quote
  return updated_at === created_at ? quote : { ...quote, status: 'active', updated_at: created_at }
}

export function tellQuote(quote: Quote, event: NamedEvent): ToldEvent {
  const object = presentQuote(quoteAsMade(quote), quote.created_at)
  return { ...event, object, previous_attributes: {}, erased: false }
}
