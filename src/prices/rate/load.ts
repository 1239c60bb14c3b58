// Reads rates from text: CSV with base,quote,mid,source,as_of, or the European Central Bank's XML
// and CSV. Returns rates, or the problem of each wrong line.
import { readFile } from 'node:fs/promises'
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { type Instant, instantFromIso, plusMilliseconds } from '../../values/instant.ts'
import { findCurrency } from '../../values/money/currency.ts'
import { type Decimal, formatDecimal, parseDecimal } from '../../values/money/decimal.ts'
import {
  type Line,
  type LineProblem,
  type Parsed,
  parseCsv,
  type Read,
  readLines,
} from '../../values/text/csv.ts'
import { attributeOf } from '../../values/xml/node.ts'
import { readXml, type XmlNode } from '../../values/xml/xml-stream.ts'
import { ECB_SOURCE, publicationOn } from './calendar.ts'
import { pairOf } from './guard.ts'
import type { Rate } from './rules.ts'

export type RateFormat = 'csv' | 'ecb'

const RATE_COLUMNS = ['base', 'quote', 'mid', 'source', 'as_of'] as const
/** A rate as text of a file or command line; '' means "not given". */
export type RateCells = Record<(typeof RATE_COLUMNS)[number], string>

/** The defaults of empty cells. `now` is also the latest `as_of`, apart from MAX_AHEAD_MS. */
interface RateDefaults {
  readonly source: string
  readonly now: Instant
  /**
   * Refuses rates without `as_of`. With the default `now`, a feed that its publisher has abandoned
   * would look fresh for ever.
   */
  readonly undated?: 'refused'
}

const DEFAULT_RATES = new URL('./default-rates.csv', import.meta.url)
/** Clocks differ, but a rate that is further ahead is a mistake. */
const MAX_AHEAD_MS = 300_000
const MAX_SOURCE = 200
/** A latest `as_of` that no sample reaches. */
const LATE = '9000-01-01T00:00:00.000000Z'

/** The dated sample rates that come with the product, for sandboxes. */
export async function loadDefaultRates(): Promise<Rate[]> {
  const text = await readFile(DEFAULT_RATES, 'utf8')
  const { lines, problems } = parseRatesCsv(text, { source: 'default', now: LATE })
  const [problem] = problems
  if (problem !== undefined) {
    throw new Error(`default-rates.csv, line ${problem.line}: ${problem.message}`)
  }
  return lines.map(({ value }) => ({ ...value, sample: true }))
}

/** Rates, and the lines that are no mistake but no rate of ours. */
export interface ParsedRates extends Parsed<Rate> {
  readonly left_out: readonly LineProblem[]
}

/** `ecb` for text that looks like XML, or like the ECB's CSV with a column of days; else `csv`. */
export function guessRateFormat(text: string): RateFormat {
  return /^\uFEFF?\s*(?:<|Date\s*,)/i.test(text) ? 'ecb' : 'csv'
}

export async function parseRates(
  text: string,
  format: RateFormat,
  defaults: RateDefaults,
): Promise<ParsedRates> {
  if (format === 'csv') return { ...parseRatesCsv(text, defaults), left_out: [] }
  const isXml = /^\uFEFF?\s*</.test(text)
  return isXml ? parseEcbXml(text, defaults.now) : parseEcbCsv(text, defaults.now)
}

export function parseRatesCsv(text: string, defaults: RateDefaults): Parsed<Rate> {
  const cells = parseCsv(text, { all: RATE_COLUMNS, optional: ['source', 'as_of'] })
  return inOneDirection(readLines(cells, row => readRate(row, defaults), pairOf))
}

/** Adds a problem for each line whose pair has an earlier line in the other direction. */
function inOneDirection({ lines, problems }: Parsed<Rate>): Parsed<Rate> {
  const lineOf = new Map(lines.map(({ line, value }) => [pairOf(value), line]))
  const both = lines.flatMap(({ line, value }) => {
    const first = lineOf.get(`${value.quote}/${value.base}`)
    if (first === undefined || first > line) return []
    const message = `${pairOf(value)} is on line ${first} already, the other way round`
    return [{ line, message }]
  })
  return { lines, problems: [...problems, ...both].sort((a, b) => a.line - b.line) }
}

