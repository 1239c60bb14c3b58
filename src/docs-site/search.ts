// Searches the documentation. All sections are in memory; a hit has all words of the query. Pure.
import { anchorOf, type Page, plainOf } from './page.ts'

interface Section {
  readonly page: Page
  readonly heading: string
  /** The place below /docs. */
  readonly place: string
  /** The text for excerpts: sentences and tables, without code. */
  readonly prose: string
  readonly words: ReadonlySet<string>
  readonly heading_words: ReadonlySet<string>
}

export type Index = readonly Section[]

export interface Hit {
  readonly title: string
  readonly group: string
  readonly place: string
  readonly excerpt: string
}

/** One section at a time. */
export function* indexing(pages: readonly Page[]): Generator<void, Index> {
  const index: Section[] = []
  for (const page of pages) {
    for (const part of page.markdown.split(/^(?=#{1,3} )/m)) {
      yield
      const [, marks = '', heading = ''] = /^(#{1,3}) (.+)/.exec(part) ?? []
      if (heading === '') continue
      const place = marks === '#' ? page.name : `${page.name}#${anchorOf(heading)}`
      const text = part.replace(/^#.*/, '')
      const prose = proseOf(text.replace(/^```.*?^```$/gms, ''))
      const words = new Set(wordsOf(`${heading} ${text}`))
      index.push({ page, heading, place, prose, words, heading_words: new Set(wordsOf(heading)) })
    }
  }
  return index
}

function proseOf(markdown: string): string {
  const rows = markdown.replace(/^\|[ :|-]+\|$/gm, '').replace(/^\| | \|$/gm, '')
  return plainOf(rows.replaceAll(' | ', ' · ')).replaceAll(/\s+/g, ' ').trim()
}

/** The most words of a query, and the most hits. */
const MAX_WORDS = 8
const MAX_HITS = 20

/** One section at a time. */
export function* searching(index: Index, query: string): Generator<void, Hit[]> {
  const words = [...new Set(wordsOf(query))].slice(0, MAX_WORDS)
  if (words.length === 0) return []
  const scored: { readonly section: Section; readonly score: number }[] = []
  for (const section of index) {
    yield
    const score = scoreOf(section, words)
    if (score > 0) scored.push({ section, score })
  }
  const best = scored.sort((a, b) => b.score - a.score).slice(0, MAX_HITS)
  return best.map(({ section }) => hitOf(section, words))
}

/** Whole words count above beginnings, headings above text, guides above the reference. */
function scoreOf(section: Section, words: readonly string[]): number {
  let score = section.page.group === 'Guides' ? 1 : 0
  for (const word of words) {
    const beginsOne = (among: ReadonlySet<string>) => [...among].some(each => each.startsWith(word))
    if (section.heading_words.has(word)) score += 20
    else if (beginsOne(section.heading_words)) score += 8
    else if (section.words.has(word)) score += 4
    else if (beginsOne(section.words)) score += 1
    else return 0
  }
  return score
}

/** A name with an underscore counts as one word, and so do its parts. */
function wordsOf(text: string): string[] {
  const names = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return names
    .flatMap(name => (name.includes('_') ? [name, ...name.split('_')] : [name]))
    .filter(Boolean)
}

const EXCERPT = 180

/** The excerpt has whole words around the first query word that the prose has. */
function hitOf({ page, heading, place, prose }: Section, words: readonly string[]): Hit {
  const lower = prose.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(index => index >= 0)
  const at = places[0] ?? 0
  const from = at < EXCERPT / 2 ? 0 : lower.indexOf(' ', at - EXCERPT / 2) + 1
  const to = prose.length > from + EXCERPT ? prose.lastIndexOf(' ', from + EXCERPT) : prose.length
  const excerpt = `${from > 0 ? '… ' : ''}${prose.slice(from, to)}${to < prose.length ? ' …' : ''}`
  const title = heading === page.title ? heading : `${heading} · ${page.title}`
  return { title, group: page.group, place, excerpt }
}
