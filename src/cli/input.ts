// Reads words, numbers, amounts and text files. Wrong input throws a UsageError or CommandFailed.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { MAX_REASON } from '../operator/request.ts'
import { findCurrency } from '../values/money/currency.ts'
import { MAX_AMOUNT, parseMajor } from '../values/money/decimal.ts'
import type { LineProblem, Parsed } from '../values/text/csv.ts'
import { readLine } from '../values/text/visible.ts'
import { CommandFailed, readOrRefuse, UsageError } from './failure.ts'

export { MAX_REASON } from '../operator/request.ts'

export function readCurrency(text: string): string {
  const code = text.trim().toUpperCase()
  if (findCurrency(code) === undefined) throw new UsageError(`unknown currency ${text}`)
  return code
}

function readAmount(text: string, currency: string): bigint {
  const exponent = findCurrency(currency)?.exponent ?? 0
  const amount = parseMajor(text, exponent)
  if (amount !== undefined && amount >= 1n && amount <= MAX_AMOUNT) return amount
  const shape = `digits, and at most ${exponent} after a point`
  throw new UsageError(`"${text}" is not an amount in ${currency}: ${shape}`)
}

/** Reads `USD=100000.00`. */
export function readMoney(text: string): { currency: string; amount: bigint } {
  const [code = '', amount = '', ...more] = text.split('=')
  if (more.length > 0) throw new UsageError(`"${text}" is not CODE=amount, such as USD=100000.00`)
  const currency = readCurrency(code)
  return { currency, amount: readAmount(amount, currency) }
}

/** At most `max` characters. */
export function readText(option: string, text: string, max: number): string {
  return readOrRefuse(readLine(option, text, max))
}

export const readReason = (text: string) => readText('--reason', text, MAX_REASON)

/** `what` names their kind, such as `status`. */
function readOneOf<T extends string>(what: string, text: string, known: readonly T[]): T {
  const found = known.find(one => one === text)
  if (found !== undefined) return found
  throw new UsageError(`unknown ${what} ${text}; it is one of ${known.join(', ')}`)
}

export function oneOf<T extends string>(what: string, known: readonly T[]): (text: string) => T {
  return text => readOneOf(what, text, known)
}

export const DEFAULT_LIMIT = 20
export const MAX_LIMIT = 1000

export function readLimit(text: string): number {
  const limit = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}`)
}

/** For `catch`: names the file. */
export function cannotRead(path: string): (error: unknown) => never {
  return error => {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`)
  }
}

/** `-` is standard input. The name is the default source of rates. */
export async function readInput(path: string) {
  const name = path === '-' ? 'stdin' : basename(path)
  const bytes = await (path === '-'
    ? buffer(process.stdin)
    : readFile(path).catch(cannotRead(path)))
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw new CommandFailed(`${name} is not UTF-8 text`)
  }
}

/** Fails if the file has a problem or no rows. */
export function valuesOf<T>(name: string, parsed: Parsed<T>): T[] {
  refuseProblems(name, parsed.problems)
  if (parsed.lines.length === 0) throw new CommandFailed(`${name} has no rows; nothing was written`)
  return parsed.lines.map(({ value }) => value)
}

/** Names all problems with their lines. */
export function refuseProblems(name: string, problems: readonly LineProblem[], hint = ''): void {
  if (problems.length === 0) return
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  const lines = problems.map(({ line, message }) => `  line ${line}: ${message}`)
  const words = [`${name} has ${count}; nothing was written${hint}`, ...lines]
  throw new CommandFailed(words.join('\n'))
}
