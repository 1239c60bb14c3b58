// Reads fee schedules from CSV with amounts in major units. Returns rows, or the problem of each
// wrong line. Callers pass payout types, countries and networks as a vocabulary, because they
// belong to higher rooms.
import { readFile } from 'node:fs/promises'
import { findCurrency } from '../../money/currency.ts'
import { formatMajor, MAX_AMOUNT, parseMajor } from '../../money/decimal.ts'
import { amountToJson } from '../../money/json.ts'
import { type Parsed, parseCsv, type Read, readLines } from '../../text/csv.ts'
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

/** The possible values of matching columns. */
export interface FeeVocabulary {
  readonly payout_types: readonly string[]
  /** Charge types by payout type; a type without any is absent. */
  readonly charge_types: Readonly<Record<string, readonly string[]>>
  /** Why no payout of this type goes to this country; undefined for a possible country. */
  countryFault(payout_type: string, code: string): string | undefined
  /** The canonical name of a network of this payout type; undefined when there is none. */
  networkName(payout_type: string, name: string): string | undefined
}

const DEFAULT_FEES = new URL('./default-fees.csv', import.meta.url)
/** 100 percent, as a constraint of the database. */
const MAX_BPS = 10_000

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

/** A row of the schedule, or a message for each mistake. */
export function readFee(cells: FeeCells, vocabulary: FeeVocabulary): Read<Fee> {
  const payout_type = cells.payout_type.toLowerCase()
  const payout_currency = cells.payout_currency.toUpperCase() || null
  const destination_country = cells.destination_country.toUpperCase() || null
  const charge_type = cells.charge_type.toLowerCase() || null
  const fee_currency = cells.fee_currency.toUpperCase()
  const network = cells.network === '' ? null : vocabulary.networkName(payout_type, cells.network)
  const fixed = readAmount('fixed_amount', cells.fixed_amount || '0', fee_currency)
  const minimum = readBound('minimum_amount', cells.minimum_amount, fee_currency)
  const maximum = readBound('maximum_amount', cells.maximum_amount, fee_currency)
  const bps = readBps(cells.variable_bps || '0')
  const messages = [
    ...checkType(payout_type, vocabulary),
    ...(payout_currency === null ? [] : checkCode(payout_currency)),
    ...checkCountry(payout_type, destination_country, vocabulary),
    ...(network === undefined ? [`no ${payout_type} payout names network ${cells.network}`] : []),
    ...checkChargeType(payout_type, charge_type, vocabulary),
    ...(fee_currency === '' ? ['fee_currency is missing'] : checkCode(fee_currency)),
    ...[fixed, bps, minimum, maximum].flatMap(read => read.messages ?? []),
    ...checkBounds(minimum.value ?? null, maximum.value ?? null),
    ...checkPrice(cells),
  ]
  if (messages.length > 0) return { messages }
  return {
    value: {
      payout_type,
      payout_currency,
      destination_country,
      network: network ?? null,
      charge_type,
      fixed_amount: fixed.value ?? 0n,
      fee_currency,
      variable_bps: bps.value ?? 0,
      minimum_amount: minimum.value ?? null,
      maximum_amount: maximum.value ?? null,
      sample: false,
    },
  }
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

function readAmount(column: string, text: string, fee_currency: string): Read<bigint> {
  // `checkCode` reports an unknown currency, in which no amount can be checked.
  const currency = findCurrency(fee_currency)
  if (currency === undefined) return { value: 0n }
  const amount = parseMajor(text, currency.exponent)
  if (amount !== undefined && amount <= MAX_AMOUNT) return { value: amount }
  const places = `at most ${currency.exponent} digits after the point`
  return { messages: [`${column} "${text}" is not an amount in ${fee_currency}, ${places}`] }
}

function readBound(column: string, text: string, fee_currency: string): Read<bigint | null> {
  return text === '' ? { value: null } : readAmount(column, text, fee_currency)
}

function readBps(text: string): Read<number> {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_BPS) return { value: Number(text) }
  return { messages: [`variable_bps "${text}" is not an integer from 0 to ${MAX_BPS}`] }
}

function checkType(payout_type: string, { payout_types }: FeeVocabulary): string[] {
  if (payout_types.includes(payout_type)) return []
  const shown = payout_type === '' ? 'payout_type is missing' : `unknown payout_type ${payout_type}`
  return [`${shown}; the types are ${payout_types.join(', ')}`]
}

function checkCode(code: string): string[] {
  return findCurrency(code) === undefined ? [`unknown currency ${code}`] : []
}

function checkCountry(
  payout_type: string,
  code: string | null,
  vocabulary: FeeVocabulary,
): string[] {
  const fault = code === null ? undefined : vocabulary.countryFault(payout_type, code)
  return fault === undefined ? [] : [fault]
}

/** A message for a charge type that no request can have: the row would never apply. */
function checkChargeType(
  payout_type: string,
  charge_type: string | null,
  vocabulary: FeeVocabulary,
): string[] {
  if (charge_type === null || !vocabulary.payout_types.includes(payout_type)) return []
  const known = vocabulary.charge_types[payout_type] ?? []
  if (known.includes(charge_type)) return []
  if (known.length === 0) return [`a ${payout_type} payout has no charge_type`]
  return [`unknown charge_type ${charge_type}; it is ${known.join(' or ')}`]
}

/** A message for a row without a price: a free payout needs an explicit zero. */
function checkPrice({ fixed_amount, variable_bps, minimum_amount }: FeeCells): string[] {
  if (fixed_amount !== '' || variable_bps !== '' || minimum_amount !== '') return []
  return ['neither fixed_amount nor variable_bps is given; fixed_amount 0 makes it free']
}

function checkBounds(minimum: bigint | null, maximum: bigint | null): string[] {
  if (minimum === null || maximum === null || minimum <= maximum) return []
  return ['minimum_amount is more than maximum_amount']
}
