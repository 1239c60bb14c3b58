// Wakes payouts: there is news of them, so their rail is asked at once, even after a success.
// Closes exceptions, after which a rail is asked again.
import { type Book, bookOf } from '../../ledger/rules.ts'
import { lockBooks } from '../../ledger/store.ts'
import { type PayeeNotice, payeeNotice } from '../../parties/beneficiary/notice.ts'
import {
  isHolding,
  isNotice,
  isOpenException,
  isOver,
  type NoticeKind,
  type PayoutAttempt,
  type RailException,
} from '../../rails/attempt.ts'
import { closeExceptions, insertExceptions } from '../../rails/exception-store.ts'
import { planOrRefuse, sentOf } from '../../rails/plan.ts'
import { isAsked } from '../../rails/rail.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { updater } from '../../sql/rows.ts'
import { accountsOf } from '../../sql/shard.ts'
import { storeBooks } from '../../statements/balance-transaction/operations.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import type { PayeeChange } from '../../values/bank-format/bank-format.ts'
import { type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import { type Instant, plusMicros } from '../../values/instant.ts'
import { PAYOUT_SEAL } from '../columns.ts'
import type { OpenPayout, ReadPayout } from '../payout.ts'
import { findOpenPayouts, insertOpenPayouts, lockOpenPayouts } from '../state-store.ts'
import { isGivenBack } from '../states.ts'
import { exceptionOf, type KnownAttempts } from './attempt-changes.ts'
import { askNow, loadAttempts } from './attempt-store.ts'
import { eventWithPriorState } from './event-state.ts'

/** News about the attempt with this number, by default the last one. */
interface News extends Key {
  readonly attempt?: number
  /** The bank's request to a person, without a change of the payment. */
  readonly notice?: Notice
}

export interface Notice {
  readonly kind: NoticeKind
  /** The bank's code, such as C01. */
  readonly code: string
  readonly message: string
  /** The day by which the bank expects an answer; '' for none. */
  readonly until: string
  /** Null for any notice but a notification of change. */
  readonly change: PayeeChange | null
}

/** A payout keeps at most this many notices. The bank's lines stay as evidence. */
const MOST_NOTICES = 20

/**
 * The result of the news of a payout. `woken`: the rail of the attempt is asked next. `person`: a
 * person has moved the payout by hand, so an exception opens. `waits`: a person must close the
 * payout's exception first. `not_asked`: no rail is asked about the last attempt.
 */
type Woken = Key & { readonly result: 'woken' | 'person' | 'waits' | 'not_asked' }

/**
 * Makes these payouts due, so that their rails are asked now. If the news is about an attempt that
 * is over, its rail is asked about that attempt again. Locks the books of the accounts, so it must
 * come first in its transaction. Leaves out a key without a payout.
 */
export async function wakePayouts(tx: TransactionSql, news: readonly News[]): Promise<Woken[]> {
  if (news.length === 0) return []
  const unique = uniqueKeys(news.map(({ account_id, id }) => ({ account_id, id })))
  const [{ now, books }, , payouts] = await Promise.all([
    lockBooks(tx, accountsOf(unique)),
    lockOpenPayouts(tx, unique),
    findOpenPayouts(tx, unique),
  ])
  const loaded = await loadAttempts(tx, payouts)
  const newsOf = Map.groupBy(news, nameOf)
  const woken = payouts.map(payout => wakeOne(payout, newsOf.get(nameOf(payout)) ?? [], loaded))
  const due = woken.filter(({ result }) => result === 'woken').map(({ payout }) => payout)
  const over = woken.flatMap(one => one.over)
  const noticed: { events: Event[] }[] = []
  const new_exceptions = woken.flatMap(({ payout, last, known, result }) => {
    const book = bookOf(books, payout.account_id)
    const opens = result === 'person' && last !== undefined
    const person = opens ? [{ attempt: last, said: SAID_AFTER_PERSON }] : []
    const notices = newNotices(payout, newsOf, loaded)
    for (const { said } of notices) noticed.push({ events: [notify(books, payout, said)] })
    return [...person, ...notices].map(({ attempt, said }, i) =>
      exceptionOf(attempt, known.length + 1 + i, said, book.now, noticeOf(payout, said)),
    )
  })
  await Promise.all([
    ...(noticed.length > 0 ? storeBooks(tx, books, noticed) : []),
    ...writeDue(tx, due, now),
    over.length > 0 && askNow(tx, over, now),
    insertExceptions(tx, new_exceptions),
  ])
  return woken.map(({ payout: { account_id, id }, over, result }) => ({
    account_id,
    id,
    result: over.length > 0 && result !== 'person' ? 'woken' : result,
  }))
}

const SAID_AFTER_PERSON = {
  kind: 'said_after_person',
  message: 'A person moved the payout; its rail has said something new since.',
} as const

/** The payee in the exception; null unless the notice is about the payee's details. */
function noticeOf(
  { beneficiary_id, beneficiary_details }: ReadPayout,
  said: Notice | typeof SAID_AFTER_PERSON,
): PayeeNotice | null {
  if (said.kind !== 'change_notified') return null
  return payeeNotice(beneficiary_id, beneficiary_details, said)
}

/** The event of a notice. The words of the bank may be personal data, which the event has not. */
function notify(books: ReadonlyMap<string, Book>, payout: ReadPayout, { kind, code }: Notice) {
  const facts = { status: payout.status, by: 'rail', journals: [], notice: { kind, code } }
  const content = PAYOUT_SEAL.digest(payout)
  const event = recordChange({ books }, payout, 'payout.notified', facts, content)
  return eventWithPriorState(payout, payout, event)
}

/** The notices of the news that the payout does not have, each with its attempt. */
function newNotices(
  payout: Key,
  newsOf: ReadonlyMap<string, readonly News[]>,
  { attempts, earlier, exceptions }: KnownAttempts,
) {
  const name = nameOf(payout)
  const last = attempts.get(name)
  const all = last === undefined ? [] : [...(earlier.get(name) ?? []), last]
  const known = exceptions.get(name) ?? []
  const notices = new Map(
    (newsOf.get(name) ?? []).flatMap(({ attempt: number, notice: said }) => {
      const attempt = all.find(one => one.number === number)
      const is_known = said === undefined || known.some(({ message }) => message === said.message)
      return attempt === undefined || is_known ? [] : [[said.message, { attempt, said }] as const]
    }),
  )
  const room = MOST_NOTICES - known.filter(isNotice).length
  return [...notices.values()].slice(0, Math.max(0, room))
}

/** The attempts of one payout that its rails are asked about, and the result of its news. */
function wakeOne(
  payout: ReadPayout,
  news: readonly News[],
  { attempts, earlier, exceptions }: KnownAttempts,
) {
  const name = nameOf(payout)
  const last = attempts.get(name)
  const known = exceptions.get(name) ?? []
  const numbers = new Set(news.map(({ attempt }) => attempt ?? last?.number))
  const all = last === undefined ? [] : [...(earlier.get(name) ?? []), last]
  const over = all.filter(
    attempt => numbers.has(attempt.number) && isOver(attempt) && attempt.asked_at !== null,
  )
  const result = numbers.has(last?.number) ? resultOf(payout, last, known) : 'not_asked'
  return { payout, last, known, over, result }
}

function resultOf(
  payout: ReadPayout,
  last: PayoutAttempt | undefined,
  exceptions: readonly RailException[],
): Woken['result'] {
  if (isGivenBack(payout)) return 'not_asked'
  if (exceptions.some(isHolding)) return 'waits'
  if (last === undefined || last.asked_at === null || !isAsked(payout.rail)) return 'not_asked'
  if (payout.taken_over_at === null) return 'woken'
  return isOver(last) ? 'not_asked' : 'person'
}

/**
 * Closes an open exception and wakes its payout, unless other exceptions are open or a person has
 * moved the payout. If the exception's attempt is over, its rail is asked as well. An attempt that
 * stopped before a rail had it gets a new release; refuses with calendar_ended. Returns whether a
 * rail is asked next; undefined when there is no such open exception. Locks the book of the
 * account, so it must come first in its transaction.
 */
export async function closeException(
  tx: TransactionSql,
  key: Key,
  closing: Pick<RailException, 'number' | 'closed_by' | 'note'>,
): Promise<boolean | undefined> {
  const { now } = await lockBooks(tx, [key.account_id])
  await lockOpenPayouts(tx, [key])
  const [payout] = await findOpenPayouts(tx, [key])
  const { attempts, exceptions } = await loadAttempts(tx, [key])
  const all = exceptions.get(nameOf(key)) ?? []
  const open = all.filter(isOpenException)
  const closed = all.find(one => one.closed_at === null && one.number === closing.number)
  const last = attempts.get(nameOf(key))
  if (payout === undefined || last === undefined || closed === undefined) return undefined
  const { account_id, id: payout_id } = key
  await closeExceptions(tx, [{ account_id, payout_id, closed_at: now, ...closing }])
  if (!isOpenException(closed)) return false
  const is_planned = open.length === 1 && isStopped(payout, last)
  if (is_planned) await updateDue(tx, [{ ...payout, ask_rail_at: releaseOf(payout, last, now) }])
  // News of a payout that a person has moved would open another exception.
  const by_person = payout.taken_over_at !== null && closed.attempt === last.number && !isOver(last)
  const news = [closed.attempt, ...(payout.taken_over_at === null ? [last.number] : [])]
  const woken = await wakePayouts(tx, by_person ? [] : news.map(attempt => ({ ...key, attempt })))
  return is_planned || woken.some(({ result }) => result === 'woken')
}

/** Whether no rail has the attempt yet, and none is asked until a person closes its exception. */
function isStopped(payout: ReadPayout, { ended_as, asked_at }: PayoutAttempt): boolean {
  const { status, rail, taken_over_at, ask_rail_at } = payout
  const is_new = ended_as === '' && asked_at === null && isAsked(rail)
  return is_new && status === 'processing' && taken_over_at === null && ask_rail_at === null
}

function releaseOf(payout: ReadPayout, { rail, route }: PayoutAttempt, now: Instant): Instant {
  return planOrRefuse({ rail, route }, sentOf(payout), now).release_at ?? now
}

/**
 * Makes payouts due at once. A worker may be asking a rail under a claim. The claim gets another
 * time, so that the older report does not postpone the next question.
 */
function writeDue(tx: TransactionSql, payouts: readonly ReadPayout[], now: Instant) {
  const due = payouts.map((payout): ReadPayout => {
    const { claimed_until, ask_rail_at } = payout
    return {
      ...payout,
      ask_rail_at: ask_rail_at !== null && ask_rail_at < now ? ask_rail_at : now,
      claimed_until: claimed_until && plusMicros(claimed_until, 1n),
    }
  })
  const open = due.filter(({ is_open }) => is_open)
  const closed = due.filter(({ is_open }) => !is_open)
  return [updateDue(tx, open), insertOpenPayouts(tx, closed)]
}

const updateDue = updater<Key & Pick<OpenPayout, 'ask_rail_at' | 'claimed_until'>>(
  'open_payouts',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', ask_rail_at: 'timestamptz', claimed_until: 'timestamptz' },
)
