// Where the money of a payout goes, in one form, so that limits of each payee recognise it however
// it is written. Pure.
import { canonicalDestination } from '../beneficiary/destination.ts'
import type { DestinationDetails } from '../beneficiary/request.ts'
import { hashJson } from '../seal.ts'

/** Hex digits: 128 bits tell any two payees apart. */
const HALF = 32

/**
 * The account, wallet or key that is paid. Names, banks and their codes are left out: they can be
 * written in many ways, and the same account under another name is the same payee.
 */
export function payeeOf(details: DestinationDetails): string {
  return hashJson(placeOf(canonicalDestination(details))).slice(0, HALF)
}

function placeOf(destination: DestinationDetails): object {
  const { bank, wallet, local_payment_network: key, service_account } = destination
  if (bank !== undefined) {
    const { iban, account_number = '' } = bank
    return { account: (iban ?? account_number.replace(/[\s-]/g, '')).toUpperCase() }
  }
  if (wallet !== undefined) {
    const { deposit_address: address } = wallet
    // In these addresses the letter case is only a checksum.
    return { wallet: /^0x/i.test(address) ? address.toLowerCase() : address }
  }
  if (key !== undefined) {
    const deposit_key = (key.deposit_key ?? '').replace(/\s/g, '').toLowerCase()
    return { network: key.type.toLowerCase(), deposit_key }
  }
  return { transfer: service_account?.deposit_address ?? '' }
}
