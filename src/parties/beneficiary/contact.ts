// The members that beneficiaries and entities share: the schemas of address, phone and document,
// and the checks of names, dates and e-mail addresses. Undefined means "not set", and so does '',
// except for a name.
import { Closed, CountryCode, Text } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { invalidField, type Problem } from '../../values/errors.ts'

export const Name = Type.String({
  pattern: '\\S',
  maxLength: 255,
  description: 'It has a letter or a digit of some script, and at most 40 words.',
})

export const Document = Closed(
  {
    type: Type.Optional(Text(64)),
    file_name: Type.Optional(Text(255)),
    url: Type.Optional(Text(2048)),
  },
  { title: 'AttachedDocument' },
)

export const Address = Closed(
  {
    line1: Type.Optional(Text(255)),
    line2: Type.Optional(Text(255)),
    city: Type.Optional(Text(128)),
    state: Type.Optional(Text(128)),
    country: Type.Optional(CountryCode),
    postal_code: Type.Optional(Text(32)),
  },
  { title: 'Address' },
)

export const Phone = Closed(
  {
    code: Type.Optional(Text(8)),
    calling_code: Type.Optional(Text(8, { description: 'Another name of `code`.' })),
    number: Type.Optional(Text(32)),
  },
  { title: 'Phone' },
)

/** A letter or a digit of some script. Hangul has letters that nobody sees. */
const NAMES_SOMEBODY = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u

/** The most words of a name. More take too long to compare with the sanctions lists. */
const MOST_WORDS = 40
/** A word. Screening reads a Chinese character as one, and each hump of "IvanPetrov". */
const WORD = /\p{Script=Han}|\p{Lu}?(?:(?!\p{Script=Han}|(?<=\p{Ll})\p{Lu})[\p{L}\p{M}\p{N}])+/gu
/** Emoji and other signs are read as words, of some words each; those of ASCII as blanks. */
const SIGN = /(?!\p{ASCII})\p{S}/gu
const WORDS_OF_SIGN = 4

/** How many words screening reads a name as, or some more. */
function countWords(name: string): number {
  const plain = name.normalize('NFKC')
  const countOf = (pattern: RegExp) => plain.match(pattern)?.length ?? 0
  return countOf(WORD) + WORDS_OF_SIGN * countOf(SIGN)
}

/** Whether a name is too long to be compared with the sanctions lists. */
export const hasTooManyWords = (name: string) => countWords(name) > MOST_WORDS

/**
 * Checks that a name has a letter or a digit, as "-" or an emoji names nobody, and that it is
 * not too many words.
 */
export function checkName(value: string | undefined, remarks: string): Problem[] {
  // The schema says of a blank name that it is blank.
  if (value === undefined || !/\S/.test(value)) return []
  if (!NAMES_SOMEBODY.test(value)) {
    return [invalidField(remarks, 'A name has a letter or a digit.')]
  }
  return checkWordCount(value, remarks)
}

/** Checks that a name can be compared with the sanctions lists. */
export function checkWordCount(value: string | undefined, remarks: string): Problem[] {
  if (value === undefined || !hasTooManyWords(value)) return []
  return [invalidField(remarks, `A name has at most ${MOST_WORDS} words.`)]
}

/** Checks a day of ISO 8601, YYYY-MM-DD. */
export function checkDate(value: string | undefined, remarks: string): Problem[] {
  if (value === undefined || value === '') return []
  const date = /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(`${value}T00:00:00Z`) : undefined
  const real = date !== undefined && !Number.isNaN(date.getTime())
  if (real && date.toISOString().startsWith(value)) return []
  return [invalidField(remarks, 'A date is written YYYY-MM-DD.')]
}

/**
 * A "valid e-mail address" of the HTML standard, with letters and digits of all scripts (RFC 6531)
 * and at most 64 characters before the @ (RFC 5321, 4.5.3.1.1).
 */
export function checkEmail(value: string | undefined, remarks: string): Problem[] {
  if (value === undefined || value === '' || EMAIL.test(value)) return []
  return [invalidField(remarks, 'Not an e-mail address.')]
}

const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
const EMAIL = new RegExp(
  `^[\\p{L}\\p{M}\\p{N}.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})*$`,
  'u',
)
