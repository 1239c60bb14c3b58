// The strict reader of JSON request bodies: RFC 8259 and nothing more, plus the refusals that keep
// two readers of one body from seeing two payouts (duplicate keys, rounded numbers, characters
// PostgreSQL cannot store). It knows bytes and JSON; it must not know HTTP, the catalogue of
// errors, or any resource.

import { presentPath } from './json-path.ts'

/** Contract 28: longer bodies are 413. */
export const MAX_BODY_BYTES = 256 * 1024

/** The outermost object or array is level 1. Source: contract, rule 28. */
const MAX_LEVELS = 32

/** Of all kinds together: what the body becomes in memory is bounded by more than its bytes. */
const MAX_VALUES = 1_000_000

/** In one object; beyond it each more costs more than the one before. */
const MAX_MEMBERS = 100_000

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LETTER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const BYTE_ORDER_MARK = 0xfeff

/** The two-character escapes of RFC 8259 section 7, letter by letter; `\u` is read apart. */
const ESCAPES: ReadonlyMap<string, string> = new Map(
  [...'"\\/bfnrt'].map((letter, index) => [letter, '"\\/\b\f\n\r\t'.charAt(index)]),
)

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type JsonErrorReason =
  | 'syntax'
  | 'duplicate_key'
  | 'forbidden_key'
  | 'too_deep'
  | 'too_many_values'
  | 'too_many_members'
  | 'nul_character'
  | 'lone_surrogate'
  | 'invalid_utf8'
  | 'byte_order_mark'

/**
 * Why a body was refused. `message` is a sentence for the caller that names the position (line and
 * column from 1, in UTF-16 units; for invalid UTF-8 the byte, from 0) and never repeats a value.
 * `path` is where it happened: `payout_info.amount`, `documents[2].type`, `["odd key"].x`; '' means
 * the whole body.
 */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly reason: JsonErrorReason
  readonly path: string

  constructor(reason: JsonErrorReason, path: string, message: string) {
    super(message)
    this.reason = reason
    this.path = path
  }
}

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
  if (body.length === 0) throw new JsonError('syntax', '', 'The body is empty; expected JSON.')
  const text = decode(body)
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    throw new JsonError(
      'byte_order_mark',
      '',
      'The body starts with a byte order mark at line 1, column 1; send UTF-8 without one.',
    )
  }
  return new Reader(text).readBody()
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

/**
 * One pass over the text. `level` is the number of containers around the value being read, and
 * `trail[0 … level)` the keys and indexes that lead to it; entries beyond `level` are left-overs of
 * earlier siblings and mean nothing. Recursion is bounded by MAX_LEVELS.
 */
class Reader {
  private readonly text: string
  private at = 0
  private values = 0
  private readonly trail: (string | number)[] = []

  constructor(text: string) {
    this.text = text
  }

  readBody(): unknown {
    const value = this.readValue(0)
    this.skipWhitespace()
    if (this.at < this.text.length) {
      this.fail('syntax', 'Expected nothing after the value', this.at, 0)
    }
    return value
  }

  private readValue(level: number): unknown {
    const code = this.skipWhitespace()
    this.values += 1
    if (this.values > MAX_VALUES) {
      this.fail('too_many_values', `There are more than ${MAX_VALUES} values`, this.at, level)
    }
    if (code === QUOTE) return this.readString(level)
    if (code === OPEN_BRACE) return this.readObject(level)
    if (code === OPEN_BRACKET) return this.readArray(level)
    if (code === MINUS || isDigit(code)) return this.readNumber(level)
    if (this.takeWord('true')) return true
    if (this.takeWord('false')) return false
    if (this.takeWord('null')) return null
    return this.failExpected('a value', this.at, level)
  }

  private readObject(level: number): Record<string, unknown> {
    this.refuseTooDeep(level)
    const object: Record<string, unknown> = {}
    this.at += 1
    if (this.skipWhitespace() === CLOSE_BRACE) {
      this.at += 1
      return object
    }
    for (let members = 1; ; members += 1) {
      if (members > MAX_MEMBERS) {
        const what = `An object has more than ${MAX_MEMBERS} members`
        this.fail('too_many_members', what, this.at, level)
      }
      const key = this.readKey(object, level)
      object[key] = this.readValue(level + 1)
      const code = this.skipWhitespace()
      if (code !== COMMA && code !== CLOSE_BRACE) {
        this.failExpected("',' or '}'", this.at, level)
      }
      this.at += 1
      if (code === CLOSE_BRACE) return object
    }
  }

  /**
   * Reads `"key":` and leaves the key on the trail, compared as the characters it stands for, not
   * as it was escaped.
   */
  private readKey(object: Record<string, unknown>, level: number): string {
    if (this.skipWhitespace() !== QUOTE) this.failExpected('a key in double quotes', this.at, level)
    const start = this.at
    const key = this.readString(level)
    this.trail[level] = key
    if (key === '__proto__') {
      this.fail('forbidden_key', 'The key __proto__ is not allowed', start, level + 1)
    }
    if (Object.hasOwn(object, key)) {
      this.fail('duplicate_key', 'The same key appears twice in one object', start, level + 1)
    }
    if (this.skipWhitespace() !== COLON) this.failExpected("':'", this.at, level + 1)
    this.at += 1
    return key
  }

  private readArray(level: number): unknown[] {
    this.refuseTooDeep(level)
    const array: unknown[] = []
    this.at += 1
    if (this.skipWhitespace() === CLOSE_BRACKET) {
      this.at += 1
      return array
    }
    for (;;) {
      this.trail[level] = array.length
      array.push(this.readValue(level + 1))
      const code = this.skipWhitespace()
      if (code !== COMMA && code !== CLOSE_BRACKET) {
        this.failExpected("',' or ']'", this.at, level)
      }
      this.at += 1
      if (code === CLOSE_BRACKET) return array
    }
  }

