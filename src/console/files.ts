// Streams lists as files: one at a time for each session, and few in a process.
import { Readable } from 'node:stream'
import { rateLimited } from '../values/errors.ts'

/** Each file calls the API page by page. */
const MAX_FILES = 4
/** A reader that reads nothing for this long counts as gone. */
const STALL_MS = 60_000

export class Files {
  readonly #open = new Set<string>()

  /** Makes two pieces first, so that a refusal is an answer. Refuses (429) one file too many. */
  async open(session: string, pieces: AsyncGenerator<string>): Promise<Readable> {
    if (this.#open.has(session) || this.#open.size >= MAX_FILES) {
      throw rateLimited('Another CSV file is being downloaded. Try again when it is complete.', 5)
    }
    this.#open.add(session)
    const release = () => this.#open.delete(session)
    try {
      const first = [await pieces.next(), await pieces.next()]
      const start = first.map(({ value }) => value ?? '').join('')
      const stream = Readable.from(streamed(start, pieces, () => stream.destroy()))
      return stream.once('close', release)
    } catch (error) {
      release()
      throw error
    }
  }
}

async function* streamed(
  start: string,
  pieces: AsyncGenerator<string>,
  onStall: () => unknown,
): AsyncGenerator<string> {
  yield* timed(start, onStall)
  for await (const piece of pieces) yield* timed(piece, onStall)
}

/** Calls `onStall` when the reader does not take the piece in STALL_MS. */
function* timed(piece: string, onStall: () => unknown): Generator<string> {
  const timer = setTimeout(onStall, STALL_MS)
  try {
    yield piece
  } finally {
    clearTimeout(timer)
  }
}
