// Text as SWIFT's MT messages carry it: the X character set, in lines of a fixed width. Knows how
// letters and marks outside that set are written in it; it must not know fields or payouts.

/** SWIFT Standards MT General Information, "SWIFT Character Set" X, without its line breaks. */
const IN_SET = /^[A-Za-z0-9/\-?:().,'+ ]*$/

/**
 * Letters that Unicode does not take apart into a Latin one and a mark. Latin: the letter or the
 * two that its language writes instead, mostly as the conversion table of the European Payments
 * Council (EPC217-08). Cyrillic: ICAO Doc 9303-3, section 6 B, as in passports. Greek: ELOT 743
 * (ISO 843).
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

/** Marks for which the set has one of the same use; & as EPC217-08 has it. */
const MARKS: Readonly<Record<string, string>> = {
  ...{ '’': "'", '‘': "'", '‚': "'", ʼ: "'", ʻ: "'", '′': "'", '`': "'" },
  ...{ '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-', _: '-' },
  ...{ '&': '+', ';': ',', '⁄': '/', '\\': '/', '|': '/', '€': 'EUR', '£': 'GBP' },
  ...{ '[': '(', '{': '(', ']': ')', '}': ')' },
}

/** What stands for a character that cannot be written otherwise (EPC217-08). */
const UNKNOWN = '.'

/** Is every character one of SWIFT's X set? */
export function isSwiftText(text: string): boolean {
  return IN_SET.test(text)
}

/**
 * Any text in the X set, on one line: accents and invisible characters go, letters and marks are
 * written as above, white space is a single space, and anything else is a full stop.
 */
export function swiftText(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\p{White_Space}\p{Cc}]+/gu, ' ')
    // A syllable of Hangul is one character again.
    .normalize('NFC')
  return Array.from(plain, inSet).join('').replace(/ +/g, ' ').trim()
}

function inSet(character: string): string {
  if (isSwiftText(character)) return character
  const letter = LETTERS[character] ?? LETTERS[character.toLowerCase()]?.toUpperCase()
  return letter ?? MARKS[character] ?? UNKNOWN
}

/**
 * Text in at most `count` lines of `width` characters, broken between words where there are any;
 * what does not fit is cut off. None for a text that has nothing to write.
 */
export function swiftLines(text: string, count: number, width = 35): string[] {
  const lines: string[] = []
  let rest = swiftText(text)
  while (rest !== '' && lines.length < count) {
    const last = lines.length === count - 1
    const end = last ? width : endOfLine(rest, width)
    lines.push(startable(rest.slice(0, end).trimEnd()))
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
 * No line may begin with a colon, which begins a field, or a hyphen, which ends the message; one
 * that begins with a slash would be read as an account or a code word.
 */
function startable(line: string): string {
  return line.replace(/^[:/-]/, UNKNOWN)
}