  /** A string without escapes, which nearly all are, is one slice of the text. */
  private readString(level: number): string {
    const text = this.text
    const start = this.at + 1
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        this.at = at + 1
        return text.slice(start, at)
      }
      if (code === BACKSLASH) return this.readEscapedString(start, at, level)
      if (code < 0x20) this.failControlCharacter(code, at, level)
    }
    return this.failExpected('the closing quote of a string', text.length, level)
  }

  /** Continues a string that starts at `start` and has its first backslash at `backslash`. */
  private readEscapedString(start: number, backslash: number, level: number): string {
    const text = this.text
    let value = ''
    let copied = start
    let at = backslash
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        value += text.slice(copied, at)
        // Decoded UTF-8 holds no lone surrogate, so only an escape can have brought one in.
        if (!value.isWellFormed()) {
          this.fail('lone_surrogate', 'A string holds half of a surrogate pair', start - 1, level)
        }
        this.at = at + 1
        return value
      }
      if (code === BACKSLASH) {
        value += text.slice(copied, at) + this.readEscape(at, level)
        at += text.charCodeAt(at + 1) === LETTER_U ? 6 : 2
        copied = at
      } else {
        if (code < 0x20) this.failControlCharacter(code, at, level)
        at += 1
      }
    }
    return this.failExpected('the closing quote of a string', text.length, level)
  }

  private readEscape(backslash: number, level: number): string {
    const letter = this.text.charAt(backslash + 1)
    if (letter !== 'u') {
      return ESCAPES.get(letter) ?? this.failExpected('an escape of JSON', backslash, level)
    }
    let unit = 0
    for (let at = backslash + 2; at < backslash + 6; at += 1) {
      const digit = hexDigit(this.text.charCodeAt(at))
      if (digit < 0) this.failExpected('four hexadecimal digits after \\u', at, level)
      unit = unit * 16 + digit
    }
    if (unit === 0) {
      this.fail('nul_character', 'A string holds the character U+0000', backslash, level)
    }
    return String.fromCharCode(unit)
  }

  /**
   * Sums the digits as they pass. Up to 2^53 every step is exact, and a sum that has left the safe
   * range never comes back into it, so comparing the result judges the text.
   */
  private readNumber(level: number): number {
    const text = this.text
    const negative = text.charCodeAt(this.at) === MINUS
    const first = negative ? this.at + 1 : this.at
    let at = first
    let magnitude = 0
    let code = text.charCodeAt(at)
    while (isDigit(code)) {
      magnitude = magnitude * 10 + (code - DIGIT_0)
      at += 1
      code = text.charCodeAt(at)
    }
    if (at === first) this.failExpected('a digit', at, level)
    if (at > first + 1 && text.charCodeAt(first) === DIGIT_0) {
      this.fail('syntax', 'A number starts with a needless zero', first, level)
    }
    this.at = at
    if (code === DOT || isExponent(code)) return this.skipFraction(level)
    if (magnitude > Number.MAX_SAFE_INTEGER || (negative && magnitude === 0)) return Number.NaN
    return negative ? -magnitude : magnitude
  }

  /**
   * Checks `.digits` and `e±digits` for form only: whatever they say, the number is not a plain
   * integer.
   */
  private skipFraction(level: number): number {
    const text = this.text
    if (text.charCodeAt(this.at) === DOT) {
      this.at += 1
      this.skipDigits(level)
    }
    if (isExponent(text.charCodeAt(this.at))) {
      this.at += 1
      const sign = text[this.at]
      if (sign === '+' || sign === '-') this.at += 1
      this.skipDigits(level)
    }
    return Number.NaN
  }

  private skipDigits(level: number): void {
    const first = this.at
    while (isDigit(this.text.charCodeAt(this.at))) this.at += 1
    if (this.at === first) this.failExpected('a digit', first, level)
  }

  /** Returns the code of the next character that matters, or NaN at the end of the text. */
  private skipWhitespace(): number {
    let code = this.text.charCodeAt(this.at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.at += 1
      code = this.text.charCodeAt(this.at)
    }
    return code
  }

  private takeWord(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false
    this.at += word.length
    return true
  }

  private refuseTooDeep(level: number): void {
    if (level < MAX_LEVELS) return
    this.fail(
      'too_deep',
      `Objects and arrays nest deeper than ${MAX_LEVELS} levels`,
      this.at,
      level,
    )
  }

  private failControlCharacter(code: number, at: number, level: number): never {
    if (code === 0) this.fail('nul_character', 'A string holds the character U+0000', at, level)
    return this.fail('syntax', 'A string holds an unescaped control character', at, level)
  }

  private failExpected(what: string, at: number, level: number): never {
    const ended = at >= this.text.length ? 'The body ends too soon: expected' : 'Expected'
    return this.fail('syntax', `${ended} ${what}`, at, level)
  }

  private fail(reason: JsonErrorReason, what: string, at: number, level: number): never {
    const before = this.text.slice(0, at)
    const line = before.split('\n').length
    const column = at - before.lastIndexOf('\n')
    const path = presentPath(this.trail.slice(0, level))
    const place = path === '' ? '' : `, in ${path}`
    throw new JsonError(reason, path, `${what} at line ${line}, column ${column}${place}.`)
  }
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_9
}

function isExponent(code: number): boolean {
  return code === 0x65 || code === 0x45
}

function hexDigit(code: number): number {
  if (isDigit(code)) return code - DIGIT_0
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1
}
