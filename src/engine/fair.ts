// Shares a few places fairly among owners, who take turns: the many requests of one owner wait for
// each other, and delay no other owner.

export class FairTurns {
  /** The most places of one owner: all but one, so that another owner always finds a place. */
  readonly #share: number
  /** Places held, by owner; no entry for none. */
  readonly #held = new Map<string, number>()
  /** Waiting work by owner, oldest first. The owners are in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #free: number

  constructor(places: number) {
    this.#share = Math.max(1, places - 1)
    this.#free = places
  }

  /** Runs `work` at its owner's turn, and frees the place when it settles. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>(begin => {
      const queue = this.#waiting.get(owner)
      if (queue === undefined) this.#waiting.set(owner, [begin])
      else queue.push(begin)
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

  /** The first owner in turn that holds less than its share. */
  #next(): string | undefined {
    for (const owner of this.#waiting.keys()) {
      if ((this.#held.get(owner) ?? 0) < this.#share) return owner
    }
    return undefined
  }

  /** Takes the owner's oldest work, and moves the owner to the end of the turns. */
  #take(owner: string): (() => void) | undefined {
    const queue = this.#waiting.get(owner) ?? []
    const begin = queue.shift()
    this.#waiting.delete(owner)
    if (queue.length > 0) this.#waiting.set(owner, queue)
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
