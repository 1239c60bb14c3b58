// Makes options of a command of the members of a schema, and reads their text into a body.
import { type Command, Option } from 'commander'
import type { TSchema } from 'typebox'
import { MINOR_OF, REASON } from '../http/schema.ts'
import { findCurrency } from '../money/currency.ts'
import { parseMajor } from '../money/decimal.ts'
import { amountToJson } from '../money/json.ts'
import { UsageError } from './failure.ts'
import { readCurrency } from './input.ts'

/** A member of a schema, as far as options need it. */
interface Member {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly [REASON]?: string
  readonly [MINOR_OF]?: string
}

interface Members {
  readonly properties?: Readonly<Record<string, Member>>
  readonly required?: readonly string[]
}

type Texts = Readonly<Record<string, string | boolean | undefined>>

/** The option of a member: `--new-for-hours` for `new_for_hours`, `--account` for `account_id`. */
export const optionOf = (member: string) => `--${nameOf(member).replaceAll('_', '-')}`

const nameOf = (member: string) => member.replace(/_id$/, '')

/** The members that are arguments, and meanings that go before the schema's descriptions. */
interface Shown {
  readonly arguments?: readonly string[]
  readonly options?: Readonly<Record<string, string>>
}

/** Adds an argument or an option for each member of the schema. */
export function addOptions(command: Command, schema: TSchema | undefined, shown: Shown): void {
  const { properties = {}, required = [] } = (schema ?? {}) as Members
  const { arguments: placed = [], options: meanings = {} } = shown
  for (const name of placed) {
    command.argument(`<${name}>`, meanings[name] ?? meaningOf(properties[name] ?? {}))
  }
  for (const [name, member] of Object.entries(properties)) {
    if (placed.includes(name)) continue
    const flags = `${optionOf(name)}${placeholderOf(name, member)}`
    const option = new Option(flags, meanings[name] ?? meaningOf(member))
    if (member.enum !== undefined) option.choices(member.enum)
    command.addOption(option.makeOptionMandatory(required.includes(name)))
  }
}

/** Short, so that meanings have room in 80 columns. */
function placeholderOf(name: string, member: Member): string {
  if (member.type === 'boolean') return ''
  if (member[MINOR_OF] !== undefined) return ' <amount>'
  if (member.type === 'integer') return ' <number>'
  if (member.enum !== undefined) return ' <word>'
  if (member.format === 'date-time') return ' <time>'
  if (member.pattern?.startsWith('^[A-Z]')) return ' <code>'
  return name.endsWith('_id') ? ' <id>' : ' <text>'
}

/** The description as people read it behind an option: `the most payouts (default: 1)`. */
function meaningOf({ description = '', default: fallback }: Member): string {
  const words = description
    .replaceAll(/`(\w+)`/g, (_, name: string) => optionOf(name))
    .replace(/\.$/, '')
  const first = words.slice(0, 1).toLowerCase()
  return `${first}${words.slice(1)}${fallback === undefined ? '' : ` (default: ${fallback})`}`
}

/**
 * The body or query that the options of a command ask for, and its arguments: `args` has the text
 * of each member of `placed`.
 * @throws UsageError with every option whose text the schema does not allow
 */
export function readOptions(
  schema: TSchema | undefined,
  options: Texts,
  placed: readonly string[] = [],
  args: readonly string[] = [],
): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as Members
  const given = Object.fromEntries(placed.map((name, i) => [keyOf(name), args[i]]))
  const texts: Texts = { ...options, ...given }
  const read: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, member] of Object.entries(properties)) {
    const text = texts[keyOf(name)]
    if (text === undefined || text === false) continue
    try {
      const shown = placed.includes(name) ? name : optionOf(name)
      read[name] = text === true || readMember(shown, member, text, texts)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.push(error.message)
    }
  }
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  return read
}

/** Commander's name of a member's option: `newForHours`. */
const keyOf = (member: string) =>
  nameOf(member).replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

function readMember(option: string, member: Member, text: string, texts: Texts): unknown {
  if (member[MINOR_OF] !== undefined) return readMinor(option, member, text, texts)
  if (member[REASON] === 'currency') return readCurrency(text)
  if (member.type === 'integer') return readWhole(option, member, text)
  return readText(option, member, text)
}

/** An amount in major units of the currency that another option names, in minor units. */
function readMinor(option: string, member: Member, text: string, texts: Texts): number {
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER, [MINOR_OF]: currency = '' } = member
  const code = texts[keyOf(currency)]
  if (typeof code !== 'string') {
    throw new UsageError(`${option} needs the ${optionOf(currency)} that it is in, such as USD`)
  }
  const { exponent } = findCurrency(readCurrency(code)) ?? { exponent: 0 }
  const amount = parseMajor(text, exponent)
  if (amount !== undefined && amount >= BigInt(minimum) && amount <= BigInt(maximum)) {
    return amountToJson(amount)
  }
  const positive = minimum === 0 ? '' : ', and more than 0'
  const shape = `digits, and at most ${exponent} after a point${positive}`
  throw new UsageError(`${option} "${text}" is not an amount in ${readCurrency(code)}: ${shape}`)
}

function readWhole(option: string, { minimum = 0, maximum }: Member, text: string): number {
  const number = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= minimum && number <= (maximum ?? Number.MAX_SAFE_INTEGER)) return number
  const range = maximum === undefined ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`
  throw new UsageError(`${option} "${text}" is not a whole number${range}`)
}

function readText(option: string, member: Member, written: string): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, examples } = member
  // Codes are of capitals, and people write them as they like.
  const text = pattern?.startsWith('^[A-Z]') ? written.toUpperCase() : written
  if (text.length < minLength || text.length > maxLength) {
    throw new UsageError(`${option} has ${minLength} to ${maxLength} characters`)
  }
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return text
  const such_as = examples === undefined ? '' : `, such as ${examples[0]}`
  throw new UsageError(`${option} "${written}" has another form${such_as}`)
}
