// How the columns of a provider's CSV file become lines of a statement: the mapping in the settings
// of a nostro, and its check. Pure.
import type { Read } from '../../values/text/csv.ts'

/** The texts of a line that a column may fill. */
export const MAPPED_TEXTS = [
  'code',
  'end_to_end_id',
  'uetr',
  'instruction',
  'block',
  'file',
  'bank_reference',
  'own_account',
  'counterparty',
  'counterparty_name',
] as const
type MappedText = (typeof MAPPED_TEXTS)[number]

export const DATE_FORMATS = ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY'] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

/** Names of columns, and how their cells are written. */
export interface CsvMapping extends Partial<Readonly<Record<MappedText, string>>> {
  readonly booked_on: string
  /** By default the day of the booking. */
  readonly value_on?: string
  /** A signed amount in major units; otherwise `credit` and `debit`, of which a row fills one. */
  readonly amount?: string
  readonly credit?: string
  readonly debit?: string
  /** The balance behind the row. Without it nothing proves that no row is missing. */
  readonly balance?: string
  /** A file with rows of another currency than the nostro's is refused. */
  readonly currency?: string
  /** One column, or several whose texts are joined. */
  readonly text?: string | readonly string[]
  readonly date_format?: DateFormat
  readonly decimal_mark?: '.' | ','
  readonly newest_first?: boolean
  /** Lines before the header. */
  readonly skip_lines?: number
}

/** The members that name one column. */
export const COLUMNS = [
  'booked_on',
  'value_on',
  'amount',
  'credit',
  'debit',
  'balance',
  'currency',
  ...MAPPED_TEXTS,
] as const

const isName = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 100

/** What each member that is no column must be. */
const OTHERS: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, what: string]>> =
  {
    text: [
      value =>
        isName(value) ||
        (Array.isArray(value) && value.length > 0 && value.length <= 10 && value.every(isName)),
      'the name of a column, or a list of up to 10',
    ],
    date_format: [
      value => DATE_FORMATS.some(format => format === value),
      `one of ${DATE_FORMATS.join(', ')}`,
    ],
    decimal_mark: [value => value === '.' || value === ',', '"." or ","'],
    newest_first: [value => typeof value === 'boolean', 'true or false'],
    skip_lines: [
      value => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100,
      'a number from 0 to 100',
    ],
  }

/** The mapping, or what is wrong with it, by members. */
export function readCsvMapping(value: unknown): Read<CsvMapping> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { messages: ['mapping must be an object that names the columns of the file'] }
  }
  const members = value as Readonly<Record<string, unknown>>
  const messages = Object.entries(members).flatMap(([member, given]) => {
    if (COLUMNS.some(column => column === member)) {
      return isName(given) ? [] : [`mapping.${member} must be the name of a column`]
    }
    const other = Object.hasOwn(OTHERS, member) ? OTHERS[member] : undefined
    if (other === undefined) return [`mapping.${member} is not known`]
    const [fits, what] = other
    return fits(given) ? [] : [`mapping.${member} must be ${what}`]
  })
  const has = (member: string) => Object.hasOwn(members, member)
  if (!has('booked_on')) messages.push('mapping.booked_on must name the column of the day')
  if (has('amount') === (has('credit') || has('debit')) || has('credit') !== has('debit')) {
    messages.push('mapping must name either amount, or both credit and debit')
  }
  return messages.length > 0 ? { messages } : { value: members as unknown as CsvMapping }
}
