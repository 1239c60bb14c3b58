// A page of the documentation: Markdown that a person or the service has written. Pure.
import type { Html } from '../values/text/html.ts'

export interface Page {
  /** The path below /docs, without `.md`. */
  readonly name: string
  readonly group: 'Guides' | 'Operating' | 'Countries' | 'Reference'
  readonly title: string
  /** One sentence that says what the reader can do after reading. */
  readonly summary: string
  readonly markdown: string
  /** A figure below the title. The Markdown says the same in words. */
  readonly figure?: Html
  /** Whether the list beside each page leaves it out: another page lists it. */
  readonly unlisted?: true
}

/** The title is the Markdown's first heading, the summary its first sentence. */
export function pageOf(name: string, group: Page['group'], markdown: string): Page {
  const [, title = name] = /^# (.+)$/m.exec(markdown) ?? []
  const [, first = ''] = /^# .+\n\n((?:.+\n)+)/m.exec(markdown) ?? []
  const [summary] = plainOf(first)
    .replaceAll('\n', ' ')
    .trim()
    .split(/(?<=\.) (?=[A-Z])/, 1)
  return { name, group, title, summary: summary ?? '', markdown }
}

/** The anchor of a heading, as common viewers of Markdown make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

export function plainOf(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
}
