// The SQL statements of evidence. Rows are added and never changed.
import type { TransactionSql } from '../sql/connect.ts'
import { selectByKeys } from '../sql/keys.ts'
import { inserter } from '../sql/rows.ts'
import type { Tag } from '../sql/sql.ts'
import { inLockOrder, type Key, nameOf, uniqueKeys } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { attemptId } from './attempt.ts'
import { type Evidence, evidenceDigest, type NewEvidence } from './evidence.ts'

const KINDS = {
  account_id: 'text',
  payout_id: 'text',
  attempt: 'integer',
  number: 'integer',
  received_at: 'timestamptz',
  rail: 'text',
  source: 'text',
  position: 'text',
  level: 'text',
  code: 'text',
  reasons: 'json',
  message: 'text',
  amount: 'bigint',
  currency: 'text',
  reference: 'text',
  said_at: 'text',
  detail: 'json',
} as const

/** The column that finds a repeat: `evidenceDigest`. */
interface Same {
  readonly same: string
}

const insertRows = inserter<Evidence & Same>('rail_evidence', {
  ...KINDS,
  same: 'hex',
})

/**
 * Adds evidence, without repeats. Returns the added rows with their numbers. The transaction must
 * be confined to the accounts. Other writers of the same payouts' evidence wait until it ends, so
 * that numbers have no gaps. The caller commits before it interprets the rows.
 */
export async function addEvidence(tx: TransactionSql, evidence: readonly NewEvidence[]) {
  if (evidence.length === 0) return []
  const keys = uniqueKeys(evidence.map(({ account_id, payout_id: id }) => ({ account_id, id })))
  const [now, before] = await lockAndRead(tx, keys)
  const known = new Set(before.map(row => `${attemptKey(row)} ${row.same}`))
  const counts = new Map<string, number>()
  for (const row of before) counts.set(attemptKey(row), row.number)
  const added = evidence.flatMap(row => {
    const key = attemptKey(row)
    const same = evidenceDigest(row)
    if (known.has(`${key} ${same}`)) return []
    known.add(`${key} ${same}`)
    const number = (counts.get(key) ?? 0) + 1
    counts.set(key, number)
    return [{ ...row, number, received_at: now, same }]
  })
  if (added.length > 0) await insertRows(tx, added)
  return added.map(({ same: _digest, ...row }) => row)
}

/**
 * Locks the payouts' first attempts against other writers of evidence. Returns the time and the
 * payouts' earlier evidence.
 */
async function lockAndRead(tx: TransactionSql, keys: readonly Key[]) {
  await selectByKeys(
    tx,
    'payout_id',
    inLockOrder(keys),
    ofKey => tx`
      select t.number from payout_attempts t
      where ${ofKey} order by t.number limit 1 for no key update`,
  )
  const [[clock], before] = await Promise.all([
    tx<{ now: Instant }[]>`select clock_timestamp() as now`,
    selectByKeys<Pick<Evidence, 'account_id' | 'payout_id' | 'attempt' | 'number'> & Same>(
      tx,
      'payout_id',
      keys,
      ofKey => tx`
        select account_id, payout_id, attempt, number, encode(same, 'hex') as same
        from rail_evidence t where ${ofKey} order by attempt, number`,
    ),
  ])
  return [clock?.now ?? '', before.sort((a, b) => a.number - b.number)] as const
}

type AttemptKey = Pick<NewEvidence, 'account_id' | 'payout_id' | 'attempt'>

function attemptKey({ account_id, payout_id, attempt }: AttemptKey): string {
  return nameOf({ account_id, id: attemptId(payout_id, attempt) })
}

/** All evidence of these payouts, attempt by attempt, in the order of receipt. */
export async function findEvidence(sql: Tag, keys: readonly Key[]): Promise<Evidence[]> {
  const rows = await selectByKeys<Evidence>(
    sql,
    'payout_id',
    keys,
    ofKey => sql`
      select ${sql(Object.keys(KINDS))} from rail_evidence t
      where ${ofKey} order by attempt, number`,
  )
  return rows.sort((a, b) => a.attempt - b.attempt || a.number - b.number)
}
