// Runs code that begins its own transactions inside one transaction of the test, so that the test
// can read PostgreSQL's statistics of it.
import { connect, type Sql, type TransactionSql } from '../../../src/sql/connect.ts'
import type { Connections } from '../../../src/sql/delete-expired.ts'

/**
 * Runs `work` as the owner, whom row-level security does not restrict, with the plans of the
 * service.
 */
export async function inOneTransaction(
  url: string,
  work: (tx: TransactionSql, connections: Connections) => Promise<void>,
): Promise<void> {
  const owner = connect(url, { max: 1, as: 'owner', look_ups: true })
  try {
    await owner.begin(tx => {
      const sql = asPool(tx)
      return work(tx, { finder: sql, sql })
    })
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/** A transaction with the interface of a pool: `begin` passes on this transaction. */
export function asPool(tx: TransactionSql): Sql {
  const begin = (_mode: string, work: (tx: TransactionSql) => unknown) => work(tx)
  const get = (_: TransactionSql, name: string | symbol) =>
    name === 'begin' ? begin : Reflect.get(tx, name)
  return new Proxy(tx, { get }) as unknown as Sql
}
