// Reads and writes attempts. A claim opens them, and steps load and store them. The rail of an
// attempt that is over is asked again: `ask_again_at` is the time of the next question, and also
// the claim of the process that asks. A claim postpones the question, so that a process asks again
// after a lost answer.
import { attemptName, attemptOf, isOver, type PayoutAttempt } from '../../rails/attempt.ts'
import { findAttempts, insertAttempts, updateAttempts } from '../../rails/attempt-store.ts'
import { findExceptions, insertExceptions } from '../../rails/exception-store.ts'
import type { RailPayout } from '../../rails/rail.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import { rowsAsJson, type Sql, type TransactionSql } from '../../sql/connect.ts'
import { byName, type Key, nameOf, payoutKey, uniqueKeys } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { Payout } from '../payout.ts'
import { findPayouts } from '../store.ts'
import { firstAttempt } from './attempt.ts'
import type { AttemptChanges, KnownAttempts, OverQuestion } from './attempt-changes.ts'

const payoutName = (of: Pick<PayoutAttempt, 'account_id' | 'payout_id'>) => nameOf(payoutKey(of))

export async function loadAttempts(
  tx: TransactionSql,
  payouts: readonly Key[],
): Promise<KnownAttempts> {
  const [attempts, exceptions] = await Promise.all([
    findAttempts(tx, payouts),
    findExceptions(tx, payouts),
  ])
  const each = [...Map.groupBy(attempts, payoutName)]
  return {
    attempts: new Map(attempts.map(attempt => [payoutName(attempt), attempt])),
    earlier: new Map(
      each.filter(([, all]) => all.length > 1).map(([name, all]) => [name, all.slice(0, -1)]),
    ),
    exceptions: Map.groupBy(exceptions, payoutName),
  }
}

/** Writes the changes. An attempt ends before the next one opens, because one is open at a time. */
export function storeAttempts(tx: TransactionSql, outcomes: readonly AttemptChanges[]) {
  const newest = new Map(outcomes.flatMap(o => o.attempts).map(a => [attemptName(a), a]))
  const opened_names = new Set(outcomes.flatMap(o => o.opened).map(attemptName))
  const all = [...newest]
  const changed = all.filter(([name]) => !opened_names.has(name)).map(([, attempt]) => attempt)
  const opened = all.filter(([name]) => opened_names.has(name)).map(([, attempt]) => attempt)
  const exceptions = outcomes.flatMap(o => o.exceptions)
  const questions = outcomes.flatMap(o => o.questions)
  return [
    updateAttempts(tx, changed),
    insertAttempts(tx, opened),
    insertExceptions(tx, exceptions),
    // Comes after the ends: only an attempt that is over has an `ask_again_at`.
    questions.length > 0 && writeQuestions(tx, questions),
  ]
}

export interface ClaimedAttempt extends PayoutAttempt {
  /** When its rail was first asked, before this claim. Null: never, so no rail has the attempt. */
  readonly asked_before: Instant | null
  /** The rails of all attempts of the payout. */
  readonly tried: readonly string[]
}

interface HandingOver {
  readonly claimed_at: Instant
  /** Whether the payout is screened at the present lists. */
  readonly may_hand_over: boolean
  /** Whether the nostro that it leaves from covers it, where one has a gate. */
  readonly is_covered: boolean
}

/**
 * Opens the attempts of claimed payouts and marks them as asked, in the claim's transaction, which
 * commits before a rail is asked. Returns the attempts by `account_id/payout id`. An attempt that
 * was not taken is returned unchanged: its payout goes by its next route. No rail may be asked
 * about a payout that is not in the result. Its last attempt is over or on another rail, or no rail
 * has it and it is not screened.
 */
export async function claimAttempts(
  tx: TransactionSql,
  payouts: readonly (Payout & HandingOver)[],
): Promise<ReadonlyMap<string, ClaimedAttempt>> {
  const stored = Map.groupBy(await findAttempts(tx, payouts), payoutName)
  const claimed = payouts.flatMap(payout => {
    const before = stored.get(nameOf(payout)) ?? []
    const last = before.at(-1) ?? firstAttempt(payout, payout.claimed_at)
    const tried = [...before.map(({ rail }) => rail), last.rail]
    if (last.rail !== payout.rail) return []
    if (last.ended_as === 'not_taken') {
      return [{ ...last, asked_before: last.asked_at, tried, is_new: false }]
    }
    if (isOver(last)) return []
    // No rail has the attempt, and no rail gets it until the payout is screened and covered.
    if (last.asked_at === null && !(payout.may_hand_over && payout.is_covered)) return []
    const asked_at = last.asked_at ?? payout.claimed_at
    return [{ ...last, asked_at, asked_before: last.asked_at, tried, is_new: before.length === 0 }]
  })
  const opened = claimed.filter(attempt => attempt.is_new)
  const first = claimed.filter(
    attempt => !attempt.is_new && attempt.asked_before === null && !isOver(attempt),
  )
  await Promise.all([insertAttempts(tx, opened), updateAttempts(tx, first)])
  return new Map(claimed.map(attempt => [payoutName(attempt), attempt]))
}

