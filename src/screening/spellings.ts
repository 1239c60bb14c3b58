// All ways in which a name may be meant, each as words: by its letters and by their looks, with
// titles left out, and without the vowels that its script does not write. Pure.
import { readAlike, readSigns, withoutDigits } from './look-alikes.ts'
import { hasSkeleton, SKELETON_MARK, skeletonOf } from './spelling.ts'
import { HANGUL, HANGUL_FAMILIES, LEGAL_FORMS, TITLES, withoutPhrases } from './word-lists.ts'
import { joinShort, latinWords, visibleOf } from './words.ts'

/** "Abd al-Aziz", "Abdel Aziz" and "Abdulaziz" are one name. */
const ABD = /^abd(?:[aeiou]+l?|[aeiou]{1,2}[lrstdnz])?$/
/** The same at the beginning of a word, as in "Abdurrahman", and not in "Abdullah". */
const ABD_JOINED = /^abd[aeou]+[lrstdnz](?=[a-z]{3})(?!l?ah?$)/
const ARTICLE = /^(?:[aeu][lrstdnz]|[aeu]sh|ad)$/

function joinAbd(words: readonly string[]): string[] {
  const joined: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const article = ARTICLE.test(words[i + 1] ?? '') ? 1 : 0
    const next = words[i + 1 + article]
    if (ABD.test(word) && next !== undefined && next.length > 2) {
      joined.push(`ab${next}`)
      i += 1 + article
    } else joined.push(word.replace(ABD_JOINED, 'ab'))
  }
  return joined
}

/** The words without titles. A name of a title and one other word keeps both: "Mullah Omar". */
function withoutTitles(words: readonly string[]): string[] {
  const others = words.filter(word => !TITLES.has(word))
  return others.filter(word => !LEGAL_FORMS.has(word)).length < 2 ? [...words] : others
}

/** The titles that the comparison of this name leaves out. */
export function titlesOf(name: string): string[] {
  const words = withoutPhrases(latinWords(visibleOf(name)))
  return withoutTitles(words).length === words.length ? [] : words.filter(w => TITLES.has(w))
}

/** The words with each phrase as one, and the words as written, for misspelled legal forms. */
function meant(visible: string): string[][] {
  const written = withoutTitles(latinWords(visible))
  return [withoutTitles(withoutPhrases(latinWords(visible))), written]
}

/** The name in the usual spellings of Hangul, syllable by syllable; the family name first. */
function hangulSpellings(visible: string): string[][] {
  const syllables = Array.from(visible.matchAll(/[가-힣]/g), ([syllable]) => syllable)
  if (syllables.length < 2) return []
  return Object.values(HANGUL).map(([firsts, vowels, lasts], scheme) => {
    const words = syllables.map((syllable, i) => {
      const family = i === 0 && scheme === 2 ? HANGUL_FAMILIES.get(syllable) : undefined
      if (family !== undefined) return family
      const code = syllable.charCodeAt(0) - 0xac00
      const parts = [
        firsts[Math.floor(code / 588)],
        vowels[Math.floor(code / 28) % 21],
        lasts[code % 28],
      ]
      return parts.filter(part => part !== '-').join('')
    })
    const [family = '', ...given] = words
    return given.length > 1 ? [family, given.join('')] : words
  })
}

/** Skeletons of the words, each with its mark. Vav is a consonant in one, a vowel in the other. */
function skeletons(visible: string): string[][] {
  if (!hasSkeleton(visible)) return []
  const texts = /ו/.test(visible) ? [visible, visible.replaceAll('ו', 'w')] : [visible]
  return texts.map(text =>
    latinWords(text.replace(/(?<=^|\s)(?:ال|אל-?)/gu, '')).flatMap(word => {
      const bones = skeletonOf(word)
      return bones === '' ? [] : [SKELETON_MARK + bones]
    }),
  )
}

/** "Family, Given" as "Given Family". */
function inOrder(name: string): string {
  const parts = name.split(/[,،、，]/)
  return parts.length === 2 ? `${parts[1]} ${parts[0]}` : name
}

/** Initials that are written together: "J.C." and "J.-C.". */
const INITIALS = /(?<!\p{L})(?:\p{L}\.-?){2,}/u

/** Whether a name has such initials beside a word; "A.B.C. Company" has letters alone. */
function hasInitials(visible: string): boolean {
  if (!INITIALS.test(visible)) return false
  const others = withoutPhrases(latinWords(visible.replace(INITIALS, ' ')))
  return others.some(word => word.length > 2 && !LEGAL_FORMS.has(word))
}

/** Short words that no spelling joins to the next. */
const APART = new Set([...LEGAL_FORMS, 'of', 'and', 'the', 'for'])

/** The names that a list writes as one: "Plant/Works of the North". */
function halves(visible: string): string[] {
  const parts = visible.split('/')
  return parts.length < 2 ? [] : parts.filter(part => latinWords(part).length > 1)
}

/** Without repetitions and empty spellings. */
function different(spellings: readonly (readonly string[])[]): string[][] {
  const known = new Map(spellings.map(words => [words.join(' '), [...words]]))
  known.delete('')
  return [...known.values()]
}

/**
 * A name's spellings, the plain one first. Another joins short words to the next word. Another
 * separates initials ("J.C." is also J and C).
 */
export function spellingsOf(name: string, of: 'party' | 'entry'): string[][] {
  const visible = inOrder(visibleOf(name))
  const texts = [
    visible,
    inOrder(visibleOf(name, 'as_other')),
    readAlike(visible),
    readSigns(visible),
    withoutDigits(visible),
    /[əƏ]/u.test(visible) ? visible.replace(/ə/gu, 'a').replace(/Ə/gu, 'A') : undefined,
    /\p{Ll}\p{Lu}\p{Ll}/u.test(visible)
      ? visible.replace(/(?<=\p{Ll})(?=\p{Lu}\p{Ll})/gu, ' ')
      : undefined,
    hasInitials(visible) ? visible.replaceAll('.', ' ') : undefined,
    ...(of === 'entry' ? halves(visible) : []),
  ]
  const plain = texts.flatMap(text => (text === undefined ? [] : meant(text)))
  return different([
    ...plain.flatMap(words => [words, joinAbd(words), joinShort(words, APART)]),
    // Two names in Hangul are compared by their letters.
    ...(of === 'party' ? hangulSpellings(visible) : []),
    ...skeletons(visible),
  ])
}
