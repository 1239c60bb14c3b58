// Removes archived events from the database, some rows a transaction. Each row is compared with the
// archive before it goes.
import { recordActs } from '../../ledger/audit/store.ts'
import { lockBooks } from '../../ledger/store.ts'
import type { Sql } from '../../sql/connect.ts'
import { refusal } from '../../values/errors.ts'
import type { ArchivedRow } from './archive.ts'
import { type Cut, digestOfSeals, sealsOf, whyKept } from './cut.ts'
import { cutEvents, findCut, findObstacles, listHashes } from './cut-store.ts'

interface Removal {
  readonly account_id: string
  /** Rows of the archive in order. The first continues the last cut, or lies before it. */
  readonly rows: readonly ArchivedRow[]
  /** The digest of the archive. */
  readonly file: string
  readonly person: string
}

interface Removed {
  readonly removed: number
  /** Why the first of the remaining rows stays; undefined when none remains. */
  readonly kept: string | undefined
}

/** One transaction: removes these rows in order, up to the first that must stay. */
export function removeArchived(
  sql: Sql,
  { account_id, rows, file, person }: Removal,
): Promise<Removed> {
  return sql.begin(async tx => {
    await lockBooks(tx, [account_id])
    const obstacles = await findObstacles(tx, account_id)
    const before = await findCut(tx, account_id)
    const after = before?.sequence ?? 0n
    const remaining = rows.filter(({ sequence }) => BigInt(sequence) > after)
    const placed = remaining.map(row => ({ ...row, place: BigInt(row.sequence) }))
    const why = ({ place: sequence, created_at }: (typeof placed)[number]) =>
      whyKept({ sequence, created_at }, obstacles)
    const first = placed.findIndex(row => why(row) !== undefined)
    const removable = first === -1 ? placed : placed.slice(0, first)
    const stays = first === -1 ? undefined : placed[first]
    const kept = stays && `event ${stays.sequence} stays: ${why(stays)}`
    const last = removable.at(-1)
    if (last === undefined) return { removed: 0, kept }
    const stored = await listHashes(
      tx,
      account_id,
      removable.map(({ sequence }) => sequence),
    )
    for (const { sequence, hash, was } of removable) {
      const row = stored.get(sequence)
      if (row?.hash === hash && row.was === was) continue
      const message =
        row?.hash === hash
          ? `event ${sequence} was erased since the archive was written: write another one`
          : `event ${sequence} has another hash in the database: it and later events stay`
      throw refusal('invalid_transition', message)
    }
    const seals = sealsOf(removable)
    const { created_at, hash, place: sequence } = last
    const cut: Cut = { account_id, sequence, hash, created_at }
    const removed = removable.length
    const facts = { removed, seals: digestOfSeals(seals), file }
    await cutEvents(tx, { ...cut, ...facts, removed_by: person }, seals)
    const act = {
      ...{ account_id, id: '', removed_to: String(sequence), removed_until: created_at, hash },
      ...{ rows: String(removed), seals: facts.seals, file },
    }
    await recordActs(tx, [{ table_name: 'events', reason: '', before: null, after: act }])
    return { removed, kept }
  })
}
