// Wakes payouts when a connector reports news of their payments.
import { wakePayouts } from '../../payouts/advance/wake-store.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { gather } from './gather.ts'

export interface PaymentNews {
  readonly rail: string
  readonly payout_id: string
  readonly attempt: number
}

/** A function that makes a payout due now, if the rail has or had this attempt of it. */
export function waker(sql: Sql): (account_id: string, news: PaymentNews) => Promise<void> {
  return gather<PaymentNews, void>(async (account_id, all) => {
    const ids = all.map(({ payout_id }) => payout_id)
    const attempts = await readConfined(sql, [account_id], tx => findAttempts(tx, account_id, ids))
    const known = all.filter(({ rail, payout_id, attempt }) =>
      attempts.some(
        row => row.rail === rail && row.payout_id === payout_id && row.attempt === attempt,
      ),
    )
    const keys = known.map(({ payout_id: id, attempt }) => ({ account_id, id, attempt }))
    await transactConfined(sql, [account_id], tx => wakePayouts(tx, keys))
    return all.map(() => undefined)
  })
}

function findAttempts(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  return tx<PaymentNews[]>`
    select payout_id, number as attempt, rail from payout_attempts
    where account_id = ${account_id} and payout_id = any (${ids}::text[])`
}
