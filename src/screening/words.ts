// Splits names into comparable words: Latin letters in lower case without accents and marks. Pure.
import anyAscii from 'any-ascii'

/** Nobody sees them, and any-ascii writes some of them as letters. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** Cyrillic and Greek letters, and the Latin letters that they look like and do not sound like. */
const LOOKS = new Map(
  [
    'В',
    'Н',
    'Р',
    'С',
    'У',
    'Х',
    'р',
    'с',
    'у',
    'х',
    'Η',
    'Ρ',
    'Υ',
    'Χ',
    'ν',
    'ρ',
    'υ',
    'χ',
    'γ',
  ].map((letter, i) => [letter, 'BHPCYXpcyxHPYXvpuxy'[i] ?? ''] as const),
)

/** Whether a text has Latin letters and some that may look like them. */
const isMixed = (text: string) =>
  /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(text) && /\p{Script=Latin}/u.test(text)

/** A word of Latin letters and others is read as it looks: "Рutin" with a Cyrillic first letter. */
function asItLooks(word: string): string {
  return isMixed(word) ? Array.from(word, letter => LOOKS.get(letter) ?? letter).join('') : word
}

/** A name's words, in its order. Transliterates other scripts letter by letter. */
export function wordsOf(name: string): string[] {
  const visible = name.normalize('NFKC').replace(INVISIBLE, '')
  const seen = isMixed(visible) ? visible.replace(/[\p{L}\p{M}]+/gu, asItLooks) : visible
  // any-ascii writes Chinese characters as syllables without a space between them.
  const spaced = seen.replace(/\p{Script=Han}/gu, ' $& ')
  const words = anyAscii(spaced)
    .toLowerCase()
    // "O'Neill" is one word, and so is "S.A."
    .replace(/['`".]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
  return words === '' ? [] : words.split(' ')
}

/** A word of this many letters or fewer is short: al, bin, abd, de la. */
const SHORT = 3

/**
 * The same words with short ones joined to the next, because spelling varies: "Al-Rahman" and
 * "Alrahman", "bin Laden" and "Binladen".
 */
export function joinShort(words: readonly string[]): string[] {
  const joined: string[] = []
  let before = ''
  words.forEach((word, i) => {
    const isLast = i === words.length - 1
    if (!isLast && word.length <= SHORT) before += word
    else {
      joined.push(before + word)
      before = ''
    }
  })
  return joined
}
