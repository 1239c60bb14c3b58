// Compares two names word by word: each word with the most similar one, no word twice. Pure.
import { alike } from './alike.ts'

/** Words that are less alike than this are different words. */
export const SAME_WORD = 0.75

/** What the party's words cost that the listed name lacks, by their share. */
const LEFT_OVER_WEIGHT = 0.8
/** What the listed name's words cost that the party lacks: people leave names out. */
const NOT_NAMED_WEIGHT = 0.4
/** The same for a party of at least two words that are all spelled as listed. */
const NOT_NAMED_EXACT = 0.15

/** Words that many names have, and that therefore say less about who is meant. */
const COMMON = new Set(
  `abd abdul abu al bank bin construction de del der development el electronics engineering
  enterprise enterprises establishment export factory foundation for general global group haji
  holding holdings import industrial industries industry international investment investments la
  management marine maritime mohamed mohammad mohammed muhammad navigation of oil petroleum
  production research sayyid services shipping ship state technologies technology the trade trading
  transport und and van von y`.split(/\s+/),
)
/** The kind of a company, which says little about which company it is. */
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

/** How much a word counts: by its letters, and less if it is common. */
export function weightOf(word: string): number {
  if (COMMON.has(word)) return word.length * COMMON_WEIGHT
  return LEGAL_FORMS.has(word) ? word.length * LEGAL_FORM_WEIGHT : word.length
}

export function totalWeight(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + weightOf(word), 0)
}

/** A word of the party, and the listed word that it is compared with. */
interface WordPair {
  readonly asked: string
  readonly listed: string
  readonly alike: number
}

/** Scores and factors from 0 to 1. */
export interface NameScore {
  readonly score: number
  /** How alike the paired words are. */
  readonly words: number
  /** The factor for words of the party that the listed name does not have. */
  readonly left: number
  /** Whether all letters are the same and only the spaces differ. */
  readonly joined: boolean
  readonly pairs: readonly WordPair[]
  readonly left_over: readonly string[]
  readonly not_named: readonly string[]
}

/** The highest score if the found words, each times its likeness, have this share of the weight. */
export function mostFor(share: number): number {
  return 1 - LEFT_OVER_WEIGHT * (1 - share)
}

/**
 * Compares two names. A caller that knows how alike words are can pass `likeness`; words that it
 * calls different are never a pair.
 */
export function compareNames(
  asked: readonly string[],
  listed: readonly string[],
  likeness: (asked: string, listed: string) => number = alike,
): NameScore {
  const joined = asked.length !== listed.length && asked.join('') === listed.join('')
  if (joined) {
    return { score: 1, words: 1, left: 1, joined, pairs: [], left_over: [], not_named: [] }
  }
  const pairs = bestPairs(asked, listed, likeness)
  const [left_over, not_named] = [[...asked], [...listed]]
  let weight = 0
  let sum = 0
  for (const pair of pairs) {
    // Weighs as the listed word does: a mistyped "comapny" is as common as the word that it stands
    // for.
    weight += weightOf(pair.listed)
    sum += weightOf(pair.listed) * pair.alike
    left_over.splice(left_over.indexOf(pair.asked), 1)
    not_named.splice(not_named.indexOf(pair.listed), 1)
  }
  const words = weight === 0 ? 0 : sum / weight
  const over = totalWeight(left_over)
  const left = 1 - (weight + over === 0 ? 0 : over / (over + weight)) * LEFT_OVER_WEIGHT
  const exact = pairs.every(({ alike }) => alike === 1) && over === 0 && pairs.length > 1
  const share = totalWeight(not_named) / totalWeight(listed)
  const named = 1 - share * (exact ? NOT_NAMED_EXACT : NOT_NAMED_WEIGHT)
  return { score: words * left * named, words, left, joined, pairs, left_over, not_named }
}

/** The most similar pairs first, each word in one pair at most. */
function bestPairs(
  asked: readonly string[],
  listed: readonly string[],
  likeness: (asked: string, listed: string) => number,
): WordPair[] {
  const found: { i: number; j: number; alike: number }[] = []
  asked.forEach((a, i) => {
    listed.forEach((b, j) => {
      const score = likeness(a, b)
      if (score >= SAME_WORD) found.push({ i, j, alike: score })
    })
  })
  found.sort((a, b) => b.alike - a.alike || a.i - b.i || a.j - b.j)
  const takenAsked = new Set<number>()
  const takenListed = new Set<number>()
  const pairs: WordPair[] = []
  for (const { i, j, alike } of found) {
    if (takenAsked.has(i) || takenListed.has(j)) continue
    takenAsked.add(i)
    takenListed.add(j)
    pairs.push({ asked: asked[i] ?? '', listed: listed[j] ?? '', alike })
  }
  return pairs
}
