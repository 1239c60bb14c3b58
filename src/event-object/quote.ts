// A quote as it was when it was made. Pure.
import type { NamedEvent, ToldEvent } from '../event/event.ts'
import type { Instant } from '../instant.ts'
import type { Quote } from '../quote/quote.ts'
import { presentQuote } from '../quote/response.ts'
import { planFor, sentOf } from '../rail/plan.ts'
import { SIMULATOR } from '../rail/rail.ts'
import { TRANSFER } from '../rail/rules.ts'

/** One that was asked for is used later, if at all; one that a payout carries, from the start. */
export function quoteAsMade(quote: Quote): Quote {
  const { created_at, updated_at } = quote
  return updated_at === created_at ? quote : { ...quote, status: 'active', updated_at: created_at }
}

export function tellQuote(quote: Quote, event: NamedEvent, is_sandbox: boolean): ToldEvent {
  const made = quoteAsMade(quote)
  const object = presentQuote(made, made.created_at, expectedArrival(made, is_sandbox))
  return { ...event, object, previous_attributes: {}, erased: false }
}

/** The routes of a live account may be others by now, so that it is not known any more. */
function expectedArrival(quote: Quote, is_sandbox: boolean): Instant | null {
  const { status, payout_type, created_at } = quote
  if (status !== 'active') return null
  if (payout_type === TRANSFER) return created_at
  if (!is_sandbox) return null
  return planFor({ rail: SIMULATOR, route: null }, sentOf(quote), created_at)?.expected_at ?? null
}
