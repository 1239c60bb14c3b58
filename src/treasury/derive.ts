// Derives the house's books from the journals of accounts: the sums of each day, and the items that
// the books expect at banks. A cursor of each account moves in the transaction that writes both, so
// each journal counts exactly once, whatever dies.
import { transactConfined } from '../sql/confine.ts'
import { readManyRows, type Sql, type TransactionSql } from '../sql/connect.ts'
import {
  assignItems,
  deriveStretches,
  listBehind,
  lockStretches,
  type Stretch,
  takeTurn,
} from './item-store.ts'
import { actForTheHouse } from './nostro-store.ts'

/** The most accounts and journals of one transaction. */
const ACCOUNTS = 300
const JOURNALS = 20_000n
/** The most items that one transaction gives a nostro. */
const ASSIGNED = 10_000

interface Derived {
  readonly journals: bigint
  readonly items: number
  /** The last account that had its turn; '' when the next turn is that of the first. */
  readonly last: string
}

/**
 * Derives up to JOURNALS of ACCOUNTS that are behind, from the one after `after` on: no busy
 * account keeps another one from its turn. Nothing while another process derives.
 */
export async function deriveSome(
  { sql, finder }: { readonly sql: Sql; readonly finder: Sql },
  most = JOURNALS,
  after = '',
): Promise<Derived> {
  const nothing = { journals: 0n, items: 0, last: '' }
  const behind = await listBehind(finder, after, ACCOUNTS)
  if (behind.length === 0) return after === '' ? nothing : deriveSome({ sql, finder }, most)
  return transactConfined(sql, behind, async tx => {
    if (!(await takeTurn(tx))) return nothing
    void readManyRows(tx)
    const stretches = bounded(await lockStretches(tx, behind), most)
    if (stretches.length === 0) return nothing
    const items = await deriveStretches(tx, stretches)
    const journals = stretches.reduce((sum, { from, to }) => sum + to - from, 0n)
    return { journals, items, last: stretches.at(-1)?.account_id ?? '' }
  })
}

/** The first journals, `most` in all. */
function bounded(stretches: readonly Stretch[], most: bigint): Stretch[] {
  let left = most
  return stretches.flatMap(stretch => {
    const count = stretch.to - stretch.from
    const taken = count < left ? count : left
    left -= taken
    return taken === 0n ? [] : [{ ...stretch, to: stretch.from + taken }]
  })
}

/** Gives a nostro to up to ASSIGNED items that one fits now. Returns how many. */
export function assignSome(tx: TransactionSql): Promise<number> {
  void actForTheHouse(tx)
  return assignItems(tx, ASSIGNED)
}

/** Gives a nostro to all items that one fits now. Returns how many. */
export async function assignAll(sql: Sql): Promise<number> {
  for (let assigned = 0; ; ) {
    const count = await sql.begin(assignSome)
    assigned += count
    if (count < ASSIGNED) return assigned
  }
}
