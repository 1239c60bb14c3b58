// Compares a party with the lists and returns the entries that it may be, with a score that its
// pieces explain. The lists are an index in memory: no SQL.
import { forEachInTurns, runAtOnce } from '../values/event-loop.ts'
import {
  BIRTH_AGREES,
  evidenceSteps,
  idKeys,
  isTellingNumber,
  NUMBER_AGREES,
  type Step,
  sameIssuer,
  sameNumberText,
  THRESHOLD,
} from './evidence.ts'
import { NameIndex } from './name-index.ts'
import type { NamedKind, NameScore } from './name-score.ts'
import type {
  Hit,
  ListedEntry,
  ListedName,
  ListName,
  Party,
  PartyId,
  ScorePiece,
} from './screening.ts'
import { SKELETON_MARK } from './spelling.ts'
import { spellingsOf, titlesOf } from './spellings.ts'

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

/** A number of the party that an entry has, too. */
interface SameId extends Indexed {
  readonly id: PartyId
  /** Whether one country may have issued both. */
  readonly is_issuer: boolean
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
          for (const key of idKeys(id)) ids.getOrInsert(key, []).push({ list, entry, id })
        }
      })
    }
    const spellings: { ref: number; words: string[]; kind: NamedKind }[] = []
    await forEachInTurns(names, ({ name, entry }, ref) => {
      const is_named = entry.kind === 'person' || entry.kind === 'organisation'
      const kind = is_named ? entry.kind : 'other'
      for (const words of spellingsOf(name.text, 'entry')) spellings.push({ ref, words, kind })
    })
    return new Screener(names, await NameIndex.of(spellings), ids)
  }

  /** The number of names, not of entries. */
  get size(): number {
    return this.#names.length
  }

  /** The entries with the threshold's score or more, one hit each, the highest score first. */
  screen(party: Party, threshold = THRESHOLD): Hit[] {
    return runAtOnce(this.screening(party, threshold))
  }

  /** The same in short steps. */
  *screening(party: Party, threshold = THRESHOLD): Generator<void, Hit[]> {
    const best = new Map<ListedEntry, Hit>()
    const keep = (hit: Hit) => {
      const known = best.get(hit.entry)
      if (hit.score >= threshold && (known === undefined || hit.score > known.score)) {
        best.set(hit.entry, hit)
      }
    }
    const same = this.#sameIds(party.ids)
    for (const found of same) {
      if (found.is_issuer || isTellingNumber(found.id)) keep(idHit(found))
    }
    const elsewhere = new Map(same.filter(one => !one.is_issuer).map(one => [one.entry, one.id]))
    const least = leastOfName(party, threshold / 1000, elsewhere.size > 0)
    const titles = titlesOf(party.name)
    for (const words of this.#spellings(party.name)) {
      for (const { ref, compared } of yield* this.#index.searching(
        words,
        least,
        party.kind === 'organisation' || party.kind === 'bank',
      )) {
        const named = this.#names[ref]
        if (named === undefined) continue
        if (party.kind !== 'bank' || isNameOfBank(named, compared)) {
          keep(nameHit(party, named, compared, titles, elsewhere.get(named.entry)))
        }
        yield
      }
    }
    return Array.from(best.values()).sort((a, b) => b.score - a.score)
  }

  /** The name's spellings, and spellings with the spaces of listed words. */
  #spellings(name: string): string[][] {
    const plain = spellingsOf(name, 'party')
    return [...plain, ...plain.flatMap(words => this.#index.respaced(words))]
  }

  #sameIds(ids: readonly PartyId[]): SameId[] {
    return ids.flatMap(id =>
      idKeys(id).flatMap(key =>
        (this.#ids.get(key) ?? []).map(({ list, entry, id: listed }) => {
          return { list, entry, id, is_issuer: sameIssuer(id, listed) }
        }),
      ),
    )
  }
}

/** The lowest score of a name that a birth date and a number can still lift to the threshold. */
function leastOfName({ kind, birth_date }: Party, threshold: number, same_number: boolean): number {
  if (kind === 'bank') return Math.max(threshold, NAME_OF_BANK)
  const birth = birth_date === '' ? 1 : BIRTH_AGREES
  return 1 - (1 - threshold) / (birth * (same_number ? NUMBER_AGREES : 1))
}

/** Banks have few words in their names, which many share: a lower score is another bank's. */
const NAME_OF_BANK = 0.99

/** Whether a bank has the name of this entry. */
function isNameOfBank({ entry }: IndexedName, { score }: NameScore): boolean {
  const may_be = entry.kind === 'organisation' || entry.kind === 'unknown'
  return may_be && score >= NAME_OF_BANK
}

const ID_WORDS: Partial<Readonly<Record<PartyId['kind'], string>>> = {
  wallet: 'the same address of a wallet',
  bank: 'the same bank',
}

/** The account states the country: with another country, the same number only holds. */
function idHit({ list, entry, id, is_issuer }: SameId): Hit {
  const same = `${ID_WORDS[id.kind] ?? `the same ${id.kind} number`}, ${id.number}`
  const score = is_issuer ? 1000 : THRESHOLD
  const pieces: ScorePiece[] = [{ piece: 'id', score, text: is_issuer ? same : sameNumberText(id) }]
  return { list, entry, name: entry.names[0]?.text ?? '', score, pieces }
}

function nameHit(
  party: Party,
  { list, entry, name }: IndexedName,
  compared: NameScore,
  titles: readonly string[],
  same_number: PartyId | undefined,
): Hit {
  const steps = [
    ...nameSteps(compared, titles),
    ...evidenceSteps(compared, party, entry, name.weak, same_number),
  ]
  const pieces = steps.map(step => ({ ...step, score: perMille(step.score) }))
  return { list, entry, name: name.text, score: pieces.at(-1)?.score ?? 0, pieces }
}

function nameSteps(compared: NameScore, titles: readonly string[]): Step[] {
  const { words, score, left_over, not_named, left_factor, despite } = compared
  const without = titles.length === 0 ? '' : `; titles weigh nothing: ${titles.join(' ')}`
  const steps: Step[] = [{ piece: 'words', score: words, text: pairsText(compared) + without }]
  if (left_over.length > 0) {
    const text = `not in the listed name: ${left_over.join(' ')}${DESPITE[despite]}`
    steps.push({ piece: 'left_over', score: words * left_factor, text })
  }
  if (not_named.length > 0) {
    const text = `only in the listed name: ${not_named.join(' ')}`
    steps.push({ piece: 'not_named', score, text })
  }
  return steps
}

/** Why words that the listed name lacks cost nothing. */
const DESPITE: Readonly<Record<NameScore['despite'], string>> = {
  '': '',
  contained: '; the listed name is whole in the name',
  agreed: '; two words or more agree in full',
}

function pairsText({ joined, pairs, swapped }: NameScore): string {
  if (joined) return 'the same letters, with other spaces'
  const others = pairs.filter(({ query, listed }) => query !== listed)
  const spelled = others.map(({ query, listed }) => `${wordText(query)} for ${wordText(listed)}`)
  const text = spelled.length === 0 ? 'the same words' : spelled.join(', ')
  return swapped ? `${text}; son and father have each other's name` : text
}

/** A skeleton in words. */
function wordText(word: string): string {
  return word.startsWith(SKELETON_MARK) ? `the consonants ${word.slice(1)}` : word
}

function perMille(score: number): number {
  // A little more than binary fractions lose by rounding.
  return Math.floor(score * 1000 + 1e-6)
}
