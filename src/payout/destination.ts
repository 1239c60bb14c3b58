// The destination of a payout held against what its type, currency and network ask for, and where
// the request has it: the members of inline details, or the beneficiary that it names. Pure.
import { type Beneficiary, checkDetails } from '../beneficiary/rules.ts'
import { type Problem, refuseIfAny } from '../errors.ts'
import { invalid } from '../party/rules.ts'
import type { Quote } from '../quote/rules.ts'
import { networkName } from '../quote/terms.ts'
import { destinationFaults, type Payment } from '../requirement/rules.ts'
import type { PayoutRequest } from './wire.ts'

const INLINE = 'beneficiary_details'

/** What inline details lack, of a request without a quote. */
export function inlineProblems(request: PayoutRequest): Problem[] {
  const { beneficiary_details: details } = request
  if (details === undefined) return []
  const payment = paymentOf(request, details.destination_details, null)
  return destinationFaults(details, payment).map(({ path, message }) =>
    invalid(`${INLINE}.${path}`, message),
  )
}

/**
 * Refuses a destination that cannot be paid so (400). Of a beneficiary that is known, everything is
 * judged anew, as it may be older than what is asked for today, and named at `beneficiary`.
 */
export function checkDestination(
  { details }: Beneficiary,
  request: PayoutRequest,
  quote: Quote | null,
): void {
  const faults = destinationFaults(details, paymentOf(request, details.destination_details, quote))
  if (request.beneficiary === undefined) {
    refuseIfAny(faults.map(({ path, message }) => invalid(`${INLINE}.${path}`, message)))
    return
  }
  const known = checkDetails(details, '').map(({ remarks, message }) => ({
    path: remarks,
    message,
  }))
  const all = new Map([...faults, ...known].map(({ path, message }) => [path, message]))
  refuseIfAny(Array.from(all, ([path, message]) => invalid('beneficiary', `${path}: ${message}`)))
}

function paymentOf(
  { type, currency, local }: PayoutRequest,
  { bank, wallet }: Beneficiary['details']['destination_details'],
  quote: Quote | null,
): Payment {
  const arrives = quote?.destination_currency ?? bank?.currency ?? wallet?.currency ?? currency
  const network = networkName(local?.fund_transfer_network, arrives)
  return {
    type: type ?? quote?.payout_type ?? 'local',
    currency: arrives,
    network: network || (quote?.fund_transfer_network ?? ''),
  }
}
