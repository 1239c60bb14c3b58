// Every character there is, and how a test names one.
import { share } from '../share.ts'

const SURROGATES = [0xd800, 0xdfff] as const

/**
 * The usual run leaves out planes of Chinese characters, of private use and of nothing: of each it
 * has the first 256.
 */
const isUsual = (point: number) =>
  point < 0x20000 || (point & 0xffff) < 0x100 || (point >= 0xe0000 && point < 0xe1000)

export const everyCharacter: readonly string[] = Array.from(
  { length: 0x110000 },
  (_, point) => point,
)
  .filter(point => point < SURROGATES[0] || point > SURROGATES[1])
  .filter(share(isUsual, () => true))
  .map(point => String.fromCodePoint(point))

export const named = (text: string) =>
  Array.from(text, c => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase()}`).join(' ')
