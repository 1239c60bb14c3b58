// The keys of imported rows, by which a later run recognizes a row: its content, and how many equal
// rows came before it. Keys are stored, so the recipe must never change.
import { hash } from 'node:crypto'
import { HashNumbers } from './hash-numbers.ts'

interface RowKey {
  /** 64 hex digits. */
  readonly key: string
  /** The key of the equal row before it; null for the first row with its content. */
  readonly before: string | null
}

/**
 * Makes the keys of one file: SHA-256 over the import's name, a hash of the content, and the number
 * of equal rows so far. So equal rows have different keys, and a row keeps its key when it moves.
 */
export class RowKeys {
  readonly #name: string
  readonly #times = new HashNumbers()

  constructor(name: string) {
    this.#name = name
  }

  /** The key of the next row of the file; `content` is 64 hex digits. */
  next(content: string): RowKey {
    const time = this.#times.get(content) + 1
    this.#times.set(content, time)
    const before = time === 1 ? null : this.#keyOf(content, time - 1)
    return { key: this.#keyOf(content, time), before }
  }

  #keyOf(content: string, time: number): string {
    return hash('sha256', JSON.stringify([this.#name, content, time]), 'hex')
  }
}
