// An index that finds similar names by their similar words, without a comparison of every name. It
// finds every name that reaches the lowest score, among tens of thousands of names. No SQL.
import { type IndexParts, partsOf, type Row } from './index-parts.ts'
import {
  compareNames,
  foldScore,
  IN_FULL,
  INITIAL,
  isNumber,
  isTelling,
  maxScore,
  type NameScore,
  SAME_WORD,
  totalWeight,
  weightOf,
} from './name-score.ts'
import {
  bitCount,
  lettersOf,
  minCommonLetters,
  repeatedOf,
  similarity,
  soundsAlike,
} from './similarity.ts'
import { looseFoldOf, SKELETON_MARK, skeletonOf } from './spelling.ts'

interface FoundName {
  readonly ref: number
  readonly compared: NameScore
}

/** A listed word that is similar to a word of the query. */
interface SimilarWord {
  readonly text: string
  readonly similarity: number
  readonly rows: Int32Array
  /** The pair's weight times its similarity. */
  readonly cover: number
  /** The same, and the query word's weight beyond the pair's. */
  readonly gain: number
}

/** The listed words that are similar to one word of the query. */
interface SimilarWords {
  /** Words that tell a name from others, the highest gain first. */
  readonly telling: readonly SimilarWord[]
  /** The others, the highest gain first. They gain little. */
  readonly common: readonly SimilarWord[]
  readonly byText: ReadonlyMap<string, SimilarWord>
  /** The highest gain. */
  readonly max_gain: number
  /** The number of rows with one of the words. */
  readonly row_count: number
}

/** More than a sum of fractions loses by rounding. */
const ROUNDING = 1e-6

/** The most words in the cache of similar words. Many people have the same names. */
const MOST_WORDS = 10_000

/** This many rows with a word are few, or this share of all. */
const RARE = 4
const RARE_SHARE = 0.0002

/** Parts of a word that was split into two have this many letters or more. */
const SHORTEST_PART = 3

export class NameIndex {
  readonly #parts: IndexParts
  readonly #cache = new Map<string, SimilarWords>()
  /** By row, sums over the words of the present search. */
  readonly #gains: Float64Array
  readonly #covers: Float64Array
  readonly #fulls: Uint8Array
  /** By row, the number of the last query word with a gain. */
  readonly #lastWord: Int32Array
  #word = 0

