// What a bank's reason means to us: the reason codes of ISO 20022 and the return codes of NACHA,
// each with the failure that an account reads. The bank's own code stands in the message. Pure.
import type { Failure } from '../rail/rail.ts'

export type Scheme = 'iso20022' | 'nacha'

/** Why a bank did not pay, or gave money back. */
export type Cause =
  | 'account_invalid'
  | 'account_closed'
  | 'account_blocked'
  | 'bank_invalid'
  | 'party_mismatch'
  | 'address_invalid'
  | 'refused'
  | 'amount'
  | 'funds'
  | 'duplicate'
  | 'regulatory'
  | 'technical'
  | 'date'
  | 'cancelled'
  /** Says that something is in order: no failure, wherever it stands. */
  | 'positive'
  | 'unspecified'

interface Meaning {
  /** Behind PF (failed) or PR (reversed). */
  readonly number: string
  readonly category: string
  readonly message: string
}

const MEANINGS: Readonly<Record<Exclude<Cause, 'positive'>, Meaning>> = {
  unspecified: {
    number: '000500',
    category: 'bank',
    message: 'The bank gives no reason that says more.',
  },
  account_invalid: {
    number: '000510',
    category: 'account',
    message: 'The account does not exist.',
  },
  account_closed: { number: '000511', category: 'account', message: 'The account is closed.' },
  account_blocked: {
    number: '000512',
    category: 'account',
    message: 'The account is blocked, or takes no such payments.',
  },
  bank_invalid: {
    number: '000513',
    category: 'account',
    message: 'The code of the bank is wrong, or the bank takes no such payments.',
  },
  party_mismatch: {
    number: '000520',
    category: 'party',
    message: 'The name does not fit the account.',
  },
  address_invalid: {
    number: '000521',
    category: 'party',
    message: 'The address is missing or incomplete.',
  },
  refused: {
    number: '000530',
    category: 'receiver',
    message: 'The beneficiary has refused the payment.',
  },
  amount: {
    number: '000540',
    category: 'amount',
    message: 'The bank does not pay this amount or currency.',
  },
  funds: {
    number: '000550',
    category: 'bank',
    message: 'The bank has not executed the payment.',
  },
  regulatory: {
    number: '000560',
    category: 'regulatory',
    message: 'The payment lacks what the law asks for, or the law forbids it.',
  },
  technical: {
    number: '000570',
    category: 'technical',
    message: 'A system between the banks has failed, or could not read the payment.',
  },
  date: {
    number: '000580',
    category: 'date',
    message: 'The bank does not pay on the date that was asked for.',
  },
  duplicate: {
    number: '000590',
    category: 'duplicate',
    message: 'The bank takes the payment for a repetition.',
  },
  cancelled: {
    number: '000595',
    category: 'cancelled',
    message: 'The payment was cancelled at the bank.',
  },
}

