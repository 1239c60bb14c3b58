// Keeps evidence in the database. What was said before is read and not written again.
import { readConfined, transactConfined } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import { type Evidence, type NewEvidence, sameness } from '../rail/evidence.ts'
import { addEvidence, findEvidence } from '../rail/evidence-store.ts'
import type { RailPayout } from '../rail/rail.ts'
import { gather } from './gather.ts'
import type { EvidenceStore } from './rail.ts'

interface Said {
  readonly payout: RailPayout
  readonly said: readonly NewEvidence[]
}

export function evidenceStore(sql: Sql): EvidenceStore {
  const keep = gather<Said, readonly Evidence[]>(async (account_id, all) => {
    const kept = await write(sql, account_id, all)
    return all.map(({ payout: { id, attempt } }) =>
      kept.filter(word => word.payout_id === id && word.attempt === attempt.number),
    )
  })
  return { keep: (payout, said) => keep(payout.account_id, { payout, said }) }
}

/** Resolves after the commit, with all evidence of these payouts. */
async function write(
  sql: Sql,
  account_id: string,
  all: readonly Said[],
): Promise<readonly Evidence[]> {
  const keys = all.map(({ payout: { id } }) => ({ account_id, id }))
  const before = await readConfined(sql, [account_id], tx => findEvidence(tx, keys))
  const known = new Set(before.map(nameOf))
  const fresh = all.flatMap(({ said }) => said).filter(word => !known.has(nameOf(word)))
  if (fresh.length === 0) return before
  return transactConfined(sql, [account_id], async tx => {
    await addEvidence(tx, fresh)
    return findEvidence(tx, keys)
  })
}

function nameOf(word: NewEvidence): string {
  return `${word.payout_id}-${word.attempt} ${sameness(word)}`
}
