// Finds, among some ten thousand names, those that may be alike: by words that are alike, without
// comparing each name. Finds every name whose score reaches the least one asked for. No SQL.
import { inTurns } from '../turns.ts'
import { alike, bitCount, fewestInCommon, lettersOf, soundsAlike } from './alike.ts'
import {
  compareNames,
  mostFor,
  type NameScore,
  SAME_WORD,
  totalWeight,
  weightOf,
} from './name-score.ts'

/** Names are known by a number that the caller gives them; one may have several spellings. */
export interface FoundName {
  readonly ref: number
  readonly compared: NameScore
}

/** The words of one length, member by member. */
interface Words {
  readonly texts: readonly string[]
  readonly letters: Int32Array
  readonly firsts: Uint8Array
  /** The spellings with each word. */
  readonly rows: readonly Int32Array[]
}

interface Indexed {
  readonly rows: readonly Row[]
  /** By length, as words of very different length are not alike. */
  readonly byLength: ReadonlyMap<number, Words>
  /** By all letters without spaces: where words were run together. */
  readonly joined: ReadonlyMap<string, readonly number[]>
}

/** A listed word that is alike. */
interface Similar {
  /** The spellings with this word. */
  readonly rows: Int32Array
  /** What a word adds when it is found as this one, and what it then no longer costs. */
  readonly adds: number
}

interface Row {
  readonly ref: number
  readonly words: readonly string[]
}

/** Words whose similar ones are kept: the same names are borne by many. */
const MOST_KEPT = 10_000

export class NameIndex {
  readonly #rows: Indexed['rows']
  readonly #byLength: Indexed['byLength']
  readonly #joined: Indexed['joined']
  readonly #kept = new Map<string, readonly Similar[]>()
  /** For the search under way, by row: what the words found add. */
  readonly #found: Float64Array
  /** By row, the last word of the search that was found in it. */
  readonly #lastWord: Int32Array
  #word = 0

  private constructor({ rows, byLength, joined }: Indexed) {
    this.#rows = rows
    this.#byLength = byLength
    this.#joined = joined
    this.#found = new Float64Array(rows.length)
    this.#lastWord = new Int32Array(rows.length)
  }

  /** Takes its time in turns, as there are ten thousands of names. */
  static async of(rows: readonly Row[]): Promise<NameIndex> {
    const byLength = await wordsByLength(rows)
    return new NameIndex({ rows, byLength, joined: await rowsByLetters(rows) })
  }

  /** The names that score `least` or more against these words, in no order. */
  search(words: readonly string[], least: number): FoundName[] {
    const rows = new Set(this.#promising(words, least))
    for (const row of this.#joined.get(words.join('')) ?? []) rows.add(row)
    const found: FoundName[] = []
    for (const row of rows) {
      const { ref, words: listed } = this.#rows[row] as Row
      const compared = compareNames(words, listed)
      if (compared.score >= least) found.push({ ref, compared })
    }
    return found
  }

  /** Rows whose words, each counted at its best, could reach the score. */
  #promising(words: readonly string[], least: number): number[] {
    const touched: number[] = []
    for (const word of words) {
      this.#word++
      for (const { rows, adds } of this.#similar(word)) {
        for (const row of rows) {
          // Those that add most come first, so the first one of a row counts.
          if (this.#lastWord[row] === this.#word) continue
          this.#lastWord[row] = this.#word
          if (this.#found[row] === 0) touched.push(row)
          this.#found[row] = (this.#found[row] ?? 0) + adds
        }
      }
    }
    const total = totalWeight(words)
    const promising: number[] = []
    for (const row of touched) {
      if (mostFor(Math.min(1, (this.#found[row] ?? 0) / total)) >= least) promising.push(row)
      this.#found[row] = 0
    }
    return promising
  }

  /** Listed words that are alike, those that add most first: a common word adds little. */
  #similar(word: string): readonly Similar[] {
    const known = this.#kept.get(word)
    if (known !== undefined) return known
    const found = this.#findSimilar(word)
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(word, found)
    return found
  }

  #findSimilar(word: string): Similar[] {
    const found: Similar[] = []
    const own = weightOf(word)
    const asked = lettersOf(word)
    const first = word.charCodeAt(0)
    for (const [length, { texts, letters, firsts, rows }] of this.#byLength) {
      const ifAlike = fewestInCommon(word.length, length, SAME_WORD, true)
      if (ifAlike > Math.min(word.length, length)) continue
      const ifOther = fewestInCommon(word.length, length, SAME_WORD, false)
      for (let i = 0; i < letters.length; i++) {
        const fewest = soundsAlike(first, firsts[i] ?? 0) ? ifAlike : ifOther
        const listed = letters[i] ?? 0
        // Each letter that the other word does not have is not in common.
        if (bitCount(asked & ~listed) > word.length - fewest) continue
        if (bitCount(listed & ~asked) > length - fewest) continue
        const likeness = alike(word, texts[i] ?? '')
        if (likeness < SAME_WORD) continue
        const weight = weightOf(texts[i] ?? '')
        const adds = likeness * weight + Math.max(0, own - weight)
        found.push({ rows: rows[i] ?? NO_ROWS, adds })
      }
    }
    return found.sort((a, b) => b.adds - a.adds)
  }
}

const NO_ROWS = new Int32Array()

async function wordsByLength(rows: readonly Row[]): Promise<Map<number, Words>> {
  const rowsOf = new Map<string, number[]>()
  await inTurns(rows.entries(), ([row, { words }]) => {
    for (const word of new Set(words)) append(rowsOf, word, row)
  })
  const byLength = new Map<number, string[]>()
  await inTurns(rowsOf.keys(), word => append(byLength, word.length, word))
  const found = new Map<number, Words>()
  for (const [length, texts] of byLength) {
    const rows: Int32Array[] = []
    const letters = new Int32Array(texts.length)
    await inTurns(texts.entries(), ([i, text]) => {
      letters[i] = lettersOf(text)
      rows.push(Int32Array.from(rowsOf.get(text) ?? []))
    })
    const firsts = Uint8Array.from(texts, text => text.charCodeAt(0))
    found.set(length, { texts, letters, firsts, rows })
  }
  return found
}

async function rowsByLetters(rows: readonly Row[]): Promise<Map<string, number[]>> {
  const byLetters = new Map<string, number[]>()
  await inTurns(rows.entries(), ([row, { words }]) => append(byLetters, words.join(''), row))
  return byLetters
}

function append<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [value])
  else group.push(value)
}
