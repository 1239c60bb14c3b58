// Lists as files: few at once, one for each session, and none held open by whoever reads nothing.
import { Readable } from 'node:stream'
import { rateLimited } from '../errors.ts'

/** Most files of a process at once: each asks the API for a page after the other. */
const MOST_FILES = 4
/** Whoever takes nothing for so long is gone. */
const STALL_MS = 60_000

export class Files {
  /** The sessions that are being given one. */
  readonly #open = new Set<string>()

  /**
   * A stream of the pieces. The first two are made before, so that what is refused is an answer and
   * no broken file. Refuses (429) a session that has one already, and one more than there may be.
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
