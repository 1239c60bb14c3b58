// Reads BAI2 (Cash Management Balance Reporting Specifications, version 2): groups of one day, with
// the balances and the transactions of accounts. Its counts and control totals must agree.

import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { referencesIn } from '../../values/bank-format/code-word.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { isDay } from '../../values/calendar/day.ts'
import { readTextLines } from './lines.ts'
import {
  EMPTY_STATEMENT_LINE,
  type StatementLine,
  type StatementPart,
  type StatementReader,
} from './statement.ts'
import { fitLine, fitText, plainAccount } from './text.ts'

export const bai2Reader: StatementReader = { read: readBai2 }

/** A record with its continuations (88). The last field of a transaction is a text with commas. */
interface BaiRecord {
  readonly code: string
  readonly number: number
  /** The fields that stand before a text. */
  fields: string[]
  /** The lines of the record as they were written, without its codes. */
  readonly written: string[]
}

/** More continuations of one record are none of a bank. */
const MOST_LINES = 1_000

async function* recordsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BaiRecord, void> {
  let record: BaiRecord | undefined
  for await (const { number, text } of readTextLines(bytes)) {
    const line = text.trimEnd()
    if (line === '') continue
    const [, code = '', rest = ''] = /^(\d\d),?(.*)$/.exec(line.trimStart()) ?? []
    if (code === '88' && record !== undefined) {
      if (record.written.length >= MOST_LINES) {
        throw new UnreadableFile(`a record has more than ${MOST_LINES} lines`, number)
      }
      record.written.push(rest)
      continue
    }
    if (record !== undefined) yield record
    if (!['01', '02', '03', '16', '49', '98', '99'].includes(code)) {
      const what = 'a record is 01, 02, 03, 16, 49, 88, 98 or 99'
      throw new UnreadableFile(`the record begins "${line.slice(0, 20)}", and ${what}`, number)
    }
    record = { code, number, fields: [], written: [rest] }
  }
  if (record !== undefined) yield record
}

/** The fields of a record that ends with a slash. A field never stands in two lines. */
function plainFields({ written }: BaiRecord): string[] {
  return written
    .map(line => line.replace(/\/\s*$/, ''))
    .filter(line => line !== '')
    .join(',')
    .split(',')
    .map(field => field.trim())
}

interface Account {
  readonly number: string
  readonly currency: string
  readonly at: number
  opening: bigint | null
  closing: bigint | null
  total: bigint
  records: number
}

interface Group {
  readonly day: IsoDate
  readonly currency: string
  readonly is_final: boolean
  total: bigint
  accounts: number
  records: number
}

interface Whole {
  readonly id: string
  total: bigint
  groups: number
  records: number
}

/** The parts of a file that are open. */
interface Open {
  file: Whole | undefined
  group: Group | undefined
  account: Account | undefined
}

