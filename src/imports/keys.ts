// The keys by which a later run recognises the rows of a file. Pure. Keys are stored for ever, so
// the recipe never changes (docs/decisions/batches-and-imports.md).
import { hash } from 'node:crypto'

/**
 * SHA-256 over the import's name, the content's hash and how often it has occurred, from 1. So
 * equal rows differ, and a row that moves keeps its key.
 */
export class RowKeys {
  readonly #name: string
  readonly #occurrences = new HashNumbers()

  constructor(name: string) {
    this.#name = name
  }

  /** Call it once a row, in order, with 64 hex digits of SHA-256. `previous` is an equal row's. */
  next(content: string) {
    const occurrence = this.#occurrences.get(content) + 1
    this.#occurrences.set(content, occurrence)
    const previous = occurrence === 1 ? null : this.#keyOf(content, occurrence - 1)
    return { key: this.#keyOf(content, occurrence), previous }
  }

  #keyOf(content: string, occurrence: number): string {
    return hash('sha256', JSON.stringify([this.#name, content, occurrence]), 'hex')
  }
}

/** A slot is three words of the hash, then the number. The number 0 marks a free slot. */
const WORDS = 4
const FIRST_CAPACITY = 1 << 12

/**
 * From hashes of at least 24 hex digits to positive integers below 2^32. A Map takes twice the
 * memory and ends at 2^24 entries. It compares 96 bits: among 10^8 hashes, the chance that any two
 * count as one is 10^-13.
 */
export class HashNumbers {
  #slots = new Uint32Array(WORDS * FIRST_CAPACITY)
  #size = 0

  /** 0 if it has none. */
  get(hash: string): number {
    return this.#slots[this.#find(wordsOf(hash)) + 3] as number
  }

  set(hash: string, value: number): void {
    const words = wordsOf(hash)
    const at = this.#find(words)
    if (this.#slots[at + 3] === 0) this.#size += 1
    this.#slots.set(words, at)
    this.#slots[at + 3] = value
    // Look-ups get slow when more than three quarters of the slots are taken.
    if (this.#size * WORDS * 4 > this.#slots.length * 3) this.#grow()
  }

  #find([a, b, c]: Words): number {
    const slots = this.#slots
    const mask = slots.length - 1
    let at = (a * WORDS) & mask
    while (slots[at + 3] !== 0) {
      if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c) return at
      at = (at + WORDS) & mask
    }
    return at
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(2 * old.length)
    for (let i = 0; i < old.length; i += WORDS) {
      if (old[i + 3] === 0) continue
      const words: Words = [old[i] as number, old[i + 1] as number, old[i + 2] as number]
      const at = this.#find(words)
      this.#slots.set(words, at)
      this.#slots[at + 3] = old[i + 3] as number
    }
  }
}

type Words = readonly [number, number, number]

function wordsOf(hash: string): Words {
  const word = (from: number) => Number.parseInt(hash.slice(from, from + 8), 16)
  return [word(0), word(8), word(16)]
}
