// Reads the CSV file of a provider as one statement, by the mapping of its columns in the settings
// of the nostro.
import { CsvError } from 'csv-parse'
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { isDay } from '../../values/calendar/day.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { parseMajor } from '../../values/money/decimal.ts'
import { type CsvRow, readCsvRows } from '../../values/text/csv.ts'
import { type CsvMapping, type DateFormat, MAPPED_TEXTS } from './csv-mapping.ts'
import { readTextLines, type TextLine } from './lines.ts'
import {
  EMPTY_STATEMENT_LINE,
  type StatementLine,
  type StatementPart,
  type StatementReader,
} from './statement.ts'
import { fitLine } from './text.ts'

interface Mapped {
  readonly mapping: CsvMapping
  /** The account and the currency of the nostro. */
  readonly account: string
  readonly currency: string
}

export function csvReader(mapped: Mapped): StatementReader {
  return { read: bytes => readCsv(bytes, mapped) }
}

/** A row with the balance behind it. */
interface Booked {
  readonly line: StatementLine
  readonly balance: bigint | null
}

async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  mapped: Mapped,
): AsyncGenerator<StatementPart> {
  const { mapping, account, currency } = mapped
  let [first, last]: (Booked | undefined)[] = []
  let days: { from: IsoDate; to: IsoDate } | undefined
  for await (const booked of bookedRows(bytes, mapped)) {
    const { line } = booked
    if (first === undefined) yield { kind: 'head', format: 'csv', account, currency }
    first ??= booked
    last = booked
    const { from, to } = days ?? { from: line.booked_on, to: line.booked_on }
    days = {
      from: line.booked_on < from ? line.booked_on : from,
      to: line.booked_on > to ? line.booked_on : to,
    }
    if (line.amount !== 0n) yield fitLine(line)
  }
  if (first === undefined || last === undefined || days === undefined) {
    throw new UnreadableFile('the file has no row behind its header')
  }
  const [oldest, newest] = mapping.newest_first === true ? [last, first] : [first, last]
  yield {
    kind: 'end',
    statement_id: `csv ${days.from}/${days.to}`,
    sequence: '',
    opened_on: days.from,
    closed_on: days.to,
    opening: oldest.balance === null ? null : oldest.balance - oldest.line.amount,
    closing: newest.balance,
    is_final: true,
  }
}

