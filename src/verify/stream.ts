// Reads any number of rows in constant memory, from a cursor of the verification's transaction.
// Fetches the next page while the caller works on the present one.
import type { Key } from '../values/id.ts'
import type { Statement, Verification } from './rows.ts'

const PAGE = 5_000

export interface RowStream<T> {
  /** The present row; undefined after the last. */
  row: T | undefined
  next(): Promise<void>
  close(): Promise<void>
}

let cursors = 0

/** Reads the first row. Close the cursor, or end the transaction. */
export async function openStream<T extends object>(
  { tx, account_id }: Verification,
  select: Statement,
): Promise<RowStream<T>> {
  cursors += 1
  const name = `verify_${cursors}`
  await tx.unsafe(`declare ${name} no scroll cursor for ${select(account_id)}`, [account_id])
  const fetchPage = () => {
    const page: Promise<T[]> = tx.unsafe<T[]>(`fetch ${PAGE} from ${name}`).then(rows => [...rows])
    // When a check throws, nobody awaits this page, and its failure must not end the process.
    page.catch(() => {})
    return page
  }
  let page = await fetchPage()
  let ahead = fetchPage()
  let index = 0
  const stream: RowStream<T> = {
    row: page[0],
    async next() {
      index += 1
      if (index === page.length) {
        page = await ahead
        index = 0
        ahead = page.length === 0 ? Promise.resolve([]) : fetchPage()
      }
      stream.row = page[index]
    },
    async close() {
      await ahead
      await tx.unsafe(`close ${name}`)
    },
  }
  return stream
}

/** The rows of one answer, as a stream. */
export function streamOf<T extends object>(rows: readonly T[]): RowStream<T> {
  let index = 0
  const stream: RowStream<T> = {
    row: rows[0],
    async next() {
      index += 1
      stream.row = rows[index]
    },
    close: () => Promise.resolve(),
  }
  return stream
}

export async function checkEach<T extends Key>(
  run: Verification,
  table: string,
  select: Statement,
  check: (row: T) => void,
): Promise<number> {
  let count = 0
  const rows = await openStream<T>(run, select)
  for (; rows.row !== undefined; await rows.next()) {
    const { row } = rows
    run.findings.guard({ table, account_id: row.account_id, key: row.id }, () => check(row))
    count += 1
  }
  await rows.close()
  return count
}
