// What the published formats of lists share: how a reader gets its elements, and how dates,
// countries and kinds of ids are read from text. Pure.
import type { XmlNode } from '../../iso20022/xml-stream.ts'
import { COUNTRIES } from '../../network/country.ts'
import type { BirthSpan, ListedEntry, ListName, PartyId } from '../screening.ts'
import { wordsOf } from '../words.ts'

/** Reads the elements of one file, unit by unit, and then returns what it has read. */
export interface ListReader {
  /** Elements that are read as a whole, with all that is inside; all others are ignored. */
  readonly units: ReadonlySet<string>
  take(unit: XmlNode): void
  finish(): ReadList
}

export interface ReadList {
  /** YYYY-MM-DD; '' when the file does not say it. */
  readonly published_on: string
  readonly entries: readonly ListedEntry[]
}

export interface ListFormat {
  readonly name: string
  /** The element around the whole file. */
  readonly root: string
  /** The lists that are published in this format. */
  readonly lists: readonly ListName[]
  read(root: XmlNode): ListReader
}

/** The text on one line. */
export function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Parts of a name that are set, in order. */
export function joinName(...parts: readonly string[]): string {
  return lineOf(parts.join(' '))
}

/** Each name once, as it is spelled. */
export function uniqueNames<T extends { readonly text: string }>(names: readonly T[]): T[] {
  const spellings = Map.groupBy(names, ({ text }) => text)
  spellings.delete('')
  return Array.from(spellings.values(), ([first]) => first as T)
}

export function unique(values: readonly string[]): string[] {
  return [...new Set(values.filter(value => value !== ''))]
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** The possible days of a year, a month or a day; undefined for a text that is no date. */
export function spanOf(year: string, month = '', day = ''): BirthSpan | undefined {
  if (!/^(1[89]|20)\d\d$/.test(year)) return undefined
  const number = monthOf(month)
  if (number === undefined) return { from: `${year}-01-01`, to: `${year}-12-31` }
  const mm = String(number).padStart(2, '0')
  const last = new Date(Date.UTC(Number(year), number, 0)).getUTCDate()
  const dd = /^\d{1,2}$/.test(day) ? Number(day) : 0
  if (dd < 1 || dd > last) return { from: `${year}-${mm}-01`, to: `${year}-${mm}-${last}` }
  const date = `${year}-${mm}-${String(dd).padStart(2, '0')}`
  return { from: date, to: date }
}

function monthOf(month: string): number | undefined {
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase())
  const number = named === -1 ? Number(month) : named + 1
  return Number.isInteger(number) && number >= 1 && number <= 12 ? number : undefined
}

/** From the first day of one to the last of the other. */
export function between(
  first: BirthSpan | undefined,
  last: BirthSpan | undefined,
): BirthSpan | undefined {
  if (first === undefined || last === undefined) return first ?? last
  return first.from <= last.to ? { from: first.from, to: last.to } : first
}

/** A year before and a year after, for a date that its list guesses. */
export function about(span: BirthSpan | undefined): BirthSpan | undefined {
  if (span === undefined) return undefined
  const [from, to] = [Number(span.from.slice(0, 4)) - 1, Number(span.to.slice(0, 4)) + 1]
  return { from: `${from}-01-01`, to: `${to}-12-31` }
}

export function known<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

/** Names of countries in lists, besides their usual English names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'antigua and barbuda': 'AG',
  'bolivia plurinational state of': 'BO',
  bosnia: 'BA',
  burma: 'MM',
  congo: 'CG',
  'congo democratic republic of the': 'CD',
  'congo republic of the': 'CG',
  'cote d ivoire': 'CI',
  'czech republic': 'CZ',
  'democratic people s republic of korea': 'KP',
  'democratic peoples republic of korea': 'KP',
  'democratic republic of the congo': 'CD',
  'gambia the': 'GM',
  'great britain': 'GB',
  'hong kong': 'HK',
  'iran islamic republic of': 'IR',
  'ivory coast': 'CI',
  'korea north': 'KP',
  'korea south': 'KR',
  'lao peoples democratic republic': 'LA',
  'libyan arab jamahiriya': 'LY',
  macau: 'MO',
  'moldova republic of': 'MD',
  myanmar: 'MM',
  'north macedonia the republic of': 'MK',
  palestinian: 'PS',
  'palestine state of': 'PS',
  'republic of korea': 'KR',
  'republic of moldova': 'MD',
  'republic of the congo': 'CG',
  'russian federation': 'RU',
  'sao tome and principe': 'ST',
  'syrian arab republic': 'SY',
  'tanzania united republic of': 'TZ',
  turkey: 'TR',
  uk: 'GB',
  'united kingdom of great britain and northern ireland': 'GB',
  'united republic of tanzania': 'TZ',
  'united states of america': 'US',
  usa: 'US',
  'venezuela bolivarian republic of': 'VE',
  'viet nam': 'VN',
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

const BY_NAME = new Map([
  ...Array.from(COUNTRIES, code => [wordsOf(NAMES.of(code) ?? '').join(' '), code] as const),
  ...Object.entries(OTHER_NAMES),
])

/** The ISO code of a country by its code or name; '' for any other text, such as "undetermined". */
export function countryOf(text: string): string {
  const code = text.trim().toUpperCase()
  if (COUNTRIES.has(code)) return code
  return BY_NAME.get(wordsOf(text).join(' ')) ?? ''
}

const ID_KINDS: readonly (readonly [PartyId['kind'], RegExp])[] = [
  ['passport', /passport/i],
  ['tax', /\btax|\bVAT\b|\bRFC\b|R\.?U\.?C|\bN\.?I\.?T\b|\bINN\b|fiscal/i],
  ['registration', /regist|company|commercial|enterprise|trade licen|\bOGRN|\bLEI\b/i],
  ['national', /national|cedula|SSN|citizen|personal|identification|identity|\bID\b|C\.U\.R\.P/i],
]

/** The kind of a listed number, by the list's words for it. */
function idKindOf(words: string): PartyId['kind'] {
  return ID_KINDS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'other'
}

/** An id, unless its number has no meaning: lists keep remarks in the same place. */
export function idOf(words: string, number: string, country: string): PartyId[] {
  const line = lineOf(number)
  if (line.replace(/\D/g, '').length < 3 || line.length > 100 || words.trim().endsWith(':'))
    return []
  return [{ kind: idKindOf(words), number: line, country: countryOf(country) }]
}
