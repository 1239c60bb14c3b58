// Content codings: chooses the one that a caller accepts, and encodes bytes off the event loop.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A content coding; `identity` leaves the bytes unchanged. */
export type Coding = 'br' | 'gzip' | 'identity'

/** `once` is for bytes that are compressed once for all callers, `each` for one answer's bytes. */
type Effort = 'once' | 'each'

/** `each` takes a fraction of a millisecond for 175 KB, `once` tenths of a second. */
const QUALITY = { once: { br: 9, gzip: 9 }, each: { br: 4, gzip: 6 } } as const

export async function encode(bytes: Buffer, coding: Coding, effort: Effort): Promise<Buffer> {
  if (coding === 'identity') return bytes
  const level = QUALITY[effort][coding]
  if (coding === 'gzip') return promisify(gzip)(bytes, { level })
  return promisify(brotliCompress)(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: level,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}

/** The best coding that the caller names with a weight other than 0. */
export function codingOf(accepts: string | undefined): Coding {
  const named = new Set<string>()
  for (const part of (accepts ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map(text => text.trim())
    if (!parameters.some(text => /^q=0(\.0{0,3})?$/.test(text))) named.add(name)
  }
  return named.has('br') ? 'br' : named.has('gzip') ? 'gzip' : 'identity'
}