interface DueAttempt {
  readonly account_id: string
  readonly payout_id: string
  readonly number: number
}

/** The due attempts of these rails, the longest due first. Takes no lock: the claim decides. */
export async function listDueAttempts(finder: Sql, rails: readonly string[], limit: number) {
  return finder<DueAttempt[]>`
    select account_id, payout_id, number from payout_attempts
    where ask_again_at <= statement_timestamp() and rail = any (${[...rails]}::text[])
    order by ask_again_at limit ${limit}`
}

/** An attempt that is over, with the payout as its rail gets it. */
export interface ClaimedOver extends RailPayout {
  /** The end of the worker's claim. The rail is asked again then, unless its report sets a time. */
  readonly claim: Instant
}

/**
 * Claims due attempts. Without a clear report, the next question comes after a tenth of the time
 * since the end, at least `lease_ms` and at most an hour.
 */
export async function claimOver(sql: Sql, due: readonly DueAttempt[], lease_ms: number) {
  if (due.length === 0) return []
  const account_ids = [...new Set(due.map(({ account_id }) => account_id))]
  const claims = await transactConfined(sql, account_ids, tx => claimRows(tx, due, lease_ms))
  const keys = uniqueKeys(claims.map(payoutKey))
  const [attempts, payouts, [clock]] = await readConfined(sql, account_ids, tx =>
    Promise.all([
      findAttempts(tx, keys),
      findPayouts(tx, keys),
      tx<{ now: Instant }[]>`select clock_timestamp() as now`,
    ]),
  )
  const named = new Map(attempts.map(attempt => [attemptName(attempt), attempt]))
  const found = byName(payouts)
  return claims.flatMap(({ claim, ...of }) => {
    const attempt = named.get(attemptName(of))
    const payout = found.get(nameOf(payoutKey(of)))
    if (attempt === undefined || payout === undefined || clock === undefined) return []
    // The account's answers go only to the rail that has the payout now.
    return [{ ...payout, answers: [], attempt: attemptOf(attempt), asked_at: clock.now, claim }]
  })
}

function claimRows(tx: TransactionSql, due: readonly DueAttempt[], lease_ms: number) {
  return tx<(DueAttempt & { readonly claim: Instant })[]>`
    update payout_attempts a set ask_again_at = statement_timestamp() + greatest(
      ${`${lease_ms} milliseconds`}::interval,
      least('1 hour', (statement_timestamp() - a.ended_at) / 10))
    from (
      select r.* from json_to_recordset(${rowsAsJson(due)}::text::json)
        as k(account_id text, payout_id text, number integer)
      cross join lateral (
        select ctid as place from payout_attempts due
        where due.account_id = k.account_id and due.payout_id = k.payout_id
          and due.number = k.number and ask_again_at <= statement_timestamp()
        limit 1 for update skip locked
      ) r
    ) locked
    where a.ctid = locked.place and a.ask_again_at <= statement_timestamp()
    returning a.account_id, a.payout_id, a.number, a.ask_again_at as claim`
}

/** Writes the times of the next questions, unless a time has changed since it was read. */
function writeQuestions(tx: TransactionSql, questions: readonly OverQuestion[]) {
  return tx`
    update payout_attempts a set ask_again_at = k.ask_again_at
    from json_to_recordset(${rowsAsJson(questions)}::text::json)
      as k(account_id text, payout_id text, number integer, ask_again_at timestamptz,
        before timestamptz)
    where a.account_id = k.account_id and a.payout_id = k.payout_id and a.number = k.number
      and a.ask_again_at is not distinct from k.before`
}

export function askNow(tx: TransactionSql, attempts: readonly DueAttempt[], now: Instant) {
  return tx`
    update payout_attempts a set ask_again_at = ${now}::timestamptz
    from json_to_recordset(${rowsAsJson(attempts)}::text::json)
      as k(account_id text, payout_id text, number integer)
    where a.account_id = k.account_id and a.payout_id = k.payout_id and a.number = k.number`
}
