// Scores two names word by word: each word makes a pair with the most similar one, no word twice.
// Pure.
import { similarity } from './similarity.ts'

/** Words with a lower similarity are different words. */
export const SAME_WORD = 0.75

/** The cost of the party's words that the listed name lacks, times their share. */
const LEFT_OVER_WEIGHT = 0.8
/** The cost of listed words that the party lacks, times their share. People leave names out. */
const NOT_NAMED_WEIGHT = 0.4
/** The same cost for a party of two words or more that are all spelled as listed. */
const NOT_NAMED_EXACT = 0.15

/** Words of many names, which identify a party less. */
const COMMON = new Set(
  `abd abdul abu al bank bin construction de del der development el electronics engineering
  enterprise enterprises establishment export factory foundation for general global group haji
  holding holdings import industrial industries industry international investment investments la
  management marine maritime mohamed mohammad mohammed muhammad navigation of oil petroleum
  production research sayyid services shipping ship state technologies technology the trade trading
  transport und and van von y`.split(/\s+/),
)
/** Legal forms, which hardly identify a company. */
const LEGAL_FORMS = new Set(
  `ab ag aktiengesellschaft aktsionernoe anonim aoc aps as asa bhd bv bvba ca co company corp
  corporation cpt cv dmcc dooel doo eurl fz fzc fzco fze fzllc gesellschaft gmbh gp inc
  incorporated jsc jsoc kft kg kk kommandit lda limited llc llp lp ltd ltda mbh nv oao
  obshchestvo ojsc ooo oy oyj pao pjsc plc private psc pt pte pty public pvt pvtltd sa sac
  sae sal saoc saog sarl sas sca scs sdn se snc sp spa spolka sprl srl sro stock tnk uab ug
  wll zao zoo`.split(/\s+/),
)

const COMMON_WEIGHT = 0.5
const LEGAL_FORM_WEIGHT = 0.1

/** A word's weight: its number of letters, less for a common word or a legal form. */
export function weightOf(word: string): number {
  if (COMMON.has(word)) return word.length * COMMON_WEIGHT
  return LEGAL_FORMS.has(word) ? word.length * LEGAL_FORM_WEIGHT : word.length
}

export function totalWeight(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + weightOf(word), 0)
}

/** A word of the query, and the listed word that it makes a pair with. */
interface WordPair {
  readonly query: string
  readonly listed: string
  readonly similarity: number
}

/** Scores and factors from 0 to 1. */
export interface NameScore {
  readonly score: number
  /** The similarity of the pairs, by their weight. */
  readonly words: number
  /** The factor for the words in `left_over`. */
  readonly left_factor: number
  /** Whether all letters are the same and only the spaces differ. */
  readonly joined: boolean
  /** Whether the query is the listed name, or two words of it or more, and all spelled so. */
  readonly as_listed: boolean
  readonly pairs: readonly WordPair[]
  /** The query's words that the listed name lacks. */
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
 * pass `compareWords`. Words below SAME_WORD never make a pair.
 */
export function compareNames(
  query: readonly string[],
  listed: readonly string[],
  compareWords: (query: string, listed: string) => number = similarity,
): NameScore {
  const joined = query.length !== listed.length && query.join('') === listed.join('')
  if (joined) {
    const nothing = { pairs: [], left_over: [], not_named: [] }
    return { score: 1, words: 1, left_factor: 1, joined, as_listed: true, ...nothing }
  }
  const pairs = bestPairs(query, listed, compareWords)
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
  const words = weight === 0 ? 0 : sum / weight
  const left_weight = totalWeight(left_over)
  const left_factor =
    1 - (weight + left_weight === 0 ? 0 : left_weight / (left_weight + weight)) * LEFT_OVER_WEIGHT
  const spelled = pairs.length > 0 && pairs.every(pair => pair.similarity === 1)
  const exact = spelled && left_weight === 0 && pairs.length > 1
  const as_listed = exact || (spelled && left_over.length === 0 && not_named.length === 0)
  const share = totalWeight(not_named) / totalWeight(listed)
  const named = 1 - share * (exact ? NOT_NAMED_EXACT : NOT_NAMED_WEIGHT)
  const score = words * left_factor * named
  return { score, words, left_factor, joined, as_listed, pairs, left_over, not_named }
}

/** Pairs of similar words, the most similar first. A word is in at most one pair. */
function bestPairs(
  query: readonly string[],
  listed: readonly string[],
  compareWords: (query: string, listed: string) => number,
): WordPair[] {
  const found: { i: number; j: number; score: number }[] = []
  query.forEach((a, i) => {
    listed.forEach((b, j) => {
      const score = compareWords(a, b)
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
  return pairs
}
