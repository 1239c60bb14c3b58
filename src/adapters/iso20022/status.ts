// The meanings of the status codes of ISO 20022 for a payment: ExternalPaymentGroupStatus1Code and
// ExternalPaymentTransactionStatus1Code. Banks use some codes differently, so a profile may change
// a meaning. Pure.

/**
 * `received`: the bank has the payment. `pending`: the bank has not decided. `accepted`: the bank
 * will execute it. `settled`: the bank has debited our account. `rejected`, `cancelled`: the bank
 * never executes it. `requires_action`: the account must answer. `operator`: an operator must look.
 * `nothing`: the code says nothing about a single payment.
 */
export const MEANINGS = [
  'received',
  'pending',
  'accepted',
  'settled',
  'rejected',
  'cancelled',
  'requires_action',
  'operator',
  'nothing',
] as const

export type Meaning = (typeof MEANINGS)[number]

const STANDARD: Readonly<Record<string, Meaning>> = {
  // Technical validation is not acceptance.
  ...{ RCVD: 'received', ACTC: 'received', RVNA: 'received', RCVC: 'received' },
  PDNG: 'pending',
  ...{ ACCP: 'accepted', ACFC: 'accepted', ACSP: 'accepted', ACWC: 'accepted' },
  ...{ ACWP: 'accepted', ACPD: 'accepted' },
  ...{ ACSC: 'settled', ACCC: 'settled' },
  RJCT: 'rejected',
  CANC: 'cancelled',
  // A second signature or a confirmation is outstanding, or the payment is blocked.
  ...{ PATC: 'operator', ACFW: 'operator', BLCK: 'operator' },
  // Verification of payee: no match, close match, mismatches in the file, not complete.
  ...{ RVNM: 'operator', RVMC: 'operator', RVCM: 'operator', RVNC: 'operator' },
  // Parts of a file were rejected: the bank names each of them.
  ...{ PART: 'nothing', PRES: 'nothing', CPUC: 'nothing', ACIS: 'nothing' },
}

export const STATUS_CODES: readonly string[] = Object.keys(STANDARD)

/** The meaning in the bank's profile, or in the standard; `nothing` for other codes. */
export function meaningOf(code: string, meanings: Readonly<Record<string, string>>): Meaning {
  const own = Object.hasOwn(meanings, code) ? meanings[code] : undefined
  const known = MEANINGS.find(meaning => meaning === own)
  return known ?? (Object.hasOwn(STANDARD, code) ? (STANDARD[code] ?? 'nothing') : 'nothing')
}
