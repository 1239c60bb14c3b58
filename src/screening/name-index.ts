// Finds, among some ten thousand names, those that may be alike: by their similar words, without
// comparing each name. Finds every name that reaches the lowest score asked for. No SQL.
import { forEachInTurns } from '../turns.ts'
import { alike, bitCount, fewestInCommon, lettersOf, repeatedOf, soundsAlike } from './alike.ts'
import {
  compareNames,
  mostFor,
  type NameScore,
  SAME_WORD,
  totalWeight,
  weightOf,
} from './name-score.ts'

/**
 * Names are identified by a number that the caller gives them; one name may have several spellings.
 */
interface FoundName {
  readonly ref: number
  readonly compared: NameScore
}

/** The words of one length, member by member. */
interface Words {
  readonly texts: readonly string[]
  readonly letters: Int32Array
  /** The letters that each word has more than once. */
  readonly repeated: Int32Array
  readonly firsts: Uint8Array
  /** The spellings with each word. */
  readonly rows: readonly Int32Array[]
}

interface Indexed {
  readonly rows: readonly Row[]
  /** By length, because words of very different length are not alike. */
  readonly byLength: ReadonlyMap<number, Words>
  readonly joined: Joined
}

/**
 * Rows by all their letters without spaces, for words that were run together. It is one chain and
 * not a list for each row: a hundred thousand lists would be collected in one long turn.
 */
interface Joined {
  readonly last: ReadonlyMap<string, number>
  /** By row, the row before it with the same letters; -1 for none. */
  readonly before: Int32Array
}

/** A listed word that is similar to the asked one. */
interface Similar {
  readonly text: string
  readonly likeness: number
  /** The spellings with this word. */
  readonly rows: Int32Array
  /**
   * What a word adds to the score when it is found as this one, including what it then no longer
   * costs.
   */
  readonly adds: number
}

/** The listed words that are similar to one word. */
interface Alike {
  /** Those that add most come first: a common word adds little. */
  readonly similar: readonly Similar[]
  readonly byText: ReadonlyMap<string, Similar>
  /** The most that one of them adds. */
  readonly most: number
  /** How many spellings have one of them. */
  readonly spread: number
}

interface Row {
  readonly ref: number
  readonly words: readonly string[]
}

/** Looking up the words of one spelling takes as long as walking through this many spellings. */
const MANY = 20

/** More than sums of fractions lose. */
const ROUNDING = 1e-6

/** For how many words the similar ones are kept: many people have the same names. */
const MOST_KEPT = 10_000

export class NameIndex {
  readonly #rows: Indexed['rows']
  readonly #byLength: Indexed['byLength']
  readonly #joined: Indexed['joined']
  readonly #kept = new Map<string, Alike>()
  /** In the present search, by row: what the found words add. */
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

  /** Builds the index in turns, as there are tens of thousands of names. */
  static async of(rows: readonly Row[]): Promise<NameIndex> {
    const byLength = await wordsByLength(rows)
    return new NameIndex({ rows, byLength, joined: await rowsByLetters(rows) })
  }