async function* readBai2(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StatementPart> {
  const open: Open = { file: undefined, group: undefined, account: undefined }
  let is_over = false
  for await (const record of recordsOf(bytes)) {
    if (is_over && record.code !== '01') fail(record, 'it stands behind the end of the file (99)')
    const { code, written } = record
    count(open, code, written.length)
    if (code === '01') {
      open.file = fileOf(record)
      is_over = false
    } else if (code === '02') open.group = groupOf(record, need(open.file, record, '01'))
    else if (code === '03') {
      const { currency } = need(open.group, record, '02')
      open.account = accountOf(record, currency)
      const { number } = open.account
      yield { kind: 'head', format: 'bai2', account: number, currency: open.account.currency }
    } else if (code === '16') {
      const line = transactionOf(record, need(open.group, record, '02'), open.account)
      if (line !== undefined) yield line
    } else if (code === '49') yield* endAccount(open, record)
    else if (code === '98') endGroup(open, record)
    else {
      endFile(open, record)
      is_over = true
    }
  }
  if (!is_over) throw new UnreadableFile('the file is cut off: it has no record 99 at its end')
}

function fail({ number, code }: BaiRecord, why: string): never {
  throw new UnreadableFile(`record ${code}: ${why}`, number)
}

function need<T>(part: T | undefined, record: BaiRecord, code: string): T {
  return part ?? fail(record, `no record ${code} stands before it`)
}

/** Counts the lines of a record in all parts that have it. */
function count(open: Open, code: string, lines: number): void {
  if (open.file !== undefined) open.file.records += lines
  if (open.group !== undefined && code !== '99') open.group.records += lines
  if (open.account !== undefined && code !== '98' && code !== '99') open.account.records += lines
}

function fileOf(record: BaiRecord): Whole {
  const [, , day = '', , id = '', , , version = ''] = plainFields(record)
  if (version !== '' && version !== '2') fail(record, `version ${version} is not read; 2 is`)
  return { id: `${day} ${id}`, total: 0n, groups: 0, records: record.written.length }
}

function groupOf(record: BaiRecord, file: Whole): Group {
  const [, , status = '', day = '', , currency = '', modifier = ''] = plainFields(record)
  if (status !== '1') fail(record, `status ${status || 'none'} is not read; 1 (update) is`)
  file.groups += 1
  return {
    day: dayOf(record, day),
    currency: currency || 'USD',
    // 1 and 3 say interim, 2 and 4 final.
    is_final: modifier !== '1' && modifier !== '3',
    total: 0n,
    accounts: 0,
    records: record.written.length,
  }
}

function dayOf(record: BaiRecord, text: string): IsoDate {
  const day = `20${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4)}`
  return isDay(day) ? day : fail(record, `"${text}" is not a day such as 261130`)
}

/** Minor units, as BAI2 writes them: digits without a point, perhaps with a sign. */
function unitsOf(record: BaiRecord, text: string): bigint {
  if (!/^[+-]?\d{1,18}$/.test(text)) {
    fail(record, `"${text.slice(0, 40)}" is not an amount: digits without a point`)
  }
  return BigInt(text.replace('+', ''))
}

/** How many further fields a funds type has. */
function fundsFields(record: BaiRecord, type: string, next: string | undefined): number {
  if (['', '0', '1', '2', 'Z'].includes(type)) return 0
  if (type === 'V') return 2
  if (type === 'S') return 3
  if (type === 'D' && /^\d{1,3}$/.test(next ?? '')) return 1 + 2 * Number(next)
  return fail(record, `funds type "${type}" is not known; 0, 1, 2, Z, V, S and D are`)
}

/** The balances are summaries: type, amount, count of items, funds type. */
function accountOf(record: BaiRecord, group_currency: string): Account {
  const [number = '', currency = '', ...summaries] = plainFields(record)
  const account: Account = {
    number: plainAccount(number),
    currency: currency || group_currency,
    at: record.number,
    opening: null,
    closing: null,
    total: 0n,
    records: record.written.length,
  }
  for (let at = 0; at < summaries.length; ) {
    const [type = '', amount = '', , funds = '', next] = summaries.slice(at)
    at += 4 + fundsFields(record, funds, next)
    if (type !== '' && !/^\d{3}$/.test(type)) fail(record, `"${type}" is not a type such as 015`)
    if (amount === '') continue
    const units = unitsOf(record, amount)
    account.total += units
    if (type === '010') account.opening = units
    else if (type === '015') account.closing = units
  }
  return account
}

/** Undefined for a record that moves no money (890) and for one of nothing. */
function transactionOf(
  record: BaiRecord,
  { day }: Group,
  account: Account | undefined,
): StatementLine | undefined {
  const { currency } = need(account, record, '03')
  const [first = '', ...further] = record.written
  const fields = first.split(',')
  const [type = '', amount = '', funds = ''] = fields.map(field =>
    field.replace(/\/\s*$/, '').trim(),
  )
  if (type === '890') return undefined
  const units = amount === '' ? 0n : unitsOf(record, amount)
  if (account !== undefined) account.total += units
  const funded = fundsFields(record, funds, fields[3]?.trim())
  const [value = ''] = funds === 'V' ? fields.slice(3) : ['']
  const [bank = '', customer = '', ...texts] = fields.slice(3 + funded)
  const text = [texts.join(','), ...further]
    .map(piece => piece.replace(/\/\s*$/, '').trim())
    .filter(piece => piece !== '')
    .join(' ')
  if (units === 0n) return undefined
  const named = bare(customer)
  const [in_text = '', ...others] = referencesIn(text)
  return fitLine({
    ...EMPTY_STATEMENT_LINE,
    amount: isCredit(record, type) ? units : -units,
    currency,
    booked_on: day,
    value_on: value.trim() === '' ? day : dayOf(record, value.trim()),
    code: type,
    end_to_end_id: named || (others.length === 0 ? in_text : ''),
    bank_reference: bare(bank),
    text,
  })
}

const bare = (field: string) => field.replace(/\/\s*$/, '').trim()

/** 100 to 399 are credits, 400 to 699 debits. The bank's own types say no direction. */
function isCredit(record: BaiRecord, type: string): boolean {
  const code = /^\d{3}$/.test(type) ? Number(type) : 0
  if (code >= 100 && code < 400) return true
  if (code >= 400 && code < 700) return false
  return fail(record, `type "${type}" says no direction: credits are 100 to 399, debits 400 to 699`)
}

function* endAccount(open: Open, record: BaiRecord): Generator<StatementPart> {
  const { number, currency, opening, closing, total, records } = need(open.account, record, '03')
  const group = need(open.group, record, '02')
  agree(record, { total, count: records, of: 'lines' })
  group.total += total
  group.accounts += 1
  open.account = undefined
  yield {
    kind: 'end',
    statement_id: fitText(`${open.file?.id ?? ''} ${number} ${currency}`, 90),
    sequence: '',
    opened_on: group.day,
    closed_on: group.day,
    opening,
    closing,
    is_final: group.is_final,
  }
}

function endGroup(open: Open, record: BaiRecord): void {
  const { total, accounts, records } = need(open.group, record, '02')
  if (open.account !== undefined) fail(record, 'no record 49 ends the account before it')
  agree(record, { total, count: accounts, of: 'accounts', lines: records })
  if (open.file !== undefined) open.file.total += total
  open.group = undefined
}

function endFile(open: Open, record: BaiRecord): void {
  const { total, groups, records } = need(open.file, record, '01')
  if (open.group !== undefined) fail(record, 'no record 98 ends the group before it')
  agree(record, { total, count: groups, of: 'groups', lines: records })
  open.file = undefined
}

interface Sums {
  readonly total: bigint
  readonly count: number
  /** What is counted. */
  readonly of: string
  /** The count of lines, where that is another one. */
  readonly lines?: number
}

/** An empty field is not compared. */
function agree(record: BaiRecord, { total, count, of, lines }: Sums): void {
  const [said = '', said_count = '', said_lines = ''] = plainFields(record)
  if (said !== '' && unitsOf(record, said) !== total) {
    fail(record, `the control total is ${said}, and the amounts before it sum to ${total}`)
  }
  const compare = (text: string, found: number, what: string) => {
    if (text !== '' && Number(text) !== found) fail(record, `it counts ${text} ${what} of ${found}`)
  }
  compare(said_count, count, of)
  if (lines !== undefined) compare(said_lines, lines, 'lines')
}
