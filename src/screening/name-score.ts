// Scores two names word by word: each word makes a pair with the most similar one, no word twice.
// Pure.
import { similarity } from './similarity.ts'
import { foldOf, looseFoldOf } from './spelling.ts'
import { BUSINESS, COMMON, LEGAL_FORMS } from './word-lists.ts'

/** Words with a lower similarity are different words. */
export const SAME_WORD = 0.75
/** Words from this similarity on are one word, in another spelling at most: they agree in full. */
export const IN_FULL = 0.97
/** The similarity of words that differ in vowels only. */
const FOLDED = 0.93
/** With words from this similarity on, a name in others is still that name. */
const NEAR = 0.9
/** Many persons share shorter words at a name's ends. */
const LONG_END = 4
/** A name with fewer letters is part of many others. */
const FEW_LETTERS = 8
/** An initial agrees with each word that begins so. */
export const INITIAL = 0.9

/** The cost of the party's words that the listed name lacks, times their share. */
const LEFT_OVER_WEIGHT = 0.8
/** The cost of listed words that the party lacks, times their share. People leave names out. */
const NOT_NAMED_WEIGHT = 0.4
/** The same cost when two of the party's words agree in full. */
const NOT_NAMED_AGREED = 0.15

/** The factor for a son with his father's name: Salman bin Muhammad is not Muhammad bin Salman. */
const SWAPPED = 0.85
const SON_OF: ReadonlySet<string> = new Set(['bin', 'ben', 'ibn', 'bint'])

/** The factor for a number that the party lacks: a second fund is not the first. */
const OTHER_NUMBER = 0.88

const COMMON_WEIGHT = 0.5
const LEGAL_FORM_WEIGHT = 0.1
/** The fewest letters of an organisation's one word that is found among others. */
const SHORTEST_ALONE = 5

/** A word's weight: its number of letters, less for a common word or a legal form. */
export function weightOf(word: string): number {
  if (COMMON.has(word)) return word.length * COMMON_WEIGHT
  return LEGAL_FORMS.has(word) ? word.length * LEGAL_FORM_WEIGHT : word.length
}

export function totalWeight(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + weightOf(word), 0)
}

/** Whether few names share the word. */
export function isTelling(word: string): boolean {
  return word.length > 1 && !COMMON.has(word) && !LEGAL_FORMS.has(word)
}

/** The similarity of two words of names. A number is only like itself. */
export function compareWords(a: string, b: string): number {
  if (a === b) return 1
  if (isNumber(a) || isNumber(b)) return 0
  const found = similarity(a, b)
  const loose = looseFoldOf(a)
  if (loose === '' || loose !== looseFoldOf(b)) return found
  return Math.max(found, foldScore(a, b))
}

/** The least similarity of two words with the same `looseFoldOf`. */
export function foldScore(a: string, b: string): number {
  return foldOf(a) === foldOf(b) ? IN_FULL : FOLDED
}

export function isLegalForm(word: string): boolean {
  return LEGAL_FORMS.has(word)
}

/** Whether a word is of companies and not of persons. */
function isOfBusiness(word: string): boolean {
  return LEGAL_FORMS.has(word) || BUSINESS.has(word)
}

export function isNumber(word: string): boolean {
  return /^\d+$/.test(word)
}

function isOrdinal(word: string): boolean {
  return isNumber(word) || /^(?:i{2,3}|i[vx]|vi{1,3}|x)$/.test(word)
}

interface WordPair {
  readonly query: string
  readonly listed: string
  readonly similarity: number
}

export type NamedKind = 'person' | 'organisation' | 'other'

/** Scores and factors from 0 to 1. */
export interface NameScore {
  readonly score: number
  /** The similarity of the pairs, by their weight. */
  readonly words: number
  /** The factor for the words in `left_over`. */
  readonly left_factor: number
  /** Whether all letters are the same and only the spaces differ. */
  readonly joined: boolean
  /** Whether son and father have each other's name. */
  readonly swapped: boolean
  /**
   * Why words in `left_over` cost nothing: the listed name is whole in the query, or two of a
   * listed person's words agree in full.
   */
  readonly despite: '' | 'contained' | 'agreed'
  readonly pairs: readonly WordPair[]
  readonly left_over: readonly string[]
  /** The listed words that the query lacks. */
  readonly not_named: readonly string[]
}

