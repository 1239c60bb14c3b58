// Characters for random texts: any that JSON can carry.
import fc from 'fast-check'

const isSurrogate = (point: number) => point >= 0xd800 && point <= 0xdfff

const character = fc
  .nat(0x10ffff)
  .filter(point => !isSurrogate(point))
  .map(point => String.fromCodePoint(point))

/** Any characters of Unicode, up to so many. fast-check's own unit takes a second to make. */
export const anyCharacters = (maxLength: number) =>
  fc.array(character, { maxLength }).map(characters => characters.join(''))
