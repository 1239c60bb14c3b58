// The records of an ACH file: 94 characters each, with fields at fixed places. The writer and the
// reader share one table for each record. Source: Nacha Operating Rules, Appendix Three (ACH Record
// Format Specifications) and Four (returns, notifications of change). Pure.
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'

/** Characters of a record, without its line break. */
export const WIDTH = 94

/** Records of a block. Fill records make a file's last block whole. */
export const BLOCKING_FACTOR = 10

export const FILL = '9'.repeat(WIDTH)

/** `n`: digits, padded with zeros on the left. `a`: text, padded with blanks on the right. */
type Kind = 'n' | 'a'
type Field = readonly [name: string, width: number, kind: Kind]
type NameOf<F extends readonly Field[]> = F[number][0]

/** A record: its first characters, and the fields behind them. */
export interface Layout<Name extends string> {
  readonly begins: string
  readonly fields: readonly (readonly [name: Name, width: number, kind: Kind])[]
}

export type Values<L> = L extends Layout<infer Name> ? Readonly<Record<Name, string>> : never

function record<const F extends readonly Field[]>(begins: string, fields: F): Layout<NameOf<F>> {
  const width = fields.reduce((sum, [, columns]) => sum + columns, begins.length)
  if (width !== WIDTH) throw new RangeError(`a record ${begins} of ${width} characters`)
  return { begins, fields }
}

export const FILE_HEADER = record('101', [
  ['immediate_destination', 10, 'a'],
  ['immediate_origin', 10, 'a'],
  ['creation_date', 6, 'n'],
  ['creation_time', 4, 'a'],
  ['file_id_modifier', 1, 'a'],
  ['record_size', 3, 'n'],
  ['blocking_factor', 2, 'n'],
  ['format_code', 1, 'n'],
  ['immediate_destination_name', 23, 'a'],
  ['immediate_origin_name', 23, 'a'],
  ['reference_code', 8, 'a'],
])

export const BATCH_HEADER = record('5', [
  ['service_class', 3, 'n'],
  ['company_name', 16, 'a'],
  ['discretionary_data', 20, 'a'],
  ['company_id', 10, 'a'],
  ['entry_class', 3, 'a'],
  ['entry_description', 10, 'a'],
  ['descriptive_date', 6, 'a'],
  ['effective_entry_date', 6, 'a'],
  // The ACH operator writes it.
  ['settlement_date', 3, 'a'],
  ['originator_status', 1, 'a'],
  ['odfi', 8, 'n'],
  ['batch_number', 7, 'n'],
])

export const ENTRY = record('6', [
  ['transaction_code', 2, 'n'],
  ['rdfi', 8, 'n'],
  ['check_digit', 1, 'n'],
  ['account', 17, 'a'],
  ['amount', 10, 'n'],
  ['individual_id', 15, 'a'],
  ['individual_name', 22, 'a'],
  ['discretionary_data', 2, 'a'],
  ['addenda', 1, 'n'],
  ['trace_number', 15, 'n'],
])

/** Text for the receiver. */
export const REMITTANCE = record('705', [
  ['text', 80, 'a'],
  ['number', 4, 'n'],
  ['entry_number', 7, 'n'],
])

/** The addenda of a return. */
export const RETURN = record('799', [
  ['code', 3, 'a'],
  ['original_trace', 15, 'n'],
  ['date_of_death', 6, 'a'],
  ['original_rdfi', 8, 'n'],
  ['text', 44, 'a'],
  ['trace_number', 15, 'n'],
])

/** The addenda of a notification of change. */
export const CHANGE = record('798', [
  ['code', 3, 'a'],
  ['original_trace', 15, 'n'],
  ['reserved', 6, 'a'],
  ['original_rdfi', 8, 'n'],
  ['corrected', 29, 'a'],
  ['reserved_too', 15, 'a'],
  ['trace_number', 15, 'n'],
])

export const BATCH_CONTROL = record('8', [
  ['service_class', 3, 'n'],
  ['entry_count', 6, 'n'],
  ['entry_hash', 10, 'n'],
  ['debits', 12, 'n'],
  ['credits', 12, 'n'],
  ['company_id', 10, 'a'],
  ['authentication', 19, 'a'],
  ['reserved', 6, 'a'],
  ['odfi', 8, 'n'],
  ['batch_number', 7, 'n'],
])

export const FILE_CONTROL = record('9', [
  ['batch_count', 6, 'n'],
  ['block_count', 6, 'n'],
  ['entry_count', 8, 'n'],
  ['entry_hash', 10, 'n'],
  ['debits', 12, 'n'],
  ['credits', 12, 'n'],
  ['reserved', 39, 'a'],
])

/** The record with these values. Throws RangeError for a value that does not fit its field. */
export function writeRecord<Name extends string>(
  { begins, fields }: Layout<Name>,
  values: Readonly<Record<Name, string | bigint | number>>,
): string {
  const parts = fields.map(([name, width, kind]) => {
    const text = String(values[name])
    const fits = text.length <= width && (kind === 'n' ? /^\d+$/ : /^[ -~]*$/).test(text)
    if (!fits) throw new RangeError(`${name} has no room for "${text}"`)
    return kind === 'n' ? text.padStart(width, '0') : text.padEnd(width)
  })
  return begins + parts.join('')
}

/** The values of a record. A field of digits with other characters gives ''. */
export function readLoosely<Name extends string>(
  layout: Layout<Name>,
  text: string,
): Readonly<Record<Name, string>> {
  const values: Partial<Record<Name, string>> = {}
  let at = layout.begins.length
  for (const [name, width, kind] of layout.fields) {
    const value = text.slice(at, at + width)
    values[name] = kind === 'n' && !/^\d+$/.test(value) ? '' : value.trim()
    at += width
  }
  return values as Readonly<Record<Name, string>>
}

/**
 * The values of the record on this line, without blanks around them. Throws UnreadableFile for
 * another record, and for a number that has other characters than digits.
 */
export function readRecord<Name extends string>(
  { begins, fields }: Layout<Name>,
  text: string,
  line: number,
): Readonly<Record<Name, string>> {
  if (!text.startsWith(begins)) {
    throw new UnreadableFile(`a record that begins with ${begins} stands here`, line)
  }
  const values: Partial<Record<Name, string>> = {}
  let at = begins.length
  for (const [name, width, kind] of fields) {
    const value = text.slice(at, at + width)
    if (kind === 'n' && !/^\d+$/.test(value)) {
      const place = `${name} (characters ${at + 1} to ${at + width})`
      throw new UnreadableFile(`${place} has digits alone, not "${value}"`, line)
    }
    values[name] = kind === 'n' ? value : value.trim()
    at += width
  }
  return values as Readonly<Record<Name, string>>
}

/** The entry hash of a control record: the last ten digits of the sum of RDFI numbers. */
export function entryHash(sum: bigint): bigint {
  return sum % 10_000_000_000n
}
