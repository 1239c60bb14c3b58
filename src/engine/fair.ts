// Turns at a few places, fair by who asks: who asks for much waits for himself, and keeps nobody
// else waiting. It knows no connection and no account.

export class FairTurns {
  /** The most that one owner holds: a place is always another's, if there are two. */
  readonly #share: number
  /** How many places each owner holds; who holds none is not here. */
  readonly #held = new Map<string, number>()
  /** What waits, oldest first, of each owner; whose turn it is comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #free: number

  constructor(places: number) {
    this.#share = Math.max(1, places - 1)
    this.#free = places
  }

  /** Does `work` when it is its owner's turn, and gives the place back however it ends. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>(begin => {
      const line = this.#waiting.get(owner)
      if (line === undefined) this.#waiting.set(owner, [begin])
      else line.push(begin)
      this.#admit()
    })
    try {
      return await work()
    } finally {
      this.#giveBack(owner)
      this.#admit()
    }
  }

  #admit(): void {
    for (;;) {
      const owner = this.#free > 0 ? this.#next() : undefined
      const begin = owner === undefined ? undefined : this.#take(owner)
      if (begin === undefined) return
      begin()
    }
  }

  /** The first in turn that has not its share yet. */
  #next(): string | undefined {
    for (const owner of this.#waiting.keys()) {
      if ((this.#held.get(owner) ?? 0) < this.#share) return owner
    }
    return undefined
  }

  /** The owner's oldest; its next comes after those of everybody else. */
  #take(owner: string): (() => void) | undefined {
    const line = this.#waiting.get(owner) ?? []
    const begin = line.shift()
    this.#waiting.delete(owner)
    if (line.length > 0) this.#waiting.set(owner, line)
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1)
    this.#free -= 1
    return begin
  }

  #giveBack(owner: string): void {
    const held = (this.#held.get(owner) ?? 0) - 1
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
    this.#free += 1
  }
}
