// Payouts as limits judge them: who asks, who is paid, over which network and rail. Pure.
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { nameOf } from '../id.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import {
  counterName,
  type Limits,
  limitsOf,
  type Payment,
  type Use,
  type Wanted,
} from '../limit/limit.ts'
import { payeeOf } from '../limit/payee.ts'
import { judgeLimits, subjectOf } from '../limit/rules.ts'
import { windowFrom } from '../limit/window.ts'
import type { Quote } from '../quote/quote.ts'
import { feeSubject } from '../quote/rules.ts'
import { wantedOf } from './failover.ts'
import type { CreatePayout, Payout, PayoutState } from './payout.ts'
import { paidTerms } from './pricing.ts'

const NO_USES: readonly Use[] = []

/** What a payout counts for the limits of its account; refuses it when one has no room. */
export function usesOf(
  state: Pick<PayoutState, 'now' | 'books' | 'pricing' | 'limits'>,
  { account, request, key_id = '' }: Pick<CreatePayout, 'account' | 'request' | 'key_id'>,
  {
    quote,
    rail,
    beneficiary,
  }: {
    readonly quote: Quote
    readonly rail: string
    readonly beneficiary: Beneficiary
  },
): readonly Use[] {
  const { account_id } = account
  if (limitsOf(state.limits.limits, account_id).length === 0) return NO_USES
  const { now } = bookOf(state.books, account_id)
  const { destination_details } = beneficiary.details
  const payment: Payment = {
    account_id,
    key_id,
    rail,
    network: feeSubject(paidTerms(quote, request, destination_details)).network,
    payee: payeeOf(destination_details),
    currency: quote.payout_currency,
    amount: quote.payout_amount,
  }
  const pricing = state.pricing(account, now)
  return judgeLimits(state.limits, payment, { now, rates_now: state.now, pricing })
}

/** A payout that is there. Which key made it is not known. */
export function paymentOf(payout: Payout): Payment {
  return {
    account_id: payout.account_id,
    key_id: '',
    rail: payout.first_rail,
    network: wantedOf(payout, '').network,
    payee: payeeOf(payout.beneficiary_details.destination_details),
    currency: payout.currency,
    amount: payout.amount,
  }
}

/** The counters that commands may count by, each with the beginning of its window. */
export function countersOf(
  limits: Limits,
  commands: readonly CreatePayout[],
  books: ReadonlyMap<string, Book>,
  beneficiaries: ReadonlyMap<string, Beneficiary>,
): Wanted[] {
  const counters = new Map<string, Wanted>()
  for (const command of commands) {
    const { account_id, key_id = '' } = command
    const own = limitsOf(limits, account_id).filter(({ per }) => per !== 'payout')
    if (own.length === 0) continue
    const { now } = bookOf(books, account_id)
    const payee = own.some(({ each }) => each === 'payee') ? payeeAsked(command, beneficiaries) : ''
    for (const limit of own) {
      const { limit_id } = limit
      const counter = { account_id, limit_id, subject: subjectOf(limit, { key_id, payee }) }
      const name = counterName(counter)
      if (!counters.has(name)) counters.set(name, { ...counter, since: windowFrom(limit, now) })
    }
  }
  return [...counters.values()]
}

/** '' of a beneficiary that there is not: the payout is refused. */
function payeeAsked(
  { account_id, request }: CreatePayout,
  beneficiaries: ReadonlyMap<string, Beneficiary>,
): string {
  const { beneficiary: id, beneficiary_details } = request
  const details =
    id === undefined ? beneficiary_details : beneficiaries.get(nameOf({ account_id, id }))?.details
  return details === undefined ? '' : payeeOf(details.destination_details)
}
