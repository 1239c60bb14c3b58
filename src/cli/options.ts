// Makes options of a command of the members of a schema, and reads their text into a body.
import { Argument, type Command, Option } from 'commander'
import type { TSchema } from 'typebox'
import { MINOR_OF, REASON } from '../http/schema.ts'
import { type Problem, Refusal } from '../values/errors.ts'
import { findCurrency } from '../values/money/currency.ts'
import { parseMajor } from '../values/money/decimal.ts'
import { amountToJson } from '../values/money/json.ts'
import { refuseAsCommand, UsageError } from './failure.ts'
import { readCurrency } from './input.ts'

interface Member {
  readonly type?: string
  /** Of an array, which is several words; in an option, one word with commas. */
  readonly items?: Member
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
  readonly properties?: Readonly<Record<string, Member & Members>>
  readonly required?: readonly string[]
}

/** A member of an inner object has the object's name in front. */
interface Named {
  readonly name: string
  readonly path: readonly string[]
  readonly member: Member
  readonly is_required: boolean
}

/** The members that have options: `cut_off_time` is `time` in `cut_off`. */
function membersOf(schema: TSchema | undefined): readonly Named[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Members
  return Object.entries(properties).flatMap(([name, member]): readonly Named[] => {
    if (member.type !== 'object') {
      return [{ name, path: [name], member, is_required: required.includes(name) }]
    }
    return membersOf(member as TSchema).map(inner => {
      const path = [name, ...inner.path]
      return { name: `${name}_${inner.name}`, path, member: inner.member, is_required: false }
    })
  })
}

export type Texts = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** `--new-for-hours` for `new_for_hours`, `--account` for `account_id`. */
export const optionOf = (member: string) => `--${nameOf(member).replaceAll('_', '-')}`

const nameOf = (member: string) => member.replace(/_id$/, '')

/** The meanings go before the schema's descriptions. */
interface Shown {
  readonly arguments?: readonly string[]
  readonly options?: Readonly<Record<string, string>>
}

export function addOptions(command: Command, schema: TSchema | undefined, shown: Shown): void {
  const members = membersOf(schema)
  const { arguments: placed = [], options: meanings = {} } = shown
  for (const name of placed) {
    const member: Member = members.find(one => one.name === name)?.member ?? {}
    const { enum: words, items } = member
    const shape = items === undefined ? `<${nameOf(name)}>` : `<${nameOf(name)}...>`
    const argument = new Argument(shape, meanings[name] ?? meaningOf(member))
    if (words !== undefined) argument.choices(words)
    if (items?.enum !== undefined) argument.choices([...items.enum, NONE])
    command.addArgument(argument)
  }
  for (const { name, member, is_required } of members) {
    if (placed.includes(name)) continue
    const flags = `${optionOf(name)}${placeholderOf(name, member)}`
    const option = new Option(flags, meanings[name] ?? meaningOf(member))
    if (member.enum !== undefined) option.choices(member.enum)
    command.addOption(option.makeOptionMandatory(is_required))
  }
}

/** The word for an array of none. */
const NONE = 'none'

/** Short, so that meanings have room in 80 columns. */
function placeholderOf(name: string, member: Member): string {
  if (member.type === 'boolean') return ''
  if (member[MINOR_OF] !== undefined) return ' <amount>'
  if (member.type === 'integer') return ' <number>'
  if (member.type === 'array') return ' <list>'
  if (member.enum !== undefined) return ' <word>'
  if (member.format === 'date-time') return ' <time>'
  if (member.pattern?.startsWith('^[A-Z]')) return ' <code>'
  return name.endsWith('_id') ? ' <id>' : ' <text>'
}

/** `the most payouts (default: 1)`. A word of capitals stays, such as ISO. */
function meaningOf({ description = '', default: fallback }: Member): string {
  const words = description
    .replaceAll(/`(\w+)`/g, (_, name: string) => optionOf(name))
    .replace(/\.$/, '')
  const begun = words.replace(/^\p{Lu}(?!\p{Lu})/u, first => first.toLowerCase())
  return `${begun}${fallback === undefined ? '' : ` (default: ${fallback})`}`
}

/** `args`: the text of each member of `placed`. @throws UsageError with every wrong option */
export function readOptions(
  schema: TSchema | undefined,
  options: Texts,
  placed: readonly string[] = [],
  args: readonly (string | readonly string[])[] = [],
): Record<string, unknown> {
  const given = Object.fromEntries(placed.map((name, i) => [keyOf(name), args[i]]))
  const texts: Texts = { ...options, ...given }
  const read: Record<string, unknown> = {}
  const faults: string[] = []
  for (const { name, path, member } of membersOf(schema)) {
    const text = textOf(name, texts)
    if (text === undefined || text === false) continue
    try {
      const shown = placed.includes(name) ? nameOf(name) : optionOf(name)
      setAt(read, path, text === true || readMember(shown, member, text, texts))
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.push(error.message)
    }
  }
  faults.push(...lackingIn(schema, read))
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  return read
}

