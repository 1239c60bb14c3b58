// The statement that says which other payouts a bank's reference has paid. It decides nothing.
import type { TransactionSql } from '../db/connect.ts'
import { type Key, nameOf } from '../id.ts'
import type { Payout } from './payout.ts'
import type { Advance } from './transition.ts'

/**
 * Of payouts that people say are paid, by payout id; payouts are in the books that are locked. From
 * then on whoever asks about such a reference waits until this transaction ends.
 */
export async function findPaidElsewhere(
  tx: TransactionSql,
  advances: readonly Advance[],
  payouts: ReadonlyMap<string, Payout>,
): Promise<ReadonlyMap<string, Key>> {
  const asked = advances.flatMap(({ account_id, payout_id, person, steps }) => {
    if (person === undefined || !steps.some(({ status }) => status === 'succeeded')) return []
    const kept = payouts.get(nameOf({ account_id, id: payout_id }))?.rail_reference ?? ''
    const reference = person.reference ?? kept
    return reference === '' ? [] : [{ payout_id, reference }]
  })
  if (asked.length === 0) return new Map()
  const rows = await tx<{ asked_id: string; account_id: string; id: string }[]>`
    select asked_id, account_id, id from paid_elsewhere(
      ${asked.map(({ payout_id }) => payout_id)}::text[],
      ${asked.map(({ reference }) => reference)}::text[])`
  return new Map(rows.map(({ asked_id, ...other }) => [asked_id, other]))
}
