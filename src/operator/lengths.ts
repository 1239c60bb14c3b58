// The longest texts of operators, by a command and by the API.

/** The longest name of an account; statements print it. */
export const MAX_NAME = 200

/** The longest reference of a payment, and the longest reason of an operator. */
export const MAX_REFERENCE = 140
export const MAX_REASON = 500