/** Commander reads `--no-cut-off` as a false `cutOff`. */
function textOf(name: string, texts: Texts): Texts[string] {
  if (!name.startsWith('no_')) return texts[keyOf(name)]
  return texts[keyOf(name.slice(3))] === false
}

function setAt(
  read: Record<string, unknown>,
  [first = '', ...rest]: readonly string[],
  value: unknown,
) {
  if (rest.length === 0) read[first] = value
  else {
    const inner = (read[first] ?? {}) as Record<string, unknown>
    read[first] = inner
    setAt(inner, rest, value)
  }
}

/** An inner object that is given needs its required members. */
function lackingIn(schema: TSchema | undefined, read: Record<string, unknown>): string[] {
  const { properties = {} } = (schema ?? {}) as Members
  return Object.entries(properties).flatMap(([name, { type, required = [] }]) => {
    const inner = read[name]
    if (type !== 'object' || inner === undefined) return []
    return required
      .filter(member => !(member in (inner as object)))
      .map(member => `${optionOf(`${name}_${member}`)} is missing`)
  })
}

/** Refuses members by the names of their options. */
export function refuseInOptions(
  schema: TSchema | undefined,
  placed: readonly string[] = [],
): (error: unknown) => never {
  const names = membersOf(schema).map(({ name }) => name)
  const inOption = ({ message, remarks }: Problem) => {
    const name = remarks.replaceAll('.', '_')
    return names.includes(name) && !placed.includes(name)
      ? `${optionOf(name)}: ${message}`
      : message
  }
  return error => {
    if (!(error instanceof Refusal) || error.status !== 400) return refuseAsCommand(error)
    throw new UsageError(error.problems.map(inOption).join('; '))
  }
}

/** Commander's name: `newForHours`. */
const keyOf = (member: string) =>
  nameOf(member).replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

function readMember(
  option: string,
  member: Member,
  text: string | readonly string[],
  texts: Texts,
): unknown {
  if (typeof text !== 'string') {
    const words = text.filter(word => word !== NONE)
    if (words.length === 0 || words.length === text.length) return words
    throw new UsageError(`say ${NONE} alone, or the others`)
  }
  const { items } = member
  if (items !== undefined) return text.split(',').map(one => readMember(option, items, one, texts))
  if (member[MINOR_OF] !== undefined) return readMinor(option, member, text, texts)
  if (member[REASON] === 'currency') return readCurrency(text)
  if (member.type === 'integer') return readWhole(option, member, text)
  return readText(option, member, text)
}

/** Another option names the currency. */
function readMinor(option: string, member: Member, text: string, texts: Texts): number {
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER, [MINOR_OF]: currency = '' } = member
  const code = texts[keyOf(currency)]
  if (typeof code !== 'string') {
    throw new UsageError(`${option} needs the ${optionOf(currency)} that it is in, such as USD`)
  }
  const { exponent } = findCurrency(readCurrency(code)) ?? { exponent: 0 }
  const sign = minimum < 0 && text.startsWith('-') ? -1n : 1n
  const digits = minimum < 0 ? text.replace(/^[+-]/, '') : text
  const amount = sign * (parseMajor(digits, exponent) ?? BigInt(maximum) + 1n)
  if (amount >= BigInt(minimum) && amount <= BigInt(maximum)) return amountToJson(amount)
  const positive = minimum <= 0 ? '' : ', and more than 0'
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
  // The action says what must not be blank.
  const words = written.normalize('NFC').trim() || written
  // Codes are of capitals, and people write them as they like.
  const text = pattern?.startsWith('^[A-Z]') ? words.toUpperCase() : words
  const { length } = [...text]
  if (length < minLength || length > maxLength) {
    throw new UsageError(`${option} has ${minLength} to ${maxLength} characters`)
  }
  // An id of another form is one that does not exist, which the action says.
  const is_id = pattern !== undefined && /^\^[a-z]{3}_/.test(pattern)
  if (is_id || pattern === undefined || new RegExp(pattern, 'u').test(text)) return text
  const such_as = examples === undefined ? '' : `, such as ${examples[0]}`
  throw new UsageError(`${option} "${written}" has another form${such_as}`)
}