/** The rows behind the header, as bookings. Throws UnreadableFile that names the line. */
async function* bookedRows(
  bytes: AsyncIterable<Uint8Array>,
  mapped: Mapped,
): AsyncGenerator<Booked, void> {
  let columns: ReadonlyMap<string, number> | undefined
  const skipped = mapped.mapping.skip_lines ?? 0
  try {
    for await (const row of rowsOf(bytes, skipped)) {
      if (columns === undefined) columns = columnsIn(row, mapped.mapping)
      else yield bookedRow(row, columns, mapped)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { lines = 0 } = error as { lines?: number }
    throw new UnreadableFile(`not CSV: ${error.message}`, lines === 0 ? 0 : lines + skipped)
  }
}

async function* rowsOf(bytes: AsyncIterable<Uint8Array>, skipped: number): AsyncGenerator<CsvRow> {
  const lines = readTextLines(bytes)
  const { text, number } = await headerOf(lines, skipped)
  const separator = [';', '\t'].find(mark => text.includes(mark)) ?? ','
  const all = async function* () {
    yield `${text}\n`
    for await (const line of lines) yield `${line.text}\n`
  }
  for await (const { line, cells } of readCsvRows(all(), separator)) {
    yield { line: line + number - 1, cells }
  }
}

/** The first line behind those to skip. The others are still to be read. */
async function headerOf(lines: AsyncGenerator<TextLine, void>, skipped: number): Promise<TextLine> {
  for (;;) {
    const { value: line, done } = await lines.next()
    if (done === true || line === undefined) throw new UnreadableFile('the file has no header line')
    if (line.number > skipped && line.text.trim() !== '') return line
  }
}

/** Where each column of the mapping stands. */
function columnsIn({ line, cells }: CsvRow, mapping: CsvMapping): ReadonlyMap<string, number> {
  const names = cells.map(name => name.toLowerCase())
  const { text = [], booked_on, value_on, amount, credit, debit, balance, currency } = mapping
  const wanted = [
    ...[booked_on, value_on, amount, credit, debit, balance, currency],
    ...MAPPED_TEXTS.map(member => mapping[member]),
    ...[text].flat(),
  ].filter(name => name !== undefined)
  const places = new Map(wanted.map(name => [name, names.indexOf(name.trim().toLowerCase())]))
  const missing = wanted.filter(name => places.get(name) === -1)
  if (missing.length === 0) return places
  const found = cells.slice(0, 30).join(', ').slice(0, 400)
  throw new UnreadableFile(`there is no column ${missing[0]}; the columns are ${found}`, line)
}

function bookedRow(
  { line, cells }: CsvRow,
  columns: ReadonlyMap<string, number>,
  { mapping, currency }: Mapped,
): Booked {
  const cell = (name: string | undefined) =>
    name === undefined ? '' : bare(cells[columns.get(name) ?? -1] ?? '')
  const amountIn = (name: string | undefined) => {
    const text = cell(name)
    return text === '' ? undefined : amountOf(text, { name, line, mapping, currency })
  }
  const amount = signedAmount(mapping, amountIn)
  if (amount === undefined) throw new UnreadableFile('the row has no amount', line)
  const of = cell(mapping.currency).toUpperCase()
  if (of !== '' && of !== currency) {
    throw new UnreadableFile(`the row is in ${of}, and the nostro in ${currency}`, line)
  }
  const booked_on = dayOf(cell(mapping.booked_on), mapping, line)
  const value = cell(mapping.value_on)
  const texts = MAPPED_TEXTS.map(member => [member, cell(mapping[member])] as const)
  const balance = amountIn(mapping.balance)
  if (mapping.balance !== undefined && balance === undefined) {
    throw new UnreadableFile(`column ${mapping.balance} is empty`, line)
  }
  return {
    line: {
      ...EMPTY_STATEMENT_LINE,
      ...Object.fromEntries(texts),
      amount,
      currency,
      booked_on,
      value_on: value === '' ? booked_on : dayOf(value, mapping, line),
      text: [mapping.text ?? []]
        .flat()
        .map(cell)
        .filter(text => text !== '')
        .join(' '),
    },
    balance: balance ?? null,
  }
}

/** Undefined for a row without an amount. Some providers write what goes out with a minus. */
function signedAmount(
  { amount, credit, debit }: CsvMapping,
  amountIn: (name: string | undefined) => bigint | undefined,
): bigint | undefined {
  if (amount !== undefined) return amountIn(amount)
  const [money_in, money_out] = [amountIn(credit), amountIn(debit)]
  if (money_in === undefined && money_out === undefined) return undefined
  const out = money_out ?? 0n
  return (money_in ?? 0n) - (out < 0n ? -out : out)
}

/** Drops the apostrophe by which spreadsheets keep digits or formulas as text. */
function bare(cell: string): string {
  return cell.trim().replace(/^'(?=[0-9=+\-@\uff1d\uff0b\uff0d\uff20])/, '')
}

interface AmountCell {
  readonly name: string | undefined
  readonly line: number
  readonly mapping: CsvMapping
  readonly currency: string
}

const GROUPED = {
  '.': /^(\d{1,3}(?:[,'’\s]\d{3})+|\d+)(?:\.(\d+))?$/,
  ',': /^(\d{1,3}(?:[.'’\s]\d{3})+|\d+)(?:,(\d+))?$/,
} as const

/** A signed amount in minor units. A minus stands before or behind it, or brackets around it. */
function amountOf(text: string, { name, line, mapping, currency }: AmountCell): bigint {
  const { decimal_mark = '.' } = mapping
  const [, before = '', open = '', digits = '', close = '', behind = ''] =
    /^([+-]?)\s*(\(?)([\d.,'’\s]*\d)(\)?)\s*(-?)$/.exec(text) ?? []
  const [, whole = '', part = '0'] = GROUPED[decimal_mark].exec(digits) ?? []
  const is_closed = (open === '(') === (close === ')')
  const exponent = currencyExponent(currency)
  const amount = parseMajor(`${whole.replaceAll(/\D/g, '')}.${part}`, exponent)
  if (whole !== '' && is_closed && amount !== undefined) {
    return before === '-' || behind === '-' || open === '(' ? -amount : amount
  }
  const what = `an amount of ${currency} has "${decimal_mark}" and at most ${exponent} decimals`
  throw new UnreadableFile(`column ${name} has "${text.slice(0, 40)}", and ${what}`, line)
}

const DAYS: Readonly<Record<DateFormat, readonly [RegExp, string]>> = {
  'YYYY-MM-DD': [/^(\d{4})-(\d\d)-(\d\d)/, '$1-$2-$3'],
  'DD.MM.YYYY': [/^(\d{1,2})\.(\d{1,2})\.(\d{4})/, '$3-$2-$1'],
  'DD/MM/YYYY': [/^(\d{1,2})\/(\d{1,2})\/(\d{4})/, '$3-$2-$1'],
  'MM/DD/YYYY': [/^(\d{1,2})\/(\d{1,2})\/(\d{4})/, '$3-$1-$2'],
}

/** A time may follow the day. */
function dayOf(text: string, { date_format = 'YYYY-MM-DD' }: CsvMapping, line: number): IsoDate {
  const [pattern, order] = DAYS[date_format]
  const [found = ''] = pattern.exec(text) ?? []
  const day = found
    .replace(pattern, order)
    .split('-')
    .map(part => part.padStart(2, '0'))
    .join('-')
  const is_followed = /^(?:[T ].*)?$/.test(text.slice(found.length))
  if (is_followed && isDay(day)) return day
  throw new UnreadableFile(`"${text.slice(0, 40)}" is not a day written ${date_format}`, line)
}
