// Lists as files: few at once, one for each session. A file whose reader reads nothing is closed.
import { Readable } from 'node:stream'
import { rateLimited } from '../errors.ts'

/** Most files of a process at once. Each asks the API for one page after the other. */
const MOST_FILES = 4
/** How long a reader may take nothing before it counts as gone. */
const STALL_MS = 60_000

export class Files {
  /** The sessions that are getting a file. */
  readonly #open = new Set<string>()

  /**
   * A stream of the pieces. The first two are made before it opens, so that a refusal is an answer
   * and no broken file. Refuses (429) a second file of a session, and one more than MOST_FILES.
   */
  async open(session: string, pieces: AsyncGenerator<string>): Promise<Readable> {
    if (this.#open.has(session) || this.#open.size >= MOST_FILES) {
      throw rateLimited('Another file is being written; let it end first.', 5)
    }
    this.#open.add(session)
    const release = () => this.#open.delete(session)
    try {
      const first = [await pieces.next(), await pieces.next()]
      const begun = first.map(({ value }) => value ?? '').join('')
      const stream = Readable.from(goOn(begun, pieces, () => stream.destroy()))
      return stream.once('close', release)
    } catch (error) {
      release()
      throw error
    }
  }
}

async function* goOn(
  begun: string,
  pieces: AsyncGenerator<string>,
  giveUp: () => unknown,
): AsyncGenerator<string> {
  yield* unlessStalled(begun, giveUp)
  for await (const piece of pieces) yield* unlessStalled(piece, giveUp)
}

function* unlessStalled(piece: string, giveUp: () => unknown): Generator<string> {
  const timer = setTimeout(giveUp, STALL_MS)
  try {
    yield piece
  } finally {
    clearTimeout(timer)
  }
}
