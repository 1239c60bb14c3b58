// What prices shown without a quote are judged by: two clocks, and the version of prices.
import type { TransactionSql } from '../db/connect.ts'
import type { Instant } from '../instant.ts'
import { accountNow } from '../ledger/store.ts'

interface Moment {
  /** The database's clock, which judges the age of rates. */
  readonly now: Instant
  /** The account's clock. */
  readonly at: Instant
  readonly price_version: bigint
}

export async function readMoment(tx: TransactionSql, account_id: string): Promise<Moment> {
  const [at, [version]] = await Promise.all([
    accountNow(tx, account_id),
    tx<{ now: Instant; price_version: bigint }[]>`
      select clock_timestamp() as now, price_version from reference_version`,
  ])
  if (version === undefined) throw new Error('the reference data has no version')
  return { ...version, at }
}
