// Splits names into comparable words: Latin letters in lower case without accents and marks. Pure.
import anyAscii from 'any-ascii'

/** A name's words, in its order. Transliterates other scripts letter by letter. */
export function wordsOf(name: string): string[] {
  // any-ascii writes Chinese characters as syllables without a space between them.
  const spaced = name.normalize('NFKC').replace(/\p{Script=Han}/gu, ' $& ')
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
