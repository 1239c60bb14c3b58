// The formats of statements: their names, the currencies that each can hold, and their writers.
// Pure.
import { camt053Writer, fitsIso20022 } from './camt053.ts'
import { csvWriter } from './csv.ts'
import { fitsMt940, mt940Writer } from './mt940.ts'
import type { MakesWriter, Totals } from './statement.ts'

export const FORMATS = ['csv', 'camt053', 'mt940'] as const
export type StatementFormat = (typeof FORMATS)[number]

interface Media {
  readonly type: string
  /** The ending of the file's name. */
  readonly ending: string
}

export const MEDIA: Readonly<Record<StatementFormat, Media>> = {
  csv: { type: 'text/csv; charset=utf-8; header=present', ending: 'csv' },
  camt053: { type: 'application/xml; charset=utf-8', ending: 'xml' },
  mt940: { type: 'text/plain; charset=utf-8', ending: 'sta' },
}

/** The given currencies that the format cannot hold. */
export function unfitFor(format: StatementFormat, currencies: readonly string[]): string[] {
  const fits = { csv: () => true, camt053: fitsIso20022, mt940: fitsMt940 }[format]
  return currencies.filter(currency => !fits(currency))
}

/** `name` is the account's. `totalsOf` gives the totals that precede the lines in camt.053. */
export function writerOf(
  format: StatementFormat,
  name: string,
  totalsOf: (currency: string) => Totals,
): MakesWriter {
  if (format === 'camt053') return camt053Writer(name, totalsOf)
  return format === 'mt940' ? mt940Writer : csvWriter
}
