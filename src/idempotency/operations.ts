// Makes any operation answer a repeated Idempotency-Key with its first answer. The key is read
// under the book's lock and written in the transaction of the effect, so there is no window between
// them.
import type { TransactionSql } from '../db/connect.ts'
import type { Operation } from '../engine/operation.ts'
import type { Instant } from '../instant.ts'
import {
  type Answering,
  type Claiming,
  type KeptReply,
  keptName,
  type Reply,
  replay,
} from './rules.ts'
import { findKeptReplies, insertKeptReplies } from './store.ts'

interface State<Inner> {
  readonly inner: Inner
  readonly now: Instant
  readonly kept: Map<string, KeptReply>
  readonly fresh: (KeptReply & { readonly created_at: Instant })[]
}

/** Either a new outcome of the inner operation or the answer kept from before. */
export type Answered<Outcome> = { readonly reply: Reply; readonly outcome: Outcome | null }

/** The same operation, under idempotency keys. Only successes are kept: refusals may be retried. */
export function idempotent<
  Command extends Claiming,
  Inner extends { readonly now: Instant },
  Outcome extends Answering,
  Prepared,
>(
  operation: Operation<Command, Inner, Outcome, Prepared>,
): Operation<Command, State<Inner>, Answered<Outcome>, Prepared> {
  return {
    name: operation.name,
    ...(operation.prepare === undefined ? {} : { prepare: operation.prepare }),

    async load(tx, commands, prepared): Promise<State<Inner>> {
      const claims = commands.flatMap(({ account_id, claim }) =>
        claim === null ? [] : [{ account_id, operation: claim.operation, key: claim.key }],
      )
      const [inner, found] = await Promise.all([
        operation.load(tx, commands, prepared),
        // Sent after the locks, so it sees what those who held them before have kept.
        claims.length === 0 ? [] : findKeptReplies(tx, claims),
      ])
      const kept = new Map(found.map(reply => [keptName(reply), reply]))
      return { inner, now: inner.now, kept, fresh: [] }
    },

    decide(state: State<Inner>, command: Command): Answered<Outcome> {
      const { account_id, claim } = command
      if (claim === null) {
        const outcome = operation.decide(state.inner, command)
        return { reply: outcome.reply, outcome }
      }
      const name = keptName({ account_id, ...claim })
      const before = state.kept.get(name)
      if (before !== undefined) return { reply: replay(before, claim), outcome: null }
      const outcome = operation.decide(state.inner, command)
      const { status, body } = outcome.reply
      const kept = { account_id, ...claim, status, body, created_at: state.now }
      state.kept.set(name, kept)
      state.fresh.push(kept)
      return { reply: outcome.reply, outcome }
    },

    store(tx: TransactionSql, answered: readonly Answered<Outcome>[], state: State<Inner>) {
      const outcomes = answered.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]))
      if (outcomes.length === 0) return Promise.resolve()
      return Promise.all([
        operation.store(tx, outcomes, state.inner),
        state.fresh.length > 0 && insertKeptReplies(tx, state.fresh.splice(0)),
      ])
    },
  }
}
