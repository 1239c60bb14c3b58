// Lays out JSON for people: a value that fits is on one line, any other has one line for each
// member.

export interface Style {
  /** The most characters of a line. */
  readonly width: number
  /** Members whose values fill lines at every level, as words fill a paragraph. */
  readonly filled: ReadonlySet<string>
  /** Members whose values fill lines at their first level only. */
  readonly listed: ReadonlySet<string>
  /** Whether a leaf (isLeaf) stays on one line, even beyond the width. */
  readonly keepsLeaves: boolean
}

/** The style of an example file. */
export const PLAIN: Style = { width: 100, filled: new Set(), listed: new Set(), keepsLeaves: false }

/** The style of a document: its examples take as few lines as possible. */
export const DENSE: Style = {
  width: 120,
  filled: new Set(['value', 'enum', 'required', 'x-extensible-enum']),
  listed: new Set(['headers', 'parameters', 'responses', 'examples', 'anyOf', 'oneOf', 'mapping']),
  keepsLeaves: true,
}

interface Place {
  readonly indent: string
  /** The characters in front of the value on its line: its indent and its name. */
  readonly taken: number
  readonly isFilled: boolean
  readonly isListed: boolean
}

const START: Place = { indent: '', taken: 0, isFilled: false, isListed: false }

export function layOut(value: unknown, style: Style, place: Place = START): string {
  const line = onOneLine(value)
  if (place.taken + line.length < style.width || typeof value !== 'object') return line
  if (style.keepsLeaves && isLeaf(value)) return line
  const entries = Object.entries(value as object)
  const [only] = entries
  // A single member shares the lines of its parent's brackets.
  if (only !== undefined && entries.length === 1 && typeof only[1] === 'object') {
    const alone = part(value, only, style, { ...place, taken: style.width })
    return Array.isArray(value) ? `[${alone}]` : `{ ${alone} }`
  }
  const indent = `${place.indent}  `
  const inner = { ...place, indent, taken: indent.length, isListed: false }
  const parts = entries.map(entry => part(value, entry, style, inner))
  const lines = place.isFilled || place.isListed ? fill(parts, style.width - indent.length) : parts
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.map(one => indent + one).join(',\n')}\n${place.indent}${close}`
}

function part(
  within: unknown,
  [name, value]: [string, unknown],
  style: Style,
  place: Place,
): string {
  if (Array.isArray(within)) return layOut(value, style, place)
  const key = `${JSON.stringify(name)}: `
  const isFilled = place.isFilled || style.filled.has(name)
  const isListed = style.listed.has(name)
  return (
    key + layOut(value, style, { ...place, taken: place.taken + key.length, isFilled, isListed })
  )
}

/** Whether a value has only texts and numbers, and at most FEW references or short lists. */
function isLeaf(value: object | null): boolean {
  const parts = Object.values(value ?? {})
  const large = parts.filter(part => typeof part === 'object' && part !== null)
  const isWhole = Array.isArray(value) ? parts.length <= FEW : large.length <= FEW
  return (
    isWhole && large.every(part => isReference(part) || (isShort(part) && !Array.isArray(value)))
  )
}

const FEW = 3

function isReference(part: object): boolean {
  return '$ref' in part && Object.keys(part).length === 1
}

function isShort(part: object): boolean {
  const isPlain = (one: unknown) => typeof one !== 'object' || one === null
  return Array.isArray(part) && part.length <= FEW && part.every(isPlain)
}

/** Joins parts into lines as long as they fit; a part of several lines stays alone. */
function fill(parts: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const next of parts) {
    const line = lines.at(-1)
    const both = `${line}, ${next}`
    if (line === undefined || both.includes('\n') || both.length >= width) lines.push(next)
    else lines[lines.length - 1] = both
  }
  return lines
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const members = Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${onOneLine(v)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
