// Keeps answers to requests that change rows of no account, such as rates and routes, under their
// Idempotency-Key. They stand beside those of accounts, under a name that no account has.
import { confineTo } from '../../db/confine.ts'
import { databaseNow, type TransactionSql } from '../../db/connect.ts'
import type { Operation } from '../../engine/operation.ts'
import type { Instant } from '../../instant.ts'
import type { Claim, ReadReply, Reply } from './kept-reply.ts'
import { isKept, keptName, replay } from './rules.ts'
import { findKeptReplies, insertKeptReplies } from './store.ts'

const INSTALLATION = 'installation'

interface Looked {
  /** The answer that is kept for the claim; null for none. */
  readonly before: Reply | null
  readonly now: Instant
}

/**
 * Looks for a kept answer, under a lock of the key: of repeats that come at once, one makes the
 * answer.
 */
async function lookForAnswer(tx: TransactionSql, claim: Claim): Promise<Looked> {
  const name = { account_id: INSTALLATION, operation: claim.operation, key: claim.key }
  void confineTo(tx, [INSTALLATION])
  await tx`select pg_advisory_xact_lock(hashtextextended(${keptName(name)}, 0))`
  const now = await databaseNow(tx)
  const [kept] = await findKeptReplies(tx, [name])
  const isThere = kept !== undefined && isKept(kept, now)
  return { before: isThere ? replay(kept as ReadReply, claim) : null, now }
}

function keepAnswer(
  tx: TransactionSql,
  claim: Claim,
  { status, body }: Reply,
  created_at: Instant,
) {
  const as_text = { object_id: '', state: null }
  return insertKeptReplies(tx, [
    { account_id: INSTALLATION, ...claim, ...as_text, status, body, created_at },
  ])
}

/**
 * The answer that is kept for the claim, else the answer of `make`, which is kept with what `make`
 * writes. If `make` returns null, there is no answer, and none is kept. The transaction sees only
 * rows of the accounts that `make` names, and `make` names them last.
 */
export async function answeredOnce(
  tx: TransactionSql,
  claim: Claim,
  make: () => Promise<Reply | null>,
): Promise<Reply | null> {
  const { before, now } = await lookForAnswer(tx, claim)
  if (before !== null) return before
  const reply = await make()
  if (reply === null) return null
  void confineTo(tx, [INSTALLATION])
  await keepAnswer(tx, claim, reply, now)
  return reply
}

interface OnceState<Inner> {
  /** Null for a repeat, which needs no state. */
  readonly inner: Inner | null
  readonly looked: Looked | null
}

interface Once<Outcome> {
  readonly reply: Reply
  /** Null for a repeat. */
  readonly outcome: Outcome | null
}

/** Like answeredOnce, for an operation that locks books of accounts. For lanes of one command. */
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
      const looked = claim === null ? null : await lookForAnswer(tx, claim)
      const isRepeat = looked !== null && looked.before !== null
      return { looked, inner: isRepeat ? null : await operation.load(tx, commands, prepared) }
    },

    decide({ looked, inner }, command) {
      if (inner === null) return { reply: looked?.before as Reply, outcome: null }
      const outcome = operation.decide(inner, command)
      return { reply: replyOf(outcome), outcome }
    },

    store(tx, [made], { looked, inner }) {
      if (made === undefined || made.outcome === null || inner === null) return Promise.resolve()
      if (claim === null || looked === null) return operation.store(tx, [made.outcome], inner)
      void confineTo(tx, [...inner.books.keys(), INSTALLATION])
      return Promise.all([
        operation.store(tx, [made.outcome], inner),
        keepAnswer(tx, claim, made.reply, looked.now),
      ])
    },
  }
}
