// Rows of any number in constant memory: a cursor of the verifying transaction, read page by page,
// the next page asked for while the one in hand is worked on. Knows nothing of what the rows mean.
import type { TransactionSql } from '../db/connect.ts'

const PAGE = 5_000

/** Statements inside a stream take at most these parameters. */
type Parameters = readonly (string | null)[]

export interface RowStream<T> {
  /** The row in hand; undefined after the last. */
  row: T | undefined
  /** Moves to the next row. */
  next(): Promise<void>
  close(): Promise<void>
}

let cursors = 0

/** Opens a cursor for a select and stands on its first row. Close it, or end the transaction. */
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
    // A page that nobody waits for any more, because a check has thrown, may fail unseen.
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
