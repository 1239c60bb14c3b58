// Whether a quote can still be used: its status by the account's clock. Pure.
import { refusal } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import type { PricedType, Quote } from './quote.ts'

type Any = Quote<PricedType>

/**
 * The status at `now`, by the account's clock. No row stores `expired`: it begins at `valid_until`
 * (§quote.expiry). A quote dated after `now` was made while the clock was wrong, and is expired: by
 * its own times it would pay for as long as the clock was ahead.
 */
export function quoteStatus(quote: Any, now: Instant): 'active' | 'used' | 'expired' {
  if (quote.status === 'used') return 'used'
  return quote.created_at <= now && now < quote.valid_until ? 'active' : 'expired'
}

/** Refuses a used or expired quote. Callers hold the lock of the book. */
export function checkUsable(quote: Any, now: Instant): void {
  const status = quoteStatus(quote, now)
  if (status === 'used') throw refusal('quote_used', 'The quote was used already.', 'quote')
  if (status === 'expired') {
    throw refusal('quote_expired', `The quote was valid until ${quote.valid_until}.`, 'quote')
  }
}
