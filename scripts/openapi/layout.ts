// Lays out JSON for people: a value that fits stands in one line, any other has a line a member.

const WIDTH = 100

/** `taken` counts the characters in front of the value on its line: its indent and its name. */
export function layOut(value: unknown, indent = '', taken = 0): string {
  const line = onOneLine(value)
  if (taken + line.length < WIDTH || typeof value !== 'object') return line
  if (!Array.isArray(value)) return block('{}', Object.entries(value as object), indent, member)
  // A list of one object shares the lines of its brackets with it.
  const [first] = value
  if (value.length === 1 && typeof first === 'object') return `[${layOut(first, indent, WIDTH)}]`
  return block('[]', value, indent, (item, inner) => layOut(item, inner, inner.length))
}

function block<T>(
  brackets: '[]' | '{}',
  members: readonly T[],
  indent: string,
  write: (member: T, indent: string) => string,
): string {
  const inner = `${indent}  `
  const lines = members.map(one => inner + write(one, inner))
  return `${brackets[0]}\n${lines.join(',\n')}\n${indent}${brackets[1]}`
}

function member([name, value]: [string, unknown], indent: string): string {
  const key = `${JSON.stringify(name)}: `
  return key + layOut(value, indent, indent.length + key.length)
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const members = Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${onOneLine(v)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
