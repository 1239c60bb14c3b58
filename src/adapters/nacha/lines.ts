// Cuts the bytes of an ACH file into records, in bounded memory. Most banks write one record a
// line; some write records without line breaks.
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { WIDTH } from './record.ts'

/** A line may have blanks behind its record. A longer line is not of this format. */
const LONGEST = 1_000

/** Characters that some systems write behind the last record of a file. */
const isPadding = (character: string) => /^[\s\p{Cc}]$/u.test(character)

function withoutPadding(text: string): string {
  let end = text.length
  while (end > 0 && isPadding(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

const isBlank = (text: string) => withoutPadding(text) === ''

const isAscii = (text: string) => /^[ -~]*$/.test(text)

/** The text of the bytes: UTF-8 if they are, and one byte a character if not. */
function oneByteText(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}

/** A record with its line number, counted from 1. */
export interface Line {
  readonly line: number
  readonly text: string
}

/**
 * The records of a file, padded with blanks to 94 characters. Skips empty lines. Throws
 * UnreadableFile for a long line.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let rest = ''
  let line = 0
  let has_line_breaks: boolean | undefined
  for await (const chunk of chunks) {
    rest += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    // The byte order mark of UTF-8.
    if (line === 0 && rest.startsWith('\xef\xbb\xbf')) rest = rest.slice(3)
    if (has_line_breaks === undefined && rest.length > WIDTH) {
      // The character behind the first record shows whether the file has line breaks.
      has_line_breaks =
        /[\r\n]/.test(rest.slice(0, WIDTH + 1)) || rest.slice(WIDTH, WIDTH + 1) === ' '
    }
    if (has_line_breaks === undefined) continue
    const cut = has_line_breaks ? cutLines(rest) : cutRecords(rest)
    rest = cut.rest
    for (const text of cut.texts) {
      line += 1
      if (!isBlank(text)) yield recordOf(text, line)
    }
    if (rest.length > LONGEST) throw new UnreadableFile('a line has no end', line + 1)
  }
  for (const text of has_line_breaks === false ? [rest] : rest.split(/\r\n|\r|\n/)) {
    line += 1
    if (!isBlank(text)) yield recordOf(text, line)
  }
}

interface Cut {
  readonly texts: readonly string[]
  readonly rest: string
}

function cutLines(text: string): Cut {
  // A line feed may follow a carriage return at the end of the piece.
  const whole = text.endsWith('\r') ? text.slice(0, -1) : text
  const texts = whole.split(/\r\n|\r|\n/)
  const rest = (texts.pop() ?? '') + text.slice(whole.length)
  return { texts, rest }
}

function cutRecords(text: string): Cut {
  const end = text.length - (text.length % WIDTH)
  const texts = Array.from({ length: end / WIDTH }, (_, i) =>
    text.slice(i * WIDTH, (i + 1) * WIDTH),
  )
  return { texts, rest: text.slice(end) }
}

/**
 * Trailing blanks may be missing. If more is missing, a required field is blank. A character
 * outside ASCII becomes a question mark: it stands in a name, or the field that it stands in does
 * not fit.
 */
function recordOf(written: string, line: number): Line {
  const text = withoutPadding(written)
  const record = isAscii(text) ? text : oneByteText(text).replace(/[^ -~]/g, '?')
  if (record.length > WIDTH) {
    throw new UnreadableFile(`${record.length} characters where a record has ${WIDTH}`, line)
  }
  return { line, text: record.padEnd(WIDTH) }
}
