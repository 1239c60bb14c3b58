// The SQL statements of payouts' approvals: the approvals, people's decisions, approved payees and
// approvers.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { keysOf } from '../db/keys.ts'
import { inserter, updater } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import type { Tag } from '../db/sql.ts'
import { type Key, nameOf } from '../id.ts'
import type {
  ApprovalDecision,
  ApprovedPayee,
  Approvers,
  OpenApproval,
  PayoutApproval,
} from './approval.ts'

type NewApproval = Omit<PayoutApproval, 'outcome' | 'ended_at'>

/** Insert after the payouts and their states: a trigger compares the approvals with them. */
export const insertApprovals = inserter<NewApproval>('payout_approvals', {
  account_id: 'text',
  payout_id: 'text',
  approvers: 'integer',
  requested_at: 'timestamptz',
  expires_at: 'timestamptz',
  digest: 'hex',
  payee: 'text',
  made_by: 'text',
  key_id: 'text',
  rules: 'words',
})

/** Write before the payout's state: a payout leaves `pending_approval` only after its approval. */
export const updateEnded = updater<
  Pick<PayoutApproval, 'account_id' | 'payout_id' | 'outcome' | 'ended_at'>
>('payout_approvals', ['account_id', 'payout_id'], {
  account_id: 'text',
  payout_id: 'text',
  outcome: 'text',
  ended_at: 'timestamptz',
})

/** Insert before `updateEnded`: its trigger counts the decisions. */
export const insertDecisions = inserter<ApprovalDecision>('approval_decisions', {
  account_id: 'text',
  payout_id: 'text',
  user_name: 'text',
  decision: 'text',
  digest: 'hex',
  reason: 'text',
  decided_at: 'timestamptz',
})

/** Inserts approved payees. A payee that has a row keeps it. */
export const insertApprovedPayees = inserter<ApprovedPayee>(
  'approved_payees',
  { account_id: 'text', payee: 'text', payout_id: 'text', approved_at: 'timestamptz' },
  'on conflict (account_id, payee) do nothing',
)

/** The names, `account_id/payee`, of those payees that have an approved payout. */
export async function findApprovedPayees(
  tx: TransactionSql,
  payees: readonly Pick<ApprovedPayee, 'account_id' | 'payee'>[],
): Promise<Set<string>> {
  const rows = await eachShard(
    payees,
    payees => tx<{ account_id: string; payee: string }[]>`
      select k.account_id, k.payee
      from unnest(${payees.map(one => one.account_id)}::text[],
        ${payees.map(one => one.payee)}::text[]) as k(account_id, payee)
      cross join lateral (
        select from approved_payees p
        where p.account_id = k.account_id and p.payee = k.payee ${within('p', payees)} limit 1
      ) p`,
  )
  return new Set(rows.map(({ account_id, payee }) => nameOf({ account_id, id: payee })))
}

/** The approvals of these payouts with their decisions, by `account_id/payout id`. */
export async function findOpenApprovals(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Map<string, OpenApproval>> {
  const [approvals, decisions] = await Promise.all([
    findApprovals(tx, keys),
    findDecisions(tx, keys),
  ])
  const payoutName = (one: Pick<PayoutApproval, 'account_id' | 'payout_id'>) =>
    nameOf({ account_id: one.account_id, id: one.payout_id })
  const byPayout = Map.groupBy(decisions, payoutName)
  return new Map(
    approvals.map(approval => {
      const name = payoutName(approval)
      return [name, { approval, decisions: byPayout.get(name) ?? [] }]
    }),
  )
}

function findApprovals(tx: TransactionSql, keys: readonly Key[]): Promise<PayoutApproval[]> {
  return eachShard(
    keys,
    keys => tx<PayoutApproval[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select account_id, payout_id, approvers, requested_at, expires_at,
          encode(digest, 'hex') as digest, payee, made_by, key_id, rules, outcome, ended_at
        from payout_approvals a
        where a.account_id = k.account_id and a.payout_id = k.id ${within('a', keys)} limit 1
      ) r`,
  )
}

function findDecisions(tx: TransactionSql, keys: readonly Key[]): Promise<ApprovalDecision[]> {
  return eachShard(
    keys,
    keys => tx<ApprovalDecision[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select account_id, payout_id, user_name, decision, encode(digest, 'hex') as digest, reason,
          decided_at
        from approval_decisions d
        where d.account_id = k.account_id and d.payout_id = k.id ${within('d', keys)}
        order by decided_at, user_name limit 1000
      ) r`,
  )
}

/** The users who may approve for these accounts at this moment. */
export async function findApprovers(sql: Tag, account_ids: readonly string[]): Promise<Approvers> {
  const rows = await sql<{ account_id: string; user_name: string }[]>`
    select r.account_id, r.user_name
    from account_roles r join users u on u.name = r.user_name
    where r.role = 'approver' and u.disabled_at is null
      and r.account_id = any (${[...new Set(account_ids)]}::text[])`
  const byAccount = Map.groupBy(rows, ({ account_id }) => account_id)
  return new Map(
    Array.from(byAccount, ([id, rows]) => [id, new Set(rows.map(({ user_name }) => user_name))]),
  )
}

/** The number of live accounts' payouts that wait for approval, and seconds to the first expiry. */
export async function countPending(
  finder: Sql,
): Promise<{ readonly payouts: number; readonly first_ends_in_s: number }> {
  const [row] = await finder<{ payouts: number; first_ends_in_s: number | null }[]>`
    select count(*)::integer as payouts,
      extract(epoch from min(a.expires_at - b.clock_ahead) - statement_timestamp())::float8
        as first_ends_in_s
    from payout_approvals a join books b on b.account_id = a.account_id
    where a.outcome = '' and not b.sandbox`
  return { payouts: row?.payouts ?? 0, first_ends_in_s: row?.first_ends_in_s ?? 0 }
}

/**
 * Payouts whose approval has expired by their account's clock, the earliest expiry first. Leaves
 * out payouts with an open or a confirmed match of screening.
 */
export async function listExpired(finder: Sql, limit: number): Promise<Key[]> {
  return finder<Key[]>`
    select a.account_id, a.payout_id as id
    from payout_approvals a join books b on b.account_id = a.account_id
    join open_payouts o on o.account_id = a.account_id and o.id = a.payout_id
    where a.outcome = '' and a.expires_at <= statement_timestamp() + b.clock_ahead
      and o.screening in ('', 'waits')
    order by a.expires_at limit ${limit}`
}
