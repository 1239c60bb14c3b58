// What a planted fault is, for the tables of faults that verifying must find.
import type { Sql } from '../../src/db/connect.ts'
import type { History } from './history.ts'

/** The row that must be named; of the main account unless another is given. */
export interface Named {
  readonly key: string
  readonly account_id?: string
}

export interface Fault {
  readonly name: string
  readonly table: string
  /** What expected and found must say. */
  readonly words: RegExp
  plant(owner: Sql, history: History): Promise<Named>
}

/** The journal of this number, of the main account. */
export const journal = (number: bigint): Named => ({ key: `number ${number}` })
