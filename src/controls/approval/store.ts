// The SQL statements of approvals of payouts and of beneficiaries: the approvals, people's
// decisions, approved payees and approvers.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { selectByKeys } from '../../sql/keys.ts'
import { inserter, updater } from '../../sql/rows.ts'
import { eachShard, within } from '../../sql/shard.ts'
import type { Tag } from '../../sql/sql.ts'
import { type Key, nameOf } from '../../values/id.ts'
import type {
  Approval,
  ApprovalDecision,
  ApprovalWithDecisions,
  ApprovedPayee,
  Approvers,
  BeneficiaryApproval,
  BeneficiaryDecision,
  OpenApproval,
  OpenBeneficiaryApproval,
  PayoutApproval,
  UserDecision,
} from './approval.ts'

type New<A extends Approval> = Omit<A, 'outcome' | 'ended_at' | 'makers'>
type Ended<A extends Approval, K extends keyof A> = Pick<
  A,
  'account_id' | 'outcome' | 'ended_at' | K
>

const APPROVAL = {
  account_id: 'text',
  approvers: 'integer',
  requested_at: 'timestamptz',
  expires_at: 'timestamptz',
  digest: 'hex',
  key_id: 'text',
  rules: 'words',
} as const

const END = { account_id: 'text', outcome: 'text', ended_at: 'timestamptz' } as const

const DECISION = {
  account_id: 'text',
  user_name: 'text',
  decision: 'text',
  digest: 'hex',
  reason: 'text',
  decided_at: 'timestamptz',
} as const

/** Insert after the payouts and their states: a trigger compares the approvals with them. */
export const insertApprovals = inserter<New<PayoutApproval>>('payout_approvals', {
  ...APPROVAL,
  payout_id: 'text',
  payee: 'text',
  made_by: 'text',
})

/** Insert after the beneficiaries: a trigger compares the approvals with them. */
export const insertBeneficiaryApprovals = inserter<New<BeneficiaryApproval>>(
  'beneficiary_approvals',
  { ...APPROVAL, beneficiary_id: 'text', made_by: 'words' },
)

/** Write before the payout's state: a payout leaves `pending_approval` only after its approval. */
export const updateEnded = updater<Ended<PayoutApproval, 'payout_id'>>(
  'payout_approvals',
  ['account_id', 'payout_id'],
  { ...END, payout_id: 'text' },
)

/** Write before `updateApprovalStatus`: only an ended approval approves or rejects. */
export const updateBeneficiaryApprovals = updater<
  Ended<BeneficiaryApproval, 'beneficiary_id' | 'digest'>
>('beneficiary_approvals', ['account_id', 'beneficiary_id', 'digest'], {
  ...END,
  beneficiary_id: 'text',
  digest: 'hex',
})

/** Insert before the end of the approval: its trigger counts the decisions. */
export const insertDecisions = inserter<ApprovalDecision>('approval_decisions', {
  ...DECISION,
  payout_id: 'text',
})

/** Insert before the end of the approval, as `insertDecisions`. */
export const insertBeneficiaryDecisions = inserter<BeneficiaryDecision>('beneficiary_decisions', {
  ...DECISION,
  beneficiary_id: 'text',
})

/** Inserts approved payees. A payee that has a row keeps it. */
export const insertApprovedPayees = inserter<ApprovedPayee>(
  'approved_payees',
  { account_id: 'text', payee: 'text', payout_id: 'text', approved_at: 'timestamptz' },
  'on conflict (account_id, payee) do nothing',
)

/** The payees with an approved payout, as `account_id/payee`. */
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
export function findOpenApprovals(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Map<string, OpenApproval>> {
  return findLatest(tx, keys, {
    approvals: 'payout_approvals',
    decisions: 'approval_decisions',
    object: 'payout_id',
    own: ['payee'],
  })
}

/** The latest approval of each of these beneficiaries, with its decisions, by `account_id/id`. */
export function findLatestApprovals(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Map<string, OpenBeneficiaryApproval>> {
  return findLatest(tx, keys, {
    approvals: 'beneficiary_approvals',
    decisions: 'beneficiary_decisions',
    object: 'beneficiary_id',
    own: [],
  })
}

interface Tables {
  readonly approvals: string
  readonly decisions: string
  /** The column of the object's id, in both tables. */
  readonly object: string
  /** The columns that only approvals of this kind have. */
  readonly own: readonly string[]
}

async function findLatest<A extends Approval, D extends UserDecision>(
  tx: TransactionSql,
  keys: readonly Key[],
  { approvals, decisions, object, own }: Tables,
): Promise<Map<string, ApprovalWithDecisions<A, D>>> {
  const [found, decided] = await Promise.all([
    selectByKeys<A>(
      tx,
      object,
      keys,
      ofKey => tx`
        select account_id, ${tx([object, ...own])}, approvers, requested_at, expires_at,
          encode(digest, 'hex') as digest, made_by, key_id, rules, outcome, ended_at,
          makers_of(array[made_by]::text[], key_id) as makers
        from ${tx(approvals)} t where ${ofKey} order by requested_at desc limit 1`,
    ),
    selectByKeys<D>(
      tx,
      object,
      keys,
      ofKey => tx`
        select account_id, ${tx(object)}, user_name, decision, encode(digest, 'hex') as digest,
          reason, decided_at
        from ${tx(decisions)} t where ${ofKey}
        order by decided_at desc, user_name desc limit 1000`,
    ),
  ])
  const objectName = (row: A | D) => {
    const { [object]: id = '' } = row as unknown as Readonly<Record<string, string>>
    return nameOf({ account_id: row.account_id, id })
  }
  const byContent = Map.groupBy(decided.reverse(), row => `${objectName(row)} ${row.digest}`)
  return new Map(
    found.map(approval => {
      const name = objectName(approval)
      return [name, { approval, decisions: byContent.get(`${name} ${approval.digest}`) ?? [] }]
    }),
  )
}

/** The users who may approve for these accounts at this moment. */
export async function findApprovers(sql: Tag, account_ids: readonly string[]): Promise<Approvers> {
  const rows = await sql<{ account_id: string; user_name: string; givers: string[] }[]>`
    select r.account_id, r.user_name, givers_of(r.user_name, clock_timestamp()) as givers
    from account_roles r join users u on u.name = r.user_name
    where r.role = 'approver' and u.disabled_at is null
      and r.account_id = any (${[...new Set(account_ids)]}::text[])`
  const byAccount = Map.groupBy(rows, ({ account_id }) => account_id)
  return new Map(
    Array.from(byAccount, ([id, rows]) => [
      id,
      new Map(rows.map(({ user_name, givers }) => [user_name, givers])),
    ]),
  )
}

/** The number of live accounts' payouts that wait for approval, and seconds to the first expiry. */
export async function countPending(finder: Sql) {
  const [row] = await finder<{ payouts: number; first_ends_in_s: number | null }[]>`
    select count(*)::integer as payouts,
      extract(epoch from min(a.expires_at - b.clock_ahead) - statement_timestamp())::float8
        as first_ends_in_s
    from payout_approvals a join books b on b.account_id = a.account_id
    where a.outcome = '' and not b.sandbox`
  return { payouts: row?.payouts ?? 0, first_ends_in_s: row?.first_ends_in_s ?? 0 }
}

/**
 * Payouts whose approval has expired by their account's clock, the earliest first. Leaves out
 * payouts with an open or confirmed match of screening.
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
