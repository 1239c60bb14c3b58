// The SQL statements of evidence. Rows are added and never changed.
import type { TransactionSql } from '../db/connect.ts'
import { keysOf, selectByKeys } from '../db/keys.ts'
import { inserter } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import type { Tag } from '../db/sql.ts'
import { type Key, nameOf, uniqueKeys } from '../id.ts'
import type { Instant } from '../instant.ts'
import { attemptId } from './attempt.ts'
import { type Evidence, type NewEvidence, sameness } from './evidence.ts'

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

/** The digest by which a statement is found again. */
interface Same {
  readonly same: string
}

const insertRows = inserter<Evidence & Same>('rail_evidence', {
  ...KINDS,
  same: 'hex',
})

/**
 * Adds what rails said. Returns what is new, with its numbers; what was said before is left out.
 * The transaction must be confined to the accounts. Others who add evidence of the same payouts
 * wait until this transaction ends, so that numbers have no gaps. Commit before you conclude
 * anything from it.
 */
export async function addEvidence(
  tx: TransactionSql,
  words: readonly NewEvidence[],
): Promise<Evidence[]> {
  if (words.length === 0) return []
  const keys = uniqueKeys(words.map(({ account_id, payout_id: id }) => ({ account_id, id })))
  const [now, before] = await lockAndRead(tx, keys)
  const said = new Set(before.map(({ same, ...of }) => `${attemptOf(of)} ${same}`))
  const counts = new Map<string, number>()
  for (const { number, ...of } of before) counts.set(attemptOf(of), number)
  const added = words.flatMap(word => {
    const name = attemptOf(word)
    const same = sameness(word)
    if (said.has(`${name} ${same}`)) return []
    said.add(`${name} ${same}`)
    const number = (counts.get(name) ?? 0) + 1
    counts.set(name, number)
    return [{ ...word, number, received_at: now, same }]
  })
  if (added.length > 0) await insertRows(tx, added)
  return added.map(({ same: _digest, ...evidence }) => evidence)
}

/** The time, and the earlier evidence of these payouts, once nobody else can add to it. */
async function lockAndRead(tx: TransactionSql, keys: readonly Key[]) {
  const ordered = keys.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  await eachShard(
    ordered,
    keys => tx`
      select from ${keysOf(keys)}
      cross join lateral (
        select from payout_attempts a
        where a.account_id = k.account_id and a.payout_id = k.id ${within('a', keys)}
        order by number limit 1 for no key update
      ) r`,
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

function attemptOf(word: Pick<NewEvidence, 'account_id' | 'payout_id' | 'attempt'>): string {
  const { account_id, payout_id, attempt } = word
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
