// The exceptions that the evidence of a bank raises, and their words. Pure.

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
