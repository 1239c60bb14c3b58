// The SQL statements that find earlier bookings, and that keep their references.
import type { JournalKind } from '../../ledger/rules.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { isSpread } from '../../sql/shard.ts'
import { type Key, numberedId } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { LINE_TYPES } from '../balance-transaction/columns.ts'
import { type BookingOutcome, bookedName, type EarlierBookings, foldedReference } from './rules.ts'

interface BookingKeys {
  readonly account_id: string
  readonly source: string
  readonly reference: string
}

/**
 * Keeps and releases the references of bookings. On one PostgreSQL the triggers of journals do
 * this; in a spread database they cannot reach the other shards.
 */
export function keepReferences(tx: TransactionSql, outcomes: readonly BookingOutcome[]) {
  if (!isSpread()) return []
  return outcomes.flatMap(({ entries: [{ journal, line }] }) => {
    const { account_id } = journal
    const { reference, split } = line.metadata as { reference?: string; split?: string }
    if (journal.kind === 'funding_reversal') {
      return [tx`select release_reference(${account_id}, ${journal.line?.undoes ?? ''})`.execute()]
    }
    if (journal.kind !== 'funding' || reference === undefined) return []
    const is_split = split === 'true'
    return [
      tx`select keep_reference(${account_id}, ${line.id}, ${reference}, ${is_split})`.execute(),
    ]
  })
}

/**
 * Finds earlier bookings. The books must be locked. A funding of another account with the same
 * reference waits until this transaction ends.
 */
export async function findBooked(
  tx: TransactionSql,
  asked: readonly BookingKeys[],
): Promise<EarlierBookings> {
  const account_ids = asked.map(({ account_id }) => account_id)
  const names = asked.map(({ source }) => source)
  const references = asked.map(({ reference }) => reference)
  const [sources, same_references, elsewhere] = await Promise.all([
    tx<Named[]>`
      select account_id, number, created_at, kind, source as what from journals
      where account_id = any (${account_ids}::text[]) and source = any (${names}::text[])
        and undoes is null and kind <> 'settlement'
      union all
      select account_id, number, created_at, kind, undoes from journals
      where account_id = any (${account_ids}::text[]) and undoes = any (${names}::text[])
        and undoes is not null`,
    // The unique index of references has the same conditions.
    tx<Named[]>`
      select account_id, number, created_at, kind,
        fold_reference(metadata ->> 'reference') as what
      from journals
      where account_id = any (${account_ids}::text[])
        and kind in ('funding', 'withdrawal', 'adjustment') and metadata ->> 'reference' is not null
        and fold_reference(metadata ->> 'reference')
          = any (${references.map(foldedReference)}::text[])`,
    tx<Elsewhere[]>`
      select asked_id, asked_reference, account_id, id
      from funded_elsewhere(${account_ids}::text[], ${references}::text[])`,
  ])
  return {
    sources: byName(sources),
    references: byName(same_references),
    elsewhere: byAsked(elsewhere),
  }
}

interface Named {
  account_id: string
  number: bigint
  created_at: Instant
  kind: JournalKind
  what: string
}

interface Elsewhere {
  asked_id: string
  asked_reference: string
  account_id: string
  id: string
}

function byAsked(rows: readonly Elsewhere[]): Map<string, Key> {
  return new Map(
    rows.map(({ asked_id, asked_reference, ...row }) => [`${asked_id}/${asked_reference}`, row]),
  )
}

function byName(rows: readonly Named[]): Map<string, string> {
  return new Map(
    rows.map(row => [
      bookedName(row.account_id, String(LINE_TYPES[row.kind]), row.what),
      numberedId('btr', row, row.number),
    ]),
  )
}
