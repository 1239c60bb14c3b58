// The statements of what is still to be done about payouts: a narrow row each, which is claimed,
// moved and removed in place of the wide one. Written in the transactions of the payouts' steps.
import { transactConfined } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { keysOf } from '../db/keys.ts'
import { accountsOf, among, eachShard, within } from '../db/shard.ts'
import { type Key, nameOf } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { Payout, ReadPayout } from './payout.ts'
import { isGivenBack } from './states.ts'
import {
  findPayouts,
  joinState,
  PAYOUT_COLUMNS,
  type PayoutRow,
  payoutOf,
  STATE_COLUMNS,
} from './store.ts'

/** Payouts by (account, id) with what is still to be done about them, in no order. */
export async function findOpenPayouts(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<ReadPayout[]> {
  const columns = [...PAYOUT_COLUMNS, ...STATE_COLUMNS]
  const rows = await eachShard(
    keys,
    keys => tx<(PayoutRow & Omit<ReadPayout, keyof Payout>)[]>`
      select r.* from ${keysOf(tx, keys)}
      cross join lateral (
        select ${tx(columns)}, ask_rail_at, claimed_until,
          coalesce(is_open, false) as is_open,
          coalesce(o.rail_attempts, s.rail_attempts) as rail_attempts
        from payouts p ${joinState(tx, keys)}
        left join lateral (
          select true as is_open, ask_rail_at, claimed_until, rail_attempts
          from open_payouts o
          where o.account_id = p.account_id and o.id = p.id ${within(tx, 'o', keys)} limit 1
        ) o on true
        where p.account_id = k.account_id and p.id = k.id ${within(tx, 'p', keys)} limit 1
      ) r`,
  )
  return rows.map(row => ({ ...row, ...payoutOf(row) }))
}

/** A payout that is due, as the finder sees it. */
export interface DuePayout extends Key {
  readonly rail: string
}

/**
 * Payouts whose rail is one of these and due to be asked, oldest first. Reads without a lock;
 * claiming decides. Here and below what is due is judged by the time of the statement, at which an
 * index scan can begin: clock_timestamp() moves, and what is due later would all be read.
 */
export async function listDuePayouts(
  finder: Sql,
  rails: readonly string[],
  limit: number,
): Promise<DuePayout[]> {
  return finder<DuePayout[]>`
    select account_id, id, rail from open_payouts
    where ask_rail_at <= statement_timestamp() and ${unclaimed(finder)}
      and rail = any (${[...rails]}::text[])
    order by ask_rail_at limit ${limit}`
}

/** What is claimed stays in the list of what is due, and nobody else asks meanwhile. */
export function unclaimed(sql: Sql | TransactionSql) {
  return sql`(claimed_until is null or claimed_until <= statement_timestamp())`
}

/** A payout, as it was claimed, that nobody else asks the rail about before `claim`. */
export interface ClaimedPayout extends Payout {
  /** Its `claimed_until`, which names the claim. */
  readonly claim: Instant
  /** How often it was claimed before. */
  readonly rail_attempts: number
  /** When it was claimed, by the account's clock. */
  readonly claimed_at: Instant
}

/**
 * Claims due payouts for `lease_ms`: whoever locks a row that is due has it, and what is written is
 * judged again under the lock, whatever the engine makes of the look before it. An unapplied claim
 * comes due again. Rows that another holds are passed over: they are being claimed, or moved by a
 * person, and a claim never waits while it holds others.
 */
export function claimDuePayouts(
  sql: Sql,
  keys: readonly Key[],
  lease_ms: number,
): Promise<ClaimedPayout[]> {
  return eachShard(keys, keys => claimOfShard(sql, keys, lease_ms))
}

function claimOfShard(sql: Sql, keys: readonly Key[], lease_ms: number): Promise<ClaimedPayout[]> {
  return transactConfined(sql, accountsOf(keys), async tx => {
    const claims = await claimRows(tx, keys, lease_ms)
    // Statements of their own: a step that was committed while the claim looked is seen by these.
    const [clocks, found] = await Promise.all([
      tx<{ account_id: string; now: Instant }[]>`
        select account_id, clock_timestamp() + clock_ahead as now from books b
        where ${among(tx, 'b', keys)}`,
      findPayouts(tx, claims),
    ])
    const clock = new Map(clocks.map(({ account_id, now }) => [account_id, now]))
    const payouts = new Map(found.map(p => [nameOf(p), p]))
    return claims.flatMap(claim => {
      const payout = payouts.get(nameOf(claim))
      const claimed_at = clock.get(claim.account_id)
      if (payout === undefined || !claimed_at) return []
      // The account was judged by the claim's rail: no other may be asked. None is asked about a
      // payout whose money is back, whatever row was left.
      if (payout.rail !== claim.rail || isGivenBack(payout)) return []
      return [{ ...claim, ...payout, claimed_at }]
    })
  })
}

type Claim = DuePayout & Omit<ClaimedPayout, keyof Payout | 'claimed_at'>

function claimRows(tx: TransactionSql, keys: readonly Key[], lease_ms: number) {
  return tx<Claim[]>`
    update open_payouts o set rail_attempts = o.rail_attempts + 1,
      claimed_until = statement_timestamp() + ${`${lease_ms} milliseconds`}::interval
    from (
      select r.* from ${keysOf(tx, keys)}
      cross join lateral (
        select ctid as place from open_payouts due
        where due.account_id = k.account_id and due.id = k.id ${within(tx, 'due', keys)}
          and ask_rail_at <= statement_timestamp() and ${unclaimed(tx)}
        limit 1 for update skip locked
      ) r
    ) locked
    where o.ctid = locked.place ${within(tx, 'o', keys)}
      and o.ask_rail_at <= statement_timestamp() and ${unclaimed(tx)}
    returning o.account_id, o.id, o.rail, o.claimed_until as claim,
      o.rail_attempts - 1 as rail_attempts`
}

/**
 * Keeps payouts from being claimed until the transaction ends, in order of (account, id). A claim
 * that came first is waited for, and what is read after this counts it; one that comes later finds
 * what is written here. Under the locks of the books.
 */
export async function lockOpenPayouts(tx: TransactionSql, keys: readonly Key[]): Promise<void> {
  const ordered = keys.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  await eachShard(
    ordered,
    keys => tx`
      select from ${keysOf(tx, keys)}
      cross join lateral (
        select from open_payouts o
        where o.account_id = k.account_id and o.id = k.id ${within(tx, 'o', keys)}
        limit 1 for update
      ) r`,
  )
}

/** Payouts of an account that are not over: on their way, held, or with a rail that says more. */
export async function countOpenPayouts(tx: TransactionSql, account_id: string): Promise<number> {
  const [row] = await tx<{ open: number }[]>`
    select count(*)::integer as open from open_payouts where account_id = ${account_id}`
  return row?.open ?? 0
}
