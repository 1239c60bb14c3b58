// The accounts whose book a long command of this process holds, or is about to, so that their other
// commands can wait apart from everybody else's. It knows accounts and nothing of what is written.

export class LongCommands {
  /** How many long commands an account has. */
  readonly #long = new Counts()
  /** How many of its commands are in lanes that it shares with others. */
  readonly #shared = new Counts()
  readonly #wakes = new Map<string, (() => void)[]>()

  has(account_id: string): boolean {
    return this.#long.has(account_id)
  }

  /** A command in a shared lane, which a long one that comes after it waits for. */
  async shared<T>(account_id: string, work: () => Promise<T>): Promise<T> {
    this.#shared.add(account_id)
    try {
      return await work()
    } finally {
      this.#shared.remove(account_id)
      if (!this.#shared.has(account_id)) this.#wake(account_id)
    }
  }

  /** A long command, begun when no other of the account is in a shared lane. */
  async long<T>(account_id: string, work: () => Promise<T>): Promise<T> {
    this.#long.add(account_id)
    try {
      if (this.#shared.has(account_id)) await this.#emptied(account_id)
      return await work()
    } finally {
      this.#long.remove(account_id)
    }
  }

  #emptied(account_id: string): Promise<void> {
    return new Promise(resolve => {
      this.#wakes.set(account_id, [...(this.#wakes.get(account_id) ?? []), resolve])
    })
  }

  #wake(account_id: string): void {
    const wakes = this.#wakes.get(account_id) ?? []
    this.#wakes.delete(account_id)
    for (const wake of wakes) wake()
  }
}

class Counts {
  readonly #counts = new Map<string, number>()

  has(name: string): boolean {
    return this.#counts.has(name)
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  remove(name: string): void {
    const left = (this.#counts.get(name) ?? 1) - 1
    if (left === 0) this.#counts.delete(name)
    else this.#counts.set(name, left)
  }
}