/** The highest score of a name whose pairs gain this share of the query's weight. */
export function maxScore(share: number): number {
  return 1 - LEFT_OVER_WEIGHT * (1 - share)
}

/**
 * Compares a query with a listed name, both as words. A caller that knows the words' similarity can
 * pass `compare`. Words below SAME_WORD never make a pair.
 */
export function compareNames(
  query: readonly string[],
  listed: readonly string[],
  kind: NamedKind = 'other',
  compare: (query: string, listed: string) => number = compareWords,
  isRare: (listed: string) => boolean = () => true,
  is_business = false,
): NameScore {
  const joined = query.length !== listed.length && query.join('') === listed.join('')
  if (joined) {
    const nothing = { pairs: [], left_over: [], not_named: [] }
    return { score: 1, words: 1, left_factor: 1, joined, swapped: false, despite: '', ...nothing }
  }
  const pairs = bestPairs(query, listed, kind === 'person' ? withInitials(compare) : compare)
  const [left_over, not_named] = [[...query], [...listed]]
  let weight = 0
  let sum = 0
  for (const pair of pairs) {
    // A pair has its listed word's weight: "comapny" must weigh as little as "company".
    weight += weightOf(pair.listed)
    sum += weightOf(pair.listed) * pair.similarity
    left_over.splice(left_over.indexOf(pair.query), 1)
    not_named.splice(not_named.indexOf(pair.listed), 1)
  }
  const swapped = isSwapped(query, listed, pairs)
  const words = weight === 0 ? 0 : (sum / weight) * (swapped ? SWAPPED : 1)
  const left_weight = totalWeight(left_over)
  const despite = despiteOf(query, listed, pairs, kind, isRare, is_business)
  const left_share = left_weight === 0 ? 0 : left_weight / (left_weight + weight)
  const left_factor = despite === '' ? 1 - left_share * LEFT_OVER_WEIGHT : 1
  const isAgreed = despite === 'agreed' || (left_weight === 0 && doAgree(pairs))
  const share = totalWeight(not_named) / totalWeight(listed)
  const named = 1 - share * (isAgreed ? NOT_NAMED_AGREED : NOT_NAMED_WEIGHT)
  const is_number_added = not_named.some(isOrdinal) && !left_over.some(isOrdinal)
  const numbered = kind === 'organisation' && is_number_added ? OTHER_NUMBER : 1
  const score = words * left_factor * named * numbered
  return { score, words, left_factor, joined, swapped, despite, pairs, left_over, not_named }
}

/** Whether two words or more agree in full, and one of them is telling. */
function doAgree(pairs: readonly WordPair[]): boolean {
  const full = pairs.filter(
    ({ listed, similarity }) =>
      similarity >= IN_FULL && listed.length > 1 && !LEGAL_FORMS.has(listed),
  )
  return full.length > 1 && full.some(({ listed }) => isTelling(listed))
}

function despiteOf(
  query: readonly string[],
  listed: readonly string[],
  pairs: readonly WordPair[],
  kind: NamedKind,
  isRare: (listed: string) => boolean,
  is_business: boolean,
): NameScore['despite'] {
  const real = pairs.filter(pair => !LEGAL_FORMS.has(pair.listed))
  const telling = real.filter(pair => isTelling(pair.listed) && pair.query.length > 1)
  if (telling.length === 0) return ''
  const count = listed.filter(word => !LEGAL_FORMS.has(word)).length
  if (real.length === count && isWhole(query, listed, real)) {
    const [{ listed: alone, similarity }] = telling as [WordPair]
    // "Hassan LLC" is not each business of a Hassan.
    const isMeant = (is_business && listed.length === 1) || query.some(isOfBusiness)
    const isOne = kind === 'organisation' && alone.length >= SHORTEST_ALONE && similarity === 1
    if (count > 1 || (isOne && isMeant)) return 'contained'
  }
  return kind === 'person' && doEndsAgree(listed, pairs, isRare) ? 'agreed' : ''
}

/**
 * Whether a listed name is still that name among other words: its words are spelled alike in any
 * order, or similar in its own order. Few letters must stand side by side, as many names have them.
 */
