// Room that many share, such as memory: how much of it is taken in all, and by each. It knows
// neither what is kept there nor who is told that there is none.

export interface RoomSize {
  /** For everybody together. */
  readonly all: number
  /** For one of them. */
  readonly each: number
}

/** What one thing takes of the room, from its coming to its leaving. */
export interface Place {
  /** Takes so much in all; false, and nothing more is taken, when there is no room for it. */
  grow(to: number): boolean
  /** Gives it back; once is enough. */
  leave(): void
}

export class Room {
  readonly #size: RoomSize
  readonly #taken = new Map<string, number>()
  #all = 0

  constructor(size: RoomSize) {
    this.#size = size
  }

  /** Whether so much more could be taken now. */
  wouldFit(name: string, more: number): boolean {
    const { all, each } = this.#size
    return this.#all + more <= all && (this.#taken.get(name) ?? 0) + more <= each
  }

  enter(name: string): Place {
    let mine = 0
    return {
      grow: to => {
        if (!this.wouldFit(name, to - mine)) return false
        this.#take(name, to - mine)
        mine = to
        return true
      },
      leave: () => {
        this.#take(name, -mine)
        mine = 0
      },
    }
  }

  #take(name: string, amount: number): void {
    const taken = (this.#taken.get(name) ?? 0) + amount
    this.#all += amount
    if (taken === 0) this.#taken.delete(name)
    else this.#taken.set(name, taken)
  }
}
