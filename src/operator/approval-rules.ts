// Adds, lists and removes approval rules. A rule never changes. A payout that waits by a removed
// rule goes on waiting.
import { listApiKeys } from '../account/store.ts'
import type { ApprovalRule } from '../approval/approval.ts'
import { type RuleCells, readRule } from '../approval/load.ts'
import { deleteRule, insertRule, listRules } from '../approval/rule-store.ts'
import type { Sql } from '../db/connect.ts'
import { newId } from '../id.ts'
import { amountToJson } from '../money/json.ts'
import { COUNTRIES } from '../network/country.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import type { Read } from '../text/csv.ts'
import { accountNamed } from './accounts.ts'
import { known } from './deed.ts'
import { networkName } from './limits.ts'

/** Adds a rule for payouts made from now on, or returns all that is wrong with its text. */
export async function addRule(sql: Sql, cells: RuleCells): Promise<Read<ApprovalRule>> {
  if (cells.account !== undefined) await accountNamed(sql, cells.account)
  const keys = await listApiKeys(sql)
  const read = readRule(cells, {
    keys: new Map(keys.map(key => [key.key_id, key.account_id])),
    types: PAYOUT_TYPES,
    countries: COUNTRIES,
    networkName,
  })
  if (read.messages !== undefined) return read
  const rule = { ...read.value, rule_id: newId('apr') }
  await insertRule(sql, rule)
  return { value: rule }
}

/** All rules; with an account, those that may fit its payouts. Refuses (404) an unknown account. */
export async function rulesFor(sql: Sql, account?: string): Promise<readonly ApprovalRule[]> {
  if (account === undefined) return listRules(sql)
  await accountNamed(sql, account)
  return (await listRules(sql)).filter(
    ({ account_id }) => account_id === null || account_id === account,
  )
}

/** Removes a rule, and returns it. Refuses (404) an id that no rule has. */
export async function removeRule(sql: Sql, rule_id: string): Promise<ApprovalRule> {
  const rule = (await listRules(sql)).find(one => one.rule_id === rule_id)
  return known('approval rule', rule_id, (await deleteRule(sql, rule_id)) ? rule : undefined)
}

/** A rule as operators see it. Its amount is in minor units. */
export function presentRule(rule: ApprovalRule) {
  return { ...rule, at_least: rule.at_least === null ? null : amountToJson(rule.at_least) }
}
