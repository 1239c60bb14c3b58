// The codes of the characters in the grammar of JSON (RFC 8259).

export const QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const DOT = 0x2e
export const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
export const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_BRACKET = 0x5d
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const LINE_FEED = 0x0a

/** The characters that may follow a backslash (RFC 8259, section 7), except `u`. */
export const ESCAPED: ReadonlySet<string> = new Set('"\\/bfnrt')

export function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_9
}

export function isExponent(code: number): boolean {
  return code === 0x65 || code === 0x45
}

/** The value of a hexadecimal digit; -1 for any other character. */
export function hexDigit(code: number): number {
  if (isDigit(code)) return code - DIGIT_0
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1
}
