// Who answers otherwise than others, and about what that no reorganization changes any more: such a
// provider is wrong, and a person must know its name.
import { type Asked, keyOf } from './agree.ts'
import type { ChainTrouble } from './chain-trouble.ts'

/** How long a contradiction is told, and how many are kept. */
const TOLD_MS = 600_000
const MOST_TOLD = 100

/** The kind where too few say the same, so that nobody is proved right. */
const SPLIT = 'providers_disagree'

interface Given<T> {
  readonly name: string
  readonly value: T
}

interface Minority {
  readonly few: readonly string[]
  /** Whether enough of the others say the same. */
  readonly is_proved: boolean
}

/** What a question was about, in words, once its answer is final; '' while it may change. */
export type FinalWords<T> = (values: readonly T[]) => string

export class Contradictions {
  readonly #need: number
  readonly #now: () => number
  readonly #counts = new Map<string, number>()
  /** By what they are about, the oldest first. */
  readonly #told = new Map<string, { readonly trouble: ChainTrouble; readonly at: number }>()

  /** `need`: how many providers prove something. */
  constructor(need: number, now = () => performance.now()) {
    this.#need = need
    this.#now = now
  }

  /** Compares the answers once all have come. Never rejects. */
  async hear<T>(
    asked: readonly Asked<T>[],
    finalWords: FinalWords<NonNullable<T>> = () => '',
  ): Promise<void> {
    const hearing = asked.map(async ({ name, answer }) => ({ name, value: await answer }))
    const heard = await Promise.allSettled(hearing)
    const given = heard.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
    const all = this.#minorityOf(given)
    if (all.is_proved) for (const name of all.few) this.#counts.set(name, this.count(name) + 1)
    // Who has nothing to say contradicts nobody: a node may lag.
    const known = given.filter(({ value }) => value !== null)
    const { few, is_proved } = this.#minorityOf(known)
    if (few.length === 0 && this.#told.size === 0) return
    const about = finalWords(known.map(({ value }) => value as NonNullable<T>))
    if (about === '') return
    if (few.length > 0) this.#tell(few, is_proved, about)
    else if (is_proved && this.#told.get(about)?.trouble.kind === SPLIT) this.#told.delete(about)
  }

  /** Those whose answer is not the one of enough providers: all of them, where no answer is. */
  #minorityOf(given: readonly Given<unknown>[]): Minority {
    const votes = [...Map.groupBy(given, ({ value }) => keyOf(value)).values()]
    const is_proved = votes.some(({ length }) => length >= this.#need)
    if (votes.length < 2) return { few: [], is_proved }
    const few = votes.filter(({ length }) => length < this.#need).flat()
    return { few: few.map(({ name }) => name), is_proved }
  }

  #tell(providers: readonly string[], is_proved: boolean, about: string): void {
    const kind = is_proved ? 'provider_wrong' : SPLIT
    const whom = is_proved ? 'the others' : 'each other'
    const verb = providers.length === 1 ? 'contradicts' : 'contradict'
    const message = `${providers.join(' and ')} ${verb} ${whom} about ${about}`
    this.#told.delete(about)
    this.#told.set(about, { trouble: { kind, providers, message }, at: this.#now() })
    const [oldest] = this.#told.keys()
    if (this.#told.size > MOST_TOLD && oldest !== undefined) this.#told.delete(oldest)
  }

  /** How often a provider answered otherwise than those that agreed. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /**
   * The newest of each provider in the last ten minutes. Where nobody was proved right, it is over
   * as soon as enough of them say the same.
   */
  troubles(): readonly ChainTrouble[] {
    for (const [about, { at }] of this.#told)
      if (this.#now() - at > TOLD_MS) this.#told.delete(about)
    const by_provider = [...this.#told.values()].map(({ trouble }) => {
      return [`${trouble.kind} ${trouble.providers.join(' ')}`, trouble] as const
    })
    return [...new Map(by_provider).values()]
  }
}
