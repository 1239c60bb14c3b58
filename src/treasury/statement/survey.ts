// Reads a file of statements to its end before anything of it is stored: whose they are, their
// days, their balances and sums. So a file that cannot be read leaves nothing behind.
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import type { Nostro } from '../nostro.ts'
import { csvReader } from './csv.ts'
import { readCsvMapping } from './csv-mapping.ts'
import { detectFormat, HEAD_BYTES } from './detect.ts'
import { nostroOf, StatementRefused, UnknownFormat } from './nostro-of.ts'
import {
  STATEMENT_BOUNDS,
  type StatementEnd,
  type StatementHead,
  type StatementLine,
  type StatementPart,
  type StatementReader,
} from './statement.ts'

/** The plain bytes of one file, which can be read again. */
export type Reads = () => AsyncIterable<Uint8Array>

/** A statement of a file, from the opening of its nostro on. Amounts are minor units. */
export interface Surveyed {
  readonly nostro: Nostro
  readonly format: StatementHead['format']
  readonly is_final: boolean
  readonly statement_id: string
  readonly sequence: string
  readonly opened_on: IsoDate
  readonly closed_on: IsoDate
  readonly opening: bigint | null
  readonly closing: bigint | null
  /** Lines from the opening of the nostro on, and their sum in its currency. */
  readonly lines: number
  readonly amount: bigint
  /** Lines from before the opening, which are left out. */
  readonly left_out: number
  /** Whether it is final and has something from the opening of the nostro on. */
  readonly is_taken: boolean
}

/**
 * All parts of a file with its reader. Throws UnknownFormat for bytes of none of the formats. A CSV
 * file is read by the mapping of the nostro that the caller has named.
 */
export async function* readParts(
  files: readonly Reads[],
  named: Nostro | undefined,
): AsyncGenerator<StatementPart> {
  for (const open of files) yield* (await readerOf(open, named)).read(open())
}

async function readerOf(open: Reads, named: Nostro | undefined): Promise<StatementReader> {
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of open()) {
    head = Buffer.concat([head, chunk])
    if (head.length >= HEAD_BYTES) break
  }
  const reader = detectFormat(head)
  if (reader !== undefined) return reader
  const { format, mapping } = named?.settings.statement ?? {}
  if (named === undefined || format !== 'csv') {
    const why = 'the file is no camt, MT940 or BAI2'
    throw new UnknownFormat(`${why}, and a CSV file needs the mapping of a nostro`)
  }
  const read = readCsvMapping(mapping)
  if (read.messages !== undefined) {
    throw new StatementRefused(`the settings of ${named.name}: ${read.messages.join('; ')}`)
  }
  const { account, currency } = named
  return csvReader({ mapping: read.value, account, currency })
}

/** Sums of the lines of one statement. */
interface Sums {
  lines: number
  amount: bigint
  before: bigint
  left_out: number
  first: IsoDate | undefined
  last: IsoDate | undefined
}

const noSums = (): Sums => ({
  ...{ lines: 0, amount: 0n, before: 0n, left_out: 0 },
  ...{ first: undefined, last: undefined },
})

/** Throws UnreadableFile or StatementRefused. `keep` gets each part. */
export async function survey(
  parts: AsyncIterable<StatementPart>,
  nostros: readonly Nostro[],
  named: Nostro | undefined,
  keep: (part: StatementPart) => Promise<void> | void,
): Promise<Surveyed[]> {
  const statements: Surveyed[] = []
  let head: StatementHead | undefined
  let nostro: Nostro | undefined
  let sums = noSums()
  let lines = 0
  for await (const part of parts) {
    if (part.kind === 'head') {
      head = part
      nostro = nostroOf(part, nostros, named)
      sums = noSums()
    } else if (head !== undefined && nostro !== undefined) {
      if (part.kind === 'end') statements.push(surveyed(nostro, head, part, sums))
      else {
        addLine(sums, part, nostro)
        lines += 1
      }
    }
    await keep(part)
    checkBounds(statements.length, lines)
  }
  if (statements.length === 0) throw new UnreadableFile('the file has no statement')
  return statements
}

function checkBounds(statements: number, lines: number): void {
  const { statements: most, lines: most_lines } = STATEMENT_BOUNDS
  if (statements > most) throw new UnreadableFile(`it has more than ${most} statements`)
  if (lines > most_lines) throw new UnreadableFile(`it has more than ${most_lines} lines`)
}

function addLine(sums: Sums, line: StatementLine, { opening_on, currency }: Nostro): void {
  const { booked_on } = line
  // A line in another currency moves another balance.
  const amount = line.currency === currency ? line.amount : 0n
  if (booked_on < opening_on) {
    sums.left_out += 1
    sums.before += amount
    return
  }
  sums.lines += 1
  sums.amount += amount
  if (sums.first === undefined || booked_on < sums.first) sums.first = booked_on
  if (sums.last === undefined || booked_on > sums.last) sums.last = booked_on
}

/** The part of a statement from the opening of its nostro on, with the balance at that day. */
function surveyed(nostro: Nostro, head: StatementHead, end: StatementEnd, sums: Sums): Surveyed {
  const { opening_on } = nostro
  const { statement_id, sequence, closing, is_final } = end
  const said = end.closed_on ?? sums.last
  if (said === undefined) {
    throw new UnreadableFile(`statement ${statement_id} names no day and has no line`)
  }
  const closed_on = later(said, opening_on)
  const from = end.opened_on ?? sums.first ?? closed_on
  const opened_on = later(from < closed_on ? from : closed_on, opening_on)
  return {
    ...{ nostro, format: head.format, is_final, statement_id, sequence },
    ...{ opened_on, closed_on, closing },
    opening: end.opening === null ? null : end.opening + sums.before,
    ...{ lines: sums.lines, amount: sums.amount, left_out: sums.left_out },
    is_taken: is_final && (sums.lines > 0 || said >= opening_on),
  }
}

const later = (a: IsoDate, b: IsoDate) => (a > b ? a : b)
