// Identifies a payout's payee, so that a limit of each payee recognises it in any spelling. Pure.
import { hashJson } from '../values/digest.ts'
import { paymentNetworkName } from '../values/network/payment.ts'
import { bareNumber, canonicalDestination } from './beneficiary/destination.ts'
import type { DestinationDetails } from './beneficiary/request.ts'
import { oneSpelling } from './beneficiary/wallet-address.ts'

/** Half of SHA-256: 128 bits tell any two payees apart. */
const HEX_DIGITS = 32

/**
 * The payee's hash, 32 hex digits, of its account number, IBAN, wallet address or key. The hash
 * leaves out names, banks and bank codes: people write them in many ways, and the same account
 * under another name is the same payee.
 */
export function payeeOf(details: DestinationDetails): string {
  return hashJson(identityOf(canonicalDestination(details))).slice(0, HEX_DIGITS)
}

function identityOf(destination: DestinationDetails): object {
  const { bank, wallet, local_payment_network: key, service_account } = destination
  if (bank !== undefined) {
    const { iban, account_number = '' } = bank
    return { account: (iban ?? bareNumber(account_number)).toUpperCase() }
  }
  if (wallet !== undefined) {
    return { wallet: oneSpelling(wallet.deposit_address) }
  }
  if (key !== undefined) {
    const deposit_key = (key.deposit_key ?? '').replace(/\s/g, '').toLowerCase()
    return { network: paymentNetworkName(key.type), deposit_key }
  }
  return { transfer: service_account?.deposit_address ?? '' }
}
