// Parses one text of JSON into one value, character by character. A refusal has the position and
// the path of its cause. A long text is parsed piece by piece, in steps bounded in characters and
// values. Knows texts and JSON, but not bytes or HTTP.
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DIGIT_0,
  DOT,
  ESCAPED,
  hexDigit,
  isDigit,
  isExponent,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-characters.ts'
import { JsonError, type JsonErrorReason, LineCount, presentPath } from './json-error.ts'

/** The outermost object or array is level 1 (§request.json). */
export const MAX_LEVELS = 32

/** The most values of a long body, of all kinds. A limit of bytes alone does not limit memory. */
export const MAX_VALUES = 1_000_000

/** The most values of an ordinary body, or of one step: over twice what any schema accepts. */
export const MAX_STEP_VALUES = 4_000

/** The most different keys of a text: V8 walks all known keys without a pause. */
export const MAX_KEYS = 50_000

/** The most values in a list or object parsed in steps: V8 copies all of them to make room. */
export const MAX_ITEMS = 20_000

/** In a body that is parsed in steps, each value at this depth is one step. */
const STEPPED_LEVELS = 2

/** The most characters of a step: as many as an ordinary body may have bytes. */
export const MAX_STEP = 256 * 1024

/** The most characters read between two checks of a step's end. */
const MOST_UNCHECKED = 16

/** Characters of a long body held at once. Taking more text copies at most one step's text. */
const WINDOW = 4 * MAX_STEP

/** The next piece of a long text; '' when there is none. */
export type More = () => string

/**
 * Parses in one pass. `level` counts the containers around the present value. `trail[0 … level)`
 * has the keys and indexes that lead to it; later entries are leftovers of earlier siblings.
 * MAX_LEVELS bounds the recursion.
 */
export class Reader {
  private text: string
  private readonly more: More
  private at = 0
  private values = 0
  private readonly keys = new Set<string>()
  private mostValues = MAX_STEP_VALUES
  private stepEnd = Number.POSITIVE_INFINITY
  /** Counts the text that was parsed and dropped. */
  private readonly passed = new LineCount()
  private readonly trail: (string | number)[] = []

  constructor(text: string, more: More = () => '') {
    this.text = text
    this.more = more
  }

  readBody(): unknown {
    const value = this.readValue(0)
    this.expectEnd()
    return value
  }

  /** Reads like `readBody`, in steps of a few milliseconds. Each payout of a list is one step. */
  *readBodyInSteps(): Generator<void, unknown> {
    this.beginStep()
    const value = yield* this.readValueInSteps(0)
    this.beginStep()
    this.expectEnd()
    return value
  }

  /** Begins a step with all the text that it may read, or with the rest of the text. */
  private beginStep(): void {
    if (this.text.length - this.at < MAX_STEP + MOST_UNCHECKED) this.takeMore()
    this.stepEnd = this.at + MAX_STEP
    this.mostValues = this.values + MAX_STEP_VALUES
  }

  private takeMore(): void {
    const { text, at } = this
    let window = text.slice(at)
    for (let piece = this.more(); piece !== ''; piece = this.more()) {
      window += piece
      if (window.length >= WINDOW) break
    }
    this.passed.pass(text, at)
    this.text = window
    this.at = 0
  }

  private expectEnd(): void {
    this.skipWhitespace(0)
    if (this.at < this.text.length) {
      this.fail('syntax', 'Expected nothing after the value', this.at, 0)
    }
  }

  private readValue(level: number): unknown {
    const code = this.skipWhitespace(level)
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
    const code = this.skipWhitespace(level)
    yield
    this.beginStep()
    if (level < STEPPED_LEVELS && code === OPEN_BRACE) return yield* this.readObjectInSteps(level)
    if (level < STEPPED_LEVELS && code === OPEN_BRACKET) return yield* this.readArrayInSteps(level)
    return this.readValue(level)
  }

  private countValue(level: number): void {
    this.values += 1
    if (this.values > MAX_VALUES) this.failTooMany(`${MAX_VALUES} values`, level)
    if (this.values > this.mostValues) this.failTooMany(`${MAX_STEP_VALUES} values together`, level)
    if (this.at > this.stepEnd) this.failTooLong(this.at, level)
  }

  private checkCount(count: number, level: number): void {
    if (count > MAX_ITEMS) this.failTooMany(`${MAX_ITEMS} values in one list or object`, level + 1)
  }

