// Reads and writes attempts: a claim opens them, and steps load and store them.
import { attemptName, isOver, type PayoutAttempt } from '../../rails/attempt.ts'
import { findAttempts, insertAttempts, updateAttempts } from '../../rails/attempt-store.ts'
import { findExceptions, insertExceptions } from '../../rails/exception-store.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { type Key, nameOf, payoutKey } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { Payout } from '../payout.ts'
import { firstAttempt } from './attempt.ts'
import type { AttemptChanges, KnownAttempts } from './attempt-changes.ts'
import { writeQuestions } from './over-store.ts'

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

/** The attempt that the rail of a claimed payout is asked about. */
export interface ClaimedAttempt extends PayoutAttempt {
  /** When its rail was first asked, before this claim. Null: never, so no rail has the attempt. */
  readonly asked_before: Instant | null
  /** The rails of all attempts of the payout. */
  readonly tried: readonly string[]
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
  payouts: readonly (Payout & { readonly claimed_at: Instant; readonly may_hand_over: boolean })[],
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
    // No rail has the attempt, and no rail gets it until the payout is screened.
    if (last.asked_at === null && !payout.may_hand_over) return []
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
