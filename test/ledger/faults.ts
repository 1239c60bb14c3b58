// What a planted fault is, for the tables of faults that verifying must find.
import type { Sql } from '../../src/sql/connect.ts'
import { rechain } from './forgery.ts'
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

/** A fault that one statement plants. */
interface Planted extends Omit<Fault, 'plant'> {
  /** `$1` is the id of the account, `$2` that of the row. */
  readonly statement: string
  /** The id of the row, which must be named. */
  readonly row?: (history: History) => string
  /** What must be named instead. */
  readonly named?: Named
  /** The chain is recomputed over it. */
  readonly covered?: true
}

export function planted({ statement, row, named, covered, ...fault }: Planted): Fault {
  return {
    ...fault,
    async plant(owner, history) {
      const { account_id } = history.main.account
      const id = row?.(history)
      await owner.unsafe(statement, id === undefined ? [account_id] : [account_id, id])
      if (covered) await rechain(owner, account_id)
      return named ?? { key: id ?? '' }
    },
  }
}
