// An index that finds similar names by their similar words, without a comparison of every name. It
// finds every name that reaches the lowest score, among tens of thousands of names. No SQL.
import { forEachInTurns } from '../turns.ts'
import {
  compareNames,
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

/** A row is one spelling of a name. A name may have several. */
interface Row {
  /** The caller's number of the name. */
  readonly ref: number
  readonly words: readonly string[]
}

interface FoundName {
  readonly ref: number
  readonly compared: NameScore
}

/** The listed words of one length. Each member has one element for each word. */
interface Words {
  readonly texts: readonly string[]
  /** `lettersOf` each word. */
  readonly letters: Int32Array
  /** `repeatedOf` each word. */
  readonly repeated: Int32Array
  /** The character code of each word's first letter. */
  readonly firsts: Uint8Array
  /** The rows with each word. */
  readonly rows: readonly Int32Array[]
}

interface IndexParts {
  readonly rows: readonly Row[]
  /** By length, because words of very different lengths are not similar. */
  readonly byLength: ReadonlyMap<number, Words>
  readonly joined: Joined
}

/**
 * Rows by their letters without spaces, for words that were run together. Rows with the same
 * letters form a chain. A list for each row would be a hundred thousand objects, which the garbage
 * collector would visit in one long turn.
 */
interface Joined {
  /** The last row with these letters. */
  readonly last: ReadonlyMap<string, number>
  /** By row, the previous row with the same letters; -1 for none. */
  readonly before: Int32Array
}

/** A listed word that is similar to a word of the query. */
interface SimilarWord {
  readonly text: string
  readonly similarity: number
  /** The rows with this word. */
  readonly rows: Int32Array
  /** The pair's weight times its similarity, and the query word's weight beyond the pair's. */
  readonly gain: number
}

/** The listed words that are similar to one word of the query. */
interface SimilarWords {
  /** The highest gain comes first. A common word gains little. */
  readonly words: readonly SimilarWord[]
  readonly byText: ReadonlyMap<string, SimilarWord>
  /** The highest gain. */
  readonly max_gain: number
  /** The number of rows with one of the words. */
  readonly row_count: number
}

/** Looking up one row's words takes as long as walking through this many rows. */
const ROWS_PER_LOOKUP = 20

/** More than a sum of fractions loses by rounding. */
const ROUNDING = 1e-6

/** The most words in the cache of similar words. Many people have the same names. */
const MOST_WORDS = 10_000

export class NameIndex {
  readonly #rows: IndexParts['rows']
  readonly #byLength: IndexParts['byLength']
  readonly #joined: IndexParts['joined']
  readonly #cache = new Map<string, SimilarWords>()
  /** By row, the sum of the gains in the present search. */
  readonly #gains: Float64Array
  /** By row, the number of the last query word with a gain. */
  readonly #lastWord: Int32Array
  #word = 0

  private constructor({ rows, byLength, joined }: IndexParts) {
    this.#rows = rows
    this.#byLength = byLength
    this.#joined = joined
    this.#gains = new Float64Array(rows.length)
    this.#lastWord = new Int32Array(rows.length)
  }

  /** Builds the index in turns, so that the process does other work meanwhile. */
  static async of(rows: readonly Row[]): Promise<NameIndex> {
    const byLength = await wordsByLength(rows)
    return new NameIndex({ rows, byLength, joined: await rowsByLetters(rows) })
  }

  /** The names with a score of `least` (0 to 1) or more against these words, in no order. */
  search(words: readonly string[], least: number): FoundName[] {
    const similar = new Map(words.map(word => [word, this.#similarTo(word)]))
    // A listed word that is not similar to the query's word never makes a pair with it.
    const compareWords = (word: string, listed: string) =>
      similar.get(word)?.byText.get(listed)?.similarity ?? 0
    const rows = new Set(this.#candidates(words, least))
    const { last, before } = this.#joined
    for (let row = last.get(words.join('')) ?? -1; row !== -1; row = before[row] ?? -1)
      rows.add(row)
    const found: FoundName[] = []
    for (const row of rows) {
      const { ref, words: listed } = this.#rows[row] as Row
      const compared = compareNames(words, listed, compareWords)
      if (compared.score >= least) found.push({ ref, compared })
    }
    return found
  }

  /**
   * The rows that could reach the score with the highest gain of each word. The search takes rare
   * words first. Once the remaining words together gain too little, they add no new row.
   */
  #candidates(words: readonly string[], least: number): number[] {
    const total = totalWeight(words)
    const isEnough = (gain: number) => maxScore(Math.min(1, gain / total)) >= least
    const similar = words.map(word => this.#similarTo(word))
    const rarestFirst = similar.sort((a, b) => a.row_count - b.row_count)
    let remaining = rarestFirst.reduce((sum, { max_gain }) => sum + max_gain, 0)
    let rows: number[] = []
    for (const one of rarestFirst) {
      const mayAdd = isEnough(remaining + ROUNDING)
      if (mayAdd || one.row_count < ROWS_PER_LOOKUP * rows.length) {
        this.#walkRows(one, rows, mayAdd)
      } else {
        rows = this.#lookUp(rows, one, gain => isEnough(gain + remaining + ROUNDING))
      }
      remaining -= one.max_gain
    }
    const candidates: number[] = []
    for (const row of rows) {
      if (isEnough(this.#gains[row] ?? 0)) candidates.push(row)
      this.#gains[row] = 0
    }
    return candidates
  }

  /**
   * Walks through all rows with one of these words and adds its gain. Only with `mayAdd` it adds
   * rows that earlier words have not found.
   */
  #walkRows({ words }: SimilarWords, found: number[], mayAdd: boolean): void {
    this.#word++
    for (const { rows, gain } of words) {
      for (const row of rows) {
        // The highest gain comes first, so a row counts only the first one.
        if (this.#lastWord[row] === this.#word) continue
        this.#lastWord[row] = this.#word
        if (this.#gains[row] === 0) {
          if (!mayAdd) continue
          found.push(row)
        }
        this.#gains[row] = (this.#gains[row] ?? 0) + gain
      }
    }
  }

  /** Looks up the words of these rows and adds their gain. Drops rows that `canReach` rules out. */
  #lookUp(
    found: readonly number[],
    { byText }: SimilarWords,
    canReach: (gain: number) => boolean,
  ): number[] {
    const reachable: number[] = []
    for (const row of found) {
      const before = this.#gains[row] ?? 0
      if (!canReach(before)) {
        this.#gains[row] = 0
        continue
      }
      let gain = 0
      for (const word of this.#rows[row]?.words ?? []) {
        gain = Math.max(gain, byText.get(word)?.gain ?? 0)
      }
      this.#gains[row] = before + gain
      reachable.push(row)
    }
    return reachable
  }

  #similarTo(word: string): SimilarWords {
    const known = this.#cache.get(word)
    if (known !== undefined) return known
    const words = this.#findSimilar(word)
    const byText = new Map(words.map(one => [one.text, one]))
    const row_count = words.reduce((sum, { rows }) => sum + rows.length, 0)
    const found = { words, byText, max_gain: words[0]?.gain ?? 0, row_count }
    // A full cache drops only its oldest word.
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size < MOST_WORDS) break
      this.#cache.delete(oldest)
    }
    this.#cache.set(word, found)
    return found
  }

  #findSimilar(word: string): SimilarWord[] {
    const found: SimilarWord[] = []
    const own_weight = weightOf(word)
    const own_letters = lettersOf(word)
    const own_repeated = repeatedOf(word)
    const first = word.charCodeAt(0)
    for (const [length, { texts, letters, repeated, firsts, rows }] of this.#byLength) {
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
        if (score < SAME_WORD) continue
        const weight = weightOf(text)
        const gain = score * weight + Math.max(0, own_weight - weight)
        found.push({ text, similarity: score, rows: rows[i] ?? NO_ROWS, gain })
      }
    }
    return found.sort((a, b) => b.gain - a.gain)
  }
}

const NO_ROWS = new Int32Array()

async function wordsByLength(rows: readonly Row[]): Promise<Map<number, Words>> {
  const rowsOf = new Map<string, number[]>()
  await forEachInTurns(rows, ({ words }, row) => {
    for (const word of new Set(words)) rowsOf.getOrInsertComputed(word, () => []).push(row)
  })
  const byLength = new Map<number, string[]>()
  await forEachInTurns(rowsOf.keys(), word => byLength.getOrInsert(word.length, []).push(word))
  const found = new Map<number, Words>()
  for (const [length, texts] of byLength) {
    const rows: Int32Array[] = []
    const letters = new Int32Array(texts.length)
    const repeated = new Int32Array(texts.length)
    await forEachInTurns(texts, (text, i) => {
      letters[i] = lettersOf(text)
      repeated[i] = repeatedOf(text)
      rows.push(Int32Array.from(rowsOf.get(text) ?? []))
    })
    const firsts = Uint8Array.from(texts, text => text.charCodeAt(0))
    found.set(length, { texts, letters, repeated, firsts, rows })
  }
  return found
}

async function rowsByLetters(rows: readonly Row[]): Promise<Joined> {
  const last = new Map<string, number>()
  const before = new Int32Array(rows.length)
  await forEachInTurns(rows, ({ words }, row) => {
    const letters = words.join('')
    before[row] = last.get(letters) ?? -1
    last.set(letters, row)
  })
  return { last, before }
}
