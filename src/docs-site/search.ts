// Searches the documentation. Rare words decide, titles count above text, and words of the same
// meaning are found. All sections are in memory. Pure.
import { anchorOf, type Page, plainOf } from './page.ts'
import { isStopWord, stemOf, synonymsOf, wordsOf } from './words.ts'

interface Section {
  readonly page: Page
  readonly heading: string
  /** The place below /docs. */
  readonly place: string
  /** The text for excerpts: sentences and tables, without code. */
  readonly prose: string
}

/** For each stem, by turns the number of a section and the stem's weight in it. */
type Postings = ReadonlyMap<string, readonly number[]>

export interface Index {
  readonly sections: readonly Section[]
  readonly postings: Postings
}

export interface Hit {
  readonly title: string
  readonly group: string
  readonly place: string
  readonly excerpt: string
}

export interface Found {
  readonly hits: readonly Hit[]
  /** Whether the hits have all words of the query. */
  readonly whole: boolean
}

/** One section at a time. */
export function* indexing(pages: readonly Page[]): Generator<void, Index> {
  const sections: Section[] = []
  const postings = new Map<string, number[]>()
  for (const page of pages) {
    for (const part of sectionsOf(page.markdown)) {
      yield
      const [, marks = '', heading = ''] = /^(#{1,3}) (.+)/.exec(part) ?? []
      if (heading === '') continue
      const place = marks === '#' ? page.name : `${page.name}#${anchorOf(heading)}`
      const text = part.replace(/^#.*/, '')
      const prose = proseOf(text.replace(/^```.*?^```$/gms, ''))
      for (const [stem, weight] of weightsOf(page.title, heading, text)) {
        postings.getOrInsertComputed(stem, () => []).push(sections.length, weight)
      }
      sections.push({ page, heading, place, prose })
    }
  }
  return { sections, postings }
}

/** Each begins with a heading. A line of code is none. */
function sectionsOf(markdown: string): string[] {
  const bare = markdown.replace(/^```.*?^```$/gms, code => code.replace(/^#/gm, ' #'))
  return bare.split(/^(?=#{1,3} )/m)
}

function proseOf(markdown: string): string {
  const rows = markdown.replace(/^\|[ :|-]+\|$/gm, '').replace(/^\| | \|$/gm, '')
  return plainOf(rows.replaceAll(' | ', ' · ')).replaceAll(/\s+/g, ' ').trim()
}

/** The weights of a heading and of the title of its page; a short heading says more by a word. */
const HEADING = 6
const TITLE = 4
/** The number of words at which one more in the text counts as in Okapi’s formula (BM25). */
const USUAL_LENGTH = 80

function weightsOf(title: string, heading: string, text: string): Map<string, number> {
  const weights = new Map<string, number>()
  const add = (stem: string, weight: number) => weights.set(stem, (weights.get(stem) ?? 0) + weight)
  const stemsOf = (words: string) => wordsOf(words).map(stemOf)
  const inHeading = new Set(stemsOf(heading))
  const said = wordsOf(heading).filter(word => !isStopWord(word)).length
  for (const stem of inHeading) add(stem, HEADING + HEADING / Math.max(1, said))
  if (title !== heading) for (const stem of new Set(stemsOf(title))) add(stem, TITLE)
  const inText = stemsOf(text)
  const counts = new Map<string, number>()
  for (const stem of inText) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const length = 1.2 * (0.25 + (0.75 * inText.length) / USUAL_LENGTH)
  for (const [stem, count] of counts) add(stem, (2.2 * count) / (count + length))
  return weights
}

/** The most words of a query, the most hits, and the most of one page. */
const MAX_WORDS = 12
const MAX_HITS = 20
const MAX_OF_PAGE = 2

/** How much a synonym, and a word that only begins as asked, count beside the word itself. */
const SYNONYM = 0.6
const BEGINNING = 0.5

interface Term {
  readonly stem: string
  /** The rarer a word is, the more it says. */
  readonly rarity: number
  readonly weights: ReadonlyMap<number, number>
}

/** One word at a time. */
export function* searching(index: Index, query: string): Generator<void, Found> {
  const terms: Term[] = []
  for (const stem of askedStems(query)) {
    yield
    terms.push(termOf(index, stem))
  }
  yield
  const total = terms.reduce((sum, { rarity }) => sum + rarity, 0)
  const scores = new Map<number, { score: number; covered: number; words: number }>()
  for (const { rarity, weights } of terms) {
    for (const [section, weight] of weights) {
      const one = scores.getOrInsertComputed(section, () => ({ score: 0, covered: 0, words: 0 }))
      one.score += rarity * weight
      one.covered += rarity
      one.words += 1
    }
  }
  yield
  const ranked = Array.from(scores, ([number, { score, covered, words }]) => {
    const rank = score * (covered / total) ** 2 * groupWeight(index.sections[number])
    return { number, rank, words }
  }).sort((a, b) => b.rank - a.rank)
  const whole = ranked.some(({ words }) => words === terms.length)
  const wanted = whole ? ranked.filter(({ words }) => words * 2 >= terms.length) : ranked
  const rarest = terms.toSorted((a, b) => b.rarity - a.rarity).map(({ stem }) => stem)
  return { hits: best(index, wanted, rarest), whole }
}

/** The stems of the words that say something; of all words when none does. */
function askedStems(query: string): string[] {
  const words = wordsOf(query)
  const telling = words.filter(word => !isStopWord(word))
  const stems = (telling.length > 0 ? telling : words).map(stemOf)
  return [...new Set(stems)].slice(0, MAX_WORDS)
}

function termOf({ sections, postings }: Index, stem: string): Term {
  const weights = new Map<number, number>()
  const take = (of: string, factor: number) => {
    const list = postings.get(of) ?? []
    for (let i = 0; i < list.length; i += 2) {
      const [section = 0, weight = 0] = [list[i], list[i + 1]]
      weights.set(section, Math.max(weights.get(section) ?? 0, factor * weight))
    }
  }
  take(stem, 1)
  for (const other of synonymsOf(stem)) take(other, SYNONYM)
  if (weights.size === 0) {
    for (const word of postings.keys()) if (word.startsWith(stem)) take(word, BEGINNING)
  }
  const own = (postings.get(stem)?.length ?? 0) / 2 || weights.size
  return { stem, rarity: Math.log(1 + sections.length / Math.max(1, own)), weights }
}

/** Guides explain, and the reference lists. */
function groupWeight(section: Section | undefined): number {
  return section?.page.group === 'Guides' ? 1.2 : 1
}

function best(index: Index, ranked: readonly { readonly number: number }[], stems: string[]) {
  const hits: Hit[] = []
  const ofPage = new Map<string, number>()
  for (const { number } of ranked) {
    const section = index.sections[number]
    if (section === undefined) continue
    const count = (ofPage.get(section.page.name) ?? 0) + 1
    ofPage.set(section.page.name, count)
    if (count <= MAX_OF_PAGE) hits.push(hitOf(section, stems))
    if (hits.length === MAX_HITS) break
  }
  return hits
}

const EXCERPT = 180

/** The excerpt has whole words around the rarest word of the query that the prose has. */
function hitOf({ page, heading, place, prose }: Section, stems: readonly string[]): Hit {
  const lower = prose.toLowerCase()
  const places = stems.map(stem => lower.indexOf(stem)).filter(index => index >= 0)
  const at = places[0] ?? 0
  const from = at < EXCERPT / 2 ? 0 : lower.indexOf(' ', at - EXCERPT / 2) + 1
  const to = prose.length > from + EXCERPT ? prose.lastIndexOf(' ', from + EXCERPT) : prose.length
  const excerpt = `${from > 0 ? '… ' : ''}${prose.slice(from, to)}${to < prose.length ? ' …' : ''}`
  const title = heading === page.title ? heading : `${heading} · ${page.title}`
  return { title, group: page.group, place, excerpt }
}
