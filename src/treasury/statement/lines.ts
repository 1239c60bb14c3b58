// Splits a file of text into numbered lines while it reads. Each line is UTF-8, or else
// windows-1252, as banks still write.
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { STATEMENT_BOUNDS } from './statement.ts'

export interface TextLine {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** A longer line is none of a bank. */
const MOST_BYTES = 65_536

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const windows = new TextDecoder('windows-1252')

/** Lines end with LF, CR LF or CR alone. Throws UnreadableFile for a file that is too long. */
export async function* readTextLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<TextLine, void> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > STATEMENT_BOUNDS.bytes) {
      throw new UnreadableFile(`the file has more than ${STATEMENT_BOUNDS.bytes} bytes`, number)
    }
    const all: Buffer = Buffer.concat([rest, chunk])
    let from = 0
    for (let at = endOf(all, from); at !== undefined; at = endOf(all, from)) {
      number += 1
      yield { number, text: decode(all.subarray(from, at.from), number === 1) }
      from = at.to
    }
    rest = all.subarray(from)
    if (rest.length > MOST_BYTES) {
      throw new UnreadableFile(`a line has more than ${MOST_BYTES} bytes`, number + 1)
    }
  }
  // A carriage return at the very end ends the last line.
  const last = rest.at(-1) === 0x0d ? rest.subarray(0, -1) : rest
  if (last.length > 0) yield { number: number + 1, text: decode(last, number === 0) }
}

/** Where the line from here ends and the next begins; undefined while that is not known. */
function endOf(all: Buffer, from: number): { from: number; to: number } | undefined {
  const feed = all.indexOf(0x0a, from)
  const back = all.indexOf(0x0d, from)
  if (back !== -1 && (feed === -1 || back < feed)) {
    if (back + 1 === all.length) return undefined
    return { from: back, to: back + (all[back + 1] === 0x0a ? 2 : 1) }
  }
  return feed === -1 ? undefined : { from: feed, to: feed + 1 }
}

function decode(bytes: Buffer, is_first: boolean): string {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    text = windows.decode(bytes)
  }
  return is_first ? text.replace(/^\ufeff/, '') : text
}
