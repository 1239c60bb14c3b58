// Makes an operation answer a repeated Idempotency-Key with its first answer. Reads the key under
// the book's lock and writes it in the effect's transaction, so no repeat comes between. Every
// write of an account passes here, so this file also refuses writes of frozen and closed accounts;
// a repeat of an earlier request still gets its kept answer.

import { checkActive, checkOpen } from '../../accounts/states.ts'
import type { LongOperation, Operation } from '../../engine/operation.ts'
import { checkQuota, countWritten, type FullAt, type Quota } from '../../ledger/quota.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { type Claiming, KEPT_SEAL, type KeptReply, type Reply, type Written } from './kept-reply.ts'
import { isKept, keptName, replay } from './rules.ts'
import { findKeptReplies, insertKeptReplies } from './store.ts'

interface State<Inner> {
  readonly inner: Inner
  readonly books: ReadonlyMap<string, Book>
  /** Kept answers, by keptName. */
  readonly kept: Map<string, KeptReply>
  /** Answers that are not stored yet. */
  readonly unstored: KeptReply[]
}

export interface Metering<Command, Outcome> {
  quotaOf(account_id: string): Quota
  /**
   * How many times its quota a live account may have written before this command is refused. In a
   * sandbox payouts cost nothing, so every command is refused at the quota.
   */
  fullAt(command: Command): FullAt
  /** What the command writes besides its events and the objects of its answer. */
  writesOf?(outcome: Outcome): Written
}

/** The outcome of the inner operation; null when the answer is a kept one. */
export type Answered<Outcome> = { readonly reply: Reply; readonly outcome: Outcome | null }

export interface Answers<Command, Outcome> {
  answer(outcome: Outcome, command: Command): Reply
  /** Without it, nothing counts, as for operators. */
  readonly metering?: Metering<Command, Outcome>
}

/** Wraps an operation. Keeps only successes: a refused request may be retried. */
export function idempotent<
  Command extends Claiming,
  Inner extends { readonly books: ReadonlyMap<string, Book> },
  Outcome,
  Prepared,
>(
  operation: Operation<Command, Inner, Outcome, Prepared>,
  { answer, metering }: Answers<NoInfer<Command>, NoInfer<Outcome>>,
): Operation<Command, State<Inner>, Answered<Outcome>, Prepared> {
  return {
    name: operation.name,
    ...omitUndefined({ ofOneShard: operation.ofOneShard, prepare: operation.prepare }),

    load: (tx, commands, prepared) =>
      loadWithReplies(tx, commands, operation.load(tx, commands, prepared)),

    decide(state: State<Inner>, command: Command): Answered<Outcome> {
      const replayed = findReplay(state, command)
      if (replayed !== null) return { reply: replayed, outcome: null }
      checkAccount(operation, state, command)
      const events = eventCountOf(state, command)
      const count = meter(state, command, metering)
      const outcome = operation.decide(state.inner, command)
      const reply = answer(outcome, command)
      keep(state, command, reply, events)
      count?.(outcome, reply)
      return { reply, outcome }
    },

    store(tx: TransactionSql, answered: readonly Answered<Outcome>[], state: State<Inner>) {
      const outcomes = answered.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]))
      if (outcomes.length === 0) return Promise.resolve()
      return Promise.all([
        operation.store(tx, outcomes, state.inner),
        state.unstored.length > 0 && insertKeptReplies(tx, state.unstored.splice(0)),
      ])
    },
  }
}

export function idempotentLong<
  Command extends Claiming,
  Inner extends { readonly books: ReadonlyMap<string, Book> },
  Outcome,
  Prepared,
