// The SQL statements of attempts that are over and whose rail is asked again. `ask_again_at` is the
// time of the next question, and also the claim of the process that asks. A claim postpones the
// question, so that a process asks again after a lost answer.
import { attemptName, attemptOf } from '../../rails/attempt.ts'
import { findAttempts } from '../../rails/attempt-store.ts'
import type { RailPayout } from '../../rails/rail.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import { rowsAsJson, type Sql, type TransactionSql } from '../../sql/connect.ts'
import { byName, nameOf, payoutKey, uniqueKeys } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { findPayouts } from '../store.ts'
import type { OverQuestion } from './attempt-changes.ts'

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
export function writeQuestions(tx: TransactionSql, questions: readonly OverQuestion[]) {
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
