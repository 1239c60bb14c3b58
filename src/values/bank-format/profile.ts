// Checks the members that bank profiles of all formats share, as an operator writes them in JSON.
// Each format adds its own members. Pure.
import { CALENDAR_NAMES } from '../calendar/calendar.ts'
import { parseDecimal } from '../money/decimal.ts'
import { didYouMean } from '../text/nearest.ts'
import type { BankProfile } from './bank-format.ts'

const MOST_ITEMS = 100_000
export const MOST_SILENT_DAYS = 60
const MOST_MEANINGS = 200

export type Json = Readonly<Record<string, unknown>>
/** The rule that the value breaks; undefined for a good value. */
export type Check = (value: unknown) => string | undefined

export const isOneOf =
  (...values: readonly string[]): Check =>
  value =>
    typeof value === 'string' && values.includes(value)
      ? undefined
      : `one of ${values.join(', ')}${typeof value === 'string' ? didYouMean(value, values) : ''}`

export const isBoolean: Check = value => (typeof value === 'boolean' ? undefined : 'true or false')

export const isWhole =
  (least: number, most: number): Check =>
  value =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `a whole number from ${least} to ${most}`

const orNull =
  (check: Check): Check =>
  value => {
    const fault = value === null ? undefined : check(value)
    return fault === undefined ? undefined : `${fault}, or null`
  }

/** An amount is text, because a JSON number may lose digits. */
const isAmount: Check = value => {
  const decimal = typeof value === 'string' ? parseDecimal(value) : undefined
  return decimal !== undefined && decimal.digits > 0n
    ? undefined
    : 'a positive decimal as text, such as "250000.00"'
}

const isName: Check = value =>
  typeof value === 'string' && /^[a-z0-9][a-z0-9 ._-]{0,63}$/i.test(value)
    ? undefined
    : 'a name of 1 to 64 letters, digits, spaces, dots, hyphens and underscores'

export const isText: Check = value => (typeof value === 'string' ? undefined : 'text')

/** Checks an object that maps the bank's codes to meanings, each one of `meanings`. */
const isMeanings =
  (meanings: readonly string[]): Check =>
  value => {
    if (!isObject(value)) return 'an object of codes and their meanings'
    const entries = Object.entries(value)
    const codes = entries
      .filter(([code]) => !/^[A-Za-z0-9]{1,35}$/.test(code))
      .map(([code]) => code)
    if (codes.length > 0) return `codes of 1 to 35 letters and digits, and not ${codes.join(', ')}`
    if (entries.length > MOST_MEANINGS) return `at most ${MOST_MEANINGS} codes`
    const wrong = entries.filter(([, meaning]) => isOneOf(...meanings)(meaning) !== undefined)
    if (wrong.length === 0) return undefined
    const words = wrong.map(([code, meaning]) => `${code}: ${JSON.stringify(meaning)}`)
    return `codes that mean one of ${meanings.join(', ')}, and not ${words.join(', ')}`
  }

export type Checks<T> = { readonly [Name in keyof T]: Check }
type SharedProfile = Omit<BankProfile, 'iso20022' | 'nacha'>

/** The checks of the shared members. A bank's code must mean one of `meanings`. */
export const sharedChecks = (meanings: readonly string[]): Checks<SharedProfile> => ({
  name: isName,
  settles_on: isOneOf('accepted', 'acsc', 'booked'),
  meanings: isMeanings(meanings),
  silent_after_days: orNull(isWhole(1, MOST_SILENT_DAYS)),
  silent_calendar: orNull(isOneOf(...CALENDAR_NAMES)),
  batch_booking: isBoolean,
  most_items: isWhole(1, MOST_ITEMS),
  most_amount: orNull(isAmount),
  resend_is_safe: isBoolean,
  release_by_person: isBoolean,
  character_set: isOneOf('swift', 'latin', 'utf8'),
  address: isOneOf('town_and_country', 'if_complete', 'any'),
})

/**
 * Every problem of the members, each with its path. An unknown member is a problem: it is likely a
 * typing error.
 */
export function checkMembers(path: string, members: Json, checks: Readonly<Record<string, Check>>) {
  return Object.entries(members).flatMap(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) {
      return [`${path}${name}: there is no such member${didYouMean(name, Object.keys(checks))}`]
    }
    const fault = check(value)
    return fault === undefined ? [] : [`${path}${name}: must be ${fault}`]
  })
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
