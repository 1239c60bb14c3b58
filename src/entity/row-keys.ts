// By what rows of a file are known again in later runs: their content and how often it has come.
// Knows neither files nor what rows ask for. The recipe is for ever: keys are kept.
import { hash } from 'node:crypto'
import { HashNumbers } from './hash-numbers.ts'

interface RowKey {
  /** 64 hex digits. */
  readonly key: string
  /** The same content's key when it came before; null when it comes for the first time. */
  readonly before: string | null
}

/**
 * Keys of one file: SHA-256 over the import's name, a hash of the content, and the number of times
 * that this content has come so far. So equal rows are told apart, and rows that move are not.
 */
export class RowKeys {
  readonly #name: string
  readonly #times = new HashNumbers()

  constructor(name: string) {
    this.#name = name
  }

  /** To be asked for row after row; `content` is 64 hex digits. */
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
