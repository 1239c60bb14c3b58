// The rounds in hand, counted for each rail. A rail that gives no answer fills its own slots alone,
// so that it delays no other rail.
export class RailSlots {
  readonly #most: number
  readonly #inHand = new Map<string, Set<Promise<void>>>()

  constructor(most: number) {
    this.#most = most
  }

  /** Those of these rails that have a free slot. */
  free(rails: Iterable<string>): string[] {
    return [...rails].filter(rail => (this.#inHand.get(rail)?.size ?? 0) < this.#most)
  }

  /** Whether no rail is full. */
  areFree(): boolean {
    return [...this.#inHand.values()].every(rounds => rounds.size < this.#most)
  }

  /** Fills a slot of the rail until `work` ends, which never rejects. */
  fill(rail: string, work: Promise<unknown>): void {
    const rounds = this.#inHand.get(rail) ?? new Set()
    this.#inHand.set(rail, rounds)
    const round = work.then(() => {
      rounds.delete(round)
    })
    rounds.add(round)
  }

  /** Resolves once a round ends; never without one. */
  async nextFree(): Promise<void> {
    await Promise.race(this.#rounds())
  }

  async end(): Promise<void> {
    await Promise.all(this.#rounds())
  }

  #rounds(): Promise<void>[] {
    return [...this.#inHand.values()].flatMap(rounds => [...rounds])
  }
}
