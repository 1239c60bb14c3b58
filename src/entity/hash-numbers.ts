// A map from hashes to numbers, for many millions of entries: a Map of strings takes twice the
// memory, and has at most 2^24 entries.

/** Three words of the hash and one number; the number 0 marks a free slot. */
const WORDS = 4
const FIRST_CAPACITY = 1 << 12

/**
 * Maps hashes of at least 24 hex digits to positive integers below 2^32. It compares 96 bits: among
 * 10^8 hashes, any two collide with a chance of 10^-13.
 */
export class HashNumbers {
  #slots = new Uint32Array(WORDS * FIRST_CAPACITY)
  #size = 0

  /** 0 when there is none. */
  get(hash: string): number {
    return this.#slots[this.#find(wordsOf(hash)) + 3] as number
  }

  set(hash: string, value: number): void {
    const words = wordsOf(hash)
    const at = this.#find(words)
    if (this.#slots[at + 3] === 0) this.#size += 1
    this.#slots.set(words, at)
    this.#slots[at + 3] = value
    // Beyond three quarters, look-ups become slow.
    if (this.#size * WORDS * 4 > this.#slots.length * 3) this.#grow()
  }

  /** The slot of the hash, or the free slot where it belongs. */
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
