// Checks whether an ACH entry can carry a payment, and finds the values of the entry. Pure.
import { bankCodeFault } from '../../parties/beneficiary/bank-code.ts'
import type { BankProfile, FileItem } from '../../values/bank-format/bank-format.ts'
import { formatMajor } from '../../values/money/decimal.ts'
import { swiftText } from '../../values/text/swift-text.ts'
import { SAME_DAY_LIMIT } from './settlement.ts'

/** The largest amount of an entry: ten digits of cents. */
const MOST_CENTS = 9_999_999_999n

/** The codes of credits, by the kind of the receiver's account. */
export const TRANSACTION_CODES = { checking: '22', savings: '32' } as const

/** A clearing code of ISO 20022 begins with its system. */
const CLEARING_SYSTEM = 'USABA'

/** ISO's purpose codes of wages and bonuses. Nacha describes them as PAYROLL since 2026-03-20. */
const PAYROLL_PURPOSES: ReadonlySet<string> = new Set(['SALA', 'PAYR', 'BONU'])

/** The routing number of the receiver's bank; '' for the code of another clearing system. */
export function routingNumber({ creditor }: Pick<FileItem, 'creditor'>): string {
  const { clearing_code } = creditor
  return clearing_code.startsWith(CLEARING_SYSTEM)
    ? clearing_code.slice(CLEARING_SYSTEM.length)
    : ''
}

/** The receiver's account number without spaces, as in an entry. */
export function accountNumber({ creditor }: Pick<FileItem, 'creditor'>): string {
  return creditor.account.replaceAll(' ', '')
}

export function isPayroll({ creditor, purpose }: Pick<FileItem, 'creditor' | 'purpose'>): boolean {
  return creditor.kind === 'person' && PAYROLL_PURPOSES.has(purpose)
}

/** Whether nine digits are a routing number with a correct check digit. */
export function isRoutingNumber(digits: string): boolean {
  return bankCodeFault('aba', digits, 'US') === undefined
}

/** Why an ACH file cannot carry this payment; [] when it can. */
export function checkItem(item: FileItem, { nacha }: BankProfile): string[] {
  const { amount, currency, creditor, end_to_end_id } = item
  const account = accountNumber(item)
  const same_day = nacha?.same_day === true
  const most = same_day ? SAME_DAY_LIMIT : MOST_CENTS
  const carrier = `an ACH entry carries${same_day ? ' on the same day' : ''}`
  const rules: readonly (readonly [holds: boolean, fault: string])[] = [
    [nacha !== null, 'the profile has no nacha'],
    [currency === 'USD', `ACH pays USD, not ${currency}`],
    [amount > 0n, 'the amount is not positive'],
    [amount <= most, `${formatMajor(amount, 2)} is more than ${carrier}, ${formatMajor(most, 2)}`],
    [/^[0-9A-Z]{15}$/.test(end_to_end_id), 'the end-to-end id is not 15 characters 0-9 A-Z'],
    [
      isRoutingNumber(routingNumber(item)),
      'the creditor has no routing number of the United States with a right check digit',
    ],
    [account !== '', 'the creditor has no account number; ACH knows no IBAN'],
    [
      account === '' || /^[0-9A-Za-z-]{1,17}$/.test(account),
      'an account number of ACH has at most 17 letters, digits and hyphens',
    ],
    [/[0-9A-Za-z]/.test(swiftText(creditor.name)), 'the creditor has no name in Latin letters'],
  ]
  return rules.flatMap(([holds, fault]) => (holds ? [] : [fault]))
}
