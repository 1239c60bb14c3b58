// Letters that look like Latin ones and do not sound like them. The pairs are those of Unicode's
// confusables.txt (UTS #39) for letters and digits of the scripts that fonts usually have, and the
// small letters whose capitals look so. NFKC has made full-width and mathematical letters Latin
// before. Pure.

/** Groups: a Latin letter, then the letters of other scripts that look like it. */
const GROUPS = `
aаα AАΑᎪᗅ𐊠 bьЬᏏвᑲᖯ BВΒᏴꓐᗷ𐊂𐊡𐌁 cсϲꮯⲥ𐐽 CСᏟϹꓚⲤ𐊢𐌂𐐕 dԁᏧᑯ DᎠᗞꓒᗪꓓ eеҽєε EЕΕᎬꓰⴹ𐊆
fք FϜᖴꓝ𐊇𐊥 gց GԌᏀᏳꓖ hһհᏂн HНΗᎻⲎᕼꓧ𐋏 iіꙇӏιꭵᎥ IІӀΙ𐌉𐌠 jјϳ JЈᎫᒍꓙ kкκ KКΚᏦⲔᛕꓗ
lӏװון LᏞⳐᒪꓡ𐐛 mм MМΜϺᎷⲘᗰꓟ𐊰𐌑 nոռпη NΝⲚꓠ oоοσօᴑⲟჿסהھە𐓪𐐬 OОΟՕⲞⵔꓳ𐐄𐊒𐊫𐓂 pрρⲣ
PРΡᏢⲢᑭꓑ𐊕 qԛգզ QԚⵕ rгᴦⲅꮁ RᎡᏒᖇꓣ sѕꮪ𐑈 SЅՏᏕᏚꓢ𐊖𐐠 tтτ TТΤᎢⲦꓔ𐊗𐊱𐌕 uυսц𐓶 UՍሀᑌꓴ
vѵνꮩט VѴᏙⴸᐯꓦ wѡԝшաꮃω WԜᎳᏔꓪ xхχᕁ XХΧⲬⵝꓫ𐊐𐊴𐌗 yуүγყ YУҮΥᎩᎽⲨꓬ𐊲 zꮓ ZΖᏃꓜ𐋵`

const LATIN = new Map<string, string>()
for (const group of GROUPS.trim().split(/\s+/)) {
  const [latin = '', ...others] = group
  for (const letter of others) if (!LATIN.has(letter)) LATIN.set(letter, latin)
}
for (const [letter, latin] of [
  ['ӕ', 'ae'],
  ['Ӕ', 'AE'],
  ['ꚙ', 'oo'],
] as const) {
  LATIN.set(letter, latin)
}

/** The other way, for a word that has letters which no Latin letter looks like. */
const OTHERS = new Map<string, Map<string, string>>(
  ['Cyrillic', 'Greek'].map(script => {
    const isOf = new RegExp(`\\p{Script=${script}}`, 'u')
    const pairs = Array.from(LATIN).filter(([letter]) => isOf.test(letter))
    return [script, new Map(pairs.reverse().map(([letter, latin]) => [latin, letter]))] as const
  }),
)

const HAS_LATIN = /\p{Script=Latin}/u
const IS_OTHER = /(?!\p{Script=Latin}|\p{Script=Common}|\p{Script=Inherited})\p{L}/u

function latinOf(word: string): string {
  return Array.from(word, letter => LATIN.get(letter) ?? letter).join('')
}

/** How to read a word of Latin letters among which others stand. */
export type Reading = 'as_latin' | 'as_other'

/** The word as it looks: "Рutin" with a Cyrillic Р is Latin, "Bиктор" with a Latin B is not. */
function asItLooks(word: string, reading: Reading): string {
  if (!HAS_LATIN.test(word) || !IS_OTHER.test(word)) return word
  if (reading === 'as_latin') return latinOf(word)
  for (const [script, letters] of OTHERS) {
    if (!new RegExp(`\\p{Script=${script}}`, 'u').test(word)) continue
    return Array.from(word, letter => letters.get(letter) ?? letter).join('')
  }
  return word
}

/** The text. Each word of mixed scripts is replaced by `asItLooks`. */
export function readMixed(text: string, reading: Reading): string {
  return HAS_LATIN.test(text) && IS_OTHER.test(text)
    ? text.replace(/[\p{L}\p{M}]+/gu, word => asItLooks(word, reading))
    : text
}

/**
 * The text with the words that could be Latin by their looks read so, although they have no Latin
 * letter: "Ора" may be Opa. Undefined when there is no such word.
 */
export function readAlike(text: string): string | undefined {
  if (!IS_OTHER.test(text)) return undefined
  const read = text.replace(/[\p{L}\p{M}]{3,}/gu, word => {
    const looks = latinOf(word)
    return IS_OTHER.test(looks) ? word : looks
  })
  return read === text ? undefined : read
}

/** Digits and signs that stand for letters. */
const SIGNS = new Map(
  [...'0o1i3e4a5s6g7t8b9g@a$s€e£l!i|l¡i¢c'.matchAll(/(.)(.)/gu)].map(
    ([, sign = '', letter = '']) => [sign, letter] as const,
  ),
)

const WORD_WITH_SIGNS = /(?=\S*[0134567890@$€£!|¡¢])(?=\S*\p{L})\S+/gu
const IS_NUMBERED = /^\p{P}*\p{L}{0,2}\d+(st|nd|rd|th)?\p{P}*$/iu

/** The text with digits and signs among letters read as letters; undefined without any. */
export function readSigns(text: string): string | undefined {
  const read = text.replace(WORD_WITH_SIGNS, word =>
    IS_NUMBERED.test(word) ? word : Array.from(word, sign => SIGNS.get(sign) ?? sign).join(''),
  )
  return read === text ? undefined : read
}

/** The text without the digits that stand at a word's letters; undefined without any. */
export function withoutDigits(text: string): string | undefined {
  const read = text.replace(/(?=\S*\d)(?=\S*\p{L})\S+/gu, word =>
    IS_NUMBERED.test(word) ? word : word.replace(/\d+/g, ''),
  )
  return read === text ? undefined : read
}
