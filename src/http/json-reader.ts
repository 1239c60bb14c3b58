// The scanner below json.ts: one text of JSON to one value, character by character, with the
// position and the path of whatever it refuses. It knows texts and JSON, nothing of bytes or HTTP.
import { JsonError, type JsonErrorReason } from './json-error.ts'
import { presentPath } from './json-path.ts'

/** The outermost object or array is level 1. Source: contract, rule 28. */
export const MAX_LEVELS = 32

/** Of all kinds together: what the body becomes in memory is bounded by more than its bytes. */
export const MAX_VALUES = 1_000_000

/** In one object; beyond it each more costs more than the one before. */
export const MAX_MEMBERS = 100_000

/** Of a body read in steps: so deep down, each value is one step. */
const STEPPED_LEVELS = 2

/** Characters of a step after which nothing more is begun: as many as other bodies have bytes. */
export const MAX_STEP = 256 * 1024

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
const LINE_FEED = 0x0a

/** The two-character escapes of RFC 8259 section 7, letter by letter; `\u` is read apart. */
const ESCAPES: ReadonlyMap<string, string> = new Map(
  [...'"\\/bfnrt'].map((letter, index) => [letter, '"\\/\b\f\n\r\t'.charAt(index)]),
)

/**
 * One pass over the text. `level` is the number of containers around the value being read, and
 * `trail[0 … level)` the keys and indexes that lead to it; entries beyond `level` are left-overs of
 * earlier siblings and mean nothing. Recursion is bounded by MAX_LEVELS.
 */
export class Reader {
  private readonly text: string
  private at = 0
  private values = 0
  private stepEnd = Number.POSITIVE_INFINITY
  private readonly trail: (string | number)[] = []

  constructor(text: string) {
    this.text = text
  }

  readBody(): unknown {
    const value = this.readValue(0)
    this.expectEnd()
    return value
  }

  /** The same in steps of some milliseconds at most: of a list of payouts, each payout is one. */
  *readBodyInSteps(): Generator<void, unknown> {
    const value = yield* this.readValueInSteps(0)
    this.expectEnd()
    return value
  }

  private expectEnd(): void {
    this.skipWhitespace()
    if (this.at < this.text.length) {
      this.fail('syntax', 'Expected nothing after the value', this.at, 0)
    }
  }

  private readValue(level: number): unknown {
    const code = this.skipWhitespace()
    this.countValue(level)
    if (code === QUOTE) return this.readString(level)
    if (code === OPEN_BRACE) return this.readObject(level)
    if (code === OPEN_BRACKET) return this.readArray(level)
    if (code === MINUS || isDigit(code)) return this.readNumber(level)
    if (this.takeWord('true')) return true
    if (this.takeWord('false')) return false
    if (this.takeWord('null')) return null
    return this.failExpected('a value', this.at, level)
  }

  private *readValueInSteps(level: number): Generator<void, unknown> {
    const code = this.skipWhitespace()
    yield
    this.stepEnd = this.at + MAX_STEP
    if (level < STEPPED_LEVELS && code === OPEN_BRACE) return yield* this.readObjectInSteps(level)
    if (level < STEPPED_LEVELS && code === OPEN_BRACKET) return yield* this.readArrayInSteps(level)
    return this.readValue(level)
  }

  private countValue(level: number): void {
    this.values += 1
    if (this.values > MAX_VALUES) {
      this.fail('too_many_values', `There are more than ${MAX_VALUES} values`, this.at, level)
    }
    if (this.at > this.stepEnd) this.failTooLong(this.at, level)
  }

  private readObject(level: number): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    if (this.opensEmpty(CLOSE_BRACE, level)) return object
    for (let members = 1; ; members += 1) {
      const key = this.readKey(object, members, level)
      object[key] = this.readValue(level + 1)
      if (this.closes(CLOSE_BRACE, level)) return object
    }
  }

  private *readObjectInSteps(level: number): Generator<void, unknown> {
    const object: Record<string, unknown> = {}
    this.countValue(level)
    if (this.opensEmpty(CLOSE_BRACE, level)) return object
    for (let members = 1; ; members += 1) {
      this.stepEnd = this.at + MAX_STEP
      const key = this.readKey(object, members, level)
      object[key] = yield* this.readValueInSteps(level + 1)
      if (this.closes(CLOSE_BRACE, level)) return object
    }
  }

  private readArray(level: number): unknown[] {
    const array: unknown[] = []
    if (this.opensEmpty(CLOSE_BRACKET, level)) return array
    for (;;) {
      this.trail[level] = array.length
      array.push(this.readValue(level + 1))
      if (this.closes(CLOSE_BRACKET, level)) return array
    }
  }

  private *readArrayInSteps(level: number): Generator<void, unknown> {
    const array: unknown[] = []
    this.countValue(level)
    if (this.opensEmpty(CLOSE_BRACKET, level)) return array
    for (;;) {
      this.trail[level] = array.length
      array.push(yield* this.readValueInSteps(level + 1))
      if (this.closes(CLOSE_BRACKET, level)) return array
    }
  }

  /** Goes into an object or array; true when it ends at once. */
  private opensEmpty(close: number, level: number): boolean {
    if (level >= MAX_LEVELS) {
      const what = `Objects and arrays nest deeper than ${MAX_LEVELS} levels`
      this.fail('too_deep', what, this.at, level)
    }
    this.at += 1
    if (this.skipWhitespace() !== close) return false
    this.at += 1
    return true
  }

  /** After a member or item: true at the end of the object or array, false at a comma. */
  private closes(close: number, level: number): boolean {
    const code = this.skipWhitespace()
    if (code !== COMMA && code !== close) {
      this.failExpected(`',' or '${String.fromCharCode(close)}'`, this.at, level)
    }
    this.at += 1
    return code === close
  }

  /**
   * Reads `"key":` and leaves the key on the trail, compared as the characters it stands for, not
   * as it was escaped.
   */
  private readKey(object: Record<string, unknown>, members: number, level: number): string {
    if (members > MAX_MEMBERS) {
      const what = `An object has more than ${MAX_MEMBERS} members`
      this.fail('too_many_members', what, this.at, level)
    }
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
        if (at > this.stepEnd) this.failTooLong(at, level)
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

  private failControlCharacter(code: number, at: number, level: number): never {
    if (code === 0) this.fail('nul_character', 'A string holds the character U+0000', at, level)
    return this.fail('syntax', 'A string holds an unescaped control character', at, level)
  }

  private failExpected(what: string, at: number, level: number): never {
    const ended = at >= this.text.length ? 'The body ends too soon: expected' : 'Expected'
    return this.fail('syntax', `${ended} ${what}`, at, level)
  }

  private failTooLong(at: number, level: number): never {
    return this.fail('too_long', `A member or item has more than ${MAX_STEP} characters`, at, level)
  }

  private fail(reason: JsonErrorReason, what: string, at: number, level: number): never {
    let line = 1
    let start = 0
    for (let i = 0; i < at; i += 1) {
      if (this.text.charCodeAt(i) !== LINE_FEED) continue
      line += 1
      start = i + 1
    }
    const column = at - start + 1
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
