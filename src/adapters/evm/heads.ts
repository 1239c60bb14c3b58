// Follows the newest block of each provider, and says whose answers count: those on the right
// chain, not far behind the others, and whose head has not gone back by itself.
import { firstOf } from './agree.ts'
import { readBlock } from './answers.ts'
import type { Block } from './chain.ts'
import { readQuantity } from './hex.ts'
import { NoAnswer, type Provider } from './node.ts'

/** How often a provider is asked for its chain again: its operator may move a URL. */
const CHAIN_EVERY_MS = 60_000
/** A head that is older counts no more. */
const STALE_MS = 10_000
const STALE_BLOCKS = 5

/** Once enough providers have answered, the others are waited for so long. */
export const PATIENCE_MS = 1_000

const NOT_ASKED = 'it was not asked yet'

interface HeadRules {
  readonly chain_id: bigint
  readonly lag_blocks: number
  readonly block_ms: number
  /** How many providers prove something. */
  readonly need: number
}

/** What is known of a provider. */
interface Followed<P extends Provider> {
  readonly provider: P
  /** 0 until it has answered. */
  chain_id: bigint
  chain_at: number
  head: Block | undefined
  head_at: number
  /** The highest number of its heads. */
  top: bigint
  tried_at: number
  /** Whether it took longer than others are waited for. */
  is_slow: boolean
  /** Why it gave no head when it was asked last; '' when it gave one. */
  fault: string
  looking: Promise<void> | undefined
}

export interface Judged<P> {
  readonly provider: P
  readonly chain_id: bigint
  readonly head: Block | undefined
  /** Blocks behind the head that enough providers have. */
  readonly lag: number
  /** Why its answers do not count; '' while they do. */
  readonly left_out: string
}

export class Heads<P extends Provider> {
  readonly #rules: HeadRules
  readonly #followed: readonly Followed<P>[]
  readonly #now: () => number
  /** The height by which heads are judged. */
  #reference = -1n
  /** The highest that it was, and since when. */
  #highest = -1n
  #risen_at: number

