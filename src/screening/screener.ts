// Compares a party with the lists and returns the entries that it may be, with a score that its
// pieces explain. The lists are an index in memory: no SQL.
import { forEachInTurns } from '../turns.ts'
import { BIRTH_AGREES, evidenceSteps, idKey, type Step, sameIssuer } from './evidence.ts'
import { NameIndex } from './name-index.ts'
import type { NameScore } from './name-score.ts'
import type {
  Hit,
  ListedEntry,
  ListedName,
  ListName,
  Party,
  PartyId,
  ScorePiece,
} from './screening.ts'
import { joinShort, wordsOf } from './words.ts'

/** A person must decide from this score on, of 1000. Decision 0098 has the figures behind it. */
export const THRESHOLD = 890

interface List {
  readonly list: ListName
  readonly entries: readonly ListedEntry[]
}

interface Indexed {
  readonly list: ListName
  readonly entry: ListedEntry
}

interface IndexedName extends Indexed {
  readonly name: ListedName
}

interface IndexedId extends Indexed {
  readonly id: PartyId
}

export class Screener {
  readonly #names: readonly IndexedName[]
  readonly #index: NameIndex
  readonly #ids: ReadonlyMap<string, readonly IndexedId[]>

  private constructor(
    names: readonly IndexedName[],
    index: NameIndex,
    ids: ReadonlyMap<string, readonly IndexedId[]>,
  ) {
    this.#names = names
    this.#index = index
    this.#ids = ids
  }

  /** Builds the index in turns, so that the process does other work meanwhile. */
  static async of(lists: readonly List[]): Promise<Screener> {
    const names: IndexedName[] = []
    const ids = new Map<string, IndexedId[]>()
    for (const { list, entries } of lists) {
      await forEachInTurns(entries, entry => {
        for (const name of entry.names) names.push({ list, entry, name })
        for (const id of entry.ids) {
          const key = idKey(id)
          if (key !== undefined) ids.getOrInsert(key, []).push({ list, entry, id })
        }
      })
    }
    const spellings: { ref: number; words: string[] }[] = []
    await forEachInTurns(names, ({ name }, ref) => {
      for (const words of spellingsOf(name.text)) spellings.push({ ref, words })
    })
    return new Screener(names, await NameIndex.of(spellings), ids)
  }

  /** The number of names, not of entries. */
  get size(): number {
    return this.#names.length
  }

  /** The entries with the threshold's score or more, one hit each, the highest score first. */
  screen(party: Party, threshold = THRESHOLD): Hit[] {
    const best = new Map<ListedEntry, Hit>()
    const keep = (hit: Hit) => {
      const known = best.get(hit.entry)
      if (hit.score >= threshold && (known === undefined || hit.score > known.score)) {
        best.set(hit.entry, hit)
      }
    }
    for (const { list, entry, id } of this.#sameIds(party.ids)) keep(idHit(list, entry, id))
    const least = leastOfName(party, threshold / 1000)
    for (const words of spellingsOf(party.name)) {
      for (const { ref, compared } of this.#index.search(words, least)) {
        const named = this.#names[ref]
        if (named !== undefined) keep(nameHit(party, named, compared))
      }
    }
    return Array.from(best.values()).sort((a, b) => b.score - a.score)
  }

  #sameIds(ids: readonly PartyId[]): IndexedId[] {
    return ids.flatMap(id => {
      const listed = this.#ids.get(idKey(id) ?? '') ?? []
      return listed.filter(other => sameIssuer(id, other.id))
    })
  }
}

/** A name's words, and the same words with short ones joined to the next, if that differs. */
function spellingsOf(name: string): string[][] {
  const words = wordsOf(name)
  if (words.length === 0) return []
  const joined = joinShort(words)
  return joined.length === words.length ? [words] : [words, joined]
}

/** The lowest score of a name that a birth date can still lift to the threshold. */
function leastOfName({ birth_date }: Party, threshold: number): number {
  return birth_date === '' ? threshold : 1 - (1 - threshold) / BIRTH_AGREES
}

function idHit(list: ListName, entry: ListedEntry, id: PartyId): Hit {
  const text = `the same ${id.kind} number, ${id.number}`
  const pieces: ScorePiece[] = [{ piece: 'id', score: 1000, text }]
  return { list, entry, name: entry.names[0]?.text ?? '', score: 1000, pieces }
}

function nameHit(party: Party, { list, entry, name }: IndexedName, compared: NameScore): Hit {
  const steps = [...nameSteps(compared), ...evidenceSteps(compared, party, entry, name.weak)]
  const pieces = steps.map(step => ({ ...step, score: perMille(step.score) }))
  return { list, entry, name: name.text, score: pieces.at(-1)?.score ?? 0, pieces }
}

function nameSteps(compared: NameScore): Step[] {
  const { words, score, pairs, left_over, not_named, joined, left_factor } = compared
  const others = pairs.filter(({ query, listed }) => query !== listed)
  const spelled = others.map(({ query, listed }) => `${query} for ${listed}`)
  const same = joined ? 'the same letters, with other spaces' : 'the same words'
  const steps: Step[] = [
    { piece: 'words', score: words, text: spelled.length === 0 ? same : spelled.join(', ') },
  ]
  if (left_over.length > 0) {
    const text = `not in the listed name: ${left_over.join(' ')}`
    steps.push({ piece: 'left_over', score: words * left_factor, text })
  }
  if (not_named.length > 0) {
    const text = `only in the listed name: ${not_named.join(' ')}`
    steps.push({ piece: 'not_named', score, text })
  }
  return steps
}

function perMille(score: number): number {
  // A little more than binary fractions lose by rounding.
  return Math.floor(score * 1000 + 1e-6)
}
