// The SQL statements of beneficiaries' approvals and of the decisions about them.
import type {
  BeneficiaryApproval,
  BeneficiaryDecision,
  OpenBeneficiaryApproval,
} from '../approval/approval.ts'
import type { TransactionSql } from '../db/connect.ts'
import { keysOf } from '../db/keys.ts'
import { inserter, updater } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import { type Key, nameOf } from '../id.ts'

/**
 * Must run after the statement of the beneficiaries: a trigger compares the approvals with them.
 */
export const insertBeneficiaryApprovals = inserter<
  Omit<BeneficiaryApproval, 'outcome' | 'ended_at'>
>('beneficiary_approvals', {
  account_id: 'text',
  beneficiary_id: 'text',
  approvers: 'integer',
  requested_at: 'timestamptz',
  expires_at: 'timestamptz',
  digest: 'hex',
  made_by: 'words',
  key_id: 'text',
  rules: 'words',
})

/** Must run before updateApprovalStatus: only an ended approval approves or rejects. */
export const updateBeneficiaryApprovals = updater<
  Pick<BeneficiaryApproval, 'account_id' | 'digest' | 'outcome' | 'ended_at'> & {
    readonly beneficiary_id: string
  }
>('beneficiary_approvals', ['account_id', 'beneficiary_id', 'digest'], {
  account_id: 'text',
  beneficiary_id: 'text',
  digest: 'hex',
  outcome: 'text',
  ended_at: 'timestamptz',
})

/** Must run before updateBeneficiaryApprovals: the end of an approval counts its decisions. */
export const insertBeneficiaryDecisions = inserter<BeneficiaryDecision>('beneficiary_decisions', {
  account_id: 'text',
  beneficiary_id: 'text',
  user_name: 'text',
  decision: 'text',
  digest: 'hex',
  reason: 'text',
  decided_at: 'timestamptz',
})

/** The latest approval of each of these beneficiaries, with its decisions, by `account_id/id`. */
export async function findLatestApprovals(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Map<string, OpenBeneficiaryApproval>> {
  const approvals = await findLatest(tx, keys)
  const decisions = approvals.length === 0 ? [] : await findDecisions(tx, keys)
  return new Map(
    approvals.map(approval => {
      const { account_id, beneficiary_id: id, digest } = approval
      const decisions_of_it = decisions.filter(
        one => one.beneficiary_id === id && one.digest === digest,
      )
      return [nameOf({ account_id, id }), { approval, decisions: decisions_of_it.reverse() }]
    }),
  )
}

function findLatest(tx: TransactionSql, keys: readonly Key[]): Promise<BeneficiaryApproval[]> {
  return eachShard(
    keys,
    keys => tx<BeneficiaryApproval[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select account_id, beneficiary_id, approvers, requested_at, expires_at,
          encode(digest, 'hex') as digest, made_by, key_id, rules, outcome, ended_at
        from beneficiary_approvals a
        where a.account_id = k.account_id and a.beneficiary_id = k.id ${within('a', keys)}
        order by requested_at desc limit 1
      ) r`,
  )
}

function findDecisions(tx: TransactionSql, keys: readonly Key[]): Promise<BeneficiaryDecision[]> {
  return eachShard(
    keys,
    keys => tx<BeneficiaryDecision[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select account_id, beneficiary_id, user_name, decision, encode(digest, 'hex') as digest,
          reason, decided_at
        from beneficiary_decisions d
        where d.account_id = k.account_id and d.beneficiary_id = k.id ${within('d', keys)}
        order by decided_at desc, user_name limit 1000
      ) r`,
  )
}
