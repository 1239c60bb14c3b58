// Draws the members of random entities: a few texts, their disguises (texts that compare as equal
// but look different) and near misses (texts that look equal but differ). The oracle, not this
// file, decides which texts are equal.
import { invisible, type Members, whiteSpace } from '../oracle/entity-oracle.ts'

/** 0 … 1, 1 excluded. */
export type Random = () => number

export const NAMES = ['Irene Weiß', 'Irene Weiß', 'Νίκος Ångström']
const EMAILS = ['irene@weiß.example', 'niko\u0301s@example.com', 'ırene@weiß.example']
const NUMBER_TYPES = ['Passport', 'Identité']
const NUMBERS = ['X 12ß', 'X12ß']
const COUNTRIES = ['DE', 'DE', 'GR']
const LINES = ['Hauptstraße 1', 'Πρωτομαΐου 5']
const CITIES = ['Köln', 'İzmir']
const STATES = ['', '', 'Nord', undefined]
const POSTAL_CODES = ['', '', '50 667', undefined]
const VERTICALS = ['travel', 'TRAVEL AGENT']
const REGISTRATIONS = ['HRB 1ß', 'HRB 2ß', 'HRB 2ß']

/**
 * Draws members of both entity types: a member of one type's rules must not count for the other
 * type.
 */
export function drawMembers(random: Random): Members {
  const members = {
    email: maybe(random, 0.45, EMAILS),
    vertical: maybe(random, 0.3, VERTICALS),
    registration_number: maybe(random, 0.8, REGISTRATIONS),
    national_identification_number: chance(random, 0.45)
      ? { type: maybe(random, 0.85, NUMBER_TYPES), number: maybe(random, 0.85, NUMBERS) }
      : undefined,
    registration_address: chance(random, 0.85)
      ? {
          country: chance(random, 0.97) ? country(random, pick(random, COUNTRIES)) : undefined,
          line1: maybe(random, 0.95, LINES.slice(chance(random, 0.7) ? 1 : 0)),
          city: maybe(random, 0.95, CITIES.slice(chance(random, 0.7) ? 1 : 0)),
          state: maybe(random, 1, STATES),
          postal_code: maybe(random, 1, POSTAL_CODES),
        }
      : undefined,
  }
  // JSON leaves undefined members out, as a request does.
  return JSON.parse(JSON.stringify(members))
}

/**
 * With this probability one of the texts in some form; otherwise absent or blank, which count as
 * the same.
 */
function maybe(random: Random, probability: number, texts: readonly (string | undefined)[]) {
  if (!chance(random, probability)) return pick(random, [undefined, undefined, ...BLANKS])
  const text = pick(random, texts)
  if (text === undefined) return undefined
  if (text === '') return pick(random, ['', ...BLANKS])
  return chance(random, 0.12) ? nearly(random, text) : same(random, text)
}

const BLANKS = ['', ' ', '\u3000\t', '\u200b']

// Disguises and near misses.

export function disguised(random: Random, members: Members): Members {
  const entries = Object.entries(members).map(([name, value]) => {
    if (name === 'on_behalf_of' || name === 'type' || value === null) return [name, value]
    if (typeof value === 'string') return [name, same(random, value)]
    const parts = Object.entries(value ?? {}).map(([part, text]) => [
      part,
      part === 'country' ? country(random, text ?? undefined) : same(random, text ?? undefined),
    ])
    return [name, Object.fromEntries(parts)]
  })
  return Object.fromEntries(entries)
}

const WHITE_SPACE = whiteSpace()
const INVISIBLE = invisible()
const COMMON_INVISIBLE = ['\u200b', '\u200c', '\u200d', '\ufeff', '\u00ad', '\u2060', '\ufe0f']

/** A form of the text that mostly compares as equal; the oracle decides. */
export function same(random: Random, text: string | undefined): string {
  if (text === undefined || text === '') return ''
  const roll = Math.floor(random() * 9)
  if (roll === 0) return text.toUpperCase()
  if (roll === 1) return text.toLowerCase()
  if (roll === 2) return text.normalize('NFD')
  if (roll === 3) return text.normalize('NFC')
  if (roll === 4) return `${pick(random, WHITE_SPACE)}${text}${pick(random, WHITE_SPACE)}`
  if (roll === 5) return chance(random, 0.5) ? text.replace('ß', 'ss') : text.replace('ß', 'ẞ')
  if (roll > 6) return text
  const characters = [...text]
  const hidden = pick(random, chance(random, 0.7) ? COMMON_INVISIBLE : INVISIBLE) as string
  characters.splice(Math.floor(random() * (characters.length + 1)), 0, hidden)
  return characters.join('')
}

/** A text that mostly compares as different; the oracle decides. */
export function nearly(random: Random, text: string): string {
  if (!/\p{L}|\p{N}/u.test(text)) return text
  const roll = Math.floor(random() * 6)
  if (roll === 0) return text.normalize('NFD').replaceAll(/\p{M}/gu, '')
  if (roll === 1)
    return text.includes(' ') ? text.replace(' ', '  ') : text.replace(/\p{L}/u, '.$&')
  if (roll === 2) return text.replace(/i/i, 'ı')
  if (roll === 3) return text.replace(/a/i, '\u0430')
  if (roll === 4) return text.replaceAll(' ', '')
  return text.replace(' ', '\u00a0')
}

function country(random: Random, code: string | undefined): string {
  if (code === undefined || code === '') return ''
  const cased = chance(random, 0.3) ? code.toLowerCase() : code
  return chance(random, 0.2) ? `${pick(random, WHITE_SPACE)}${cased} ` : cased
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability
}

export function pick<T>(random: Random, items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)]
}
