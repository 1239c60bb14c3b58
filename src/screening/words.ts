// Splits names into comparable words: Latin letters in lower case without accents and marks. Pure.
import anyAscii from 'any-ascii'
import { type Reading, readMixed } from './look-alikes.ts'

/** Nobody sees them, and any-ascii writes some of them as letters. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** Marks that belong to no letter of their script, such as a stroke through each letter. */
const LOOSE_MARKS = /(?<=[\p{Script=Latin}\p{Script=Common}])\p{M}+|[\u0300-\u036f\u20d0-\u20f0]/gu

/** A name as people see it: without invisible characters, and with mixed scripts as they look. */
export function visibleOf(name: string, reading: Reading = 'as_latin'): string {
  return readMixed(name.normalize('NFKC').replace(INVISIBLE, '').replace(LOOSE_MARKS, ''), reading)
}

/** A visible name's words, in its order. Transliterates other scripts letter by letter. */
export function latinWords(visible: string): string[] {
  // any-ascii writes Chinese characters as syllables without a space between them.
  const spaced = visible.replace(/\p{Script=Han}/gu, ' $& ')
  const words = anyAscii(spaced)
    .toLowerCase()
    // "O'Neill" is one word, and so is "S.A."
    .replace(/['`".]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
  return words === '' ? [] : words.split(' ')
}

/** A name's words, in its order. */
export function wordsOf(name: string): string[] {
  return latinWords(visibleOf(name))
}

/** A word of this many letters or fewer is short: al, bin, abd, de la. */
const SHORT = 3

/**
 * The words. A short word joins the next, because spelling varies: "Al-Rahman" and "Alrahman", "bin
 * Laden" and "Binladen". Words of `apart` stay alone.
 */
export function joinShort(words: readonly string[], apart?: ReadonlySet<string>): string[] {
  const joined: string[] = []
  let before = ''
  words.forEach((word, i) => {
    const isLast = i === words.length - 1
    if (!isLast && word.length <= SHORT && apart?.has(word) !== true) before += word
    else {
      joined.push(before + word)
      before = ''
    }
  })
  return joined
}
