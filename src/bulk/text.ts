// Reads the CSV of an import from a text as `corridor payout import` reads it from a file.

import { Refusal } from '../errors.ts'
import { MAX_BODY_BYTES } from '../http/json.ts'
import type { LineProblem } from '../text/csv.ts'
import { readBody, readHeader } from './file.ts'
import { completeRow, PAYOUT_COLUMNS } from './payouts.ts'
import { splitRecords } from './records.ts'

export interface TextRow {
  /** From 1; the last line of a row that spans several. */
  readonly line: number
  /** As POST /v3/payout takes it. */
  readonly body: object
}

/** The payouts of a CSV, or all of its problems by line. */
export function readPayouts(text: string): {
  readonly rows: readonly TextRow[]
  readonly problems: readonly LineProblem[]
} {
  const records = splitRecords(Buffer.from(text), { quotes: true, max_bytes: MAX_BODY_BYTES })
  const [first, ...others] = records
  if (first === undefined) return { rows: [], problems: [{ line: 1, message: 'no header line' }] }
  const header = readHeader(first.bytes.toString('utf8'), PAYOUT_COLUMNS)
  if (header.messages !== undefined) {
    const problems = header.messages.map(message => ({ line: first.line, message }))
    return { rows: [], problems }
  }
  const rows: TextRow[] = []
  const problems: LineProblem[] = []
  for (const record of others) {
    const { line } = record
    const read = readBody(header.value, record)
    const row = read instanceof Refusal ? read : completeRow(read as object)
    problems.push(...row.problems.map(({ message }) => ({ line, message })))
    if ('body' in row) rows.push({ line, body: row.body })
  }
  return { rows, problems }
}
