// The formats of statements: their names, the currencies that each can hold, and their writers.
// Pure.
import { dayAt, lastDayBefore } from '../../../values/calendar/day.ts'
import { camt053Writer, fitsIso20022 } from './camt053.ts'
import { csvWriter } from './csv.ts'
import { fitsMt940, mt940Writer } from './mt940.ts'
import { pdfWriter } from './pdf.ts'
import type { MakesWriter, Statement, Totals } from './statement.ts'

export const FORMATS = ['csv', 'camt053', 'mt940', 'pdf'] as const
export type StatementFormat = (typeof FORMATS)[number]

interface Media {
  readonly type: string
  /** The ending of the file's name. */
  readonly ending: string
  /** How its pieces become bytes. The pieces of a PDF have a character for each byte. */
  readonly encoding: 'utf8' | 'latin1'
}

export const MEDIA: Readonly<Record<StatementFormat, Media>> = {
  csv: { type: 'text/csv; charset=utf-8; header=present', ending: 'csv', encoding: 'utf8' },
  camt053: { type: 'application/xml; charset=utf-8', ending: 'xml', encoding: 'utf8' },
  mt940: { type: 'text/plain; charset=utf-8', ending: 'sta', encoding: 'utf8' },
  pdf: { type: 'application/pdf', ending: 'pdf', encoding: 'latin1' },
}

/** The given currencies that the format cannot hold. */
export function unfitFor(format: StatementFormat, currencies: readonly string[]): string[] {
  const all = () => true
  const fits = { csv: all, camt053: fitsIso20022, mt940: fitsMt940, pdf: all }[format]
  return currencies.filter(currency => !fits(currency))
}

/** `name` is the account's. `totalsOf` gives the totals that precede the lines in camt.053. */
export function writerOf(
  format: StatementFormat,
  name: string,
  totalsOf: (currency: string) => Totals,
): MakesWriter {
  if (format === 'camt053') return camt053Writer(name, totalsOf)
  if (format === 'pdf') return pdfWriter(name, totalsOf)
  return format === 'mt940' ? mt940Writer : csvWriter
}

/** `statement-acc_…-2026-10-01-to-2026-10-31-EUR.xml`: both days are in the file. */
export function fileName(format: StatementFormat, statement: Statement): string {
  const { account_id, zone, from, to, filters, interim } = statement
  const since = from === null ? [] : [dayAt(zone, from)]
  const days = [...since, 'to', lastDayBefore(zone, to)]
  const marks = [...(filters.currency ?? []), ...(interim ? ['interim'] : [])]
  return `${['statement', account_id, ...days, ...marks].join('-')}.${MEDIA[format].ending}`
}
