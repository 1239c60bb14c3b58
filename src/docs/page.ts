// A page of the documentation: Markdown, whether a person or the service has written it. Pure.
import type { Html } from '../text/html.ts'

export interface Page {
  /** The path below /docs, without `.md`. */
  readonly name: string
  readonly group: 'Guides' | 'Reference'
  readonly title: string
  /** One sentence: what the reader can do afterwards. */
  readonly summary: string
  readonly markdown: string
  /** What stands below the title, and has its text in the Markdown. */
  readonly figure?: Html
}

/** The page of this Markdown: its title is the first heading, its summary the first paragraph. */
export function pageOf(name: string, group: Page['group'], markdown: string): Page {
  const [, title = name] = /^# (.+)$/m.exec(markdown) ?? []
  const [, first = ''] = /^# .+\n\n((?:.+\n)+)/m.exec(markdown) ?? []
  const summary = first.replaceAll('\n', ' ').trim()
  return { name, group, title, summary: plainOf(summary), markdown }
}

/** The anchor of a heading, as the places that show Markdown make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Markdown without its marks. */
export function plainOf(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
}
