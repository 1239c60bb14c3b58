// Makes random texts of any characters that JSON can carry.
import fc from 'fast-check'

const isSurrogate = (point: number) => point >= 0xd800 && point <= 0xdfff

const character = fc
  .nat(0x10ffff)
  .filter(point => !isSurrogate(point))
  .map(point => String.fromCodePoint(point))

/**
 * Texts of up to `maxLength` Unicode characters. fast-check's own `unit` takes a second to build.
 */
export const anyCharacters = (maxLength: number) =>
  fc.array(character, { maxLength }).map(characters => characters.join(''))