/** A rate, or a message for each mistake. Currency codes may be in lower case. */
export function readRate(cells: RateCells, defaults: RateDefaults): Read<Rate> {
  const base = cells.base.toUpperCase()
  const quote = cells.quote.toUpperCase()
  const mid = readMid(cells.mid)
  const source = cells.source || defaults.source
  const as_of = cells.as_of === '' ? undatedAsOf(defaults) : readAsOf(cells.as_of, defaults.now)
  const messages = [
    ...checkCode('base', base),
    ...checkCode('quote', quote),
    ...(base !== '' && base === quote ? [`base and quote are both ${base}`] : []),
    ...(mid.messages ?? []),
    ...checkSource(source),
    ...(as_of.messages ?? []),
  ]
  if (messages.length > 0 || mid.messages !== undefined || as_of.messages !== undefined) {
    return { messages }
  }
  const value = { base, quote, mid: mid.value, source, as_of: as_of.value }
  return { value: { ...value, pegged: false, sample: false } }
}

/**
 * The newest day of the ECB's daily, 90-day or historical file: units of each currency for one
 * euro. `as_of` is 16:00 in Frankfurt, the approximate time of publication.
 * Source: https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates
 */
export async function parseEcbXml(text: string, now: Instant): Promise<ParsedRates> {
  let day: XmlNode | undefined
  const timeOf = (node: XmlNode) => attributeOf(node, 'time')
  const close = (node: XmlNode) => {
    if (node.name === 'Cube' && attributeOf(node, 'currency') !== '') return 'keep'
    // Days are written as YYYY-MM-DD, which sorts as text.
    const isDay = node.name === 'Cube' && timeOf(node) !== ''
    if (isDay && (day === undefined || timeOf(node) > timeOf(day))) day = node
    return 'forget'
  }
  try {
    for await (const _ of readXml(oneChunk(text), { open() {}, close }));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return wrong(error.line, error.message.replace(/^line \d+: /, ''))
  }
  if (day === undefined || day.children.length === 0) {
    return wrong(1, 'no <Cube time="…"> with rates: not an ECB rates file')
  }
  const units = day.children.map(cube => ({
    line: cube.line,
    value: [attributeOf(cube, 'currency'), attributeOf(cube, 'rate')] as const,
  }))
  return readPublication({ line: day.line, day: timeOf(day) }, units, now)
}

async function* oneChunk(text: string) {
  yield Buffer.from(text)
}

function wrong(line: number, message: string): ParsedRates {
  return { lines: [], problems: [{ line, message }], left_out: [] }
}

/** How the ECB's files write that a currency has no rate on a day. */
const NO_RATE = ['N/A', '-', '']

/**
 * The rates of one day of the ECB. It also publishes unknown currencies, and past currencies
 * without a rate. They are left out and named, so that they do not refuse the rest.
 */
function readPublication(
  { line, day }: { readonly line: number; readonly day: string },
  units: readonly Line<readonly [currency: string, mid: string]>[],
  now: Instant,
): ParsedRates {
  const published = publishedAt(day)
  if (published === undefined) return wrong(line, `time "${day}" is not a day`)
  // Checks the day once, and not for every rate.
  const as_of = readAsOf(published, now)
  if (as_of.messages !== undefined) return wrong(line, as_of.messages.join('; '))
  const left_out = units.flatMap(({ line, value: [currency, mid] }) => {
    if (!/^[A-Z]{3}$/.test(currency)) return []
    if (findCurrency(currency) === undefined) {
      return [{ line, message: `unknown currency ${currency}` }]
    }
    return NO_RATE.includes(mid.toUpperCase()) ? [{ line, message: `no rate of ${currency}` }] : []
  })
  const gone = new Set(left_out.map(({ message }) => message.slice(-3)))
  const lines = units
    .filter(({ value: [currency] }) => !gone.has(currency))
    .map(({ line, value: [quote, mid] }) => {
      const value = { base: 'EUR', quote, mid, source: ECB_SOURCE, as_of: published }
      return { line, value }
    })
  const read = (cells: RateCells) => readRate(cells, { source: '', now })
  return { ...readLines({ lines, problems: [] }, read, pairOf), left_out }
}

