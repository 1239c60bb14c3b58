// The values that rows of the fee schedule may have: the types, networks and countries of payouts.
import { bankingCountry } from '../beneficiary/country.ts'
import { findChain } from '../network/chain.ts'
import { isCountry } from '../network/country.ts'
import { NETWORKS } from '../network/local.ts'
import { paymentNetworksNamed } from '../network/payment.ts'
import type { FeeVocabulary } from '../price/fee/judge.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { CHARGE_TYPES } from '../quote/request.ts'
import { hasNoCountry } from '../quote/terms.ts'

export const VOCABULARY: FeeVocabulary = {
  payout_types: PAYOUT_TYPES,
  charge_types: { swift: CHARGE_TYPES },
  countryFault,
  networkName,
}

function countryFault(payout_type: string, code: string): string | undefined {
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
