// The parts that all formats of lists share: a reader's interface, and functions that read dates,
// countries and ids from text. Pure.
import { bankCodeFault, electronicForm } from '../../parties/beneficiary/bank-code.ts'
import { addressesIn } from '../../parties/beneficiary/wallet-address.ts'
import { COUNTRIES } from '../../values/network/country.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import type { BirthSpan, ListedEntry, ListName, PartyId } from '../screening.ts'
import { wordsOf } from '../words.ts'

/** Reads one file, element by element. */
export interface ListReader {
  /** The names of the elements that `take` gets, each with its content. */
  readonly units: ReadonlySet<string>
  take(unit: XmlNode): void
  count(): number
  /** The list, after the last element. */
  finish(): ReadList
}

export interface ReadList {
  /** YYYY-MM-DD; '' for a file without a publication date. */
  readonly published_on: string
  readonly entries: readonly ListedEntry[]
}

export interface ListFormat {
  readonly name: string
  /** The root element's name. */
  readonly root: string
  /** The lists in this format. */
  readonly lists: readonly ListName[]
  read(root: XmlNode): ListReader
}

interface EntryFormat extends Omit<ListFormat, 'read'> {
  /** The names of the elements that are entries. */
  readonly units: readonly string[]
  /** The element with the publication date; absent when the root has the date. */
  readonly dated?: string
  /** The publication date, YYYY-MM-DD, by the element `dated` or the root. */
  dayOf(node: XmlNode): string
  entryOf(unit: XmlNode): ListedEntry
  /** What the record says besides, in parts. */
  remarksOf(unit: XmlNode): readonly string[]
}

export function formatOfEntries(of: EntryFormat) {
  const { units, dated, dayOf, entryOf, remarksOf, ...format } = of
  const read = (root: XmlNode): ListReader => {
    const entries: ListedEntry[] = []
    let dated_node = root
    return {
      units: new Set(dated === undefined ? units : [dated, ...units]),
      take(unit) {
        if (unit.name === dated) dated_node = unit
        else entries.push(withRemarks(withIdsInText(entryOf(unit), unit), remarksOf(unit)))
      },
      count: () => entries.length,
      finish: () => ({ published_on: dayOf(dated_node), entries }),
    }
  }
  return { ...format, read }
}

/** The text on one line, with single spaces. */
export function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** In characters. Lists reach some thousands. */
const MOST_REMARKS = 2000

export function withRemarks(entry: ListedEntry, parts: readonly string[]): ListedEntry {
  const remarks = lineOf(parts.join(' ')).slice(0, MOST_REMARKS).toWellFormed()
  return remarks === '' ? entry : { ...entry, remarks }
}

/** Joins the non-empty parts of a name, in order. */
export function joinName(...parts: readonly string[]): string {
  return lineOf(parts.join(' '))
}

/** The first of each spelling, without empty names. */
export function uniqueNames<T extends { readonly text: string }>(names: readonly T[]): T[] {
  const spellings = Map.groupBy(names, ({ text }) => text)
  spellings.delete('')
  return Array.from(spellings.values(), ([first]) => first as T)
}

/** Each value once, without ''. */
export function unique(values: readonly string[]): string[] {
  return [...new Set(values.filter(value => value !== ''))]
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** The possible days of a date, a month or a year; undefined without a year of 1800 to 2099. */
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

/** The date of a span of one day; '' for a longer one, such as a month. */
export function dateOfDay(span: BirthSpan | undefined): string {
  return span !== undefined && span.from === span.to ? span.from : ''
}

function monthOf(month: string): number | undefined {
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase())
  const number = named === -1 ? Number(month) : named + 1
  return Number.isInteger(number) && number >= 1 && number <= 12 ? number : undefined
}

/** The span from the first day of one to the last day of the other. */
export function between(first: BirthSpan | undefined, last: BirthSpan | undefined) {
  if (first === undefined || last === undefined) return first ?? last
  return first.from <= last.to ? { from: first.from, to: last.to } : first
}