function isWhole(query: readonly string[], listed: readonly string[], pairs: readonly WordPair[]) {
  if (pairs.some(pair => pair.similarity < NEAR || pair.listed.length === 1)) return false
  const letters = pairs.reduce((sum, { listed }) => sum + listed.length, 0)
  const isExact = pairs.every(pair => pair.similarity === 1)
  if (isExact && letters >= FEW_LETTERS) return true
  const places = pairs.map(pair => query.indexOf(pair.query)).sort((a, b) => a - b)
  const [first = 0, last = 0] = [places[0], places.at(-1)]
  return letters >= FEW_LETTERS ? inOrder(pairs, query, listed) : last - first < pairs.length
}

function inOrder(pairs: readonly WordPair[], query: readonly string[], listed: readonly string[]) {
  const places = listed.flatMap(word => {
    const pair = pairs.find(one => one.listed === word)
    return pair === undefined ? [] : [query.indexOf(pair.query)]
  })
  return places.every((place, i) => i === 0 || place >= (places[i - 1] ?? 0))
}

/** Whether the first and the last word of a listed name agree in full. */
function doEndsAgree(
  listed: readonly string[],
  pairs: readonly WordPair[],
  isRare: (listed: string) => boolean,
): boolean {
  const [first, last] = [listed[0] ?? '', listed.at(-1) ?? '']
  if (listed.length < 3 || first === last) return false
  if (![first, last].every(word => isTelling(word) && word.length >= LONG_END)) return false
  if (!isRare(first) && !isRare(last)) return false
  const ends = pairs.filter(pair => pair.listed === first || pair.listed === last)
  return ends.length > 1 && ends.every(({ similarity }) => similarity >= IN_FULL)
}

function isSwapped(
  query: readonly string[],
  listed: readonly string[],
  pairs: readonly WordPair[],
): boolean {
  const [asked, known] = [sonAndFather(query), sonAndFather(listed)]
  if (asked === undefined || known === undefined || asked[0] === asked[1]) return false
  const isPair = (a: string, b: string) => pairs.some(one => one.query === a && one.listed === b)
  return isPair(asked[0], known[1]) && isPair(asked[1], known[0])
}

/** The words around the only "bin", without articles. */
function sonAndFather(words: readonly string[]): [string, string] | undefined {
  const at = words.findIndex(word => SON_OF.has(word))
  if (at < 1 || words.findLastIndex(word => SON_OF.has(word)) !== at) return undefined
  const isName = (word: string) => word.length > 2
  const son = words.slice(0, at).findLast(isName)
  const father = words.slice(at + 1).find(isName)
  return son === undefined || father === undefined ? undefined : [son, father]
}

function withInitials(compare: (query: string, listed: string) => number) {
  return (query: string, listed: string) => {
    const isInitial = (query.length === 1) !== (listed.length === 1)
    if (!isInitial) return compare(query, listed)
    return query.charCodeAt(0) === listed.charCodeAt(0) ? INITIAL : 0
  }
}

/** Pairs of similar words, the most similar first. A word is in at most one pair. */
function bestPairs(
  query: readonly string[],
  listed: readonly string[],
  compare: (query: string, listed: string) => number,
): WordPair[] {
  const found: { i: number; j: number; score: number }[] = []
  query.forEach((a, i) => {
    listed.forEach((b, j) => {
      const score = compare(a, b)
      if (score >= SAME_WORD) found.push({ i, j, score })
    })
  })
  found.sort((a, b) => b.score - a.score || a.i - b.i || a.j - b.j)
  const takenQuery = new Set<number>()
  const takenListed = new Set<number>()
  const pairs: WordPair[] = []
  for (const { i, j, score } of found) {
    if (takenQuery.has(i) || takenListed.has(j)) continue
    takenQuery.add(i)
    takenListed.add(j)
    pairs.push({ query: query[i] ?? '', listed: listed[j] ?? '', similarity: score })
  }
  // Initials say nothing without a telling word.
  const isTold = pairs.some(pair => !isInitial(pair) && isTelling(pair.listed))
  return isTold ? pairs : pairs.filter(pair => !isInitial(pair))
}

function isInitial({ query, listed }: WordPair): boolean {
  return (query.length === 1) !== (listed.length === 1)
}
