// The SQL statements of claims: they find the payouts whose rail is due to be asked, and decide
// which worker asks it. Finding takes no lock: the claim decides.
import { attemptOf, type NotTaken } from '../../rails/attempt.ts'
import type { Attempt } from '../../rails/rail.ts'
import { isNoted } from '../../rails/restored.ts'
import { readListsVersion } from '../../screening/list-store.ts'
import { confineTo, transactConfined } from '../../sql/confine.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { keysOf } from '../../sql/keys.ts'
import { accountsOf, among, eachShard, isSpread, type OfAccount, within } from '../../sql/shard.ts'
import type { Tag } from '../../sql/sql.ts'
import { byName, type Key, nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { Payout } from '../payout.ts'
import { isGivenBack } from '../states.ts'
import { findPayouts } from '../store.ts'
import { keepsAttempts, simulatedAttempt } from './attempt.ts'
import { type ClaimedAttempt, claimAttempts } from './attempt-store.ts'
import {
  atRails,
  type Gate,
  gateOf,
  judgeCover,
  markWaiting,
  type Passing,
  takeTurnOf,
} from './cover-store.ts'

/** The finder's view of a payout whose rail is due to be asked. */
export interface DuePayout extends Key {
  readonly rail: string
  /** Whether the time of a scheduled payout has come before any question to its rail. */
  readonly begins: boolean
}

/**
 * Due payouts of these rails, the longest due first; without those that wait for funds at one of
 * the gates. Here and in claims, statement_timestamp() bounds the index scan. With
 * clock_timestamp(), which is volatile, the scan would read every later row.
 */
export async function listDuePayouts(
  finder: Sql,
  rails: readonly string[],
  limit: number,
  gates: readonly Gate[] = [],
): Promise<DuePayout[]> {
  return finder<DuePayout[]>`
    select ${dueOf(finder, rails, await versionBefore(finder))} and ${waitsAtNone(finder, gates)}
    order by ask_rail_at limit ${limit}`
}

/**
 * The condition that a payout waits at none of the gates. A nostro and its rail count together: a
 * payout is due again once its nostro has lost its rail. A nostro keeps its currency.
 */
function waitsAtNone(finder: Sql, gates: readonly Gate[]) {
  if (gates.length === 0) return finder`true`
  const pairs = gates.flatMap(({ name, rails }) => rails.map(rail => ({ name, rail })))
  return finder`(awaits_funds_of is null or (awaits_funds_of, rail) not in (
    select name, rail from unnest(${pairs.map(({ name }) => name)}::text[],
      ${pairs.map(({ rail }) => rail)}::text[]) as g (name, rail)))`
}

/**
 * Due payouts that leave from the nostro of a gate by one of these rails, or only those that wait
 * at it, as they pass. What was handed over before is not among them.
 */
export async function listOldestDue(
  finder: Sql,
  { name, currency, rails }: Gate,
  which: 'all' | 'waiting',
  limit: number,
): Promise<DuePayout[]> {
  const leaving = finder`exists (
    select from house_payouts h where h.account_id = o.account_id and h.id = o.id
      and h.currency = ${currency} and not h.is_handed_over)`
  const wanted = which === 'all' ? leaving : finder`awaits_funds_of = ${name}`
  return finder<DuePayout[]>`
    select ${dueOf(finder, rails, await versionBefore(finder))} and ${wanted}
    order by ask_rail_at, id limit ${limit}`
}

/** The columns, the table and the conditions of due payouts of these rails. */
function dueOf(finder: Sql, rails: readonly string[], present: ListsVersion) {
  return finder`account_id, id, rail, execute_at is not null and rail_attempts = 0 as begins
    from open_payouts o
    where ask_rail_at <= statement_timestamp() and ${unclaimed(finder)}
      and ${mayBeAsked(finder, present)} and ${mayBegin(finder, 'o', 'o')}
      and ${isNotStopped(finder, 'o')}
      and rail = any (${[...rails]}::text[])`
}

/**
 * The condition that no worker has claimed the payout, or that the claim has expired. A claimed
 * payout stays due.
 */
export function unclaimed(sql: Tag) {
  return sql`(claimed_until is null or claimed_until <= statement_timestamp())`
}

/**
 * The condition that the rail of a payout may be asked: a rail was asked before, or the payout is
 * screened at `present`.
 */
export function mayBeAsked(sql: Tag, present: ListsVersion) {
  return sql`(screened = ${presentVersion(sql, present)} or rail_attempts > 0)`
}

/**
 * The condition that a payout may be handed over. A scheduled payout may from `execute_at` on, by
 * its account's clock, while the account is active. `row` and `owner` are the aliases of the rows
 * with the payout and with its account.
 */
export function mayBegin(
  sql: Tag,
  row: 'o' | 'due',
  owner: 'o' | 'k',
  items?: readonly OfAccount[],
) {
  const [payout, account] = [sql.unsafe(row), sql.unsafe(owner)]
  return sql`(${payout}.execute_at is null or ${payout}.rail_attempts > 0 or exists (
    select from books b where b.account_id = ${account}.account_id
      ${items === undefined ? sql`` : within('b', items)}
      and b.state = 'active' and ${payout}.execute_at <= statement_timestamp() + b.clock_ahead))`
}

/**
 * The condition that no fault stops the payout: corridor verify has frozen its account. What a rail
 * has been asked about goes on. Nothing verifies a spread database while it runs.
 */
function isNotStopped(sql: Tag, row: 'o' | 'due', items?: readonly OfAccount[]) {
  if (isSpread()) return sql`true`
  const [payout, account] = [sql.unsafe(row), sql.unsafe(row === 'due' ? 'k' : 'o')]
  const of = (name: 'f' | 'b') => (items === undefined ? sql`` : within(name, items))
  return sql`(${payout}.rail_attempts > 0 or not exists (
    select from verify_faults f join books b on b.account_id = f.account_id
    where f.account_id = ${account}.account_id ${of('f')}
      and b.account_id = ${account}.account_id ${of('b')} and b.state = 'frozen'))`
}

/** The version of the lists. Undefined: the statement reads it in its snapshot. */
type ListsVersion = bigint | undefined

function presentVersion(sql: Tag, present: ListsVersion) {
  if (present === undefined) return sql`(select lists_version from reference_version)`
  return sql`${present}::bigint`
}

/** Reads the version first in a spread database, where another machine has it. */
export async function versionBefore(sql: Tag): Promise<ListsVersion> {
  return isSpread() ? readListsVersion(sql as Sql) : undefined
}

/** A claimed payout. Until `claim`, no other worker asks its rail about it. */
export interface ClaimedPayout extends Payout {
  /** The payout's `claimed_until`, which identifies the claim. */
  readonly claim: Instant
  /** How many claims the payout had before this one. */
  readonly rail_attempts: number
  /** The time of the claim, by the account's clock. */
  readonly claimed_at: Instant
  readonly attempt: Attempt
  /** When its rail was first asked, before this claim; null: never. */
  readonly asked_before: Instant | null
  /** The rails of all its attempts; empty for the simulator. */
  readonly tried: readonly string[]
  /**
   * Whether the payout is screened at the present lists. Only then may a rail that does not have it
   * get it.
   */
  readonly may_hand_over: boolean
  /** Why the attempt was not taken, else null. The worker then looks for the next route. */
  readonly not_taken: NotTaken | null
}

/**
 * Claims due payouts for `lease_ms`. The first transaction to lock a due row claims it; the update
 * checks again under the lock that the payout is due. A claim without a report expires, and the
 * payout is due again. A claim skips locked rows, so it never waits while it holds other rows. A
 * payout that has come behind one of the gates since it was found is not handed over.
 */
export function claimDuePayouts(
  sql: Sql,
  keys: readonly Key[],
  lease_ms: number,
  gates: readonly Gate[] = [],
) {
  return eachShard(keys, async keys => {
    const present = await versionBefore(sql)
    const claiming = { lease_ms, present, gates, covered: new Set<string>() }
    return transactConfined(sql, accountsOf(keys), tx => claimIn(tx, keys, claiming))
  })
}

/** What comes to the gates: `found` are due, and `rails` are those that are asked now. */
export interface AtGates {
  readonly gates: readonly Gate[]
  readonly rails: readonly string[]
  readonly found: readonly DuePayout[]
}

/**
 * Claims those of the due payouts that the gates let pass, and marks those that wait. A gate lets
 * one transaction at a time hand over what its nostro covers. Payouts of a rail that is not asked
 * hold up no other rail.
 */
export async function claimCovered(
  { sql, finder }: { readonly sql: Sql; readonly finder: Sql },
  { gates: named, rails, found }: AtGates,
  lease_ms: number,
): Promise<ClaimedPayout[]> {
  return sql.begin(async tx => {
    const gates = await takeTurnOf(tx, named)
    const queues = await Promise.all(
      gates.map(gate => listOldestDue(finder, atRails(gate, rails), 'all', OLDEST_DUE)),
    )
    void confineTo(tx, accountsOf(found))
    const passing: Passing[] = []
    for (const [place, gate] of gates.entries()) {
      const at = found.filter(({ rail }) => gate.rails.includes(rail))
      passing.push(await judgeCover(tx, gate, { oldest: queues[place] ?? [], found: at }))
    }
    const here = new Set(found.map(nameOf))
    for (const { gate, waiting } of passing) {
      const marked = waiting.filter(key => here.has(nameOf(key)))
      await markWaiting(tx, gate, marked)
    }
    const stay = new Set(passing.flatMap(one => one.waiting.map(nameOf)))
    const covered = new Set(passing.flatMap(one => one.covered.map(nameOf)))
    const keys = found.filter(key => !stay.has(nameOf(key)))
    return claimIn(tx, keys, { lease_ms, present: undefined, gates, covered })
  })
}

/** So many payouts are judged at a gate at once. */
const OLDEST_DUE = 500

interface Claiming {
  readonly lease_ms: number
  readonly present: ListsVersion
  /** Behind these gates only payouts that are covered are handed over. */
  readonly gates: readonly Gate[]
  readonly covered: ReadonlySet<string>
}

async function claimIn(tx: TransactionSql, keys: readonly Key[], claiming: Claiming) {
  const { lease_ms, present, gates, covered } = claiming
  if (keys.length === 0 || !(await isNoted(tx))) return []
  const claims = await claimRows(tx, keys, lease_ms, present)
  const isCovered = (payout: Payout) => {
    const leaving = { rail: payout.rail, currency: payout.destination_currency }
    return gateOf(gates, leaving) === undefined || covered.has(nameOf(payout))
  }
  // Separate statements see the steps that were committed during the claim.
  const [clocks, found] = await Promise.all([
    tx<{ account_id: string; now: Instant }[]>`
      select account_id, clock_timestamp() + clock_ahead as now from books b
      where ${among('b', keys)}`,
    findPayouts(tx, claims),
  ])
  const clock = new Map(clocks.map(({ account_id, now }) => [account_id, now]))
  const payouts = byName(found)
  const claimed = claims.flatMap(claim => {
    const payout = payouts.get(nameOf(claim))
    const claimed_at = clock.get(claim.account_id)
    if (payout === undefined || !claimed_at) return []
    // The caller has checked that the claim's rail takes payouts of the account, so no other rail
    // may be asked. No rail is asked about a payout whose money is back, even if its row is still
    // there.
    if (payout.rail !== claim.rail || isGivenBack(payout)) return []
    return [{ ...claim, ...payout, claimed_at, is_covered: isCovered(payout) }]
  })
  const attempts = await claimAttempts(tx, claimed.filter(keepsAttempts))
  return claimed.flatMap(payout => withAttempt(payout, attempts))
}

type FromAttempt = 'attempt' | 'asked_before' | 'tried' | 'not_taken'

function withAttempt(
  payout: Omit<ClaimedPayout, FromAttempt>,
  attempts: ReadonlyMap<string, ClaimedAttempt>,
): ClaimedPayout[] {
  if (!keepsAttempts(payout)) {
    const asked_before = payout.rail_attempts === 0 ? null : payout.created_at
    const attempt = simulatedAttempt(payout)
    return [{ ...payout, attempt, asked_before, tried: [], not_taken: null }]
  }
  const attempt = attempts.get(nameOf(payout))
  if (attempt === undefined) return []
  const { asked_before, tried, not_taken } = attempt
  return [{ ...payout, attempt: attemptOf(attempt), asked_before, tried, not_taken }]
}

type Claim = Omit<DuePayout, 'begins'> &
  Omit<ClaimedPayout, keyof Payout | 'claimed_at' | FromAttempt>

function claimRows(
  tx: TransactionSql,
  keys: readonly Key[],
  lease_ms: number,
  present: ListsVersion,
) {
  return tx<Claim[]>`
    update open_payouts o set rail_attempts = o.rail_attempts + 1,
      awaits_funds_of = null, awaits_funds_since = null,
      claimed_until = statement_timestamp() + ${`${lease_ms} milliseconds`}::interval
    from (
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select ctid as place from open_payouts due
        where due.account_id = k.account_id and due.id = k.id ${within('due', keys)}
          and ask_rail_at <= statement_timestamp() and ${unclaimed(tx)}
          and ${mayBeAsked(tx, present)} and ${mayBegin(tx, 'due', 'k', keys)}
          and ${isNotStopped(tx, 'due', keys)}
        limit 1 for update skip locked
      ) r
    ) locked
    where o.ctid = locked.place ${within('o', keys)}
      and o.ask_rail_at <= statement_timestamp() and ${unclaimed(tx)}
      and ${mayBeAsked(tx, present)}
    returning o.account_id, o.id, o.rail, o.claimed_until as claim,
      o.rail_attempts - 1 as rail_attempts,
      coalesce(o.screened = ${presentVersion(tx, present)}, false) as may_hand_over`
}