/** The span with a year more on both sides, for a date that its list guesses. */
export function about(span: BirthSpan | undefined): BirthSpan | undefined {
  if (span === undefined) return undefined
  const [from, to] = [Number(span.from.slice(0, 4)) - 1, Number(span.to.slice(0, 4)) + 1]
  return { from: `${from}-01-01`, to: `${to}-12-31` }
}

/** An array of the value, empty for undefined. */
export function known<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

/** Names of countries in lists that differ from their usual English names. */
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

/** A country's ISO code, by its code or name; '' for any other text, such as "undetermined". */
export function countryOf(text: string): string {
  const code = text.trim().toUpperCase()
  if (COUNTRIES.has(code)) return code
  return BY_NAME.get(wordsOf(text).join(' ')) ?? ''
}

const ID_KINDS: readonly (readonly [PartyId['kind'], RegExp])[] = [
  ['wallet', /digital currency|virtual currency|crypto|wallet/i],
  ['bank', /swift|\bBIC\b/i],
  ['passport', /passport/i],
  ['tax', /\btax|\bVAT\b|\bRFC\b|R\.?U\.?C|\bN\.?I\.?T\b|\bINN\b|fiscal/i],
  ['registration', /regist|company|commercial|enterprise|trade licen|\bOGRN|\bLEI\b/i],
  ['national', /national|cedula|SSN|citizen|personal|identification|identity|\bID\b|C\.U\.R\.P/i],
]

/** A listed number's kind, by the list's words for it. */
function idKindOf(words: string): PartyId['kind'] {
  return ID_KINDS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'other'
}

function walletId(number: string): PartyId[] {
  return [{ kind: 'wallet', number, country: '' }]
}

function bankId(bic: string): PartyId[] {
  const number = electronicForm(bic)
  return bankCodeFault('bic', number) === undefined ? [{ kind: 'bank', number, country: '' }] : []
}

/** A BIC behind its label, such as `SWIFT/BIC CMSYSYDA` or `SWIFT code: SYLCLBBE`. */
const LABEL = /\b(?:SWIFT|Swift|BIC)\b/
const BETWEEN = /(?:[\s/:.()-]|\b(?:BIC|[Cc]odes?|[Nn]umbers?|no|is)\b)*/
const BIC = /\b([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\b/
const LABELLED_BIC = new RegExp(LABEL.source + BETWEEN.source + BIC.source, 'g')

/**
 * The BICs in the remarks of a listed bank. Remarks of other entries may name the bank of their
 * accounts, which is not listed.
 */
function bicsIn({ names }: ListedEntry, text: string): PartyId[] {
  if (!names.some(name => /ban(?:k|c|que)/i.test(name.text))) return []
  return Array.from(text.matchAll(LABELLED_BIC), ([, bic = '']) => bic).flatMap(bankId)
}

/**
 * The entry with the wallets and BICs that its record names anywhere, also in remarks: some lists
 * have no element for them.
 */
export function withIdsInText(entry: ListedEntry, unit: XmlNode): ListedEntry {
  const known = new Set(entry.ids.map(({ number }) => number))
  const text = textsIn(unit).join(' ')
  const found = [...addressesIn(text).flatMap(walletId), ...bicsIn(entry, text)]
  const by_number = new Map(found.map(id => [id.number, id]))
  const others = [...by_number.values()].filter(({ number }) => !known.has(number))
  return others.length === 0 ? entry : { ...entry, ids: [...entry.ids, ...others] }
}

function textsIn({ text, attributes, children }: XmlNode): string[] {
  const values = Object.values(attributes).map(({ value }) => value)
  return [text, ...values, ...children.flatMap(textsIn)]
}

/** An id, or none for a number without meaning: lists put remarks in the same place. */
export function idOf(words: string, number: string, country: string): PartyId[] {
  const line = lineOf(number)
  if (idKindOf(words) === 'wallet') return /^\w{20,100}$/.test(line) ? walletId(line) : []
  if (idKindOf(words) === 'bank') return bankId(line)
  if (line.replace(/\D/g, '').length < 3 || line.length > 100 || words.trim().endsWith(':'))
    return []
  return [{ kind: idKindOf(words), number: line, country: countryOf(country) }]
}
