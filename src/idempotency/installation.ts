// Keeps answers to requests that change what is no account's, such as rates and routes, under their
// Idempotency-Key. They stand with those of accounts, under a name that no account has.
import { confineTo } from '../db/confine.ts'
import { databaseNow, type Sql, type TransactionSql } from '../db/connect.ts'
import type { Claim, ReadReply, Reply } from './kept-reply.ts'
import { isKept, keptName, replay } from './rules.ts'
import { findKeptReplies, insertKeptReplies } from './store.ts'

const INSTALLATION = 'installation'

/**
 * The answer that is kept for the claim; else that of `make`, which is kept with what it writes.
 * The transaction sees rows of no account. Of repeats at once, one makes the answer.
 */
export async function answeredOnce(
  tx: TransactionSql,
  claim: Claim,
  make: () => Promise<Reply>,
): Promise<Reply> {
  const name = { account_id: INSTALLATION, operation: claim.operation, key: claim.key }
  void confineTo(tx, [INSTALLATION])
  await tx`select pg_advisory_xact_lock(hashtextextended(${keptName(name)}, 0))`
  const now = await databaseNow(tx as unknown as Sql)
  const [kept] = await findKeptReplies(tx, [name])
  if (kept !== undefined && isKept(kept, now)) return replay(kept as ReadReply, claim)
  const reply = await make()
  const { status, body } = reply
  const as_text = { object_id: '', state: null }
  await insertKeptReplies(tx, [
    { ...name, ...as_text, request_hash: claim.request_hash, status, body, created_at: now },
  ])
  return reply
}
