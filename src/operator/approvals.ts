// The writes of approvers, who approve or reject what waits, and what they see before.
import type { ApproversOfAccount } from '../controls/approval/approval.ts'
import type { AskedDecision } from '../controls/approval/rules.ts'
import {
  findApprovers,
  findLatestApprovals,
  findOpenApprovals,
} from '../controls/approval/store.ts'
import { decideBeneficiaryApproval } from '../parties/beneficiary/operations.ts'
import { findBeneficiaries } from '../parties/beneficiary/store.ts'
import { advancePayout } from '../payouts/advance/advance-operation.ts'
import { type DecidedGroup, isImport } from '../payouts/group/group.ts'
import { type DecideGroup, decideGroup } from '../payouts/group/operations.ts'
import { findGroupAccount } from '../payouts/group/store.ts'
import { findPayouts } from '../payouts/store.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { importId, type Key, nameOf } from '../values/id.ts'
import { known, writeOf } from './operator-write.ts'

/** The write by which an approver of the account decides about a payout. */
export function decisionWrite({ account_id, id: payout_id }: Key, asked: AskedDecision) {
  const command = { account_id, payout_id, by: 'approval', decided: asked } as const
  return writeOf(advancePayout, command, ({ payout: { id, status }, approval: { decision } }) => ({
    table_name: 'payout_approvals',
    reason: asked.reason,
    before: { account_id, id, status: 'pending_approval' },
    after: { account_id, id, status, decision: asked.decision, digest: decision?.digest ?? '' },
  }))
}

/** The id of a batch's or an import's account. Refuses (404) an unknown id. */
export async function accountOfGroup(audit: Sql, id: string): Promise<string> {
  const kind = isImport(id) ? 'payout import' : 'payout batch'
  return known(kind, id, await findGroupAccount(audit, id))
}

/** The write by which an approver decides about all waiting payouts of a batch or an import. */
export function groupDecisionWrite({ account_id, id: group_id }: Key, asked: AskedDecision) {
  const command: DecideGroup = { account_id, group_id, asked }
  return {
    operation: decideGroup,
    command,
    act: ({ statuses, digest }: DecidedGroup) => {
      const payouts = [...statuses.values()].reduce((sum, count) => sum + count, 0)
      return {
        table_name: 'payout_approvals' as const,
        reason: asked.reason,
        before: { account_id, id: group_id, status: 'pending_approval' },
        after: {
          ...{ account_id, id: group_id, payouts: String(payouts) },
          ...{ decision: asked.decision, digest },
        },
      }
    },
  }
}

/** The write by which an approver of the account decides about a beneficiary. */
export function beneficiaryDecisionWrite({ account_id, id }: Key, asked: AskedDecision) {
  const command = { account_id, id, asked }
  return writeOf(decideBeneficiaryApproval, command, ({ beneficiary, decision: { digest } }) => ({
    table_name: 'beneficiary_approvals',
    reason: asked.reason,
    before: { account_id, id, status: 'pending_approval' },
    after: { account_id, id, status: beneficiary.approval, decision: asked.decision, digest },
  }))
}

/** The approval of a payout; undefined when the payout never needed one. */
export async function findApproval(tx: TransactionSql, key: Key) {
  const [shown, [payout]] = await Promise.all([
    withApprovers(tx, key, findOpenApprovals(tx, [key])),
    findPayouts(tx, [key]),
  ])
  if (shown === undefined || payout === undefined) return undefined
  const { import_keys: keys } = payout
  return { ...shown, payout, payout_import: keys === '' ? '' : importId(key.account_id, keys) }
}

/** The latest approval of a beneficiary; undefined when the beneficiary never needed one. */
export async function findBeneficiaryApproval(tx: TransactionSql, key: Key) {
  const [shown, [beneficiary]] = await Promise.all([
    withApprovers(tx, key, findLatestApprovals(tx, [key])),
    findBeneficiaries(tx, [key]),
  ])
  return shown && beneficiary && { ...shown, beneficiary }
}

/** The approval that `finding` finds, and the approvers of its account. */
async function withApprovers<Open>(
  tx: TransactionSql,
  key: Key,
  finding: Promise<ReadonlyMap<string, Open>>,
): Promise<{ readonly open: Open; readonly approvers: ApproversOfAccount } | undefined> {
  const [found, approvers] = await Promise.all([finding, findApprovers(tx, [key.account_id])])
  const open = found.get(nameOf(key))
  return open && { open, approvers: approvers.get(key.account_id) ?? new Map() }
}