/**
 * The newest day of the ECB's CSV, daily or historical: a line of currencies after `Date`, then a
 * line for each day, as `2026-11-27` or `27 November 2026`.
 */
export function parseEcbCsv(text: string, now: Instant): ParsedRates {
  const [head = [], ...rows] = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map(line => line.split(',').map(cell => cell.trim()))
  const days = rows.flatMap(([first = '', ...mids], i) =>
    first === '' ? [] : [{ line: i + 2, day: dayOf(first), mids }],
  )
  const [first, ...others] = days
  if (first === undefined) return wrong(1, 'no day with rates: not an ECB rates file')
  const newest = others.reduce((a, b) => (a.day >= b.day ? a : b), first)
  const units = head.slice(1).flatMap((currency, i) => {
    const mid = newest.mids[i] ?? ''
    return currency === '' && mid === ''
      ? []
      : [{ line: newest.line, value: [currency, mid] as const }]
  })
  if (units.length === 0) return wrong(1, 'no currencies: not an ECB rates file')
  return readPublication(newest, units, now)
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'].concat([
  'September',
  'October',
  'November',
  'December',
])

/** `27 November 2026` as `2026-11-27`; any other text unchanged. */
function dayOf(text: string): string {
  const [, day = '', name = '', year = ''] = /^(\d{1,2}) ([A-Za-z]+) (\d{4})$/.exec(text) ?? []
  const month = MONTHS.findIndex(month => month.toLowerCase() === name.toLowerCase()) + 1
  return month === 0 ? text : `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** 16:00 in Frankfurt on this day: 15:00Z in winter, 14:00Z in summer. */
function publishedAt(day: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  try {
    return publicationOn(Temporal.PlainDate.from(day, { overflow: 'reject' })).toString()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readMid(text: string): Read<Decimal> {
  if (text === '') return { messages: ['mid is missing'] }
  if (/^\d+\.\d{31,}$/.test(text)) {
    return { messages: [`mid ${text} has more than 30 fractional digits`] }
  }
  const mid = parseDecimal(withoutExponent(text))
  if (mid !== undefined && mid.digits > 0n) return { value: mid }
  return { messages: [`mid "${text}" is not a positive decimal such as 1.1269`] }
}

/** `3.3E-05` as `0.000033`, exactly; any other text unchanged. */
function withoutExponent(text: string): string {
  const match = /^(\d{1,20})(?:\.(\d{1,30}))?[eE]([+-]?\d{1,2})$/.exec(text)
  if (match === null) return text
  const [, whole = '', fraction = '', exponent = ''] = match
  const point = whole.length + Number(exponent)
  const digits = (whole + fraction).padEnd(Math.max(point, 0), '0')
  const all = point > 0 ? digits : '0'.repeat(1 - point) + digits
  const at = Math.max(point, 1)
  const plain = `${all.slice(0, at).replace(/^0+(?=\d)/, '')}.${all.slice(at)}`
  return plain.replace(/\.?0*$/, '') || '0'
}

function undatedAsOf({ now, undated }: RateDefaults): Read<Instant> {
  if (undated === undefined) return { value: now }
  return { messages: ['as_of is missing: a feed must say of what time its rates are'] }
}

function readAsOf(text: string, now: Instant): Read<Instant> {
  const instant = instantFromIso(text)
  if (instant === undefined || instant < '1970') {
    return { messages: [`as_of "${text}" is not a time such as 2026-01-31T16:00:00Z`] }
  }
  if (instant <= plusMilliseconds(now, MAX_AHEAD_MS)) return { value: instant }
  return { messages: [`as_of ${text} is in the future`] }
}

function checkCode(column: string, code: string): string[] {
  if (code === '') return [`${column} is missing`]
  return findCurrency(code) === undefined ? [`unknown currency ${code}`] : []
}

function checkSource(source: string): string[] {
  if (source.length <= MAX_SOURCE && !/\p{Cc}/u.test(source)) return []
  return [`source has control characters or more than ${MAX_SOURCE} characters`]
}

/** A rate as commands print it with --json, with `mid` as exact text. */
export function presentRate(rate: Rate) {
  return { ...rate, mid: formatDecimal(rate.mid) }
}
