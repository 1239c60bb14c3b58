// The meanings of a bank's reason codes, ISO 20022's and NACHA's, with the failure that an account
// reads. Its message contains the bank's own code. Pure.
import type { Failure } from '../rail/rail.ts'

/** For each cause: the number behind PF (failed) or PR (reversed), the category, the message. */
const FAILURES = {
  unspecified: ['000500', 'bank', 'The bank gives no reason that says more.'],
  account_invalid: ['000510', 'account', 'The account does not exist.'],
  account_closed: ['000511', 'account', 'The account is closed.'],
  account_blocked: ['000512', 'account', 'The account is blocked, or takes no such payments.'],
  bank_invalid: [
    '000513',
    'account',
    'The code of the bank is wrong, or the bank takes no such payments.',
  ],
  party_mismatch: ['000520', 'party', 'The name does not fit the account.'],
  address_invalid: ['000521', 'party', 'The address is missing or incomplete.'],
  refused: ['000530', 'receiver', 'The beneficiary has refused the payment.'],
  amount: ['000540', 'amount', 'The bank does not pay this amount or currency.'],
  funds: ['000550', 'bank', 'The bank has not executed the payment.'],
  regulatory: [
    '000560',
    'regulatory',
    'The payment lacks what the law asks for, or the law forbids it.',
  ],
  technical: [
    '000570',
    'technical',
    'A system between the banks has failed, or could not read the payment.',
  ],
  date: ['000580', 'date', 'The bank does not pay on the date that was asked for.'],
  duplicate: ['000590', 'duplicate', 'The bank takes the payment for a repetition.'],
  cancelled: ['000595', 'cancelled', 'The payment was cancelled at the bank.'],
} as const

type FailureCause = keyof typeof FAILURES

/** Why a bank did not pay, or returned money. A positive reason is never a failure. */
export type Cause = FailureCause | 'positive'

/** The codes of each cause, separated by blanks. */
type Codes = Readonly<Partial<Record<Cause, string>>>

/** ExternalStatusReason1Code and ExternalReturnReason1Code. */
const ISO: Codes = {
  account_invalid: 'AC01 AC02 AC03',
  account_closed: 'AC04 AC07',
  account_blocked: 'AC06 AC13 AC14 AG01 AG03',
  bank_invalid: 'RC01 RC02 RC03 RC04 RC05 RC06 RC07 RC08 RC09 RC10 AGNT',
  party_mismatch: 'BE01 BE06 BE22 BE23 RVNM',
  address_invalid: 'BE04 BE07 BE10 BE11',
  refused: 'CUST MD06 NOAS FOCR',
  amount: 'AM01 AM02 AM03 AM06 AM09 AM11 AM12 AM13 AM14 CURR',
  funds: 'AM04',
  duplicate: 'AM05 DUPL DU01 DU02 DU03 DU04 DU05',
  regulatory: 'RR01 RR02 RR03 RR04 RR05 RR06 RR07 RR08 RR09 RR10 RR11 RR12 AM07 LEGL FRAD FR01',
  technical: 'AB01 AB02 AB03 AB04 AB05 AB06 AB07 AB08 AB09 AB10 FF10 ED05',
  date: 'DT01 DT02 DT03 DT04 DT05 DT06',
  // DS02: the order was cancelled. CUTA: it is being cancelled.
  cancelled: 'DS02 CUTA',
  positive: 'DS01 DS05 DS07',
  unspecified: 'MS02 MS03 NARR',
}

/** Return reason codes, as they apply to credits. */
const NACHA: Codes = {
  account_invalid: 'R03 R04 R17',
  account_closed: 'R02',
  account_blocked: 'R16 R20',
  bank_invalid: 'R12 R13 R28',
  party_mismatch: 'R14 R15 R21 R22',
  refused: 'R23',
  amount: 'R19',
  duplicate: 'R24',
  technical: 'R25 R26 R27',
  date: 'R18',
  cancelled: 'R06',
}

function causesByCode(codes: Codes): ReadonlyMap<string, Cause> {
  const causes = Object.entries(codes) as [Cause, string][]
  return new Map(causes.flatMap(([cause, list]) => list.split(' ').map(code => [code, cause])))
}

const SCHEMES = { iso20022: causesByCode(ISO), nacha: causesByCode(NACHA) }
export type Scheme = keyof typeof SCHEMES

/** The cause of a code; undefined for an unknown code. */
export function causeOf(scheme: Scheme, code: string): Cause | undefined {
  return SCHEMES[scheme].get(code)
}

/**
 * The failure that the account reads, by the first code with a specific cause. Its message lists
 * all codes as the bank wrote them.
 */
export function failureOf(
  scheme: Scheme,
  reasons: readonly string[],
  status: 'failed' | 'reversed',
): Failure {
  const causes = reasons.map(code => causeOf(scheme, code)).filter(isSpecific)
  const [number, category, message] = FAILURES[causes[0] ?? 'unspecified']
  const codes = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
  return {
    code: `${status === 'failed' ? 'PF' : 'PR'}${number}`,
    category,
    message: `${message.slice(0, -1)}${codes}.`,
  }
}

function isSpecific(cause: Cause | undefined): cause is FailureCause {
  return cause !== undefined && cause !== 'unspecified' && cause !== 'positive'
}