  private readObject(level: number): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    if (this.opensEmpty(CLOSE_BRACE, level)) return object
    for (;;) {
      const key = this.readKey(object, level)
      object[key] = this.readValue(level + 1)
      if (this.closes(CLOSE_BRACE, level)) return object
    }
  }

  private *readObjectInSteps(level: number): Generator<void, unknown> {
    const object: Record<string, unknown> = {}
    this.countValue(level)
    if (this.opensEmpty(CLOSE_BRACE, level)) return object
    for (let count = 1; ; count += 1) {
      this.beginStep()
      const key = this.readKey(object, level)
      this.checkCount(count, level)
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
      this.checkCount(array.length + 1, level)
      array.push(yield* this.readValueInSteps(level + 1))
      if (this.closes(CLOSE_BRACKET, level)) return array
    }
  }

  /** Opens an object or array; true when it is empty, which also closes it. */
  private opensEmpty(close: number, level: number): boolean {
    if (level >= MAX_LEVELS) {
      const what = `Objects and arrays nest deeper than ${MAX_LEVELS} levels`
      this.fail('too_deep', what, this.at, level)
    }
    this.at += 1
    if (this.skipWhitespace(level) !== close) return false
    this.at += 1
    return true
  }

  /** Skips the character after a member or item; true for a closing bracket, false for a comma. */
  private closes(close: number, level: number): boolean {
    const code = this.skipWhitespace(level)
    if (code !== COMMA && code !== close) {
      this.failExpected(`',' or '${String.fromCharCode(close)}'`, this.at, level)
    }
    this.at += 1
    return code === close
  }

  /** Reads `"key":` and leaves the key on the trail. Compares keys after decoding their escapes. */
  private readKey(object: Record<string, unknown>, level: number): string {
    if (this.skipWhitespace(level) !== QUOTE)
      this.failExpected('a key in double quotes', this.at, level)
    const start = this.at
    const key = this.readString(level)
    this.trail[level] = key
    this.keys.add(key)
    if (this.keys.size > MAX_KEYS) {
      this.fail('too_many_keys', `There are more than ${MAX_KEYS} different keys`, start, level + 1)
    }
    if (key === '__proto__') {
      this.fail('forbidden_key', 'The key __proto__ is not allowed', start, level + 1)
    }
    if (Object.hasOwn(object, key)) {
      this.fail('duplicate_key', 'The same key appears twice in one object', start, level + 1)
    }
    if (this.skipWhitespace(level) !== COLON) this.failExpected("':'", this.at, level + 1)
    this.at += 1
    return key
  }

  /** A string without escapes is one slice of the text. Nearly all strings are. */
  private readString(level: number): string {
    const text = this.text
    const start = this.at + 1
    const end = Math.min(text.length, this.stepEnd)
    for (let at = start; at < end; at += 1) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        this.at = at + 1
        return text.slice(start, at)
      }
      if (code === BACKSLASH) return this.readEscapedString(start, at, level)
      if (code < 0x20) this.failControlCharacter(code, at, level)
    }
    return this.failUnclosed(end, level)
  }

  /** Continues a string that starts at `start` and has its first backslash at `backslash`. */
  private readEscapedString(start: number, backslash: number, level: number): string {
    const text = this.text
    const end = Math.min(text.length, this.stepEnd)
    let at = backslash
    while (at < end) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        // After the checks above every parser reads the same string. Joining it escape by escape
        // would keep a piece of memory for each escape.
        const value = JSON.parse(text.slice(start - 1, at + 1)) as string
        // Decoded UTF-8 has no lone surrogate, so only an escape can have made one.
        if (!value.isWellFormed()) {
          this.fail('lone_surrogate', 'A string holds half of a surrogate pair', start - 1, level)
        }
        this.at = at + 1
        return value
      }
      if (code === BACKSLASH) {
        at += this.checkEscape(at, level)
      } else {
        if (code < 0x20) this.failControlCharacter(code, at, level)
        at += 1
      }
    }
    return this.failUnclosed(end, level)
  }

  private checkEscape(backslash: number, level: number): number {
    const letter = this.text.charAt(backslash + 1)
    if (letter !== 'u') {
      return ESCAPED.has(letter) ? 2 : this.failExpected('an escape of JSON', backslash, level)
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
    return 6
  }

  /**
   * Adds up the digits. Every sum up to 2^53 is exact, and a larger sum never falls below 2^53
   * again. So one comparison at the end tells whether the number is a safe integer.
   */
  private readNumber(level: number): number {
    const text = this.text
    const negative = text.charCodeAt(this.at) === MINUS
    const first = negative ? this.at + 1 : this.at
    let at = first
    let magnitude = 0
    let code = text.charCodeAt(at)
    while (isDigit(code)) {
      if (at > this.stepEnd) this.failTooLong(at, level)
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

  /** Checks the form of `.digits` and `e±digits`. With either, the number is no plain integer. */
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
    while (isDigit(this.text.charCodeAt(this.at))) {
      if (this.at > this.stepEnd) this.failTooLong(this.at, level)
      this.at += 1
    }
    if (this.at === first) this.failExpected('a digit', first, level)
  }

  /** Returns the code of the next character that is no white space; NaN at the end of the text. */
  private skipWhitespace(level: number): number {
    let code = this.text.charCodeAt(this.at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      if (this.at > this.stepEnd) this.failTooLong(this.at, level)
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

  private failUnclosed(at: number, level: number): never {
    if (at < this.text.length) this.failTooLong(at, level)
    return this.failExpected('the closing quote of a string', at, level)
  }

  private failTooMany(most: string, level: number): never {
    return this.fail('too_many_values', `There are more than ${most}`, this.at, level)
  }

  private failTooLong(at: number, level: number): never {
    return this.fail('too_long', `A member or item has more than ${MAX_STEP} characters`, at, level)
  }

  private fail(reason: JsonErrorReason, what: string, at: number, level: number): never {
    const { line, column } = this.passed.after(this.text, at)
    const path = presentPath(this.trail.slice(0, level))
    const place = path === '' ? '' : `, in ${path}`
    throw new JsonError(reason, path, `${what} at line ${line}, column ${column}${place}.`)
  }
}