  /** Whether few names have a listed word. */
  readonly #isRare = (word: string): boolean =>
    (this.#parts.rowsOf.get(word)?.length ?? 0) <= Math.max(RARE, this.#gains.length * RARE_SHARE)

  private constructor(parts: IndexParts) {
    this.#parts = parts
    const { length } = parts.rows
    this.#gains = new Float64Array(length)
    this.#covers = new Float64Array(length)
    this.#fulls = new Uint8Array(length)
    this.#lastWord = new Int32Array(length)
  }

  /** Builds the index in turns, so that the process does other work meanwhile. */
  static async of(rows: readonly Row[]): Promise<NameIndex> {
    return new NameIndex(await partsOf(rows))
  }

  /**
   * The same words with a word that was split put together, and two that were run together apart,
   * where listed names have such words; none without any.
   */
  respaced(words: readonly string[]): string[][] {
    const { rowsOf } = this.#parts
    const found: string[] = []
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? ''
      const joined = word + (words[i + 1] ?? '')
      if (i + 1 < words.length && rowsOf.has(joined)) {
        found.push(joined)
        i++
      } else found.push(...(rowsOf.has(word) ? [word] : this.#apart(word)))
    }
    return found.join(' ') === words.join(' ') ? [] : [found]
  }

  /** The word, or the two listed words of one name that it joins. */
  #apart(word: string): string[] {
    const { rowsOf } = this.#parts
    for (let at = SHORTEST_PART; at <= word.length - SHORTEST_PART; at++) {
      const [first, last] = [word.slice(0, at), word.slice(at)]
      const [firsts, lasts] = [rowsOf.get(first), rowsOf.get(last)]
      if (firsts === undefined || lasts === undefined) continue
      const rows = new Set(firsts)
      if (lasts.some(row => rows.has(row))) return [first, last]
    }
    return [word]
  }

  /**
   * The names with a score of `least` (0 to 1) or more against these words, in no order. A party
   * may have a name that takes long, so it searches in steps.
   */
  *searching(
    words: readonly string[],
    least: number,
    is_business = false,
  ): Generator<void, FoundName[]> {
    const similar = new Map<string, SimilarWords>()
    for (const word of new Set(words)) {
      similar.set(word, this.#similarTo(word))
      yield
    }
    // A listed word that is not similar to the query's word never makes a pair with it.
    const compare = (word: string, listed: string) =>
      similar.get(word)?.byText.get(listed)?.similarity ?? 0
    // Another search may use the arrays of sums between two steps. None is in use here.
    const rows = new Set(this.#candidates(words, least))
    yield
    const { last, before } = this.#parts.joined
    for (let row = last.get(words.join('')) ?? -1; row !== -1; row = before[row] ?? -1)
      rows.add(row)
    const found: FoundName[] = []
    for (const row of rows) {
      const { ref, words: listed, kind } = this.#parts.rows[row] as Row
      const compared = compareNames(words, listed, kind, compare, this.#isRare, is_business)
      if (compared.score >= least) found.push({ ref, compared })
      yield
    }
    return found
  }

  /**
   * The rows that could reach the score: with the highest gain of each word, as a name that is
   * whole in the query, or as a person with two words in full. A common word adds rows only while
   * it and those after it could gain enough, the rarest first.
   */
  #candidates(words: readonly string[], least: number): number[] {
    const total = totalWeight(words)
    const isEnough = (gain: number) => maxScore(Math.min(1, gain / total)) >= least - ROUNDING
    const similar = words.map(word => this.#similarTo(word))
    const rarestFirst = similar.sort((a, b) => a.row_count - b.row_count)
    const initials = words.filter(word => word.length === 1)
    let remaining = rarestFirst.reduce((sum, { max_gain }) => sum + max_gain, 0)
    const rows: number[] = []
    for (const { telling } of similar) this.#walkRows(telling, rows, true)
    for (const { common, max_gain } of rarestFirst) {
      this.#walkRows(common, rows, isEnough(remaining + ROUNDING))
      remaining -= max_gain
    }
    const candidates: number[] = []
    for (const row of rows) {
      const mayMore = initials.length > 0 || this.#parts.abbreviated[row] === 1
      const more = mayMore ? this.#initialsOf(row, words) : 0
      const cover = (this.#covers[row] ?? 0) + more
      const full = (this.#fulls[row] ?? 0) > 1 && this.#parts.rows[row]?.kind === 'person'
      const whole = cover >= least * (this.#parts.weights[row] ?? 0) - ROUNDING
      if (full || whole || isEnough((this.#gains[row] ?? 0) + more)) candidates.push(row)
      this.#gains[row] = 0
      this.#covers[row] = 0
      this.#fulls[row] = 0
    }
    return candidates
  }

  /** The most that initials gain in this row, with the query word's weight beyond the pair's. */
  #initialsOf(row: number, query: readonly string[]): number {
    const { words = [], kind } = this.#parts.rows[row] ?? {}
    if (kind !== 'person') return 0
    let gain = 0
    for (const listed of words) {
      for (const word of query) {
        if ((word.length === 1) === (listed.length === 1) || word[0] !== listed[0]) continue
        gain += INITIAL * weightOf(listed) + weightOf(word)
      }
    }
    return gain
  }

  /**
   * Walks through all rows with one of these words and adds its gain. Adds new rows only with
   * `mayAdd`.
   */
  #walkRows(words: readonly SimilarWord[], found: number[], mayAdd: boolean): void {
    this.#word++
    for (const { rows, gain, cover, similarity } of words) {
      const isFull = similarity >= IN_FULL ? 1 : 0
      for (const row of rows) {
        // The highest gain comes first, so a row counts only the first one.
        if (this.#lastWord[row] === this.#word) continue
        this.#lastWord[row] = this.#word
        if (this.#gains[row] === 0) {
          if (!mayAdd) continue
          found.push(row)
        }
        this.#gains[row] = (this.#gains[row] ?? 0) + gain
        this.#covers[row] = (this.#covers[row] ?? 0) + cover
        this.#fulls[row] = (this.#fulls[row] ?? 0) + isFull
      }
    }
  }

  #similarTo(word: string): SimilarWords {
    const known = this.#cache.get(word)
    if (known !== undefined) return known
    const words = this.#findSimilar(word)
    const byText = new Map(words.map(one => [one.text, one]))
    const row_count = words.reduce((sum, { rows }) => sum + rows.length, 0)
    const { telling = [], common = [] } = Object.groupBy(words, ({ text }) =>
      isTelling(text) ? 'telling' : 'common',
    )
    const found = { telling, common, byText, max_gain: words[0]?.gain ?? 0, row_count }
    // A full cache drops only its oldest word.
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size < MOST_WORDS) break
      this.#cache.delete(oldest)
    }
    this.#cache.set(word, found)
    return found
  }

  #findSimilar(word: string): SimilarWord[] {
    const { byFold, rowsOf } = this.#parts
    const scores = new Map<string, number>()
    if (word.startsWith(SKELETON_MARK)) {
      const score = skeletonScore(word)
      for (const text of byFold.get(word) ?? []) scores.set(text, score)
    } else {
      if (!isNumber(word)) this.#addSimilar(word, scores)
      for (const text of byFold.get(looseFoldOf(word)) ?? []) {
        scores.set(text, Math.max(scores.get(text) ?? 0, foldScore(word, text)))
      }
      const bones = SKELETON_MARK + skeletonOf(word)
      if (rowsOf.has(bones)) scores.set(bones, skeletonScore(bones))
    }
    if (rowsOf.has(word)) scores.set(word, 1)
    const own_weight = weightOf(word)
    const found = Array.from(scores, ([text, score]) => {
      const weight = weightOf(text)
      const cover = score * weight
      const gain = cover + Math.max(0, own_weight - weight)
      const rows = rowsOf.get(text) ?? NO_ROWS
      return { text, similarity: score, rows, cover, gain }
    })
    return found.sort((a, b) => b.gain - a.gain)
  }

  #addSimilar(word: string, scores: Map<string, number>): void {
    const own_letters = lettersOf(word)
    const own_repeated = repeatedOf(word)
    const first = word.charCodeAt(0)
    for (const [length, { texts, letters, repeated, firsts }] of this.#parts.byLength) {
      const ifSoundAlike = minCommonLetters(word.length, length, SAME_WORD, true)
      if (ifSoundAlike > Math.min(word.length, length)) continue
      const ifOther = minCommonLetters(word.length, length, SAME_WORD, false)
      for (let i = 0; i < letters.length; i++) {
        const fewest = soundsAlike(first, firsts[i] ?? 0) ? ifSoundAlike : ifOther
        const listed = letters[i] ?? 0
        // A letter that the other word lacks, or has less often, is no common letter.
        const surplus = own_letters & ~listed
        const missing = listed & ~own_letters
        if (bitCount(surplus) > word.length - fewest || bitCount(missing) > length - fewest)
          continue
        const twice = repeated[i] ?? 0
        if (bitCount(surplus) + bitCount(own_repeated & ~twice) > word.length - fewest) continue
        if (bitCount(missing) + bitCount(twice & ~own_repeated) > length - fewest) continue
        const text = texts[i] ?? ''
        const score = similarity(word, text)
        if (score >= SAME_WORD) scores.set(text, score)
      }
    }
  }
}

const NO_ROWS = new Int32Array()

/** Equal skeletons of three consonants are words in full; fewer say less. */
function skeletonScore(word: string): number {
  return word.length > 4 ? IN_FULL : word.length > 3 ? 0.93 : word.length > 2 ? 0.85 : 0.8
}
