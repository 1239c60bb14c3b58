// What payouts count for limits: their key, payee, network, rail and amount. Pure.

import {
  asksForPayees,
  type CounterSince,
  counterName,
  type KnownPayee,
  type Limits,
  type LimitUses,
  limitsOf,
  type Payment,
  payeeName,
} from '../../controls/limit/limit.ts'
import { earlier, judgeLimits, subjectOf } from '../../controls/limit/rules.ts'
import { windowAt } from '../../controls/limit/window.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import { payeeOf } from '../../parties/payee.ts'
import { routeSubject } from '../../quotes/rules.ts'
import { possibleNetworks } from '../../quotes/terms.ts'
import { wantedOf } from '../advance/failover.ts'
import type { Intent, Payout, PayoutState, PricedPayout } from '../payout.ts'

const NOTHING: LimitUses = { uses: [], new_payee: null }

/** The uses of its account's limits by a new payout. Refuses with limit_exceeded. */
export function countForLimits(
  state: Pick<PayoutState, 'now' | 'books' | 'pricing' | 'limits'>,
  { account_id, account, request, key_id = '' }: Intent,
  { quote, paid, routed: { rail }, beneficiary }: PricedPayout,
): LimitUses {
  if (limitsOf(state.limits.limits, account_id).length === 0) return NOTHING
  const { now } = bookOf(state.books, account_id)
  const payee = payeeOf(beneficiary.details.destination_details)
  const paid_since = state.limits.payees.get(payeeName({ account_id, payee })) ?? null
  const named_since = request.beneficiary === undefined ? null : beneficiary.updated_at
  const known_since = earlier(paid_since, named_since)
  const payment: Payment = {
    account_id,
    key_id,
    rail,
    networks: possibleNetworks(routeSubject(paid, null)),
    payee,
    known_since,
    currency: quote.payout_currency,
    amount: quote.payout_amount,
  }
  const pricing = state.pricing(account, now)
  const uses = judgeLimits(state.limits, payment, { now, rates_now: state.now, pricing })
  const is_paid_first = paid_since === null && asksForPayees(state.limits.limits, account_id)
  const new_payee = is_paid_first ? { account_id, payee, known_since: known_since ?? now } : null
  return { uses, new_payee }
}

/** An existing payout as limits judge it. Its row does not store the key that made it. */
export function paymentOf(payout: Payout): Payment {
  return {
    account_id: payout.account_id,
    key_id: '',
    rail: payout.first_rail,
    networks: possibleNetworks(wantedOf(payout, '')),
    payee: payeeOf(payout.beneficiary_details.destination_details),
    known_since: null,
    currency: payout.currency,
    amount: payout.amount,
  }
}

/** The counters that the payouts may raise, each with the start of its window. */
export function countersOf(
  limits: Limits,
  intents: readonly Intent[],
  books: ReadonlyMap<string, Book>,
): CounterSince[] {
  const counters = new Map<string, CounterSince>()
  for (const intent of intents) {
    const { account_id, key_id = '' } = intent
    const own = limitsOf(limits, account_id).filter(({ per }) => per !== 'payout')
    if (own.length === 0) continue
    const { now } = bookOf(books, account_id)
    const payee = own.some(({ each }) => each === 'payee') ? payeeOfIntent(intent) : ''
    for (const limit of own) {
      const { limit_id } = limit
      const counter = { account_id, limit_id, subject: subjectOf(limit, { key_id, payee }) }
      const name = counterName(counter)
      if (!counters.has(name)) counters.set(name, { ...counter, ...windowAt(limit, now) })
    }
  }
  return [...counters.values()]
}

/** The payee; '' when the beneficiary does not exist, so that the payout is refused. */
function payeeOfIntent({ details }: Intent): string {
  return details === undefined ? '' : payeeOf(details.destination_details)
}

/** The distinct payees of payouts whose account has a limit for new payees. */
export function payeesUnderLimits(
  limits: Limits,
  intents: readonly Intent[],
): Omit<KnownPayee, 'known_since'>[] {
  const asked = intents.filter(({ account_id }) => asksForPayees(limits, account_id))
  const payees = asked.map(intent => {
    return { account_id: intent.account_id, payee: payeeOfIntent(intent) }
  })
  return [...new Map(payees.map(one => [payeeName(one), one])).values()]
}
