// The turns of log-ins, as few passwords are hashed at once. Known people (by a device, a session
// or a link) have places of their own, so that strangers who fill all others keep none of them out.
import { refusal } from '../../values/errors.ts'

/** A hash takes 19 MiB and tens of milliseconds of processor time. */
const MOST_AT_ONCE = 2
/** The most log-ins that wait, of the known and of strangers alike. */
const MOST_WAITING = 30

interface Waiting {
  begin(): void
  refuse(reason: unknown): void
}

/**
 * Waiting log-ins by owner, who take turns. A full line refuses the last log-in of whoever has the
 * most places, so that no owner fills the line.
 */
class Line {
  /** Oldest first. The owners are in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0

  join(owner: string): Promise<void> {
    const own = this.#waiting.get(owner) ?? []
    if (this.#count >= MOST_WAITING) this.#makeRoom(own.length + 1)
    return new Promise((begin, refuse) => {
      own.push({ begin, refuse })
      this.#waiting.set(owner, own)
      this.#count += 1
    })
  }

  /** The oldest log-in of the owner whose turn it is; undefined when nobody waits. */
  next(): Waiting | undefined {
    for (const [owner, [first, ...others]] of this.#waiting) {
      this.#waiting.delete(owner)
      if (others.length > 0) this.#waiting.set(owner, others)
      this.#count -= 1
      return first
    }
    return undefined
  }

  /** Frees a place for an owner who would have `places`, or refuses that owner. */
  #makeRoom(places: number): void {
    let most: Waiting[] = []
    for (const waiting of this.#waiting.values()) if (waiting.length > most.length) most = waiting
    if (most.length <= places) throw tooMany()
    most.pop()?.refuse(tooMany())
    this.#count -= 1
  }
}

/** Who logs in: a known user, or a stranger from a network. */
interface Comer {
  readonly known: boolean
  readonly owner: string
}

export class Turns {
  readonly #known = new Line()
  readonly #strangers = new Line()
  #running = 0
  #wasKnown = false

  /** Runs `work` at its turn. Refuses (503) at once, before any work, when the line is full. */
  async run<T>({ known, owner }: Comer, work: () => Promise<T>): Promise<T> {
    if (this.#running < MOST_AT_ONCE) this.#running += 1
    else await (known ? this.#known : this.#strangers).join(owner)
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next === undefined) this.#running -= 1
      else next.begin()
    }
  }

  /** The known first, and after each of them a stranger: neither line stops the other. */
  #next(): Waiting | undefined {
    const first = this.#wasKnown ? this.#strangers : this.#known
    const second = this.#wasKnown ? this.#known : this.#strangers
    const of_first = first.next()
    this.#wasKnown = (of_first === undefined ? second : first) === this.#known
    return of_first ?? second.next()
  }
}

function tooMany() {
  return refusal('service_unavailable', 'Too many people log in at once; try again.')
}
