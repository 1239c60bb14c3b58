// Writes ACH credits in up to three batches: PPD entries of wages, described as PAYROLL, other PPD
// entries to persons, and CCD entries to companies. Pure.
import { createHash } from 'node:crypto'
import type {
  FileBatch,
  FileItem,
  ItemPlace,
  NachaProfile,
  WrittenFile,
} from '../../values/bank-format/bank-format.ts'
import { withoutCodeWord } from '../../values/bank-format/code-word.ts'
import { formatMajor } from '../../values/money/decimal.ts'
import { swiftText } from '../../values/text/swift-text.ts'
import { accountNumber, checkItem, isPayroll, routingNumber, TRANSACTION_CODES } from './item.ts'
import {
  BATCH_CONTROL,
  BATCH_HEADER,
  BLOCKING_FACTOR,
  ENTRY,
  entryHash,
  FILE_CONTROL,
  FILE_HEADER,
  FILL,
  REMITTANCE,
  type Values,
  WIDTH,
  writeRecord,
} from './record.ts'
import { inNewYork, type LocalTime, type Settlement, settlementOf } from './settlement.ts'

/** Service class: credits only. */
export const CREDITS_ONLY = '220'

export const PAYROLL = 'PAYROLL'

/** A trace number has seven digits behind the bank's eight. */
const TRACE_NUMBERS = 10_000_000

/** The values that the file header and all batches share. */
interface FileValues extends LocalTime, Settlement {
  readonly nacha: NachaProfile
  readonly msg_id: string
}

interface Batch {
  readonly header: Values<typeof BATCH_HEADER>
  readonly items: readonly FileItem[]
  /** The seven digits of the first item's trace number. */
  readonly first: number
}

interface Sums {
  readonly entry_count: number
  readonly entry_hash: bigint
  readonly credits: bigint
}

/** Writes the file. Throws RangeError for a payment that `checkItem` refuses. */
export function writeAch(file: FileBatch): WrittenFile {
  checkPayments(file)
  const values = fileValues(file)
  const batches = batchesOf(file, values)
  const places = new Map<string, ItemPlace>()
  const lines = [fileHeader(values)]
  const sums: Sums[] = []
  for (const batch of batches) {
    const entries = batch.items.map((item, i) => writeEntry(batch, item, batch.first + i))
    for (const { item, place } of entries) places.set(item.end_to_end_id, place)
    const batch_sums = sumUp(entries)
    sums.push(batch_sums)
    lines.push(writeRecord(BATCH_HEADER, batch.header))
    for (const { records } of entries) lines.push(...records)
    lines.push(batchControl(batch.header, batch_sums))
  }
  const total = sums.reduce(addSums)
  lines.push(fileControl(lines.length + 1, batches.length, total))
  while (lines.length % BLOCKING_FACTOR !== 0) lines.push(FILL)
  return {
    bytes: Buffer.from(lines.map(line => `${line}\n`).join(''), 'ascii'),
    count: file.items.length,
    control_sum: formatMajor(total.credits, 2),
    execution_date: values.effective_entry_date,
    places,
  }
}

function checkPayments({ items, profile }: FileBatch): void {
  if (items.length === 0) throw new RangeError('a file without payments')
  if (new Set(items.map(item => item.end_to_end_id)).size < items.length) {
    throw new RangeError('two payments of a file have the same end-to-end id')
  }
  for (const item of items) {
    const [fault] = checkItem(item, profile)
    if (fault !== undefined) throw new RangeError(`${item.end_to_end_id}: ${fault}`)
  }
}

function fileValues({ created_at, execution_date, msg_id, profile }: FileBatch): FileValues {
  const { nacha } = profile
  if (nacha === null) throw new RangeError('the profile has no nacha')
  const now = inNewYork(created_at)
  return { nacha, msg_id, ...now, ...settlementOf(now, execution_date, nacha.same_day) }
}

/** The file's batches, in a fixed order. Trace numbers rise through the whole file. */
function batchesOf({ items }: FileBatch, values: FileValues): Batch[] {
  const { nacha } = values
  const kinds = [
    ['PPD', PAYROLL, items.filter(isPayroll)],
    ['PPD', '', items.filter(item => item.creditor.kind === 'person' && !isPayroll(item))],
    ['CCD', '', items.filter(item => item.creditor.kind === 'company')],
  ] as const
  let first = firstTrace(values.msg_id, items.length)
  return kinds
    .filter(([, , chosen]) => chosen.length > 0)
    .map(([entry_class, description, chosen], i) => {
      const batch = { items: chosen, first }
      first += chosen.length
      const header = {
        service_class: CREDITS_ONLY,
        company_name: cut(nacha.company_name, 16),
        discretionary_data: '',
        company_id: nacha.company_id,
        entry_class,
        entry_description: description || cut(nacha.entry_description, 10),
        descriptive_date: values.same_day,
        effective_entry_date: sixDigits(values.effective_entry_date),
        settlement_date: '',
        originator_status: '1',
        odfi: nacha.odfi.slice(0, 8),
        batch_number: String(i + 1).padStart(7, '0'),
      }
      return { ...batch, header }
    })
}

