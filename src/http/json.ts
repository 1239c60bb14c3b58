// The strict reader of JSON request bodies: RFC 8259 and nothing more, plus the refusals that keep
// two readers of one body from seeing two payouts (duplicate keys, rounded numbers, characters
// PostgreSQL cannot store). It knows bytes and JSON; it must not know HTTP, the catalogue of
// errors, or any resource.

import { runInTurns } from '../engine/turns.ts'
import { JsonError } from './json-error.ts'
import { Reader } from './json-reader.ts'

/** Contract 28: longer bodies are 413. */
export const MAX_BODY_BYTES = 256 * 1024

const BYTE_ORDER_MARK = 0xfeff

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads one request body: UTF-8 without a byte order mark, exactly one JSON value, at most 32
 * levels deep and a million values in all.
 *
 * Numbers are judged on their text (contract, rule 1). A plain integer, `0` or `-?[1-9][0-9]*`, of
 * magnitude at most 9007199254740991 is returned as that number. Every other valid number (`1.5`,
 * `100.0`, `1e2`, `-0`, `9007199254740992`, `1e400`) is returned as NaN, which no schema accepts as
 * an integer: the field then gets an error that names it, where a double would have been rounded in
 * silence.
 *
 * Objects are plain objects with own enumerable keys only; `constructor` and `prototype` are data
 * like any other key, and `__proto__`, the one key whose assignment would set a prototype, is
 * refused.
 *
 * @throws {JsonError} and nothing else, whatever the bytes.
 */
export function readJson(body: Uint8Array): unknown {
  return readerOf(body).readBody()
}

/**
 * The same of a long body, while others get their turn. A member of the outermost object, or an
 * item of a list in it, may then be as long as a body that `readJson` is for.
 */
export async function readJsonInTurns(body: Uint8Array): Promise<unknown> {
  return await runInTurns(readerOf(body).readBodyInSteps())
}

function readerOf(body: Uint8Array): Reader {
  if (body.length === 0) throw new JsonError('syntax', '', 'The body is empty; expected JSON.')
  const text = decode(body)
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    throw new JsonError(
      'byte_order_mark',
      '',
      'The body starts with a byte order mark at line 1, column 1; send UTF-8 without one.',
    )
  }
  return new Reader(text)
}

function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw new JsonError(
      'invalid_utf8',
      '',
      `The body is not valid UTF-8 at byte ${firstInvalidByte(body)}.`,
    )
  }
}

/** Where decoding with replacement and encoding again first changes the bytes. */
function firstInvalidByte(body: Uint8Array): number {
  const repaired = Buffer.from(Buffer.from(body).toString('utf8'), 'utf8')
  let offset = 0
  while (offset < body.length && body[offset] === repaired[offset]) offset += 1
  return offset
}
