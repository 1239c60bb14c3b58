// What the connector must never forget: the order of each payment and all that was told of it. One
// file of JSON lines, which is only appended to. A payment is on disk before anybody hears of it.
import { type FileHandle, open, readFile } from 'node:fs/promises'

export interface Step {
  readonly number: number
  readonly status: string
  readonly code: string
  readonly message: string
  readonly at: string
  readonly amount?: string
  readonly currency?: string
}

export interface Order {
  readonly payout: string
  readonly account: string
  readonly amount: string
  readonly currency: string
  readonly beneficiary: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

export interface Entry {
  readonly id: string
  readonly order: Order
  /** The provider's own reference of the payment. */
  reference: string
  steps: Step[]
  answers_seen: number
  /** Resolves when all that is in memory of the payment is on disk: nobody hears of it before. */
  stored: Promise<void>
}

type Line =
  | {
      readonly kind: 'order'
      readonly id: string
      readonly order: Order
      readonly reference: string
    }
  | { readonly kind: 'step'; readonly id: string; readonly step: Step }
  | { readonly kind: 'answers'; readonly id: string; readonly seen: number }

export class Book {
  readonly entries = new Map<string, Entry>()
  readonly #file: FileHandle
  /** Bytes of whole lines that are on disk. */
  #size: number
  /** Whether an append has failed, and may have left half a line behind them. */
  #is_torn = false
  #waiting: string[] = []
  #writing: Promise<void> | undefined

  static async open(path: string): Promise<Book> {
    const lines = await readFile(path, 'utf8').catch(error => {
      // A book that cannot be read is not an empty one: a 404 from it would have payments made again.
      if (error.code !== 'ENOENT') throw error
      return ''
    })
    // A line without its end was being written during a crash: nobody has heard of it.
    const whole = lines.slice(0, lines.lastIndexOf('\n') + 1)
    const book = new Book(await open(path, 'a'), Buffer.byteLength(whole))
    if (whole.length < lines.length) await book.#mend()
    for (const line of whole.split('\n')) if (line !== '') book.#read(JSON.parse(line))
    return book
  }

  private constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  /** The payment is in memory at once, so that a second request with its id finds it. */
  add(id: string, order: Order, reference: string, steps: readonly Omit<Step, 'number'>[]): Entry {
    const entry = this.#read({ kind: 'order', id, order, reference })
    const lines: Line[] = [{ kind: 'order', id, order, reference }]
    for (const step of steps) lines.push(this.#numbered(entry, step))
    entry.stored = this.#write(lines)
    return entry
  }

  addStep(entry: Entry, step: Omit<Step, 'number'>): void {
    entry.stored = this.#write([this.#numbered(entry, step)])
  }

  addAnswers(entry: Entry, seen: number): void {
    entry.answers_seen = Math.max(entry.answers_seen, seen)
    entry.stored = this.#write([{ kind: 'answers', id: entry.id, seen }])
  }

  /** Resolves when the payment is on disk; what could not be written is tried once more. */
  async keep(entry: Entry): Promise<void> {
    await entry.stored.catch(() => {
      entry.stored = this.#write([])
      return entry.stored
    })
  }

  async close(): Promise<void> {
    await this.#writing?.catch(() => {})
    await this.#file.close()
  }

  #numbered(entry: Entry, step: Omit<Step, 'number'>): Line {
    const numbered = { number: entry.steps.length + 1, ...step }
    entry.steps.push(numbered)
    return { kind: 'step', id: entry.id, step: numbered }
  }

  #read(line: Line): Entry {
    const known = this.entries.get(line.id)
    if (line.kind === 'order') {
      const { id, order, reference } = line
      const stored = Promise.resolve()
      const entry = { id, order, reference, steps: [], answers_seen: 0, stored }
      this.entries.set(id, entry)
      return entry
    }
    if (known === undefined) throw new Error(`a line about ${line.id}, which is not in the book`)
    if (line.kind === 'step') known.steps.push(line.step)
    else known.answers_seen = Math.max(known.answers_seen, line.seen)
    return known
  }

  /** Lines that come while others are being written share the next flush to disk. */
  #write(lines: readonly Line[]): Promise<void> {
    this.#waiting.push(...lines.map(line => `${JSON.stringify(line)}\n`))
    const flush = async () => {
      // Whoever waited for lines that could not be written has been told.
      await before?.catch(() => {})
      const taken = this.#waiting
      this.#waiting = []
      if (taken.length === 0) return
      try {
        await this.#append(taken.join(''))
      } catch (error) {
        // They go with the next ones, in their order: a step never stands without its payment.
        this.#waiting = [...taken, ...this.#waiting]
        throw error
      }
    }
    const before = this.#writing
    const writing = flush()
    writing.catch(() => {})
    this.#writing = writing
    return writing
  }

  async #append(text: string): Promise<void> {
    if (this.#is_torn) await this.#mend()
    this.#is_torn = true
    await this.#file.appendFile(text)
    await this.#file.datasync()
    this.#is_torn = false
    this.#size += Buffer.byteLength(text)
  }

  /** Cuts off half a line, which the next one would be written behind. */
  async #mend(): Promise<void> {
    await this.#file.truncate(this.#size)
    await this.#file.datasync()
    this.#is_torn = false
  }
}
