// Every Unicode character, and the code points of a text.
import { share } from '../share.ts'

const SURROGATES = [0xd800, 0xdfff] as const

/**
 * The usual run takes only the first 256 characters of each plane from 2 on (Chinese, unassigned,
 * private use), and the tags and variation selectors of plane 14.
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
