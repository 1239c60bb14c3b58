// Reads the profile of a bank: the name of one that is shipped, or an operator's JSON, which says
// what differs from one that is shipped. Every problem is named at once. Pure.
import type { BankProfile, Iso20022Profile } from '../bank-format.ts'
import type { Read } from '../csv.ts'
import { parseDecimal } from '../money/decimal.ts'
import { didYouMean } from '../nearest.ts'
import shipped from './profiles.json' with { type: 'json' }
import { MEANINGS } from './status.ts'

/** The profile that every other one stands on. */
const GENERIC = 'generic'
const MOST_ITEMS = 100_000
const MOST_SILENT_DAYS = 60
const MOST_MEANINGS = 200

type Json = Readonly<Record<string, unknown>>
/** Undefined when the value is good, else what it must be. */
type Check = (value: unknown) => string | undefined

const isOneOf =
  (...values: readonly string[]): Check =>
  value =>
    typeof value === 'string' && values.includes(value)
      ? undefined
      : `one of ${values.join(', ')}${typeof value === 'string' ? didYouMean(value, values) : ''}`

const isBoolean: Check = value => (typeof value === 'boolean' ? undefined : 'true or false')

const isWhole =
  (most: number): Check =>
  value =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
      ? undefined
      : `a whole number from 1 to ${most}`

const orNull =
  (check: Check): Check =>
  value => {
    const fault = value === null ? undefined : check(value)
    return fault === undefined ? undefined : `${fault}, or null`
  }

/** Text, as a JSON number may have lost digits. */
const isAmount: Check = value => {
  const decimal = typeof value === 'string' ? parseDecimal(value) : undefined
  return decimal !== undefined && decimal.digits > 0n
    ? undefined
    : 'a positive decimal as text, such as "250000.00"'
}

const isCode: Check = value =>
  typeof value === 'string' && /^[A-Z0-9]{0,4}$/.test(value)
    ? undefined
    : 'a code of up to four capital letters and digits, or ""'

const isName: Check = value =>
  typeof value === 'string' && /^[a-z0-9][a-z0-9 ._-]{0,63}$/i.test(value)
    ? undefined
    : 'a name of 1 to 64 letters, digits, spaces, dots, hyphens and underscores'

const isText: Check = value => (typeof value === 'string' ? undefined : 'text')

const isMeanings: Check = value => {
  if (!isObject(value)) return 'an object of codes and their meanings'
  const entries = Object.entries(value)
  const codes = entries.filter(([code]) => !/^[A-Za-z0-9]{1,35}$/.test(code)).map(([code]) => code)
  if (codes.length > 0) return `codes of 1 to 35 letters and digits, and not ${codes.join(', ')}`
  if (entries.length > MOST_MEANINGS) return `at most ${MOST_MEANINGS} codes`
  const wrong = entries.filter(([, meaning]) => isOneOf(...MEANINGS)(meaning) !== undefined)
  if (wrong.length === 0) return undefined
  const words = wrong.map(([code, meaning]) => `${code}: ${JSON.stringify(meaning)}`)
  return `codes that mean one of ${MEANINGS.join(', ')}, and not ${words.join(', ')}`
}

type Checks<T> = { readonly [Name in keyof T]: Check }
type Plain = Omit<BankProfile, 'iso20022' | 'nacha'>

const CHECKS: Checks<Plain> = {
  name: isName,
  settles_on: isOneOf('accepted', 'acsc', 'booked'),
  meanings: isMeanings,
  silent_after_days: orNull(isWhole(MOST_SILENT_DAYS)),
  batch_booking: isBoolean,
  most_items: isWhole(MOST_ITEMS),
  most_amount: orNull(isAmount),
  resend_is_safe: isBoolean,
  release_by_person: isBoolean,
  character_set: isOneOf('swift', 'latin', 'utf8'),
  address: isOneOf('town_and_country', 'any'),
}

const ISO_CHECKS: Checks<Iso20022Profile> = {
  pain001: isOneOf('pain.001.001.03', 'pain.001.001.09'),
  service_level: isCode,
  local_instrument: isCode,
}

/** For people: `about` says where a profile comes from, `like` names the one it stands on. */
const EXTRA: Readonly<Record<string, Check>> = { about: isText, like: isText }

/** The names of the profiles that are shipped. */
export const SHIPPED_PROFILES: readonly string[] = Object.keys(shipped)

/** A profile, or all of its problems. */
export function readProfile(written: unknown): Read<BankProfile> {
  if (typeof written === 'string') return readShipped(written)
  if (!isObject(written)) return { messages: ['a profile is an object, or a name'] }
  const { like = GENERIC } = written
  const base = typeof like === 'string' ? readShipped(like) : { messages: ['like: not a name'] }
  const { iso20022 = {}, nacha = null, ...plain } = written
  const messages = [
    ...(base.messages ?? []),
    ...(plain.name === undefined ? ['name: a profile has a name'] : []),
    ...checkMembers('', plain, { ...CHECKS, ...EXTRA }),
    ...(isObject(iso20022)
      ? checkMembers('iso20022.', iso20022, ISO_CHECKS)
      : ['iso20022: must be an object']),
    ...(nacha === null ? [] : ['nacha: this is a profile of ISO 20022']),
  ]
  if (messages.length > 0 || base.value === undefined) return { messages }
  return { value: onTopOf(base.value, written) }
}

function readShipped(name: string): Read<BankProfile> {
  const found = Object.entries(shipped).find(([known]) => known === name)
  if (found === undefined) {
    const names = SHIPPED_PROFILES.join(', ')
    const hint = didYouMean(name, SHIPPED_PROFILES)
    return { messages: [`unknown profile ${name}; the profiles are ${names}${hint}`] }
  }
  return { value: onTopOf(onTopOf({}, shipped[GENERIC]), { ...found[1], name }) }
}

/** The members of the profile below, replaced by those that are written. */
function onTopOf(below: object, written: object): BankProfile {
  const [under, over] = [{ ...below } as Json, { ...written } as Json]
  const pick = (name: string) => [name, Object.hasOwn(over, name) ? over[name] : under[name]]
  const iso20022 = { ...(under.iso20022 as Json), ...(over.iso20022 as Json) }
  const plain = Object.fromEntries(Object.keys(CHECKS).map(pick))
  return { ...plain, iso20022, nacha: null } as unknown as BankProfile
}

function checkMembers(path: string, members: Json, checks: Readonly<Record<string, Check>>) {
  return Object.entries(members).flatMap(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) {
      return [`${path}${name}: there is no such member${didYouMean(name, Object.keys(checks))}`]
    }
    const fault = check(value)
    return fault === undefined ? [] : [`${path}${name}: must be ${fault}`]
  })
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
