// Writes and reads JSON with exact amounts. It writes bigints as integers, reads them from the
// answer's text, and never sends or returns a number that a double has rounded. Pure.

/** Writes a body. Throws a TypeError with the place of a number that is not exact. */
export function writeJson(value: unknown, place = 'body'): string | undefined {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return writeNumber(value, place)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return writeJson(value.toJSON(), place)
  if (Array.isArray(value)) {
    return `[${value.map((item, i) => writeJson(item, `${place}[${i}]`) ?? 'null')}]`
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = writeJson(member, `${place}.${name}`)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return `{${members}}`
}

function writeNumber(value: number, place: string): string {
  if (!Number.isFinite(value)) throw new TypeError(`${place} is ${value}, which JSON has not`)
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError(`${place} is beyond 2^53 - 1, where numbers are rounded: send a bigint`)
  }
  return JSON.stringify(value)
}

/** The third parameter of a reviver is newer than some runtimes. */
type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown

/**
 * Reads an answer. Integer members named in `bigints` become bigints, however large. Throws a
 * RangeError for any other integer beyond 2^53 - 1.
 */
export function readJson(text: string, bigints?: ReadonlySet<string>): unknown {
  const revive: Reviver = (name, value, context) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return value
    if (bigints?.has(name)) return readBigint(name, value, context?.source)
    if (Number.isSafeInteger(value)) return value
    throw new RangeError(`${name} is beyond 2^53 - 1: read it with money: 'bigint'`)
  }
  return JSON.parse(text, revive)
}

function readBigint(name: string, value: number, source: string | undefined): bigint {
  if (source !== undefined && /^-?\d+$/.test(source)) return BigInt(source)
  if (Number.isSafeInteger(value)) return BigInt(value)
  throw new RangeError(`${name} is beyond 2^53 - 1, and this runtime does not show its digits`)
}
