// Reads fee schedules from CSV with amounts in major units. Returns rows, or the problem of each
// wrong line.
import { readFile } from 'node:fs/promises'
import { findCurrency } from '../../values/money/currency.ts'
import { formatMajor, MAX_AMOUNT, parseMajor } from '../../values/money/decimal.ts'
import { amountToJson } from '../../values/money/json.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { type Parsed, parseCsv, type Read, readLines } from '../../values/text/csv.ts'
import { type FeeVocabulary, judgeFee } from './asked-fee.ts'
import type { Fee, FeeKey } from './rules.ts'

export const FEE_COLUMNS = [
  'payout_type',
  'payout_currency',
  'destination_country',
  'network',
  'charge_type',
  'fixed_amount',
  'fee_currency',
  'variable_bps',
  'minimum_amount',
  'maximum_amount',
] as const
export type FeeColumn = (typeof FEE_COLUMNS)[number]

/** A row as text of a file or command line; '' means any, none or zero. */
export type FeeCells = Record<FeeColumn, string>

const DEFAULT_FEES = new URL('./default-fees.csv', import.meta.url)
/** 100 percent, as a constraint of the database. */
export const MAX_BPS = 10_000

/** The sample schedule that comes with the product, for sandboxes. */
export async function loadDefaultFees(vocabulary: FeeVocabulary): Promise<Fee[]> {
  const { lines, problems } = parseFeesCsv(await readFile(DEFAULT_FEES, 'utf8'), vocabulary)
  const [problem] = problems
  if (problem !== undefined) {
    throw new Error(`default-fees.csv, line ${problem.line}: ${problem.message}`)
  }
  return lines.map(({ value }) => ({ ...value, sample: true }))
}

/** Reads a schedule. Only the columns payout_type and fee_currency are required. */
export function parseFeesCsv(text: string, vocabulary: FeeVocabulary): Parsed<Fee> {
  const optional = FEE_COLUMNS.filter(name => name !== 'payout_type' && name !== 'fee_currency')
  const cells = parseCsv(text, { all: FEE_COLUMNS, optional })
  return readLines(cells, row => readFee(row, vocabulary), describeSubject)
}

/** A row's matching columns on one line: `swift, charge_type ours`. */
export function describeSubject(fee: FeeKey): string {
  const named = (['payout_currency', 'destination_country', 'network', 'charge_type'] as const)
    .filter(column => fee[column] !== null)
    .map(column => `${column} ${fee[column]}`)
  return [fee.payout_type, ...named].join(', ')
}

/** A row's fees on one line: `1.00 USD + 10 bps, at most 25.00 USD`. */
export function describeFee(fee: Fee): string {
  const cells = feeCells(fee)
  const amount = (text: string) => `${text} ${cells.fee_currency}`
  const fixed = fee.fixed_amount === 0n ? [] : [amount(cells.fixed_amount)]
  const variable = fee.variable_bps === 0 ? [] : [`${cells.variable_bps} bps`]
  const none = (fee.minimum_amount ?? 0n) === 0n ? 'free' : '0 bps'
  const parts = [...fixed, ...variable].join(' + ') || none
  const minimum = fee.minimum_amount === null ? '' : `, at least ${amount(cells.minimum_amount)}`
  const maximum = fee.maximum_amount === null ? '' : `, at most ${amount(cells.maximum_amount)}`
  return `${parts}${minimum}${maximum}${fee.sample ? ' (sample)' : ''}`
}

/** A row of the schedule, or a message for each mistake. Codes and words may be in any case. */
export function readFee(cells: FeeCells, vocabulary: FeeVocabulary): Read<Fee> {
  const fee_currency = cells.fee_currency.toUpperCase()
  const fixed = readAmount('fixed_amount', cells.fixed_amount, fee_currency)
  const minimum = readAmount('minimum_amount', cells.minimum_amount, fee_currency)
  const maximum = readAmount('maximum_amount', cells.maximum_amount, fee_currency)
  const bps = readBps(cells.variable_bps)
  const asked = omitUndefined({
    payout_type: cells.payout_type.toLowerCase(),
    payout_currency: cells.payout_currency.toUpperCase() || undefined,
    destination_country: cells.destination_country.toUpperCase() || undefined,
    network: cells.network || undefined,
    charge_type: cells.charge_type.toLowerCase() || undefined,
    fee_currency,
    fixed_amount: fixed.value,
    variable_bps: bps.value,
    minimum_amount: minimum.value,
    maximum_amount: maximum.value,
  })
  const { fee, problems } = judgeFee(asked, vocabulary)
  const messages = [
    ...problems.map(({ message }) => message),
    ...[fixed, bps, minimum, maximum].flatMap(read => read.messages ?? []),
  ]
  return messages.length > 0 ? { messages } : { value: fee }
}

/** A row as commands print it with --json: amounts in minor units. */
export function presentFee(fee: Fee) {
  const { fixed_amount, minimum_amount, maximum_amount } = fee
  return {
    ...fee,
    fixed_amount: amountToJson(fixed_amount),
    minimum_amount: minimum_amount === null ? null : amountToJson(minimum_amount),
    maximum_amount: maximum_amount === null ? null : amountToJson(maximum_amount),
  }
}

/** A row as the cells of a file: amounts in major units. */
export function feeCells(fee: Fee): FeeCells {
  const exponent = findCurrency(fee.fee_currency)?.exponent ?? 0
  const major = (amount: bigint | null) => (amount === null ? '' : formatMajor(amount, exponent))
  return {
    payout_type: fee.payout_type,
    payout_currency: fee.payout_currency ?? '',
    destination_country: fee.destination_country ?? '',
    network: fee.network ?? '',
    charge_type: fee.charge_type ?? '',
    fixed_amount: major(fee.fixed_amount),
    fee_currency: fee.fee_currency,
    variable_bps: fee.variable_bps.toString(),
    minimum_amount: major(fee.minimum_amount),
    maximum_amount: major(fee.maximum_amount),
  }
}

interface ReadCell<T> {
  /** Undefined for an empty cell. */
  readonly value: T | undefined
  readonly messages?: readonly string[]
}

function readAmount(column: string, text: string, fee_currency: string): ReadCell<bigint> {
  // `judgeFee` reports an unknown currency, in which no amount can be read.
  const currency = findCurrency(fee_currency)
  if (text === '') return { value: undefined }
  if (currency === undefined) return { value: 0n }
  const amount = parseMajor(text, currency.exponent)
  if (amount !== undefined && amount <= MAX_AMOUNT) return { value: amount }
  const places = `at most ${currency.exponent} digits after the point`
  const message = `${column} "${text}" is not an amount in ${fee_currency}, ${places}`
  return { value: 0n, messages: [message] }
}

function readBps(text: string): ReadCell<number> {
  if (text === '') return { value: undefined }
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_BPS) return { value: Number(text) }
  const message = `variable_bps "${text}" is not an integer from 0 to ${MAX_BPS}`
  return { value: 0, messages: [message] }
}