/**
 * The seven digits of the file's first trace number, from the message id: two files rarely share
 * numbers, and a file that is written again keeps its numbers.
 */
function firstTrace(msg_id: string, count: number): number {
  return 1 + (digestOf(msg_id).readUIntBE(0, 6) % (TRACE_NUMBERS - count))
}

function digestOf(msg_id: string): Buffer {
  return createHash('sha256').update(msg_id).digest()
}

function fileHeader({ nacha, msg_id, date, time }: FileValues): string {
  const modifiers = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
  return writeRecord(FILE_HEADER, {
    immediate_destination: nacha.immediate_destination.padStart(10),
    immediate_origin: nacha.immediate_origin.padStart(10),
    creation_date: sixDigits(date),
    creation_time: time,
    // Tells files of the same minute apart.
    file_id_modifier: modifiers.charAt(digestOf(msg_id).readUInt8(6) % modifiers.length),
    record_size: WIDTH,
    blocking_factor: BLOCKING_FACTOR,
    format_code: 1,
    immediate_destination_name: cut(nacha.immediate_destination_name, 23),
    immediate_origin_name: cut(nacha.immediate_origin_name, 23),
    reference_code: msg_id.slice(-8),
  })
}

function writeEntry({ header }: Batch, item: FileItem, number: number) {
  const { creditor } = item
  const routing = routingNumber(item)
  const trace_number = `${header.odfi}${String(number).padStart(7, '0')}`
  const remittance = withoutCodeWord(swiftText(item.creditor_reference || item.remittance))
  const entry = writeRecord(ENTRY, {
    transaction_code: TRANSACTION_CODES[creditor.account_type || 'checking'],
    rdfi: routing.slice(0, 8),
    check_digit: routing.slice(8),
    account: accountNumber(item),
    amount: item.amount,
    individual_id: item.end_to_end_id,
    individual_name: cut(creditor.name, 22),
    discretionary_data: '',
    addenda: remittance === '' ? 0 : 1,
    trace_number,
  })
  // Addenda in both classes have the syntax of ANSI ASC X12. NTE is its note segment.
  const text = `NTE**${remittance.slice(0, 74)}\\`
  const addenda = { text, number: 1, entry_number: number }
  return {
    item,
    place: { payment_information_id: header.batch_number, instruction_id: trace_number },
    records: remittance === '' ? [entry] : [entry, writeRecord(REMITTANCE, addenda)],
    rdfi: BigInt(routing.slice(0, 8)),
  }
}

function sumUp(entries: readonly ReturnType<typeof writeEntry>[]): Sums {
  return entries
    .map(({ item, records, rdfi }) => ({
      entry_count: records.length,
      entry_hash: rdfi,
      credits: item.amount,
    }))
    .reduce(addSums)
}

function addSums(a: Sums, b: Sums): Sums {
  return {
    entry_count: a.entry_count + b.entry_count,
    entry_hash: entryHash(a.entry_hash + b.entry_hash),
    credits: a.credits + b.credits,
  }
}

function batchControl(header: Batch['header'], sums: Sums): string {
  const { service_class, company_id, odfi, batch_number } = header
  const control = { service_class, company_id, odfi, batch_number, debits: 0, ...sums }
  return writeRecord(BATCH_CONTROL, { ...control, authentication: '', reserved: '' })
}

/** `records` counts all records of the file, the control record included. */
function fileControl(records: number, batch_count: number, sums: Sums): string {
  const block_count = Math.ceil(records / BLOCKING_FACTOR)
  return writeRecord(FILE_CONTROL, { batch_count, block_count, debits: 0, ...sums, reserved: '' })
}

/** YYMMDD */
function sixDigits(date: string): string {
  return date.slice(2).replaceAll('-', '')
}

/** The text in the network's characters, cut to the field's width. */
function cut(text: string, width: number): string {
  return swiftText(text).slice(0, width)
}
