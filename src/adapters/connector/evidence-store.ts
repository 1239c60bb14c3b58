// Stores evidence of connectors in the database, without repeats.
import { type Evidence, evidenceDigest, type NewEvidence } from '../../rails/evidence.ts'
import { addEvidence, findEvidence } from '../../rails/evidence-store.ts'
import type { RailPayout } from '../../rails/rail.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import type { Sql } from '../../sql/connect.ts'
import { gather } from './gather.ts'
import type { EvidenceStore } from './rail.ts'

interface NewRows {
  readonly payout: RailPayout
  readonly rows: readonly NewEvidence[]
}

export function evidenceStore(sql: Sql): EvidenceStore {
  const keep = gather<NewRows, readonly Evidence[]>(async (account_id, all) => {
    const stored = await write(sql, account_id, all)
    return all.map(({ payout: { id, attempt } }) =>
      stored.filter(row => row.payout_id === id && row.attempt === attempt.number),
    )
  })
  return { keep: (payout, rows) => keep(payout.account_id, { payout, rows }) }
}

/** Stores the new rows. Resolves after the commit, with all evidence of the payouts. */
async function write(sql: Sql, account_id: string, all: readonly NewRows[]) {
  const keys = all.map(({ payout: { id } }) => ({ account_id, id }))
  const before = await readConfined(sql, [account_id], tx => findEvidence(tx, keys))
  const known = new Set(before.map(repeatKey))
  const added = all.flatMap(({ rows }) => rows).filter(row => !known.has(repeatKey(row)))
  if (added.length === 0) return before
  return transactConfined(sql, [account_id], async tx => {
    await addEvidence(tx, added)
    return findEvidence(tx, keys)
  })
}

/** Two rows of evidence with the same key are one row and its repeat. */
function repeatKey(row: NewEvidence): string {
  return `${row.payout_id}-${row.attempt} ${evidenceDigest(row)}`
}
