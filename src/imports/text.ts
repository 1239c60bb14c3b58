// Reads payouts from the CSV text of a form, as `corridor payout import` reads them from a file.
import { MAX_BODY_BYTES } from '../http/json.ts'
import { Refusal } from '../values/errors.ts'
import type { LineProblem } from '../values/text/csv.ts'
import { readBody, readHeader } from './file.ts'
import { completeRow, PAYOUT_COLUMNS } from './payouts.ts'
import { splitRecords } from './records.ts'

export interface TextRow {
  /** From 1; the last line of a row that spans several. */
  readonly line: number
  /** As POST /v3/payout takes it. */
  readonly body: object
}

interface CellProblem extends LineProblem {
  /** The member of the body, as an answer of the API names it; '' for the whole row. */
  readonly member: string
}

/**
 * A row with a wrong amount_major is in the rows and in the problems. A column `amount` is refused:
 * people who name a column so mean major units.
 */
export function readPayouts(text: string): {
  readonly rows: readonly TextRow[]
  readonly problems: readonly CellProblem[]
} {
  const records = splitRecords(Buffer.from(text), { quotes: true, max_bytes: MAX_BODY_BYTES })
  const [header_record, ...row_records] = records
  if (header_record === undefined) {
    return { rows: [], problems: [{ line: 1, member: '', message: 'no header line' }] }
  }
  const header = readHeader(header_record, PAYOUT_COLUMNS)
  if (header.messages !== undefined) {
    const { line } = header_record
    const problems = header.messages.map(message => ({ line, member: '', message }))
    return { rows: [], problems }
  }
  if (header.value.some(({ path }) => path.join('.') === 'amount')) {
    const message =
      'The column amount has minor units, such as cents. Name it amount_major, and write 1250.50.'
    return { rows: [], problems: [{ line: header_record.line, member: '', message }] }
  }
  const rows: TextRow[] = []
  const problems: CellProblem[] = []
  for (const record of row_records) {
    const { line } = record
    const read = readBody(header.value, record)
    const row = read instanceof Refusal ? read : completeRow(read as object)
    problems.push(
      ...row.problems.map(({ message, remarks }) => ({ line, member: remarks, message })),
    )
    if ('body' in row) rows.push({ line, body: row.body })
  }
  return { rows, problems }
}
