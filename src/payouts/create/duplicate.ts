// Whether a payout is likely a duplicate: another recent payout has the same fingerprint. Pure: the
// state has the earlier fingerprints, and decisions add their own.
import { bareNumber, canonicalDestination } from '../../parties/beneficiary/destination.ts'
import type { BeneficiaryRequest, DestinationDetails } from '../../parties/beneficiary/request.ts'
import { oneSpelling } from '../../parties/beneficiary/wallet-address.ts'
import { comparable } from '../../parties/entity/comparable.ts'
import { hashJson } from '../../values/digest.ts'
import { refusal } from '../../values/errors.ts'
import { nameOf } from '../../values/id.ts'
import { type Instant, plusMilliseconds, secondsBetween } from '../../values/instant.ts'
import type { Fingerprints, Payout } from '../payout.ts'

/**
 * The SHA-256 of JSON with sorted keys: name, destination, amount, currency and the caller's
 * reference, '' for none. It leaves out the beneficiary's other details, because a retry with a
 * corrected e-mail address must not pay twice (docs/decisions/creating-payouts.md).
 */
export function fingerprintOf(
  { name, destination_details }: Pick<BeneficiaryRequest, 'name' | 'destination_details'>,
  payment: {
    readonly amount: bigint | number
    readonly currency: string
    readonly reference_id: string
  },
): string {
  const { amount, currency, reference_id } = payment
  const destination = withoutUnset(comparableAccount(canonicalDestination(destination_details)))
  const to = { name: comparable(name), destination }
  return hashJson({ to, amount: amount.toString(), currency, reference_id })
}

/**
 * A bank account by its bare number and codes, without the bank's name; a wallet by its address in
 * one spelling.
 */
function comparableAccount(destination: DestinationDetails): DestinationDetails {
  const { bank, wallet } = destination
  if (wallet !== undefined) {
    const deposit_address = oneSpelling(wallet.deposit_address)
    return { ...destination, wallet: { ...wallet, deposit_address } }
  }
  if (bank === undefined) return destination
  const { bank_name: _, account_number = '', ...codes } = bank
  return {
    ...destination,
    bank: { ...codes, account_number: bareNumber(account_number) },
  }
}

/** Removes unset members at every depth: '' and {}. */
function withoutUnset(value: object): object {
  const members = Object.entries(value)
    .map(([name, member]) => [name, typeof member === 'object' ? withoutUnset(member) : member])
    .filter(([, member]) => !isUnset(member))
  return Object.fromEntries(members)
}

function isUnset(member: unknown): boolean {
  return typeof member === 'string' ? member === '' : Object.keys(Object(member)).length === 0
}

/**
 * Refuses (409) a payout if another payout of the account has its fingerprint and was made within
 * `duplicate_window_s`, by the account's clock.
 */
export function refuseDuplicate(
  fingerprints: Fingerprints,
  account: { readonly account_id: string; readonly duplicate_window_s: number },
  fingerprint: string,
  now: Instant,
): void {
  const earlier = fingerprints.get(nameOf({ account_id: account.account_id, id: fingerprint }))
  if (earlier === undefined) return
  const { payout_id, created_at } = earlier
  if (now >= plusMilliseconds(created_at, account.duplicate_window_s * 1000)) return
  const age_s = secondsBetween(created_at, now)
  const message =
    `Payout ${payout_id}, made ${age_s} s ago, has the same beneficiary, amount, currency and ` +
    'reference_id. If this is another payment, send allow_duplicate.'
  throw refusal('possible_duplicate_payout', message, 'allow_duplicate')
}

export function fingerprintOfPayout(payout: Payout) {
  const { account_id, id: payout_id, amount, currency, particulars } = payout
  const payment = { amount, currency, reference_id: particulars.reference_id }
  return { account_id, payout_id, fingerprint: fingerprintOf(payout.beneficiary_details, payment) }
}
