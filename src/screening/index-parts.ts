// The parts of the index of names, built in turns, so that the process does other work meanwhile.
import { forEachInTurns } from '../values/event-loop.ts'
import { isLegalForm, isNumber, type NamedKind, totalWeight } from './name-score.ts'
import { lettersOf, repeatedOf } from './similarity.ts'
import { looseFoldOf, SKELETON_MARK, skeletonOf } from './spelling.ts'

/** A row is one spelling of a name. A name may have several. */
export interface Row {
  /** The caller's number of the name. */
  readonly ref: number
  readonly words: readonly string[]
  readonly kind: NamedKind
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
}

export interface IndexParts {
  readonly rows: readonly Row[]
  readonly rowsOf: ReadonlyMap<string, Int32Array>
  /** By length, because words of very different lengths are not similar. */
  readonly byLength: ReadonlyMap<number, Words>
  /** Words by `looseFoldOf`, and by `skeletonOf` behind the mark. */
  readonly byFold: ReadonlyMap<string, readonly string[]>
  readonly joined: Joined
  /** By row, the weight of the words that a query must have to contain the name. */
  readonly weights: Float64Array
  /** By row, 1 for a name with an initial. */
  readonly abbreviated: Uint8Array
}

/**
 * Rows by their letters without spaces, for words that were run together. Rows with the same
 * letters form a chain. A list for each row would be a hundred thousand objects, which the garbage
 * collector would visit in one long turn.
 */
interface Joined {
  readonly last: ReadonlyMap<string, number>
  /** By row, the previous row with the same letters; -1 for none. */
  readonly before: Int32Array
}

export async function partsOf(rows: readonly Row[]): Promise<IndexParts> {
  const rowsOf = await rowsByWord(rows)
  const weights = new Float64Array(rows.length)
  const abbreviated = new Uint8Array(rows.length)
  await forEachInTurns(rows, ({ words }, row) => {
    abbreviated[row] = words.some(word => word.length === 1) ? 1 : 0
    weights[row] = totalWeight(words.filter(word => word.length > 1 && !isLegalForm(word)))
  })
  const byLength = await wordsByLength(rowsOf.keys())
  const byFold = await wordsByFold(rowsOf.keys())
  const joined = await rowsByLetters(rows)
  return { rows, rowsOf, byLength, byFold, weights, abbreviated, joined }
}

async function rowsByWord(rows: readonly Row[]): Promise<Map<string, Int32Array>> {
  const found = new Map<string, number[]>()
  await forEachInTurns(rows, ({ words }, row) => {
    for (const word of new Set(words)) found.getOrInsertComputed(word, () => []).push(row)
  })
  const rowsOf = new Map<string, Int32Array>()
  await forEachInTurns(found, ([word, numbers]) => rowsOf.set(word, Int32Array.from(numbers)))
  return rowsOf
}

async function wordsByLength(words: Iterable<string>): Promise<Map<number, Words>> {
  const byLength = new Map<number, string[]>()
  await forEachInTurns(words, word => {
    if (!word.startsWith(SKELETON_MARK) && !isNumber(word))
      byLength.getOrInsert(word.length, []).push(word)
  })
  const found = new Map<number, Words>()
  for (const [length, texts] of byLength) {
    const letters = new Int32Array(texts.length)
    const repeated = new Int32Array(texts.length)
    await forEachInTurns(texts, (text, i) => {
      letters[i] = lettersOf(text)
      repeated[i] = repeatedOf(text)
    })
    const firsts = Uint8Array.from(texts, text => text.charCodeAt(0))
    found.set(length, { texts, letters, repeated, firsts })
  }
  return found
}

async function wordsByFold(words: Iterable<string>): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  await forEachInTurns(words, word => {
    if (word.startsWith(SKELETON_MARK) || isNumber(word)) return
    const folded = looseFoldOf(word)
    if (folded !== '') found.getOrInsertComputed(folded, () => []).push(word)
    const bones = SKELETON_MARK + skeletonOf(word)
    if (bones.length > 1) found.getOrInsertComputed(bones, () => []).push(word)
  })
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