  /** The names that score `least` or more with these words, in no order. */
  search(words: readonly string[], least: number): FoundName[] {
    const known = new Map(words.map(word => [word, this.#alike(word)]))
    // A listed word that is not among the similar ones is a different word.
    const likeness = (asked: string, listed: string) =>
      known.get(asked)?.byText.get(listed)?.likeness ?? 0
    const rows = new Set(this.#promising(words, least))
    const { last, before } = this.#joined
    for (let row = last.get(words.join('')) ?? -1; row !== -1; row = before[row] ?? -1)
      rows.add(row)
    const found: FoundName[] = []
    for (const row of rows) {
      const { ref, words: listed } = this.#rows[row] as Row
      const compared = compareNames(words, listed, likeness)
      if (compared.score >= least) found.push({ ref, compared })
    }
    return found
  }

  /**
   * Rows that could reach the score if each of their words counts at its best. Rare words are
   * looked up first. Once the remaining words together add too little, they find no further row.
   */
  #promising(words: readonly string[], least: number): number[] {
    const total = totalWeight(words)
    const enough = (found: number) => mostFor(Math.min(1, found / total)) >= least
    const asked = words.map(word => this.#alike(word)).sort((a, b) => a.spread - b.spread)
    let to_come = asked.reduce((sum, { most }) => sum + most, 0)
    let touched: number[] = []
    for (const one of asked) {
      const mayBeFirst = enough(to_come + ROUNDING)
      if (mayBeFirst || one.spread < MANY * touched.length) {
        this.#findRows(one, touched, mayBeFirst)
      } else {
        touched = this.#addTo(touched, one, found => enough(found + to_come + ROUNDING))
      }
      to_come -= one.most
    }
    const promising: number[] = []
    for (const row of touched) {
      if (enough(this.#found[row] ?? 0)) promising.push(row)
      this.#found[row] = 0
    }
    return promising
  }

  /**
   * Adds a word to each row that has it: to all of them, or only to rows that earlier words have
   * found.
   */
  #findRows({ similar }: Alike, touched: number[], to_all: boolean): void {
    this.#word++
    for (const { rows, adds } of similar) {
      for (const row of rows) {
        // Those that add most come first, so the first one of a row counts.
        if (this.#lastWord[row] === this.#word) continue
        this.#lastWord[row] = this.#word
        if (this.#found[row] === 0) {
          if (!to_all) continue
          touched.push(row)
        }
        this.#found[row] = (this.#found[row] ?? 0) + adds
      }
    }
  }

  /** Adds a word to those of these rows that can still reach the score; leaves out the others. */
  #addTo(
    touched: readonly number[],
    { byText }: Alike,
    canReach: (found: number) => boolean,
  ): number[] {
    const kept: number[] = []
    for (const row of touched) {
      const found = this.#found[row] ?? 0
      if (!canReach(found)) {
        this.#found[row] = 0
        continue
      }
      let adds = 0
      for (const word of this.#rows[row]?.words ?? []) {
        adds = Math.max(adds, byText.get(word)?.adds ?? 0)
      }
      this.#found[row] = found + adds
      kept.push(row)
    }
    return kept
  }

  #alike(word: string): Alike {
    const known = this.#kept.get(word)
    if (known !== undefined) return known
    const similar = this.#findSimilar(word)
    const byText = new Map(similar.map(one => [one.text, one]))
    const spread = similar.reduce((sum, { rows }) => sum + rows.length, 0)
    const found = { similar, byText, most: similar[0]?.adds ?? 0, spread }
    // Only the oldest goes; the others stay known.
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MOST_KEPT) break
      this.#kept.delete(oldest)
    }
    this.#kept.set(word, found)
    return found
  }

  #findSimilar(word: string): Similar[] {
    const found: Similar[] = []
    const own = weightOf(word)
    const asked = lettersOf(word)
    const first = word.charCodeAt(0)
    const asked_twice = repeatedOf(word)
    for (const [length, { texts, letters, repeated, firsts, rows }] of this.#byLength) {
      const ifAlike = fewestInCommon(word.length, length, SAME_WORD, true)
      if (ifAlike > Math.min(word.length, length)) continue
      const ifOther = fewestInCommon(word.length, length, SAME_WORD, false)
      for (let i = 0; i < letters.length; i++) {
        const fewest = soundsAlike(first, firsts[i] ?? 0) ? ifAlike : ifOther
        const listed = letters[i] ?? 0
        // A letter that the other word does not have, or has less often, is not in common.
        const more = asked & ~listed
        const missing = listed & ~asked
        if (bitCount(more) > word.length - fewest || bitCount(missing) > length - fewest) continue
        const twice = repeated[i] ?? 0
        if (bitCount(more) + bitCount(asked_twice & ~twice) > word.length - fewest) continue
        if (bitCount(missing) + bitCount(twice & ~asked_twice) > length - fewest) continue
        const text = texts[i] ?? ''
        const likeness = alike(word, text)
        if (likeness < SAME_WORD) continue
        const weight = weightOf(text)
        const adds = likeness * weight + Math.max(0, own - weight)
        found.push({ text, likeness, rows: rows[i] ?? NO_ROWS, adds })
      }
    }
    return found.sort((a, b) => b.adds - a.adds)
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
