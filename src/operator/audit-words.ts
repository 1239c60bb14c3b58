// A change of the audit log in words. Describes approval rules and limits whole, as lists of them
// do. Pure.
import type { RuleConditions } from '../controls/approval/approval.ts'
import { neededWords, ruleWords } from '../controls/approval/words.ts'
import type { LimitKind } from '../controls/limit/limit.ts'
import { kindWords, quantity, windowWords } from '../controls/limit/words.ts'
import { type Change, changeWords, type Describers, type Row } from '../ledger/audit/words.ts'
import { groupedNumbers } from '../values/money/words.ts'

/** `added approval rule apr_…: payouts of each account to new payees need one approver …`. */
export function auditWords(change: Change): string {
  return changeWords(change, DESCRIBERS)
}

const DESCRIBERS: Describers = {
  approval_rules: describeRule,
  limits: describeLimit,
}

/** The columns that are numbers. */
const numbersOf = (row: Row, names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, row[name] == null ? null : Number(row[name])]))

function describeRule(row: Row): string {
  const { at_least, new_payee } = row
  const conditions = {
    ...row,
    at_least: at_least == null ? null : BigInt(at_least),
    new_payee: new_payee === 'true',
  } as unknown as RuleConditions
  const { approvers, expires_after_days } = row
  const needed = neededWords({
    approvers: Number(approvers),
    expires_after_days: Number(expires_after_days),
  })
  return groupedNumbers(`${ruleWords(conditions)} need ${needed}`)
}

function describeLimit(row: Row): string {
  const kind = { ...row, ...numbersOf(row, ['new_for_hours', 'hours']) } as unknown as LimitKind
  const cap = quantity(kind.currency, BigInt(row.cap ?? 0))
  return groupedNumbers(`payouts of ${kindWords(kind)}, at most ${cap} ${windowWords(kind)}`)
}
