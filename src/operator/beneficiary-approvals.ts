// What approvers do with beneficiaries: a person approves or rejects one before it is paid.
import type { OpenBeneficiaryApproval } from '../approval/approval.ts'
import type { AskedDecision } from '../approval/rules.ts'
import { findApprovers } from '../approval/store.ts'
import type { DecidedBeneficiary, DecidingState } from '../beneficiary/approval.ts'
import {
  type DecideBeneficiary,
  decideBeneficiaryApproval,
} from '../beneficiary/approval-operation.ts'
import { findLatestApprovals } from '../beneficiary/approval-store.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { findAccountOf } from '../db/keys.ts'
import { type Key, nameOf } from '../id.ts'
import { type Deed, Unknown } from './deed.ts'

/** The account of a beneficiary. Refuses an id that none has. */
export async function accountOfBeneficiary(audit: Sql, id: string): Promise<string> {
  const account_id = await findAccountOf(audit, 'beneficiaries', id)
  if (account_id === undefined) throw new Unknown('beneficiary', id)
  return account_id
}

/** A person decides about a beneficiary, whose account must have them as an approver. */
export function decidingBeneficiary(
  { account_id, id }: Key,
  asked: AskedDecision,
): Deed<DecideBeneficiary, DecidingState, DecidedBeneficiary> {
  return {
    operation: decideBeneficiaryApproval,
    command: { account_id, id, asked },
    act: ({ beneficiary: { approval: status }, decision: { digest } }) => ({
      table_name: 'beneficiary_approvals',
      reason: asked.reason,
      before: { account_id, id, status: 'pending_approval' },
      after: { account_id, id, status, decision: asked.decision, digest },
    }),
  }
}

/** What was asked last of a beneficiary, and who may decide about it. */
export interface ShownBeneficiaryApproval {
  readonly open: OpenBeneficiaryApproval
  readonly approvers: ReadonlySet<string>
}

/** Undefined of a beneficiary that has needed no approval. */
export async function findBeneficiaryApproval(
  tx: TransactionSql,
  key: Key,
): Promise<ShownBeneficiaryApproval | undefined> {
  const [found, approvers] = await Promise.all([
    findLatestApprovals(tx, [key]),
    findApprovers(tx, [key.account_id]),
  ])
  const open = found.get(nameOf(key))
  return open && { open, approvers: approvers.get(key.account_id) ?? new Set() }
}
