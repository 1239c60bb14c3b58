// Any number of rows in constant memory: a cursor of the verifying transaction, read page by page.
// It asks for the next page while the present one is worked on. Knows nothing of what the rows
// mean.
import type { TransactionSql } from '../db/connect.ts'

const PAGE = 5_000

/** The parameters that a statement in a stream can have. */
type Parameters = readonly (string | null)[]

export interface RowStream<T> {
  /** The present row; undefined after the last. */
  row: T | undefined
  /** Moves to the next row. */
  next(): Promise<void>
  close(): Promise<void>
}

let cursors = 0

/** Opens a cursor for a select and reads its first row. Close it, or end the transaction. */
export async function openStream<T extends object>(
  tx: TransactionSql,
  select: string,
  parameters: Parameters,
): Promise<RowStream<T>> {
  cursors += 1
  const name = `verify_${cursors}`
  await tx.unsafe(`declare ${name} no scroll cursor for ${select}`, [...parameters])
  const fetchPage = () => {
    const page: Promise<T[]> = tx.unsafe<T[]>(`fetch ${PAGE} from ${name}`).then(rows => [...rows])
    // A check has thrown, so nobody waits for this page any more, and its failure is ignored.
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