>(
  operation: LongOperation<Command, Inner, Outcome, Prepared>,
  { answer, metering }: Answers<NoInfer<Command>, NoInfer<Outcome>>,
): LongOperation<Command, State<Inner>, Answered<Outcome>, Prepared> {
  return {
    name: operation.name,
    ...omitUndefined({ prepare: operation.prepare }),

    load: (tx, commands, prepared) =>
      loadWithReplies(tx, commands, operation.load(tx, commands, prepared)),

    async settle(tx, state, command): Promise<Answered<Outcome>> {
      const replayed = findReplay(state, command)
      if (replayed !== null) return { reply: replayed, outcome: null }
      checkAccount(operation, state, command)
      const events = eventCountOf(state, command)
      const count = meter(state, command, metering)
      let reply: Reply | undefined
      const answered = (outcome: Outcome) => {
        reply = answer(outcome, command)
        keep(state, command, reply, events)
        count?.(outcome, reply)
      }
      const outcome = await operation.settle(tx, state.inner, command, answered)
      if (reply === undefined) throw new Error(`${operation.name} has not called answered`)
      if (state.unstored.length > 0) await insertKeptReplies(tx, state.unstored.splice(0))
      return { reply, outcome }
    },
  }
}

/**
 * Refuses writes of a frozen or closed account. The account's state was read under the book's lock,
 * so a freeze counts as soon as it is committed.
 */
function checkAccount(
  { while_frozen }: { readonly while_frozen?: true },
  { books }: State<unknown>,
  { account_id }: Claiming,
): void {
  const check = while_frozen === true ? checkOpen : checkActive
  check(bookOf(books, account_id))
}

/** Refuses an account that has written its quota. Returns the function that counts the outcome. */
function meter<Command extends Claiming, Outcome>(
  state: State<unknown>,
  command: Command,
  metering: Metering<Command, Outcome> | undefined,
): ((outcome: Outcome, reply: Reply) => void) | undefined {
  if (metering === undefined) return undefined
  const { account_id, claim } = command
  const quota = metering.quotaOf(account_id)
  const book = bookOf(state.books, account_id)
  const check = (times: FullAt) => checkQuota(book, quota, Date.now() / 1000, times)
  check(quota.sandbox ? 'quota' : metering.fullAt(command))
  const events = book.event_count
  return (outcome, reply) => {
    const writes = metering.writesOf?.(outcome) ?? { rows: 0, bytes: 0 }
    if (writes.has_refused === true) check('quota')
    const kept = claim === null ? 0 : 1
    const rows = Number(book.event_count - events) + 1 + kept + writes.rows
    const bytes = Buffer.byteLength(reply.body) * (1 + kept) + writes.bytes
    countWritten(book, rows, bytes)
  }
}

/**
 * Loads the inner state and the kept answers. `loading` has already sent its locks, so the look-up
 * sees the answers of all earlier transactions.
 */
async function loadWithReplies<Inner extends { readonly books: ReadonlyMap<string, Book> }>(
  tx: TransactionSql,
  commands: readonly Claiming[],
  loading: Promise<Inner>,
): Promise<State<Inner>> {
  const claims = commands.flatMap(({ account_id, claim }) =>
    claim === null ? [] : [{ account_id, operation: claim.operation, key: claim.key }],
  )
  const [inner, found] = await Promise.all([
    loading,
    claims.length === 0 ? [] : findKeptReplies(tx, claims),
  ])
  const kept = new Map(found.map(reply => [keptName(reply), reply]))
  return { inner, books: inner.books, kept, unstored: [] }
}

/** The kept answer; null when there is none. */
function findReplay(state: State<unknown>, { account_id, claim }: Claiming): Reply | null {
  if (claim === null) return null
  const kept = state.kept.get(keptName({ account_id, ...claim }))
  const { now } = bookOf(state.books, account_id)
  return kept !== undefined && isKept(kept, now) ? replay(kept, claim) : null
}

/** The number of the account's events. */
function eventCountOf(state: State<unknown>, { account_id }: Claiming): bigint {
  return bookOf(state.books, account_id).event_count
}

/**
 * Keeps an answer as of the book's time, which the operation may have moved. If the command has
 * made events (the account had `events` before), the last one carries the answer's digest.
 */
function keep(
  state: State<unknown>,
  { account_id, claim }: Claiming,
  { status, body, ...reply }: Reply,
  events: bigint,
): void {
  if (claim === null) return
  const book = bookOf(state.books, account_id)
  const kept = {
    account_id,
    ...claim,
    status,
    body,
    headers: reply.headers ?? null,
    created_at: book.now,
  }
  if (book.event_count > events) book.kept.set(book.event_count, KEPT_SEAL.digest(kept))
  state.kept.set(keptName(kept), kept)
  state.unstored.push(kept)
}
