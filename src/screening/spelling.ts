// Folds spellings of one word into one: transliterations and national letters differ, and scripts
// without vowels leave them out. Pure.

/** In order, on words of a to z. ICAO Doc 9303 has ae, oe, aa and ue for national letters. */
const FOLDS: readonly (readonly [RegExp, string])[] = [
  [/ph/g, 'f'],
  [/tsch|tch|cz/g, 'ch'],
  [/sch|shch|sz/g, 'sh'],
  [/dzh|dj|zh/g, 'j'],
  [/ck|qu?|kh(?=[aeiouy])|c(?=[aoulrkt])|c$/g, 'k'],
  [/gh/g, 'g'],
  [/dh/g, 'd'],
  [/th/g, 't'],
  [/x/g, 'ks'],
  [/tz|ts/g, 'c'],
  [/w/g, 'v'],
  [/[aeo]u|oo|ow/g, 'u'],
  [/ee|ie|iy|yi|yj|ij/g, 'i'],
  [/[ae][iyj]/g, 'e'],
  [/[yij]a/g, 'ia'],
  [/[yij]e/g, 'e'],
  [/[yij]o/g, 'io'],
  [/oe/g, 'o'],
  [/ue/g, 'u'],
  [/ae|aa/g, 'a'],
  [/y/g, 'i'],
  [/^[jg](?=[ei])/g, 'j'],
  [/(.)\1+/g, '$1'],
]

/** Letters that spellings of one name take for each other, after the folds. */
const LOOSE: readonly (readonly [RegExp, string])[] = [
  [/e/g, 'a'],
  [/o/g, 'u'],
  [/z/g, 's'],
  [/(.)\1+/g, '$1'],
]

/** A shorter word has too few letters to be folded. */
const SHORTEST = 3

/** One text for all usual spellings of a word in Latin letters; '' for a word too short. */
export function foldOf(word: string): string {
  if (word.length < SHORTEST) return ''
  let folded = word
  for (const [pattern, to] of FOLDS) folded = folded.replace(pattern, to)
  return folded.length < 2 ? '' : folded
}

/** One text for spellings that differ in vowels as well: Osama and Usama. */
export function looseFoldOf(word: string): string {
  return LOOSE.reduce((text, [pattern, to]) => text.replace(pattern, to), foldOf(word))
}

/** Scripts that write no vowels, or write them so that letters alone do not say them. */
const SKELETON_SCRIPTS =
  `Arabic Hebrew Syriac Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil
  Telugu Kannada Malayalam Sinhala Thai Lao Myanmar Khmer Tibetan Ethiopic`.split(/\s+/)
const SKELETON_LETTER = new RegExp(SKELETON_SCRIPTS.map(s => `\\p{Script=${s}}`).join('|'), 'u')

export function hasSkeleton(name: string): boolean {
  return SKELETON_LETTER.test(name)
}

/** The mark before a word that has only its skeleton. */
export const SKELETON_MARK = '~'

const CONSONANTS: readonly (readonly [RegExp, string])[] = [
  [/tsch|tch|cz|sch|shch|sh|ch|zh|dj|dzh|sz/g, 's'],
  [/ph/g, 'f'],
  [/x/g, 'ks'],
  [/ck|[cq]/g, 'k'],
  [/[jg]h?/g, 'k'],
  [/kh?/g, 'k'],
  [/[td]h/g, 't'],
  [/[dt]/g, 't'],
  [/[pbfv]h?/g, 'b'],
  [/[z]/g, 's'],
  [/[aeiouyw]/g, ''],
  [/ng/g, 'n'],
  [/(?<=.)h$/, ''],
  [/(.)\1+/g, '$1'],
]

/** The consonants of a word. Consonants that scripts write alike become one. */
export function skeletonOf(word: string): string {
  let bones = word
  for (const [pattern, to] of CONSONANTS) bones = bones.replace(pattern, to)
  return bones
}
