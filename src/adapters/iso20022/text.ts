// Converts text to the character set of a bank. Lists the lost characters, so that callers refuse a
// name that cannot be written: an altered name may be another person's. Pure.
import type { BankProfile } from '../../values/bank-format/bank-format.ts'
import { withoutCodeWord } from '../../values/bank-format/code-word.ts'
import { isSwiftText, swiftText } from '../../values/text/swift-text.ts'
import { cleanXml } from '../../values/text/xml.ts'

type CharacterSet = BankProfile['character_set']

interface Converted {
  readonly text: string
  /**
   * Letters, digits and pictures without an equivalent in the set, each once, in order. A lost
   * punctuation mark is not listed: a full stop in its place does not name another person.
   */
  readonly lost: readonly string[]
}

/** `swiftText` replaces an unknown character by it. */
const UNKNOWN = '.'

const MARK = /^[\p{P}\p{Sm}\p{Sc}\p{Sk}]$/u

/** Characters that direct or hide text: invisible, they could disguise who is paid. */
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu

/** The text on one line in the character set of the bank. */
export function convertText(text: string, set: CharacterSet): Converted {
  const plain = PLAIN.test(text)
    ? text
    : cleanXml(text.normalize('NFC').replace(/\s+/gu, ' ').replace(INVISIBLE, ''))
  const convert = CONVERTERS[set]
  const lost = new Set<string>()
  let converted = ''
  for (const character of plain) {
    const written = convert(character)
    if (isLost(character, written)) lost.add(character)
    converted += written
  }
  const line = withoutCodeWord(converted.replace(/ {2,}/g, ' ').trim())
  return {
    // The European Payments Council refuses a slash at either end, and two in a row.
    text: set === 'swift' ? line.replace(/\/{2,}/g, '/').replace(/^\/|\/$/g, '') : line,
    lost: [...lost],
  }
}

/** Printable ASCII with single blanks, as most texts are: there is nothing to normalize. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/

const CONVERTERS: Readonly<Record<CharacterSet, (character: string) => string>> = {
  swift: toSwift,
  latin: character => (isLatin(character) ? character : toSwift(character)),
  utf8: character => character,
}

function isLost(character: string, written: string): boolean {
  return character === '\ufffd' || (written === UNKNOWN && !MARK.test(character))
}

function toSwift(character: string): string {
  return isSwiftText(character) ? character : swiftText(character)
}

/** ISO 8859-1 without its control characters. */
function isLatin(character: string): boolean {
  return /^[\u0020-\u007e\u00a0-\u00ff]$/.test(character)
}
