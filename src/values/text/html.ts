// HTML as values: `html` escapes every value except HTML itself. Pure.
import { escapeXml } from './xml.ts'

/** Text that already is HTML: `html` or the Markdown renderer makes it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

/** A value inside HTML. Null, undefined and false add nothing. */
export type Content =
  | Html
  | string
  | number
  | bigint
  | null
  | undefined
  | false
  | readonly Content[]

/** A tagged template. It escapes values for elements and for quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  const pieces = parts.map((part, i) => part + (i < values.length ? textOf(values[i]) : ''))
  return new Html(pieces.join(''))
}

function textOf(value: Content): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(textOf).join('')
  return escapeXml(String(value)).replaceAll("'", '&#39;')
}