/** ExternalStatusReason1Code and ExternalReturnReason1Code. */
const ISO: Readonly<Record<string, Cause>> = {
  ...{ AC01: 'account_invalid', AC02: 'account_invalid', AC03: 'account_invalid' },
  ...{ AC04: 'account_closed', AC07: 'account_closed' },
  ...{ AC06: 'account_blocked', AC14: 'account_blocked', AG01: 'account_blocked' },
  ...{ AG03: 'account_blocked', AC13: 'account_blocked' },
  ...{ RC01: 'bank_invalid', RC03: 'bank_invalid', RC04: 'bank_invalid', RC07: 'bank_invalid' },
  ...{ RC02: 'bank_invalid', RC05: 'bank_invalid', RC06: 'bank_invalid', RC08: 'bank_invalid' },
  ...{ RC09: 'bank_invalid', RC10: 'bank_invalid', AGNT: 'bank_invalid' },
  ...{ BE01: 'party_mismatch', BE06: 'party_mismatch', RVNM: 'party_mismatch' },
  ...{ BE22: 'party_mismatch', BE23: 'party_mismatch' },
  ...{ BE04: 'address_invalid', BE07: 'address_invalid', BE10: 'address_invalid' },
  ...{ BE11: 'address_invalid' },
  ...{ CUST: 'refused', MD06: 'refused', NOAS: 'refused', FOCR: 'refused' },
  ...{ AM01: 'amount', AM02: 'amount', AM03: 'amount', AM06: 'amount', AM09: 'amount' },
  ...{ AM11: 'amount', AM12: 'amount', AM13: 'amount', AM14: 'amount', CURR: 'amount' },
  AM04: 'funds',
  ...{ AM05: 'duplicate', DUPL: 'duplicate', DU01: 'duplicate', DU02: 'duplicate' },
  ...{ DU03: 'duplicate', DU04: 'duplicate', DU05: 'duplicate' },
  ...{ RR01: 'regulatory', RR02: 'regulatory', RR03: 'regulatory', RR04: 'regulatory' },
  ...{ RR05: 'regulatory', RR06: 'regulatory', RR07: 'regulatory', RR08: 'regulatory' },
  ...{ RR09: 'regulatory', RR10: 'regulatory', RR11: 'regulatory', RR12: 'regulatory' },
  ...{ AM07: 'regulatory', LEGL: 'regulatory', FRAD: 'regulatory', FR01: 'regulatory' },
  ...{ AB01: 'technical', AB02: 'technical', AB03: 'technical', AB04: 'technical' },
  ...{ AB05: 'technical', AB06: 'technical', AB07: 'technical', AB08: 'technical' },
  ...{ AB09: 'technical', AB10: 'technical', FF10: 'technical', ED05: 'technical' },
  ...{ DT01: 'date', DT02: 'date', DT03: 'date', DT04: 'date', DT05: 'date', DT06: 'date' },
  // The order was cancelled, or handed over for cancellation.
  ...{ DS02: 'cancelled', CUTA: 'cancelled' },
  ...{ DS01: 'positive', DS05: 'positive', DS07: 'positive' },
  ...{ MS02: 'unspecified', MS03: 'unspecified', NARR: 'unspecified' },
}

/** Return reason codes as they concern credits. */
const NACHA: Readonly<Record<string, Cause>> = {
  R02: 'account_closed',
  ...{ R03: 'account_invalid', R04: 'account_invalid' },
  ...{ R12: 'bank_invalid', R13: 'bank_invalid' },
  ...{ R14: 'party_mismatch', R15: 'party_mismatch', R17: 'account_invalid' },
  ...{ R16: 'account_blocked', R20: 'account_blocked' },
  ...{ R21: 'party_mismatch', R22: 'party_mismatch' },
  R23: 'refused',
  R24: 'duplicate',
  R06: 'cancelled',
  ...{ R18: 'date' },
  ...{ R19: 'amount' },
  ...{ R25: 'technical', R26: 'technical', R27: 'technical', R28: 'bank_invalid' },
}

const SCHEMES: Readonly<Record<Scheme, Readonly<Record<string, Cause>>>> = {
  iso20022: ISO,
  nacha: NACHA,
}

/** The cause of a code; undefined for one that is not known. */
export function causeOf(scheme: Scheme, code: string): Cause | undefined {
  const codes = SCHEMES[scheme]
  return Object.hasOwn(codes, code) ? codes[code] : undefined
}

/**
 * The failure that the account reads. The first code that says more than nothing decides; all of
 * them stand in the message as the bank wrote them.
 */
export function failureOf(
  scheme: Scheme,
  reasons: readonly string[],
  status: 'failed' | 'reversed',
): Failure {
  const causes = reasons.map(code => causeOf(scheme, code)).filter(isTelling)
  const { number, category, message } = MEANINGS[causes[0] ?? 'unspecified']
  const codes = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
  return {
    code: `${status === 'failed' ? 'PF' : 'PR'}${number}`,
    category,
    message: `${message.slice(0, -1)}${codes}.`,
  }
}

function isTelling(cause: Cause | undefined): cause is Exclude<Cause, 'positive'> {
  return cause !== undefined && cause !== 'unspecified' && cause !== 'positive'
}
