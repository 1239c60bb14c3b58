// Reads approvals together with the people who may decide about them.
import type { TransactionSql } from '../../sql/connect.ts'
import { type Key, nameOf } from '../../values/id.ts'
import type { ApproversOfAccount, OpenApproval, OpenBeneficiaryApproval } from './approval.ts'
import { findApprovers, findLatestApprovals, findOpenApprovals } from './store.ts'

/** The approval of an object, and the users who may decide about it at this moment. */
export interface Decidable<Open> extends Key {
  readonly open: Open
  readonly approvers: ApproversOfAccount
}

/** The approvals of these payouts. A payout that needed none is left out. */
export function findPayoutApprovals(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Decidable<OpenApproval>[]> {
  return withApprovers(tx, keys, findOpenApprovals(tx, keys))
}

/** The latest approval of each beneficiary. One that needed none is left out. */
export function findBeneficiaryApprovals(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Decidable<OpenBeneficiaryApproval>[]> {
  return withApprovers(tx, keys, findLatestApprovals(tx, keys))
}

async function withApprovers<Open>(
  tx: TransactionSql,
  keys: readonly Key[],
  finding: Promise<ReadonlyMap<string, Open>>,
): Promise<Decidable<Open>[]> {
  const account_ids = keys.map(({ account_id }) => account_id)
  const [found, approvers] = await Promise.all([finding, findApprovers(tx, account_ids)])
  return keys.flatMap(({ account_id, id }) => {
    const open = found.get(nameOf({ account_id, id }))
    if (open === undefined) return []
    return [{ account_id, id, open, approvers: approvers.get(account_id) ?? new Map() }]
  })
}
