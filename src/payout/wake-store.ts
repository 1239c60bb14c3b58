// Wakes payouts: their rail has something new to say, and is asked at once, after a success as
// well. Closes exceptions, after which a rail is asked again.
import type { TransactionSql } from '../db/connect.ts'
import { updater } from '../db/rows.ts'
import { type Key, nameOf, uniqueKeys } from '../id.ts'
import { type Instant, plusMicros } from '../instant.ts'
import { lockBooks } from '../ledger/store.ts'
import type { PayoutAttempt, RailException } from '../rail/attempt.ts'
import { closeExceptions, findExceptions, insertExceptions } from '../rail/exception-store.ts'
import { isAsked } from '../rail/rail.ts'
import { loadAttempts } from './attempt-store.ts'
import type { OpenPayout, ReadPayout } from './payout.ts'
import { findOpenPayouts, insertOpenPayouts, lockOpenPayouts } from './state-store.ts'
import { isGivenBack } from './states.ts'

/**
 * What waking a payout has led to. `woken`: its rail is asked next. `person`: a person has moved it
 * by hand, so that an exception is open now. `given_back`: its money is back, and nothing follows
 * of itself; whoever wakes it opens an exception if what came in says otherwise. `waits`: a person
 * must close its exception first. `not_asked`: no rail has it, so nothing can be known of it.
 */
export type Woken = Key & {
  readonly result: 'woken' | 'person' | 'given_back' | 'waits' | 'not_asked'
}

/**
 * Makes the rails of these payouts due to be asked now. Locks the books of their accounts, so it
 * comes first in its transaction. A key without a payout is left out.
 */
export async function wakePayouts(tx: TransactionSql, keys: readonly Key[]): Promise<Woken[]> {
  if (keys.length === 0) return []
  const unique = uniqueKeys(keys)
  const [{ now, books }, , payouts] = await Promise.all([
    lockBooks(
      tx,
      unique.map(({ account_id }) => account_id),
    ),
    lockOpenPayouts(tx, unique),
    findOpenPayouts(tx, unique),
  ])
  const { attempts, exceptions } = await loadAttempts(tx, payouts)
  const woken = payouts.map(payout => {
    const known = exceptions.get(nameOf(payout)) ?? []
    const result = resultOf(payout, attempts.get(nameOf(payout)), known)
    return { payout, known, result }
  })
  const due = woken.filter(({ result }) => result === 'woken').map(({ payout }) => payout)
  const told = woken
    .filter(({ result }) => result === 'person')
    .flatMap(({ payout, known }) => {
      const attempt = attempts.get(nameOf(payout))
      const at = books.get(payout.account_id)?.now
      return attempt === undefined || at === undefined ? [] : [saidAfterPerson(attempt, known, at)]
    })
  await Promise.all([...writeDue(tx, due, now), told.length > 0 && insertExceptions(tx, told)])
  return woken.map(({ payout: { account_id, id }, result }) => ({ account_id, id, result }))
}

/**
 * Closes an open exception and wakes its payout, unless others are open or a person has moved it.
 * Returns whether its rail is asked next; undefined when it has no such open exception. Locks the
 * book of the account, so that it comes first in its transaction.
 */
export async function closeException(
  tx: TransactionSql,
  key: Key,
  closing: Pick<RailException, 'number' | 'closed_by' | 'note'>,
): Promise<boolean | undefined> {
  const { now } = await lockBooks(tx, [key.account_id])
  const [known, [payout]] = await Promise.all([
    findExceptions(tx, [key]),
    findOpenPayouts(tx, [key]),
  ])
  const open = known.filter(({ closed_at }) => closed_at === null)
  if (!open.some(({ number }) => number === closing.number)) return undefined
  const { account_id, id: payout_id } = key
  await closeExceptions(tx, [{ account_id, payout_id, closed_at: now, ...closing }])
  // News of a payout that a person has moved would open the next exception.
  if (payout === undefined || payout.taken_over_at !== null) return false
  const [woken] = await wakePayouts(tx, [key])
  return woken?.result === 'woken'
}

function resultOf(
  payout: ReadPayout,
  last: PayoutAttempt | undefined,
  exceptions: readonly RailException[],
): Woken['result'] {
  if (exceptions.some(({ closed_at }) => closed_at === null)) return 'waits'
  if (last === undefined || last.asked_at === null || !isAsked(payout.rail)) return 'not_asked'
  if (isGivenBack(payout)) return 'given_back'
  if (payout.taken_over_at !== null) return 'person'
  return last.ended_as === 'not_taken' ? 'not_asked' : 'woken'
}

/**
 * Due at once. A worker that asks at this moment keeps its claim under another name, so that its
 * report, which is older, does not put the next question off.
 */
function writeDue(tx: TransactionSql, payouts: readonly ReadPayout[], now: Instant) {
  const soon = payouts.map((payout): ReadPayout => {
    const { claimed_until, ask_rail_at } = payout
    return {
      ...payout,
      ask_rail_at: ask_rail_at !== null && ask_rail_at < now ? ask_rail_at : now,
      claimed_until: claimed_until && plusMicros(claimed_until, 1n),
    }
  })
  const open = soon.filter(({ is_open }) => is_open)
  const closed = soon.filter(({ is_open }) => !is_open)
  return [
    open.length > 0 && updateDue(tx, open),
    closed.length > 0 && insertOpenPayouts(tx, closed),
  ]
}

const updateDue = updater<Key & Pick<OpenPayout, 'ask_rail_at' | 'claimed_until'>>(
  'open_payouts',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', ask_rail_at: 'timestamptz', claimed_until: 'timestamptz' },
)

function saidAfterPerson(
  { account_id, payout_id, number: attempt, rail }: PayoutAttempt,
  known: readonly RailException[],
  opened_at: Instant,
): RailException {
  return {
    account_id,
    payout_id,
    number: known.length + 1,
    attempt,
    rail,
    kind: 'said_after_person',
    message: 'A person moved the payout; its rail has said something new since.',
    opened_at,
    closed_at: null,
    closed_by: '',
    note: '',
  }
}
