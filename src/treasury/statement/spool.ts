// Keeps the parts of a file in another file, as JSON lines, while it is read to its end: to parse
// XML a second time takes several times longer.
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { StatementPart } from './statement.ts'

/** The characters that are written at once. */
const PIECE = 1_048_576

export class Spool {
  readonly #path: string
  readonly #file: FileHandle
  #waiting: string[] = []
  #length = 0

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  /** Makes the file, which nobody else may read. */
  static async make(path: string): Promise<Spool> {
    return new Spool(path, await open(path, 'wx', 0o600))
  }

  /** The promise is to be awaited before the next part. */
  async add(part: StatementPart): Promise<void> {
    const text = JSON.stringify(part, withText)
    this.#waiting.push(text)
    this.#length += text.length
    if (this.#length >= PIECE) await this.#write()
  }

  /** The parts in order. Nothing is added afterwards. */
  async *read(): AsyncGenerator<StatementPart, void> {
    await this.#write()
    const lines = createInterface({ input: createReadStream(this.#path) })
    for await (const line of lines) yield withAmounts(JSON.parse(line))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close()
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return
    await this.#file.appendFile(`${this.#waiting.join('\n')}\n`)
    this.#waiting = []
    this.#length = 0
  }
}

const withText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** A part whose amounts are texts. */
interface Written {
  readonly kind: StatementPart['kind']
  readonly amount?: string
  readonly opening?: string | null
  readonly closing?: string | null
  readonly details?: readonly { readonly amount: string }[]
}

function withAmounts(part: Written): StatementPart {
  const { kind, amount = '0', opening = null, closing = null, details = [] } = part
  if (kind === 'line') {
    const amounts = details.map(one => ({ ...one, amount: BigInt(one.amount) }))
    return { ...part, amount: BigInt(amount), details: amounts } as unknown as StatementPart
  }
  if (kind === 'head') return part as unknown as StatementPart
  const balance = (text: string | null) => (text === null ? null : BigInt(text))
  return {
    ...part,
    opening: balance(opening),
    closing: balance(closing),
  } as unknown as StatementPart
}
