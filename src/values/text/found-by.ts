// The text by which lists find a person or a business (§list.search). Each exact value is on its
// own line after a mark. Names are words without case and accents. Pure.
import { hash } from 'node:crypto'

/** The exact values by kind, and the names. */
export interface SearchValues {
  readonly email?: string | undefined
  /** An account number, an IBAN or the address of a wallet. */
  readonly account?: string | undefined
  /** The caller's own reference. */
  readonly reference?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
  readonly names: readonly (string | undefined)[]
}

/** An index entry has at most 2,704 bytes. A longer text is cut, and found by its beginning. */
const MAX_BYTES = 2_400

/** The text for the index. Empty without a name, as after an erasure. */
export function foundBy(values: SearchValues): string {
  const { email = '', account = '', reference = '', metadata, names } = values
  const words = names.flatMap((name = '') => wordsOf(name))
  if (words.length === 0) return ''
  const lines = [
    ...(email === '' ? [] : [emailLine(email)]),
    ...(account === '' ? [] : [accountLine(account)]),
    ...(reference === '' ? [] : [referenceLine(reference)]),
    ...Object.entries(metadata ?? {}).map(pair => `@${pairOf(pair)}`),
  ]
  const text = `\n${lines.map(line => `${line}\n`).join('')} ${[...new Set(words)].join(' ')}`
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_BYTES) return text
  return bytes.subarray(0, MAX_BYTES).toString().replace(/�+$/, '')
}

/** The parts that a matching text must all contain. */
export function partsOf(filters: SearchFilters): string[] {
  const { name, email, account_number, account_ending, reference, metadata } = filters
  const words = name?.flatMap(wordsOf)
  return [
    ...(email ?? []).map(one => `\n${emailLine(one)}\n`),
    ...(account_number ?? []).map(one => `\n${accountLine(one)}\n`),
    ...(account_ending ?? []).map(one => `${plainAccount(one)}\n`),
    ...(reference ?? []).map(one => `\n${referenceLine(one)}\n`),
    ...(metadata ?? []).map(pair => `\n@${pairOf(pairFrom(pair))}\n`),
    // A name without a letter or a digit matches no text.
    ...(words === undefined ? [] : words.length === 0 ? ['\n\n'] : words.map(word => ` ${word}`)),
  ]
}

/** The filters of a search; metadata as `pairText` writes it. */
export interface SearchFilters {
  readonly name?: readonly string[]
  readonly email?: readonly string[]
  readonly account_number?: readonly string[]
  /** Other lines can end so, too: `accountIn` decides. */
  readonly account_ending?: readonly string[]
  readonly reference?: readonly string[]
  readonly metadata?: readonly string[]
}

/** A pair of metadata: its key and its value. */
export type Pair = readonly [string, string]

/** A pair as one text, because the values of filters are texts. */
export const pairText = (pair: Pair): string => JSON.stringify(pair)

export const pairFrom = (text: string): Pair => JSON.parse(text)

/** A pair in short form for the index: 64 bits of its digest. */
const pairOf = ([key, value]: Pair) => shortDigest(`${key}\n${value}`)

const shortDigest = (text: string) => hash('sha256', text, 'hex').slice(0, 16)

/** A reference is found whole, so its digest is enough, and no other line can end as it does. */
const referenceLine = (reference: string) => `~${shortDigest(reference)}`

const emailLine = (email: string) => `=${fold(email).replaceAll(/\s/g, '')}`

const accountLine = (account: string) => `#${plainAccount(account)}`

/**
 * The lengths to which `signsOf` cuts words and endings of account numbers. More lengths tell more
 * names apart, and fill more bits of a block.
 */
const WORD_LENGTHS = [3, 5, 8]
const ENDING_LENGTHS = [4, 6, 8]

/** The signs of a text for the index: of each part that it contains, `signOf` is among them. */
export function signsOf(found_by: string): readonly string[] {
  const [values = '', words = ''] = found_by.split('\n ')
  const lines = `${values}\n`.split('\n').filter(line => line !== '')
  return [
    ...lines.map(line => `\n${line}\n`),
    ...lines.flatMap(line => ENDING_LENGTHS.map(length => `${line.slice(-length)}\n`)),
    ...(words.match(/[^ ]+/g) ?? []).flatMap(word =>
      WORD_LENGTHS.map(length => ` ${word.slice(0, length)}`),
    ),
  ]
}

/** The sign that each text with this part has; undefined for a part too short for one. */
export function signOf(part: string): string | undefined {
  if (part.startsWith('\n') && part.length > 1) return part
  const isWord = part.startsWith(' ')
  const length = (isWord ? WORD_LENGTHS : ENDING_LENGTHS).findLast(length => length < part.length)
  if (length === undefined) return undefined
  return isWord ? ` ${part.slice(1, 1 + length)}` : `${part.slice(-1 - length, -1)}\n`
}

/** An account number in the form that is compared. */
export function plainAccount(account: string): string {
  return account.replaceAll(/[\s-]/g, '').toUpperCase()
}

/** The account number in a text for the index; '' without one. */
export function accountIn(found_by: string): string {
  return /\n#([^\n]*)\n/.exec(found_by)?.[1] ?? ''
}

/** The words of a name, letters and digits, in the form that is compared. */
function wordsOf(name: string): string[] {
  return fold(name).match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Letters that Unicode does not decompose. People often leave out their strokes. */
const STROKES: Readonly<Record<string, string>> = {
  ...{ ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ŧ: 't', ı: 'i', æ: 'ae', œ: 'oe', þ: 'th' },
}

function fold(text: string): string {
  const folded = text.normalize('NFKD').replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
  const lower = folded.toLowerCase().toUpperCase().toLowerCase()
  return lower.replace(/[øđðħłŧıæœþ]/g, letter => STROKES[letter] ?? letter)
}