  constructor(providers: readonly P[], rules: HeadRules, now = () => performance.now()) {
    this.#rules = rules
    this.#now = now
    this.#risen_at = now()
    this.#followed = providers.map(provider => ({
      ...{ provider, chain_id: 0n, chain_at: 0, head: undefined, head_at: 0, top: -1n },
      ...{ tried_at: Number.NEGATIVE_INFINITY, is_slow: false, fault: NOT_ASKED },
      looking: undefined,
    }))
  }

  /** The milliseconds for which that height has not risen. */
  get still_ms(): number {
    return this.#now() - this.#risen_at
  }

  /**
   * Asks those who were not asked for `max_age_ms`. Resolves when enough of those who gave a head
   * last time, or were never asked, have given one, and the others have had some patience; with
   * `all`, when all have ended.
   */
  async look(max_age_ms: number, { all = false } = {}): Promise<void> {
    const isOld = ({ looking, tried_at }: Followed<P>) =>
      looking !== undefined || this.#now() - tried_at >= max_age_ms
    const asked = this.#followed.filter(isOld).map(one => {
      const is_prompt = this.#isPrompt(one)
      return { one, is_prompt, looked: this.#lookAt(one, max_age_ms === 0) }
    })
    if (all) {
      await Promise.all(asked.map(({ looked }) => looked))
      return
    }
    const prompt = asked.filter(({ is_prompt }) => is_prompt)
    // Without enough of them, those that answer late are needed as well.
    const waited =
      prompt.length >= this.#rules.need ? prompt : asked.filter(({ one }) => isAnswering(one))
    const answers = waited.map(async ({ one, looked }) => {
      await looked
      if (one.fault !== '') throw new NoAnswer(one.fault)
    })
    await firstOf(answers, this.#rules.need, PATIENCE_MS)
  }

  /** Whether it answered at once when it was asked last, or was never asked. */
  #isPrompt(one: Followed<P>): boolean {
    const { is_slow, looking, tried_at } = one
    if (looking !== undefined && this.#now() - tried_at > PATIENCE_MS) return false
    return isAnswering(one) && !is_slow
  }

  /** The providers whose answers count. */
  good(): readonly P[] {
    const judged = this.judge().filter(({ left_out }) => left_out === '')
    return judged.map(({ provider }) => provider)
  }

  /** `own is left out: timeout`, for each whose answers do not count. */
  leftOut(): readonly string[] {
    const left_out = this.judge().filter(one => one.left_out !== '')
    return left_out.map(one => `${one.provider.name} is left out: ${one.left_out}`)
  }

  judge(): readonly Judged<P>[] {
    const known = this.#followed.filter(one => this.#faultOf(one) === '')
    const heights = known.map(({ head }) => head?.number ?? 0n).toSorted((a, b) => compare(b, a))
    // As many as a quorum can do without may claim any height.
    const claims = this.#followed.length - this.#rules.need
    const reference = heights[claims] ?? this.#reference
    this.#follow(reference, known)
    return this.#followed.map(one => {
      const { provider, chain_id, head } = one
      const lag = head === undefined ? 0 : Number(max(0n, reference - head.number))
      const left_out = this.#faultOf(one) || this.#behind(one, reference)
      return { provider, chain_id, head, lag, left_out }
    })
  }

  /**
   * After a reorganization the heads of enough providers are lower, and lower ones count again. Of
   * a head that no other provider came near, nothing is held against its provider later.
   */
  #follow(reference: bigint, known: readonly Followed<P>[]): void {
    if (reference > this.#highest) {
      this.#highest = reference
      this.#risen_at = this.#now()
    }
    const most = reference + BigInt(this.#rules.lag_blocks)
    for (const one of known) {
      const number = one.head?.number ?? one.top
      const top = reference < this.#reference ? number : one.top
      one.top = top > most ? max(number, most) : top
    }
    this.#reference = reference
  }

  #faultOf({ chain_id, head, head_at, fault }: Followed<P>): string {
    if (chain_id !== 0n && chain_id !== this.#rules.chain_id) {
      return `it is on chain ${chain_id}, not ${this.#rules.chain_id}`
    }
    const most_ms = Math.max(STALE_MS, STALE_BLOCKS * this.#rules.block_ms)
    if (head !== undefined && this.#now() - head_at <= most_ms) return ''
    return fault === '' ? 'it was not asked lately' : fault
  }

  #behind({ head, top }: Followed<P>, reference: bigint): string {
    const number = head?.number ?? 0n
    const behind = reference - number
    if (behind > BigInt(this.#rules.lag_blocks)) return `it is ${behind} blocks behind`
    if (number < top) return `its head went back from ${top} to ${number}`
    return ''
  }

  /** With `anew`, an answer to a question that is open already is not new enough. */
  #lookAt(one: Followed<P>, anew = false): Promise<void> {
    if (anew && one.looking !== undefined) return one.looking.then(() => this.#lookAt(one))
    one.looking ??= this.#ask(one).finally(() => {
      one.looking = undefined
    })
    return one.looking
  }

  async #ask(one: Followed<P>): Promise<void> {
    const { provider } = one
    one.tried_at = this.#now()
    try {
      if (one.chain_id === 0n || this.#now() - one.chain_at > CHAIN_EVERY_MS) {
        const chain_id = readQuantity(await provider.ask('eth_chainId', []))
        if (chain_id === undefined) throw new NoAnswer('its chain id cannot be read')
        one.chain_id = chain_id
        one.chain_at = this.#now()
      }
      const head = readBlock(await provider.ask('eth_getBlockByNumber', ['latest', false]))
      if (head === undefined) throw new NoAnswer('its newest block cannot be read')
      one.head = head
      one.head_at = this.#now()
      one.top = max(one.top, head.number)
      one.fault = ''
    } catch (error) {
      one.fault = (error as Error).message
    }
    one.is_slow = this.#now() - one.tried_at > PATIENCE_MS
  }
}

/** Whether it gave a head when it was asked last, or was never asked. */
function isAnswering({ fault }: Pick<Followed<Provider>, 'fault'>): boolean {
  return fault === '' || fault === NOT_ASKED
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
