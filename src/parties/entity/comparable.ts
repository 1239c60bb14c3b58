// The comparable form of a text (§duplicate.comparison): duplicate rules treat two texts as the
// same if their comparable forms are equal.

const PLAIN = /^[\x20-\x7e]*$/
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
const OUTER_SPACE = /^\p{White_Space}+|\p{White_Space}+$/gu

/**
 * Composed (NFC), without invisible characters, trimmed of Unicode white space, case-folded. Inner
 * spaces, punctuation, accents and look-alikes still count: a false merge misdirects money.
 */
export function comparable(text: string): string {
  if (PLAIN.test(text)) return text.trim().toLowerCase()
  // Removing invisible characters may join parts that compose, and folding may decompose: composing
  // again makes the function idempotent.
  const visible = text.normalize('NFC').replace(IGNORABLE, '').normalize('NFC')
  return foldCase(visible.replace(OUTER_SPACE, '')).normalize('NFC')
}

/**
 * Unicode's full case folding without a locale (CaseFolding.txt, statuses C and F). It folds
 * character by character, so that no rule for the end of a word applies. Lower, upper and lower
 * case again gives the same classes, except for the dotless i, which folds to itself; a test
 * compares every code point.
 */
function foldCase(text: string): string {
  let folded = ''
  for (const character of text) {
    folded += character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase()
  }
  return folded
}
