// What payouts count for limits: their key, payee, network, rail and amount. Pure.
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
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
} from '../limit/limit.ts'
import { payeeOf } from '../limit/payee.ts'
import { earlier, judgeLimits, subjectOf } from '../limit/rules.ts'
import { windowAt } from '../limit/window.ts'
import type { Quote } from '../quote/quote.ts'
import { routeSubject } from '../quote/rules.ts'
import { possibleNetworks } from '../quote/terms.ts'
import { payeeDetails } from './destination.ts'
import { wantedOf } from './failover.ts'
import type { CreatePayout, Payout, PayoutState } from './payout.ts'
import { paidTerms } from './pricing.ts'

const NOTHING: LimitUses = { uses: [], new_payee: null }

/** The uses of its account's limits by a new payout. Refuses with limit_exceeded. */
export function countForLimits(
  state: Pick<PayoutState, 'now' | 'books' | 'pricing' | 'limits'>,
  { account, request, key_id = '' }: Pick<CreatePayout, 'account' | 'request' | 'key_id'>,
  judged: { readonly quote: Quote; readonly rail: string; readonly beneficiary: Beneficiary },
): LimitUses {
  const { account_id } = account
  const { quote, rail, beneficiary } = judged
  if (limitsOf(state.limits.limits, account_id).length === 0) return NOTHING
  const { now } = bookOf(state.books, account_id)
  const { destination_details } = beneficiary.details
  const payee = payeeOf(destination_details)
  const paid_since = state.limits.payees.get(payeeName({ account_id, payee })) ?? null
  const named_since = request.beneficiary === undefined ? null : beneficiary.updated_at
  const known_since = earlier(paid_since, named_since)
  const payment: Payment = {
    account_id,
    key_id,
    rail,
    networks: possibleNetworks(routeSubject(paidTerms(quote, request, destination_details), null)),
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

/** The counters that the commands may raise, each with the start of its window. */
export function countersOf(
  limits: Limits,
  commands: readonly CreatePayout[],
  books: ReadonlyMap<string, Book>,
  beneficiaries: ReadonlyMap<string, Beneficiary>,
): CounterSince[] {
  const counters = new Map<string, CounterSince>()
  for (const command of commands) {
    const { account_id, key_id = '' } = command
    const own = limitsOf(limits, account_id).filter(({ per }) => per !== 'payout')
    if (own.length === 0) continue
    const { now } = bookOf(books, account_id)
    const payee = own.some(({ each }) => each === 'payee')
      ? payeeOfCommand(command, beneficiaries)
      : ''
    for (const limit of own) {
      const { limit_id } = limit
      const counter = { account_id, limit_id, subject: subjectOf(limit, { key_id, payee }) }
      const name = counterName(counter)
      if (!counters.has(name)) counters.set(name, { ...counter, ...windowAt(limit, now) })
    }
  }
  return [...counters.values()]
}

/**
 * The payee of a command; '' when the beneficiary does not exist, so that the payout is refused.
 */
function payeeOfCommand(
  command: CreatePayout,
  beneficiaries: ReadonlyMap<string, Beneficiary>,
): string {
  const details = payeeDetails(command, beneficiaries)
  return details === undefined ? '' : payeeOf(details.destination_details)
}

/** The distinct payees of commands whose account has a limit for new payees. */
export function payeesUnderLimits(
  limits: Limits,
  commands: readonly CreatePayout[],
  beneficiaries: ReadonlyMap<string, Beneficiary>,
): Omit<KnownPayee, 'known_since'>[] {
  const asked = commands.filter(({ account_id }) => asksForPayees(limits, account_id))
  const payees = asked.map(command => {
    const { account_id } = command
    return { account_id, payee: payeeOfCommand(command, beneficiaries) }
  })
  return [...new Map(payees.map(one => [payeeName(one), one])).values()]
}
