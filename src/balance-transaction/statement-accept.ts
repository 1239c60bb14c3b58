// Whether a caller wants CSV or JSON, from the Accept header (RFC 9110, 12.5.1). Pure.

interface Range {
  readonly type: string
  readonly q: number
}

/**
 * True when text/csv is wanted more than JSON, or as much and named more exactly. Without a header,
 * for everything alike, and for what is neither, the answer is JSON.
 */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const csv = weightOf(ranges, 'text', 'csv')
  const json = weightOf(ranges, 'application', 'json')
  if (csv.q === 0) return false
  return csv.q === json.q ? csv.exactness > json.exactness : csv.q > json.q
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim())
  const weight = parameters.map(one => /^q\s*=\s*(\S*)$/.exec(one)?.[1]).find(q => q !== undefined)
  // What is no weight makes the range none.
  const q = weight === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? +weight : 0
  return { type, q }
}

/** Of the most exact range that matches; a range that is not there has weight 0. */
function weightOf(ranges: readonly Range[], type: string, subtype: string) {
  const patterns = ['*/*', `${type}/*`, `${type}/${subtype}`]
  for (let exactness = patterns.length - 1; exactness >= 0; exactness -= 1) {
    const matching = ranges.filter(range => range.type === patterns[exactness])
    if (matching.length > 0) return { q: Math.max(...matching.map(({ q }) => q)), exactness }
  }
  return { q: 0, exactness: -1 }
}
