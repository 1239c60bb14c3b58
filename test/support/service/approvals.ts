// Adds approval rules, reads digests, and decides payouts through their lane.
import type { ApprovalRule } from '../../../src/controls/approval/approval.ts'
import { deleteRule, insertRule } from '../../../src/controls/approval/rule-store.ts'
import type { AskedDecision } from '../../../src/controls/approval/rules.ts'
import { decisionWrite } from '../../../src/operator/approvals.ts'
import { newId } from '../../../src/values/id.ts'
import type { TestService } from './service.ts'

/** A rule for all payouts: one approver, within 30 days. */
export const anyRule: ApprovalRule = {
  rule_id: 'apr_1',
  subject: 'payout',
  account_id: null,
  key_id: null,
  payout_type: null,
  network: null,
  country: null,
  currency: null,
  new_payee: false,
  at_least: null,
  at_least_currency: null,
  approvers: 1,
  expires_after_days: 30,
}

/** Adds a rule; returns the function that removes it. */
export async function addApprovalRule(
  { deps }: Pick<TestService, 'deps'>,
  rule: Partial<ApprovalRule> = {},
): Promise<() => Promise<void>> {
  const rule_id = newId('apr')
  await insertRule(deps.sql, { ...anyRule, ...rule, rule_id })
  return async () => {
    await deleteRule(deps.sql, rule_id)
  }
}

/** The digest of a payout that its approvers see. */
export async function digestOf(
  { database }: Pick<TestService, 'database'>,
  payout_id: string,
): Promise<string> {
  const [row] = await database.owner<{ digest: string }[]>`
    select encode(digest, 'hex') as digest from payout_approvals where payout_id = ${payout_id}`
  return row?.digest ?? ''
}

/** Approves a payout, or decides as `more` says; returns its new status. */
export async function approve(
  service: Pick<TestService, 'deps' | 'database'>,
  who: { readonly account_id: string; readonly payout_id: string; readonly user: string },
  more: Partial<AskedDecision> = {},
): Promise<string> {
  const { account_id, payout_id, user: user_name } = who
  const digest = more.digest ?? (await digestOf(service, payout_id))
  const act = { user_name, decision: 'approve', reason: '', digest, ...more } as const
  const author = { operator: user_name, act: 'payout approve', via: 'api from here', origin: {} }
  const write = decisionWrite({ account_id, id: payout_id }, act)
  const { payout } = await service.deps.operators.run(author, write)
  return payout.status
}
