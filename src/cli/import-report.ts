// The report of an import: what became of each row, one line a row, as JSON or, in a file named
// .csv, as cells for spreadsheets.
import { type FileHandle, open, stat } from 'node:fs/promises'
import { CommandFailed, UsageError } from './context.ts'

/** A row as it is presented: values, and problems as the API answers them. */
export interface Presented {
  readonly problems: readonly { readonly reason: string; readonly message: string }[]
}

export interface Report {
  write(rows: readonly Presented[]): Promise<void>
  close(): Promise<void>
}

/** Empties the report that was there, but never the file that is read. */
export async function openReport(path: string, read_path: string): Promise<Report> {
  const [there, read] = await Promise.all([stat(path).catch(() => null), stat(read_path)])
  if (there !== null && there.dev === read.dev && there.ino === read.ino) {
    throw new UsageError('--report names the file that is read')
  }
  const file = await open(path, 'w').catch((error: Error) => {
    throw new UsageError(`cannot write ${path}: ${error.message}`)
  })
  const linesOf = /\.csv$/i.test(path) ? csvLines() : jsonLines
  return {
    write: rows => writeLines(file, rows.length === 0 ? '' : linesOf(rows)),
    close: () => file.close(),
  }
}

async function writeLines(file: FileHandle, text: string): Promise<void> {
  await file.writeFile(text).catch((error: Error) => {
    throw new CommandFailed(`the report cannot be written: ${error.message}; run again`)
  })
}

function jsonLines(rows: readonly Presented[]): string {
  return rows.map(row => `${JSON.stringify(row)}\n`).join('')
}

/** A header before the first row; problems in one cell. */
function csvLines(): (rows: readonly Presented[]) => string {
  let begun = false
  return rows => {
    const lines = rows.map(row => Object.values({ ...row, problems: problemsCell(row) }))
    if (!begun) lines.unshift(Object.keys(rows[0] ?? {}))
    begun = true
    return lines.map(cells => `${cells.map(cellOf).join(',')}\r\n`).join('')
  }
}

/** Begins with a word of ours, so that no spreadsheet takes it for a formula. */
function problemsCell({ problems }: Presented): string {
  return problems.map(({ reason, message }) => `${reason}: ${message}`).join('; ')
}

function cellOf(value: unknown): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
