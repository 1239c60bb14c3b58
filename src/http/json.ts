// Reads JSON bodies strictly: RFC 8259 and nothing more. Also refuses bodies that two parsers could
// read as two payouts (duplicate keys, rounded numbers), and characters that PostgreSQL cannot
// store. Knows bytes and JSON; it must not know HTTP, the catalogue of errors, or any resource.

import { runInTurns } from '../values/event-loop.ts'
import { JsonError } from './json-error.ts'
import { Reader } from './json-reader.ts'

/** Longer bodies are 413 (§request.json). */
export const MAX_BODY_BYTES = 256 * 1024

const BYTE_ORDER_MARK = 0xfeff

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads one request body: UTF-8 without a byte order mark, exactly one JSON value, at most 32
 * levels deep and 4,000 values in all.
 *
 * The text of a number decides (§money.amount). A plain integer, `0` or `-?[1-9][0-9]*`, of
 * magnitude at most 9007199254740991 is returned as that number. Every other valid number (`1.5`,
 * `100.0`, `1e2`, `-0`, `9007199254740992`, `1e400`) is returned as NaN, which no schema accepts as
 * an integer. So the caller gets an error that names the field; a double would be rounded silently.
 *
 * Objects are plain objects with own enumerable keys only. `constructor` and `prototype` are data
 * like any other key. `__proto__` is refused: it is the one key whose assignment sets a prototype.
 *
 * @throws {JsonError} and nothing else, whatever the bytes.
 */
export function readJson(body: Uint8Array): unknown {
  if (body.length === 0) throw emptyBody()
  return new Reader(withoutMark(decode(body))).readBody()
}

/**
 * Reads a long body from its pieces, and lets other work run in between. The body may have a
 * million values. A member of the outermost object, or an item of a list in it, may be as long, and
 * have as many values, as a body of `readJson`.
 */
export async function readJsonInTurns(pieces: readonly Uint8Array[]): Promise<unknown> {
  const texts = decodePieces(pieces)
  const more = () => texts.next().value ?? ''
  const first = more()
  if (first === '') throw emptyBody()
  return await runInTurns(new Reader(withoutMark(first), more).readBodyInSteps())
}

function emptyBody(): JsonError {
  return new JsonError('syntax', '', 'The body is empty; expected JSON.')
}

function withoutMark(text: string): string {
  if (text.charCodeAt(0) !== BYTE_ORDER_MARK) return text
  throw new JsonError(
    'byte_order_mark',
    '',
    'The body starts with a byte order mark at line 1, column 1; send UTF-8 without one.',
  )
}

function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw invalidUtf8(firstInvalidByte(body))
  }
}

/** The most bytes decoded at once. They take a quarter of a millisecond. */
const PIECE = 256 * 1024

/** Decodes the pieces, and yields no empty text. A piece may end within a character. */
function* decodePieces(pieces: readonly Uint8Array[]): Generator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let decoded = 0
  /** The first bytes of a character that continues in the next piece. */
  let partial: Uint8Array = new Uint8Array()
  const decodeNext = (bytes: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      const joined = Buffer.concat([partial, bytes])
      throw invalidUtf8(decoded - partial.length + firstInvalidByte(joined))
    }
  }
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PIECE) {
      const bytes = piece.subarray(from, from + PIECE)
      const text = decodeNext(bytes, true)
      partial = unfinishedCharacter(Buffer.concat([partial, bytes.subarray(-3)]))
      decoded += bytes.length
      if (text !== '') yield text
    }
  }
  const text = decodeNext(new Uint8Array(), false)
  if (text !== '') yield text
}

/** The last bytes of valid UTF-8 that begin a character without completing it. */
function unfinishedCharacter(bytes: Uint8Array): Uint8Array {
  for (let length = 1; length <= 3; length += 1) {
    const first = bytes.at(-length) ?? 0
    if (first < 0x80) break
    if (first < 0xc0) continue
    const needed = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    return length < needed ? bytes.slice(-length) : new Uint8Array()
  }
  return new Uint8Array()
}

function invalidUtf8(byte: number): JsonError {
  return new JsonError('invalid_utf8', '', `The body is not valid UTF-8 at byte ${byte}.`)
}

/** The index of the first byte that decoding with replacement, and encoding again, changes. */
function firstInvalidByte(body: Uint8Array): number {
  const repaired = Buffer.from(Buffer.from(body).toString('utf8'), 'utf8')
  let offset = 0
  while (offset < body.length && body[offset] === repaired[offset]) offset += 1
  return offset
}
