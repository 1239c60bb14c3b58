// Describes approval rules in words: their conditions, and the approvers they require. Pure.
import { currencyExponent } from '../../values/money/currency.ts'
import { formatMajor } from '../../values/money/decimal.ts'
import type { ApprovalRule, RuleConditions } from './approval.ts'

/** The rule's conditions: `payouts of account acc_1 from USD 10000.00 on`. */
export function ruleWords(rule: RuleConditions): string {
  const { account_id, key_id, payout_type, network, country, currency, new_payee } = rule
  const { subject, at_least, at_least_currency } = rule
  const from =
    at_least === null || at_least_currency === null
      ? ''
      : `from ${at_least_currency} ${formatMajor(at_least, currencyExponent(at_least_currency))} on`
  const words = [
    subject === 'payout' ? 'payouts of' : 'new and changed beneficiaries of',
    account_id === null ? 'each account' : `account ${account_id}`,
    key_id === null ? '' : `by key ${key_id}`,
    payout_type === null ? '' : `of type ${payout_type}`,
    network === null ? '' : `over network ${network}`,
    country === null ? '' : `to country ${country}`,
    currency === null ? '' : `in ${currency}`,
    from,
    new_payee ? 'to new payees' : '',
  ]
  return words.filter(word => word !== '').join(' ')
}

/** The approvers that a rule requires: `2 approvers within 30 days`. */
export function neededWords({
  approvers,
  expires_after_days: days,
}: Pick<ApprovalRule, 'approvers' | 'expires_after_days'>): string {
  const people = approvers === 1 ? 'one approver' : `${approvers} approvers`
  return `${people} within ${days === 1 ? 'a day' : `${days} days`}`
}
