// The failure that an account reads when a bank gives a reason, with the bank's own code, and the
// exceptions that a person must look at. Pure.
import type { Failure } from '../../rails/rail.ts'
import { type ReasonCause, reasonOf, type Scheme } from '../../values/bank-format/reason.ts'
import { failureOfCause, isFailureCause } from '../../values/failures.ts'

const NO_REASON = 'The bank gives no reason that says more.'

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
    return cause !== undefined && words !== undefined && isFailureCause(cause)
      ? [{ cause, words }]
      : []
  })
  const { cause, words } = known.find(({ cause }) => cause !== 'unspecified') ??
    known[0] ?? { cause: 'unspecified' as const, words: NO_REASON }
  const list = codes.length === 0 ? '' : ` (${codes.join(', ')})`
  return { ...failureOfCause(cause, status), message: `${words.slice(0, -1)}${list}.` }
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
