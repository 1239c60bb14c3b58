// The similarity of two words: Jaro–Winkler, with two penalties. One is for different lengths. The
// other is for first letters of different sound, as people seldom mistype a first letter
// (docs/decisions/comparison-of-names.md). Pure.

/** Winkler's bonus counts at most this many common first letters. */
const PREFIX = 4
const PREFIX_WEIGHT = 0.1
/** Words with a lower Jaro similarity get no bonus. */
const BOOST_FROM = 0.7

/** A shorter word with less than this share of the longer word's length gets the penalty. */
const LENGTH_FROM = 0.9
const LENGTH_WEIGHT = 0.3
const FIRST_LETTER_FACTOR = 0.9

/** One mistyped letter costs this, divided by the longer word; the second in a short word. */
const MISTAKE = 0.6
const SHORT_MISTAKE = 0.7
const SHORT_WORD = 3
/** Words that differ by more than one mistake lose this. */
const OTHER_SPELLING = 0.12

/** Groups of first letters that spell one sound: Qaddafi, Gaddafi, Kaddafi. */
const SOUNDS = ['ckqgx', 'jygz', 'sczx', 'td', 'bpv', 'fpv', 'vw', 'aeo', 'eiy', 'ouw', 'hk']

const SOUND_MASKS = new Int32Array(128)
for (const [i, letters] of SOUNDS.entries()) {
  for (const letter of letters) {
    const code = letter.charCodeAt(0)
    SOUND_MASKS[code] = (SOUND_MASKS[code] ?? 0) | (1 << i)
  }
}

/** Whether two letters, as character codes, may spell one sound at a word's beginning. */
export function soundsAlike(a: number, b: number): boolean {
  return a === b || ((SOUND_MASKS[a] ?? 0) & (SOUND_MASKS[b] ?? 0)) !== 0
}

/** The comparison ignores letters after this many. */
const LONGEST = 64
// `jaro` reuses these arrays, so that a comparison allocates nothing.
const taken = new Uint8Array(LONGEST)
const inOrder = new Uint8Array(LONGEST)

/** Jaro's similarity: 1 for equal words, 0 for words without a common letter. */
export function jaro(a: string, b: string): number {
  const lengthA = Math.min(a.length, LONGEST)
  const lengthB = Math.min(b.length, LONGEST)
  if (lengthA === 0 || lengthB === 0) return 0
  const reach = Math.max(0, (Math.max(lengthA, lengthB) >> 1) - 1)
  taken.fill(0, 0, lengthB)
  let matches = 0
  for (let i = 0; i < lengthA; i++) {
    const code = a.charCodeAt(i)
    const end = Math.min(lengthB, i + reach + 1)
    for (let j = Math.max(0, i - reach); j < end; j++) {
      if (taken[j] === 1 || b.charCodeAt(j) !== code) continue
      taken[j] = 1
      inOrder[matches++] = code
      break
    }
  }
  if (matches === 0) return 0
  let moved = 0
  let at = 0
  for (let j = 0; j < lengthB; j++) {
    if (taken[j] === 0) continue
    if (b.charCodeAt(j) !== inOrder[at++]) moved++
  }
  return (matches / lengthA + matches / lengthB + (matches - (moved >> 1)) / matches) / 3
}

/** The similarity of two words: 1 for equal words, otherwise from −0.05 to less than 1. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1
  const length = Math.max(a.length, b.length)
  const cost = length <= SHORT_WORD ? SHORT_MISTAKE : MISTAKE
  const mistake = isOneMistake(a, b) ? 1 - cost / length : 0
  return Math.max(mistake, jaroWinkler(a, b) - OTHER_SPELLING)
}

/** Whether one letter is missing, added or wrong, or two neighbours are swapped. */
export function isOneMistake(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short.charCodeAt(at) === long.charCodeAt(at)) at++
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1)
  if (short.slice(at + 1) === long.slice(at + 1)) return true
  return (
    short.charCodeAt(at) === long.charCodeAt(at + 1) &&
    short.charCodeAt(at + 1) === long.charCodeAt(at) &&
    short.slice(at + 2) === long.slice(at + 2)
  )
}

function jaroWinkler(a: string, b: string): number {
  let score = jaro(a, b)
  if (score > BOOST_FROM) {
    const most = Math.min(PREFIX, a.length, b.length)
    let common = 0
    while (common < most && a.charCodeAt(common) === b.charCodeAt(common)) common++
    score += common * PREFIX_WEIGHT * (1 - score)
  }
  const lengths = Math.min(a.length, b.length) / Math.max(a.length, b.length)
  if (lengths < LENGTH_FROM) score *= 1 - (1 - lengths) * LENGTH_WEIGHT
  return soundsAlike(a.charCodeAt(0), b.charCodeAt(0)) ? score : score * FIRST_LETTER_FACTOR
}

/** A word's letter as a bit. a to z have one each, and all digits share one. */
function letterAt(word: string, i: number): number {
  const code = word.charCodeAt(i)
  return code >= 97 && code <= 122 ? 1 << (code - 97) : 1 << 26
}

/** A word's letters as bits. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let i = 0; i < word.length; i++) letters |= letterAt(word, i)
  return letters
}

/** The letters that a word has more than once, as bits. */
export function repeatedOf(word: string): number {
  let once = 0
  let repeated = 0
  for (let i = 0; i < word.length; i++) {
    const letter = letterAt(word, i)
    repeated |= once & letter
    once |= letter
  }
  return repeated
}

/**
 * The fewest common letters with which two words of these lengths can have a similarity of `least`.
 * Counting letters rules most pairs out without a comparison. `alikeFirst` is `soundsAlike` of the
 * first letters. More than the shorter word's length means that no such words exist.
 */
export function minCommonLetters(
  lengthA: number,
  lengthB: number,
  least: number,
  alikeFirst: boolean,
) {
  const most = Math.min(lengthA, lengthB)
  for (let common = 1; common <= most; common++) {
    if (common >= Math.max(lengthA, lengthB) - 1) return common
    if (maxSimilarity(lengthA, lengthB, common, alikeFirst) >= least) return common
  }
  return most + 1
}

/** The highest `similarity` of words with this many common letters and more than one mistake. */
function maxSimilarity(lengthA: number, lengthB: number, common: number, alikeFirst: boolean) {
  let most = (common / lengthA + common / lengthB + 1) / 3
  if (alikeFirst) most += PREFIX * PREFIX_WEIGHT * (1 - most)
  const lengths = Math.min(lengthA, lengthB) / Math.max(lengthA, lengthB)
  if (lengths < LENGTH_FROM) most *= 1 - (1 - lengths) * LENGTH_WEIGHT
  return (alikeFirst ? most : most * FIRST_LETTER_FACTOR) - OTHER_SPELLING
}

/** The number of set bits. */
export function bitCount(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return (((left + (left >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}
