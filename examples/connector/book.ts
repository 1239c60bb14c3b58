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
  #waiting: string[] = []
  #writing: Promise<void> | undefined

  static async open(path: string): Promise<Book> {
    const lines = await readFile(path, 'utf8').catch(error => {
      // A book that cannot be read is not an empty one: a 404 from it would have payments made again.
      if (error.code !== 'ENOENT') throw error
      return ''
    })
    const book = new Book(await open(path, 'a'))
    // A line without its end was being written during a crash: nobody has heard of it.
    const whole = lines.slice(0, lines.lastIndexOf('\n') + 1)
    if (whole.length < lines.length) await book.#file.truncate(Buffer.byteLength(whole))
    for (const line of whole.split('\n')) if (line !== '') book.#read(JSON.parse(line))
    return book
  }

  private constructor(file: FileHandle) {
    this.#file = file
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

  async close(): Promise<void> {
    await this.#writing
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
      await before
      const text = this.#waiting.join('')
      this.#waiting = []
      if (text === '') return
      await this.#file.appendFile(text)
      await this.#file.datasync()
    }
    const before = this.#writing
    this.#writing = flush()
    return this.#writing
  }
}
