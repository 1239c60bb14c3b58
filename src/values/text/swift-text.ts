// Converts text to SWIFT's X character set, in lines of a fixed width, for MT messages. It
// transliterates other letters and marks, and knows no fields.

/** SWIFT Standards MT General Information, "SWIFT Character Set" X, without its line breaks. */
const IN_SET = /^[A-Za-z0-9/\-?:().,'+ ]*$/

/**
 * Letters that Unicode does not decompose into a Latin letter and a mark. Latin: the usual
 * replacement of the language, mostly as in EPC217-08, the conversion table of the European
 * Payments Council. Cyrillic: ICAO Doc 9303-3, section 6 B, as in passports. Greek: ELOT 743 (ISO
 * 843).
 */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i' },
  ...{ ŋ: 'n', ŧ: 't', ĸ: 'k', ə: 'e' },
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', ґ: 'g', д: 'd', е: 'e', є: 'ie', ж: 'zh', з: 'z', и: 'i' },
  ...{ і: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u' },
  ...{ ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: 'ie', ы: 'y', ь: '', э: 'e' },
  ...{ ю: 'iu', я: 'ia', ђ: 'd', ѕ: 'dz', ј: 'j', љ: 'lj', њ: 'nj', ћ: 'c', џ: 'dz' },
  ...{ α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l' },
  ...{ μ: 'm', ν: 'n', ξ: 'x', ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f' },
  ...{ χ: 'ch', ψ: 'ps', ω: 'o' },
}

/** Marks with an equivalent in the set. & is as in EPC217-08. */
const MARKS: Readonly<Record<string, string>> = {
  ...{ '’': "'", '‘': "'", '‚': "'", ʼ: "'", ʻ: "'", '′': "'", '`': "'" },
  ...{ '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-', _: '-' },
  ...{ '&': '+', ';': ',', '⁄': '/', '\\': '/', '|': '/', '€': 'EUR', '£': 'GBP' },
  ...{ '[': '(', '{': '(', ']': ')', '}': ')' },
}

/** Replaces every other character (EPC217-08). */
const UNKNOWN = '.'

/** Whether all characters are in SWIFT's X set. */
export function isSwiftText(text: string): boolean {
  return IN_SET.test(text)
}

/**
 * Converts text to the X set, on one line: removes accents and invisible characters, transliterates
 * letters and marks, collapses white space, and replaces anything else with a full stop.
 */
export function swiftText(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\p{White_Space}\p{Cc}]+/gu, ' ')
    // Makes a Hangul syllable one character again.
    .normalize('NFC')
  return Array.from(plain, inSet).join('').replace(/ +/g, ' ').trim()
}

function inSet(character: string): string {
  if (isSwiftText(character)) return character
  const letter = LETTERS[character] ?? LETTERS[character.toLowerCase()]?.toUpperCase()
  return letter ?? MARKS[character] ?? UNKNOWN
}

/**
 * Converts text to at most `count` lines of `width` characters, broken between words where
 * possible, and cuts off the rest. Returns no lines for text without characters to write.
 */
export function swiftLines(text: string, count: number, width = 35): string[] {
  const lines: string[] = []
  let rest = swiftText(text)
  while (rest !== '' && lines.length < count) {
    const last = lines.length === count - 1
    const end = last ? width : endOfLine(rest, width)
    lines.push(withoutMarkAtStart(rest.slice(0, end).trimEnd()))
    rest = rest.slice(end).trimStart()
  }
  return lines
}

function endOfLine(text: string, width: number): number {
  if (text.length <= width) return text.length
  const space = text.lastIndexOf(' ', width)
  return space > 0 ? space : width
}

/**
 * Replaces a first character that has a meaning in MT messages: a colon begins a field, a hyphen
 * ends the message, and a slash introduces an account or a code word.
 */
function withoutMarkAtStart(line: string): string {
  return line.replace(/^[:/-]/, UNKNOWN)
}
