// Searches the documentation. Every section is in memory; a hit has all the words. Pure.
import { anchorOf, type Page, plainOf } from './page.ts'

interface Section {
  readonly page: Page
  readonly heading: string
  /** The place below /docs. */
  readonly place: string
  /** The text of excerpts: sentences and tables, without code. */
  readonly said: string
  readonly words: ReadonlySet<string>
  readonly titles: ReadonlySet<string>
}

export type Index = readonly Section[]

export interface Hit {
  readonly title: string
  readonly group: string
  readonly place: string
  /** The text around the first word. */
  readonly excerpt: string
}

export function indexOf(pages: readonly Page[]): Index {
  return pages.flatMap(page =>
    page.markdown.split(/^(?=#{1,3} )/m).flatMap(part => {
      const [, marks = '', heading = ''] = /^(#{1,3}) (.+)/.exec(part) ?? []
      if (heading === '') return []
      const place = marks === '#' ? page.name : `${page.name}#${anchorOf(heading)}`
      const text = part.replace(/^#.*/, '')
      const said = sentencesOf(text.replace(/^```.*?^```$/gms, ''))
      const words = new Set(wordsOf(`${heading} ${text}`))
      return [{ page, heading, place, said, words, titles: new Set(wordsOf(heading)) }]
    }),
  )
}

function sentencesOf(markdown: string): string {
  const rows = markdown.replace(/^\|[ :|-]+\|$/gm, '').replace(/^\| | \|$/gm, '')
  return plainOf(rows.replaceAll(' | ', ' · ')).replaceAll(/\s+/g, ' ').trim()
}

/** The most words of a question, and the most answers. */
const MAX_WORDS = 8
const MAX_HITS = 20

export function searchIn(index: Index, query: string): Hit[] {
  const words = [...new Set(wordsOf(query))].slice(0, MAX_WORDS)
  if (words.length === 0) return []
  return index
    .map(section => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_HITS)
    .map(({ section }) => hitOf(section, words))
}

/**
 * Whole words score above beginnings, titles above text, guides above the reference; 0 without a
 * match.
 */
function scoreOf(section: Section, words: readonly string[]): number {
  let score = section.page.group === 'Guides' ? 1 : 0
  for (const word of words) {
    const begins = (among: ReadonlySet<string>) => [...among].some(each => each.startsWith(word))
    if (section.titles.has(word)) score += 20
    else if (begins(section.titles)) score += 8
    else if (section.words.has(word)) score += 4
    else if (begins(section.words)) score += 1
    else return 0
  }
  return score
}

/** A name with an underscore counts as a whole and in its parts. */
function wordsOf(text: string): string[] {
  const names = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return names
    .flatMap(name => (name.includes('_') ? [name, ...name.split('_')] : [name]))
    .filter(Boolean)
}

const EXCERPT = 180

/** Whole words around the first place where one of the words occurs. */
function hitOf({ page, heading, place, said }: Section, words: readonly string[]): Hit {
  const lower = said.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(index => index >= 0)
  const at = places[0] ?? 0
  const from = at < EXCERPT / 2 ? 0 : lower.indexOf(' ', at - EXCERPT / 2) + 1
  const cut = said.length > from + EXCERPT ? said.lastIndexOf(' ', from + EXCERPT) : said.length
  const excerpt = `${from > 0 ? '… ' : ''}${said.slice(from, cut)}${cut < said.length ? ' …' : ''}`
  const title = heading === page.title ? heading : `${heading} · ${page.title}`
  return { title, group: page.group, place, excerpt }
}
