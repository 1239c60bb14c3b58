// Draws statements of a bank for tests: any lines that every dialect can carry.
import {
  EMPTY_STATEMENT_LINE,
  type StatementLine,
} from '../../../src/treasury/statement/statement.ts'
import type { GivenStatement } from './dialects.ts'

const ALPHABET = 'ABCDEFGHJKMNPQRSTVWXYZ0123456789'
const WORDS = ['Invoice', 'rent', 'Nov', 'refund', 'x-7', 'Ltd.', 'no', '2026/11', 'fee', 'A+B']
const NAMES = ['Harbour Trading Ltd', 'Oda Kestrel', 'Cedar and Sons', '']
const IBANS = ['DE89370400440532013000', 'FR1420041010050500013M02606', '']

type Random = () => number

const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T
const between = (random: Random, least: number, most: number) =>
  least + Math.floor(random() * (most - least + 1))
const text = (random: Random, length: number) =>
  Array.from({ length }, () => pick(random, [...ALPHABET])).join('')
const maybe = (random: Random, value: string) => (random() < 0.6 ? value : '')

function anyUuid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => pick(random, [...'0123456789abcdef'])).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5')
}

/** A line of a day. Lines for many have details, which sum to them. */
export function anyLine(random: Random, currency: string, day: string): StatementLine {
  const amount = BigInt(between(random, 1, 10_000_000)) * (random() < 0.6 ? -1n : 1n)
  const line: StatementLine = {
    ...EMPTY_STATEMENT_LINE,
    ...{ amount, currency, booked_on: day, value_on: day },
    bank_reference: text(random, between(random, 4, 12)),
    text: Array.from({ length: between(random, 1, 9) }, () => pick(random, WORDS)).join(' '),
  }
  if (random() < 0.15) return withDetails(random, line)
  return {
    ...line,
    end_to_end_id: maybe(random, text(random, 15)),
    uetr: maybe(random, anyUuid(random)),
    instruction: maybe(random, text(random, 12)),
    counterparty: pick(random, IBANS),
    counterparty_name: pick(random, NAMES),
    own_account: amount > 0n ? maybe(random, 'DE02120300000000202051') : '',
  }
}

function withDetails(random: Random, line: StatementLine): StatementLine {
  const count = between(random, 0, 4)
  const details = Array.from({ length: count === 1 ? 2 : count }, () => ({
    amount: BigInt(between(random, 1, 100_000)) * (line.amount < 0n ? -1n : 1n),
    end_to_end_id: text(random, 15),
    uetr: '',
    instruction: text(random, 10),
  }))
  const sum = details.reduce((total, { amount }) => total + amount, 0n)
  const block = `${text(random, 16)}-${between(random, 1, 9)}`
  return {
    ...line,
    ...{ details, block, file: text(random, 16) },
    amount: details.length === 0 ? line.amount : sum,
  }
}

export interface Drawn {
  readonly account?: string
  readonly currency?: string
  readonly day: string
  readonly opening: bigint
  readonly count: number
}

export function anyStatement(random: Random, drawn: Drawn): GivenStatement {
  const { account = 'DE87100500001234567890', currency = 'EUR', day, opening, count } = drawn
  return {
    ...{ account, currency, opening },
    id: `S${day.replaceAll('-', '')}`,
    sequence: day.slice(5).replace('-', ''),
    opened_on: day,
    closed_on: day,
    lines: Array.from({ length: count }, () => anyLine(random, currency, day)),
  }
}
