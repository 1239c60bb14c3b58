// Wakes the payouts that connectors have news of.
import { readConfined, transactConfined } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { uniqueKeys } from '../id.ts'
import { wakePayouts } from '../payout/wake-store.ts'
import { gather } from './gather.ts'

/** A payment that a rail says it has news of. */
export interface Told {
  readonly rail: string
  readonly payout_id: string
  readonly attempt: number
}

/** Makes the payout due, when this is the latest attempt of it, by this rail. */
export function waker(sql: Sql): (account_id: string, told: Told) => Promise<void> {
  return gather<Told, void>(async (account_id, all) => {
    const ids = all.map(({ payout_id }) => payout_id)
    const latest = await readConfined(sql, [account_id], tx => findLatest(tx, account_id, ids))
    const theirs = all.filter(({ rail, payout_id, attempt }) => {
      const last = latest.find(row => row.payout_id === payout_id)
      return last?.rail === rail && last.attempt === attempt
    })
    const keys = uniqueKeys(theirs.map(({ payout_id: id }) => ({ account_id, id })))
    await transactConfined(sql, [account_id], tx => wakePayouts(tx, keys))
    return all.map(() => undefined)
  })
}

function findLatest(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  return tx<Told[]>`
    select distinct on (payout_id) payout_id, number as attempt, rail from payout_attempts
    where account_id = ${account_id} and payout_id = any (${ids}::text[])
    order by payout_id, number desc`
}
