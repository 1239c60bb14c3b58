// The columns of a file of payouts: members of the body of POST /v3/payout by their paths, shorter
// names for those within a beneficiary, and amounts in major units. Only CSV has these; JSON lines
// are bodies as they are.
import { invalidField, type Problem } from '../errors.ts'
import { findCurrency } from '../money/currency.ts'
import { MAX_AMOUNT, parseMajor } from '../money/decimal.ts'
import { PayoutRequest } from '../payout/request.ts'
import { type Column, type ColumnSet, columnsOf } from './import-columns.ts'

/** In major units, such as 1250.00, where `amount` is in minor ones. */
const MAJOR = 'amount_major'

const DETAILS = 'beneficiary_details.'
const DESTINATION = `${DETAILS}destination_details.`

/** The first that a path begins with: of the bank, members stand in the beneficiary itself. */
const SHORTER: readonly (readonly [long: string, short: string])[] = [
  [`${DESTINATION}type`, 'beneficiary.destination_type'],
  [`${DESTINATION}bank.`, 'beneficiary.'],
  [DESTINATION, 'beneficiary.'],
  [DETAILS, 'beneficiary.'],
  ['local.', ''],
]

function shorter(name: string): string {
  const [long, short] = SHORTER.find(([long]) => name.startsWith(long)) ?? ['', '']
  return short + name.slice(long.length)
}

export const PAYOUT_COLUMNS: ColumnSet = payoutColumns()

function payoutColumns(): ColumnSet {
  const required = [['amount', MAJOR], ['currency'], ['purpose'], ['transaction_description']]
  const set = columnsOf(PayoutRequest, required)
  const names = set.names.map(shorter)
  const major: Column = { path: [MAJOR], kind: 'text' }
  const short = [...set.columns].map(([name, column]) => [shorter(name), column] as const)
  const open = [...set.open].map(([name, path]) => [shorter(name), path] as const)
  return {
    ...set,
    names: [...names.slice(0, 1), MAJOR, ...names.slice(1)],
    columns: new Map([...set.columns, ...short, [MAJOR, major]]),
    open: new Map([...set.open, ...open]),
  }
}

type Body = Record<string, unknown>

/**
 * A CSV row as the body it stands for: its amount in minor units, the type of its destination where
 * only one kind of columns is filled in. What is wrong with an amount in major units, which the API
 * does not know, is said here; the body then has another amount, so that the rest is judged.
 */
export function completeRow(row: object): { body: Body; problems: readonly Problem[] } {
  const { [MAJOR]: major, ...body } = withDestinationType(row as Body)
  if (major === undefined) return { body, problems: [] }
  if (body.amount !== undefined) {
    return { body, problems: [invalidField('amount', `Send exactly one of amount and ${MAJOR}.`)] }
  }
  // An unknown currency is refused by itself.
  const exponent = findCurrency(String(body.currency))?.exponent
  if (exponent === undefined) return { body: { ...body, amount: 1 }, problems: [] }
  const amount = parseMajor(String(major), exponent)
  if (amount !== undefined) {
    return {
      body: { ...body, amount: amount > MAX_AMOUNT ? Number.NaN : Number(amount) },
      problems: [],
    }
  }
  const digits = exponent === 0 ? 'digits alone' : `digits, and at most ${exponent} after a point`
  const message = `${MAJOR} is not an amount in ${body.currency}: ${digits}.`
  return { body: { ...body, amount: 1 }, problems: [invalidField(MAJOR, message)] }
}

function withDestinationType(row: Body): Body {
  const details = row.beneficiary_details as Body | undefined
  const destination = details?.destination_details as Body | undefined
  if (destination === undefined || destination.type !== undefined) return row
  const [type, ...more] = Object.keys(destination)
  if (type === undefined || more.length > 0) return row
  const destination_details = { type, ...destination }
  return { ...row, beneficiary_details: { ...details, destination_details } }
}
