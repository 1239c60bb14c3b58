// Cuts the bytes of an ACH file into records, in bounded memory. Most banks write one record a
// line; some write records without line breaks.
import { UnreadableFile } from '../bank-format/bank-format.ts'
import { WIDTH } from './record.ts'

/** A line may have blanks behind its record. A longer line is not of this format. */
const LONGEST = 1_000

/** A record with its line number, counted from 1. */
export interface Line {
  readonly line: number
  readonly text: string
}

/**
 * The records of a file, padded with blanks to 94 characters. Skips empty lines. Throws
 * UnreadableFile for a long line or a byte outside printable ASCII.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let rest = ''
  let line = 0
  let has_line_breaks: boolean | undefined
  for await (const chunk of chunks) {
    rest += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
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
      if (text.trim() !== '') yield recordOf(text, line)
    }
    if (rest.length > LONGEST) throw new UnreadableFile('a line has no end', line + 1)
  }
  for (const text of has_line_breaks === false ? [rest] : rest.split(/\r?\n/)) {
    line += 1
    if (text.trim() !== '') yield recordOf(text, line)
  }
}

interface Cut {
  readonly texts: readonly string[]
  readonly rest: string
}

function cutLines(text: string): Cut {
  const texts = text.split('\n')
  const rest = texts.pop() ?? ''
  return { texts: texts.map(line => line.replace(/\r$/, '')), rest }
}

function cutRecords(text: string): Cut {
  const end = text.length - (text.length % WIDTH)
  const texts = Array.from({ length: end / WIDTH }, (_, i) =>
    text.slice(i * WIDTH, (i + 1) * WIDTH),
  )
  return { texts, rest: text.slice(end) }
}

/** Trailing blanks may be missing. If more is missing, a required field is blank. */
function recordOf(text: string, line: number): Line {
  const at = text.search(/[^ -~]/)
  if (at !== -1) {
    const byte = text.charCodeAt(at).toString(16).toUpperCase().padStart(2, '0')
    throw new UnreadableFile(`byte ${byte} at character ${at + 1} is not of ASCII text`, line)
  }
  const record = text.trimEnd()
  if (record.length > WIDTH) {
    throw new UnreadableFile(`${record.length} characters where a record has ${WIDTH}`, line)
  }
  return { line, text: record.padEnd(WIDTH) }
}
