// The meanings of return codes and change codes. Source: Nacha Operating Rules, Appendix Four
// (Return Reason Codes) and Five (Change Codes). Pure.

/**
 * The banking day after settlement by whose opening most returns of credits reach the sending bank
 * (section 3.8). R06, R23 and R31 may come later.
 */
export const RETURN_DAYS = 2

/** Codes of returned credits. */
const RETURNS: Readonly<Record<string, string>> = {
  R01: 'insufficient funds',
  R02: 'account closed',
  R03: 'no account, or its holder is another',
  R04: 'account number invalid',
  R06: 'returned as the sending bank has asked',
  R08: 'payment stopped',
  R09: 'uncollected funds',
  R12: 'account at a branch that was sold to another bank',
  R13: 'routing number not of a bank that takes ACH',
  R14: 'representative payee deceased, or no longer acts as such',
  R15: 'receiver or account holder deceased',
  R16: 'account frozen, or stopped by OFAC',
  R17: 'a field cannot be processed, or the entry is suspect',
  R18: 'effective entry date wrong',
  R19: 'amount wrong',
  R20: 'account that takes no payments',
  R21: 'company identification wrong',
  R22: 'individual identification wrong',
  R23: 'refused by the receiver',
  R24: 'duplicate entry',
  R25: 'addenda wrong',
  R26: 'mandatory field wrong',
  R27: 'trace number wrong',
  R28: 'check digit of the routing number wrong',
  R29: 'company says that it is not authorized',
  R30: 'bank takes no truncated checks',
  R31: 'returned late with the consent of the sending bank',
  R32: 'receiving bank cannot settle',
  R34: 'receiving bank takes part in the network within limits',
  R35: 'debit that is not allowed',
  R36: 'credit that is not allowed',
  R39: 'source document improper, or presented for payment',
  R50: 'state law forbids such a check',
  R80: 'international entry coded wrong',
  R81: 'bank takes no international entries',
  R82: 'foreign bank wrong',
  R83: 'foreign bank cannot settle',
  R84: 'not processed by the gateway',
  R85: 'international payment coded as a domestic one',
}

/** Codes of unauthorized debits, which may come back for sixty days. */
const DEBIT_RETURNS: Readonly<Record<string, string>> = {
  R05: 'debit of a consumer with a code of companies',
  R07: 'authorization revoked',
  R10: 'originator not known to the receiver, or not authorized',
  R11: 'not as it was authorized',
  R33: 'returned check',
  R37: 'source document presented for payment',
  R38: 'source document stopped',
  R51: 'check that may not be presented so',
  R52: 'check stopped',
  R53: 'check and entry presented for payment',
}

/** Answers to returns, which the banks settle between them. */
const ANSWERS_TO_RETURNS: Readonly<Record<string, string>> = {
  R61: 'return sent to the wrong bank',
  R62: 'return of an erroneous or reversing debit',
  R67: 'returned twice',
  R68: 'returned too late',
  R69: 'fields of the return wrong',
  R70: 'late return without consent',
  R71: 'dishonored return sent to the wrong bank',
  R72: 'dishonored too late',
  R73: 'returned in time',
  R74: 'return corrected',
  R75: 'was no second return',
  R76: 'return without errors',
  R77: 'not accepted again',
}

const CHANGES: Readonly<Record<string, string>> = {
  C01: 'account number',
  C02: 'routing number',
  C03: 'routing number and account number',
  C04: 'name of the receiver',
  C05: 'transaction code, which is the kind of the account',
  C06: 'account number and transaction code',
  C07: 'routing number, account number and transaction code',
  C08: 'foreign bank',
  C09: 'individual identification',
  C10: 'name of the company',
  C11: 'identification of the company',
  C12: 'name and identification of the company',
  C13: 'format of the addenda',
  C14: 'entry class of an international payment',
}

/**
 * The title of a code, for people, and whether money has come back. It has with every code but an
 * answer to a return, even with an unknown code.
 */
export function readReturnCode(code: string): { is_return: boolean; title: string } {
  const answer = ANSWERS_TO_RETURNS[code]
  if (answer !== undefined) return { is_return: false, title: `answer to a return: ${answer}` }
  const of_debit = DEBIT_RETURNS[code]
  // Some banks use the nearest code that they know. The money has come back all the same.
  if (of_debit !== undefined) return { is_return: true, title: `${of_debit} (a code of debits)` }
  return { is_return: true, title: RETURNS[code] ?? 'returned with a code that is not known' }
}

/** The field that a change code asks to change in later entries, as text for people. */
export function changeTitle(code: string): string {
  const title = CHANGES[code]
  if (title !== undefined) return `to be changed: ${title}`
  if (/^C6\d$/.test(code)) return 'a notification of change was refused'
  return 'a code that is not known'
}
