// Wakes the payouts that connectors have news of.
import { readConfined, transactConfined } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { wakePayouts } from '../payout/wake-store.ts'
import { gather } from './gather.ts'

/** A payment that a rail has news of. */
export interface Told {
  readonly rail: string
  readonly payout_id: string
  readonly attempt: number
}

/** Makes the payout due if this rail has, or had, this attempt of it. */
export function waker(sql: Sql): (account_id: string, told: Told) => Promise<void> {
  return gather<Told, void>(async (account_id, all) => {
    const ids = all.map(({ payout_id }) => payout_id)
    const known = await readConfined(sql, [account_id], tx => findTold(tx, account_id, ids))
    const theirs = all.filter(({ rail, payout_id, attempt }) =>
      known.some(
        row => row.rail === rail && row.payout_id === payout_id && row.attempt === attempt,
      ),
    )
    const news = theirs.map(({ payout_id: id, attempt }) => ({ account_id, id, attempt }))
    await transactConfined(sql, [account_id], tx => wakePayouts(tx, news))
    return all.map(() => undefined)
  })
}

function findTold(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  return tx<Told[]>`
    select payout_id, number as attempt, rail from payout_attempts
    where account_id = ${account_id} and payout_id = any (${ids}::text[])`
}
