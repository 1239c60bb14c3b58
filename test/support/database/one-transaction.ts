// What takes a transaction of its own made to run within one of the test's, which then knows how its
// tables were read.
import { connect, type Sql, type TransactionSql } from '../../../src/db/connect.ts'
import type { Connections } from '../../../src/db/delete-expired.ts'

/** As the owner, who needs no account named, with the plans of the service. */
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

/** The transaction as if it were a pool: what begins one is given the one there is. */
export function asPool(tx: TransactionSql): Sql {
  const begin = (_mode: string, work: (tx: TransactionSql) => unknown) => work(tx)
  const get = (_: TransactionSql, name: string | symbol) =>
    name === 'begin' ? begin : Reflect.get(tx, name)
  return new Proxy(tx, { get }) as unknown as Sql
}
