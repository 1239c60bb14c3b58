// Keeps answers to requests that change rows of no account, such as rates and routes, under their
// Idempotency-Key. They are in the table of accounts' answers, under an id that no account has.

import type { Operation } from '../../engine/operation.ts'
import { confineTo } from '../../sql/confine.ts'
import { databaseNow, type TransactionSql } from '../../sql/connect.ts'
import type { Instant } from '../../values/instant.ts'
import type { Claim, Reply } from './kept-reply.ts'
import { isKept, keptName, replay } from './rules.ts'
import { findKeptReplies, insertKeptReplies } from './store.ts'

const INSTALLATION = 'installation'

interface LookUp {
  /** The answer that is kept for the claim; null for none. */
  readonly replayed: Reply | null
  readonly now: Instant
}

/** Looks for a kept answer, under a lock of the key, so that one of several repeats makes it. */
async function lookForAnswer(tx: TransactionSql, claim: Claim): Promise<LookUp> {
  const name = keptName({ ...claim, account_id: INSTALLATION })
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  return lookFor(tx, INSTALLATION, claim)
}

async function lookFor(tx: TransactionSql, account_id: string, claim: Claim): Promise<LookUp> {
  void confineTo(tx, [account_id])
  const now = await databaseNow(tx)
  const name = { account_id, operation: claim.operation, key: claim.key }
  const [kept] = await findKeptReplies(tx, [name])
  const is_kept = kept !== undefined && isKept(kept, now)
  return { replayed: is_kept ? replay(kept, claim) : null, now }
}

/** The answer that is kept for the claim of a live account; null for none. */
export async function findKeptAnswer(
  tx: TransactionSql,
  account_id: string,
  claim: Claim,
): Promise<Reply | null> {
  return (await lookFor(tx, account_id, claim)).replayed
}

function keepAnswer(
  tx: TransactionSql,
  claim: Claim,
  { status, body }: Reply,
  created_at: Instant,
) {
  return insertKeptReplies(tx, [
    { account_id: INSTALLATION, ...claim, status, body, headers: null, created_at },
  ])
}

/**
 * Returns the answer that is kept for the claim, else the answer of `make`. Keeps that answer in
 * the transaction of `make`'s writes, unless it is null. `make` must itself confine the transaction
 * to the accounts whose rows it needs.
 */
export async function answeredOnce(
  tx: TransactionSql,
  claim: Claim,
  make: () => Promise<Reply | null>,
): Promise<Reply | null> {
  const { replayed, now } = await lookForAnswer(tx, claim)
  if (replayed !== null) return replayed
  const reply = await make()
  if (reply === null) return null
  void confineTo(tx, [INSTALLATION])
  await keepAnswer(tx, claim, reply, now)
  return reply
}

interface OnceState<Inner> {
  /** Null for a repeat, which needs no state. */
  readonly inner: Inner | null
  /** Null without a claim. */
  readonly lookUp: LookUp | null
}

interface Once<Outcome> {
  readonly reply: Reply
  /** Null for a repeat. */
  readonly outcome: Outcome | null
}

/** As answeredOnce, for an operation that locks books, in lanes with one command a transaction. */
export function operatedOnce<
  Command,
  Inner extends { readonly books: ReadonlyMap<string, unknown> },
  Outcome,
>(
  operation: Operation<Command, Inner, Outcome>,
  claim: Claim | null,
  replyOf: (outcome: Outcome) => Reply,
): Operation<Command, OnceState<Inner>, Once<Outcome>> {
  return {
    name: operation.name,

    async load(tx, commands, prepared) {
      const lookUp = claim === null ? null : await lookForAnswer(tx, claim)
      const is_repeat = lookUp !== null && lookUp.replayed !== null
      return { lookUp, inner: is_repeat ? null : await operation.load(tx, commands, prepared) }
    },

    decide({ lookUp, inner }, command) {
      if (inner === null) return { reply: lookUp?.replayed as Reply, outcome: null }
      const outcome = operation.decide(inner, command)
      return { reply: replyOf(outcome), outcome }
    },

    store(tx, [answered], { lookUp, inner }) {
      if (!answered || answered.outcome === null || inner === null) return Promise.resolve()
      if (claim === null || lookUp === null) return operation.store(tx, [answered.outcome], inner)
      void confineTo(tx, [...inner.books.keys(), INSTALLATION])
      return Promise.all([
        operation.store(tx, [answered.outcome], inner),
        keepAnswer(tx, claim, answered.reply, lookUp.now),
      ])
    },
  }
}
