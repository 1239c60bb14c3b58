// A fault planted and looked for in one transaction, of which nothing is left: a database copied for
// each would take far longer than the fault.
import type { Sql, TransactionSql } from '../../../src/sql/connect.ts'
import { type Verdict, verify } from '../../../src/verify/run.ts'

class Undo extends Error {}

/** What the work comes to, and nothing of what it did. */
export async function undone<T>(owner: Sql, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined
  await owner
    .begin(async tx => {
      result = { value: await work(tx) }
      throw new Undo()
    })
    .catch(error => {
      if (!(error instanceof Undo)) throw error
    })
  if (result === undefined) throw new Error('no result')
  return result.value
}

/** As the command does, on what the transaction has done so far. */
export function verdictIn(tx: TransactionSql, all: boolean): Promise<Verdict> {
  const within = {
    begin: (_mode: string, work: (tx: TransactionSql) => Promise<unknown>) => tx.savepoint(work),
  }
  return verify(within as unknown as Sql, { account_id: null, all })
}
