// The failure that an account reads when a bank gives a reason, with the bank's own code, and the
// exceptions that a person must look at. Pure.
import type { Failure } from '../../rails/rail.ts'
import { type ReasonCause, reasonOf, type Scheme } from '../../values/bank-format/reason.ts'

/** For each cause: the number behind PF (failed) or PR (reversed), and the category. */
const FAILURES = {
  unspecified: ['000500', 'bank'],
  account_invalid: ['000510', 'account'],
  account_closed: ['000511', 'account'],
  account_blocked: ['000512', 'account'],
  bank_invalid: ['000513', 'account'],
  party_mismatch: ['000520', 'party'],
  address_invalid: ['000521', 'party'],
  refused: ['000530', 'receiver'],
  amount: ['000540', 'amount'],
  funds: ['000550', 'bank'],
  unexecuted: ['000550', 'bank'],
  authorization: ['000555', 'bank'],
  regulatory: ['000560', 'regulatory'],
  technical: ['000570', 'technical'],
  format: ['000575', 'technical'],
  date: ['000580', 'date'],
  duplicate: ['000590', 'duplicate'],
  cancelled: ['000595', 'cancelled'],
} as const

const NO_REASON = 'The bank gives no reason that says more.'

type FailureCause = keyof typeof FAILURES

/** Why a bank did not pay, or returned money; undefined for an unknown code. */
export function causeOf(scheme: Scheme, code: string): ReasonCause | undefined {
  return reasonOf(scheme, code)?.cause
}

/** Whether the payment missed the bank's cut-off, or the bank moved its day. */
export function isMissedCutOff(scheme: Scheme, code: string): boolean {
  return reasonOf(scheme, code)?.cut_off === true
}

/**
 * The failure that the account reads, by the first code that says most. Its message lists all codes
 * as the bank wrote them.
 */
export function failureOf(
  scheme: Scheme,
  codes: readonly string[],
  status: 'failed' | 'reversed',
): Failure {
  const known = codes.flatMap(code => {
    const { cause, words } = reasonOf(scheme, code, status === 'reversed') ?? {}
    return cause !== undefined && words !== undefined && isFailure(cause) ? [{ cause, words }] : []
  })
  const { cause, words } = known.find(({ cause }) => cause !== 'unspecified') ??
    known[0] ?? { cause: 'unspecified', words: NO_REASON }
  const [number, category] = FAILURES[cause]
  const list = codes.length === 0 ? '' : ` (${codes.join(', ')})`
  return {
    code: `${status === 'failed' ? 'PF' : 'PR'}${number}`,
    category,
    message: `${words.slice(0, -1)}${list}.`,
  }
}

function isFailure(cause: ReasonCause): cause is FailureCause {
  return Object.hasOwn(FAILURES, cause)
}

/** The exceptions that a person must look at, by kind, the gravest first. */
export const EXCEPTIONS = {
  second_debit: 'The bank has debited the payment twice.',
  rejected_but_booked: 'The bank has rejected the payment, and its debit is booked.',
  paid_after_rejection: 'The bank has rejected the payment, and then says that it pays.',
  contradiction: 'The bank says that it pays and that it does not.',
  second_return: 'The bank has returned the payment twice.',
  amount_differs: 'The bank names another amount or currency.',
  duplicate: 'The bank takes the payment for a repetition of one that it has.',
  group_rejected: 'The bank has rejected the group that the payment is in, and not the payment.',
  no_funds: 'The settlement account is short.',
  needs_person: 'The bank waits for a person: a second signature, or the name of the payee.',
  silence_unproved:
    'The time in which the bank may refuse is over, and its silence proves nothing.',
  // The last, because it holds nothing back (rails/attempt.ts) and must hide none that does.
  credit_unmarked:
    'Money came in with the id of the payment, and the bank does not call it a return.',
} as const

export type ExceptionKind = keyof typeof EXCEPTIONS

/** The words of an exception, with the bank's own codes or the reason in brackets. */
export function withCodes(text: string, codes: readonly string[]): string {
  return codes.length === 0 ? text : `${text.slice(0, -1)} (${codes.join(', ')}).`
}
