// What the comparison of ways reads: two clocks, the version of prices, and the entity's approval.
import type { TransactionSql } from '../db/connect.ts'
import type { Approval } from '../entity/rules.ts'
import { findApprovals } from '../entity/store.ts'
import type { Instant } from '../instant.ts'
import { accountNow } from '../ledger/store.ts'

export interface Moment {
  /** The database's clock, which judges the age of rates. */
  readonly now: Instant
  /** The account's clock. */
  readonly at: Instant
  readonly price_version: bigint
  readonly approvals: Approval[]
}

export async function readMoment(
  tx: TransactionSql,
  account_id: string,
  entity_id: string | undefined,
): Promise<Moment> {
  const entities = entity_id === undefined ? [] : [{ account_id, id: entity_id }]
  const [at, approvals, [version]] = await Promise.all([
    accountNow(tx, account_id),
    findApprovals(tx, entities),
    tx<{ now: Instant; price_version: bigint }[]>`
      select clock_timestamp() as now, price_version from reference_version`,
  ])
  if (version === undefined) throw new Error('the reference data has no version')
  return { ...version, at, approvals }
}
