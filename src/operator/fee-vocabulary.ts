// The values that rows of the fee schedule may have: what is priced, and the networks and countries
// of payouts.
import { bankingCountry } from '../parties/beneficiary/country.ts'
import type { FeeVocabulary } from '../prices/fee/asked-fee.ts'
import { PRICED_TYPES } from '../quotes/quote.ts'
import { CHARGE_TYPES } from '../quotes/request.ts'
import { hasNoCountry } from '../quotes/terms.ts'
import { findChain } from '../values/network/chain.ts'
import { isCountry } from '../values/network/country.ts'
import { NETWORKS } from '../values/network/local.ts'
import { paymentNetworksNamed } from '../values/network/payment.ts'

export const VOCABULARY: FeeVocabulary = {
  payout_types: PRICED_TYPES,
  charge_types: { swift: CHARGE_TYPES },
  countryFault,
  networkName,
}

function countryFault(payout_type: string, code: string): string | undefined {
  if (payout_type === 'conversion') return 'a conversion has no destination_country'
  if (hasNoCountry(payout_type)) return `a ${payout_type} payout has no destination_country`
  if (!isCountry(code)) return `unknown country ${code}`
  const country = bankingCountry(code)
  if (country === code) return undefined
  return `accounts of ${code} count as of ${country} (docs/requirements.md); name ${country}`
}

function networkName(payout_type: string, name: string): string | undefined {
  const wanted = name.toLowerCase()
  switch (payout_type) {
    case 'local':
      return NETWORKS.find(network => network.name === wanted)?.name
    case 'wallet':
      return findChain(wanted)?.type
    case 'local_payment_network':
      return paymentNetworksNamed(wanted)[0]?.name
    default:
      return undefined
  }
}
