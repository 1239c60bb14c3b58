// The options of a payout, the cheapest first. Each is judged and priced as a quote. Pure.
import type { Pricing } from '../../prices/price.ts'
import { selectRoutes } from '../../rails/rules.ts'
import { type Problem, Refusal } from '../../values/errors.ts'
import { CHAINS } from '../../values/network/chain.ts'
import { networksOf } from '../../values/network/local.ts'
import { paymentNetworksOf } from '../../values/network/payment.ts'
import { type Judged, judgeTerms, type Payer, type Times } from '../judge-terms.ts'
import { CHARGE_TYPES, type QuoteRequest } from '../request.ts'
import { routeSubject, totalDebit } from '../rules.ts'
import { quoteTerms } from '../terms.ts'
import type { OptionsRequest } from './request.ts'

/** One way that a payout could go, with its price and plan. */
export interface PayoutOption {
  /** The body of POST /v3/payout/quote that quotes this option. */
  readonly request: QuoteRequest
  /** The problems of an impossible option. */
  readonly problems: readonly Problem[]
  /** Null for an option that is not possible. */
  readonly judged: Judged | null
  /**
   * The next routes' rails, in order. Each follows if the rail before it has not taken the payout.
   */
  readonly failover: readonly string[]
}

/**
 * The quote requests of all options. A token has one for each of its chains. A currency has one for
 * each SWIFT charge type, each local network and each local payment network.
 */
export function waysOf(request: OptionsRequest): readonly QuoteRequest[] {
  const currency = request.destination_info?.currency ?? request.payout_info.currency
  const chains = CHAINS.filter(chain => chain.currencies.includes(currency))
  if (chains.length > 0) {
    return chains.map(({ type }) => ({ payout_type: 'wallet', ...request, wallet: { type } }))
  }
  return [
    ...CHARGE_TYPES.map(charge_type => {
      return { payout_type: 'swift', ...request, swift: { charge_type } } as const
    }),
    ...networksOf(currency).map(({ name: fund_transfer_network }) => {
      return { payout_type: 'local', ...request, local: { fund_transfer_network } } as const
    }),
    ...paymentNetworksOf(currency).map(({ name: type }) => {
      const local_payment_network = { type }
      return { payout_type: 'local_payment_network', ...request, local_payment_network } as const
    }),
  ]
}

/** The options in order: possible ones first, by total debit and then by arrival. */
export function payoutOptions(
  request: OptionsRequest,
  payer: Payer,
  pricing: Pricing,
  times: Times,
): readonly PayoutOption[] {
  return waysOf(request)
    .map(way => optionOf(way, payer, pricing, times))
    .toSorted(inOrder)
}

function optionOf(request: QuoteRequest, payer: Payer, pricing: Pricing, times: Times) {
  try {
    const terms = quoteTerms(request, payer.account)
    const judged = judgeTerms(terms, payer, pricing, times)
    return { request, problems: [], judged, failover: failoverOf(judged, payer) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { request, problems: error.problems, judged: null, failover: [] }
  }
}

function failoverOf({ terms, price }: Judged, { account, routes }: Payer): string[] {
  if (account.sandbox) return []
  const subject = routeSubject(terms, price.destination_amount)
  const taking = selectRoutes(routes, { ...subject, account_id: account.account_id })
  return taking.slice(1).map(({ rail }) => rail)
}

/** Sorts an option without an expected arrival behind the others. */
const NEVER = '~'

function inOrder({ judged: a }: PayoutOption, { judged: b }: PayoutOption): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const [debit, other] = [totalDebit(a.price), totalDebit(b.price)]
  if (debit !== other) return debit < other ? -1 : 1
  const [arrival, later] = [a.plan.expected_at ?? NEVER, b.plan.expected_at ?? NEVER]
  if (arrival === later) return 0
  return arrival < later ? -1 : 1
}
