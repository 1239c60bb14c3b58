// A provider of payments for tests of schedules. It has a ledger of what it has really done with each
// payment, and a connection that loses, delays and repeats. It was written from the interface of rails
// alone (src/rails/rail.ts) and knows no rule of the product: its ledger judges the product.
import type { Rail, RailPayout, RailReport, RailStatus, RailStep } from '../../src/rails/rail.ts'
import { type Chance, chanceOf } from './chance.ts'

/** What happens to a payment, in order: what the provider says of it, and what it does. */
export interface Turn {
  /** '' for nothing: it keeps that to itself. */
  readonly says: RailStatus | 'not_taken' | ''
  readonly does: 'pays' | 'returns' | 'nothing'
  /** From here on, nothing that it has said before is in its history. */
  readonly instead?: true
}

export type Fate = readonly Turn[]

/** A payment as its provider knows it. */
export interface Order {
  readonly id: string
  readonly payout_id: string
  readonly received_ms: number
  readonly fate: Fate
  /** How much of its fate has happened. */
  done: number
  /** How much of that its provider can be heard to say; less when news has not come in yet. */
  heard: number
  /** Its provider was told by telephone to stop it. */
  is_stopped: boolean
  questions: number
}

/** What was really done with a payout, by all providers. */
export interface Truth {
  paid: number
  returned: number
}

export interface ProviderOptions {
  readonly key_lifetime_ms: number | null
  /**
   * Whether it says something only when it has news, as banks do by files: the payout is woken
   * then. Else it is asked again and again, and its answers may be older than its ledger.
   */
  readonly is_woken: boolean
}

/** What providers share: chance, the truth about payouts, and the way to them. */
export interface World {
  readonly seed: number
  /** What providers have done with each payout. */
  readonly truth: ReadonlyMap<string, Truth>
  /** The same, to be written. */
  truthOf(payout_id: string): Truth
  /** Nothing is lost or delayed any more. */
  is_calm: boolean
  /** A payment that comes to the provider later than its sender waited. */
  readonly underway: { readonly provider: Provider; readonly payout: RailPayout }[]
  /** The fate of an attempt. */
  fateOf(provider: string, payout: RailPayout): Fate
  /** A number that stands for the payout, the same in each run of a seed. */
  indexOf(payout_id: string): number
  /** How often each thing happened, for the report. */
  count(what: string): void
}

export class Provider {
  readonly name: string
  readonly options: ProviderOptions
  readonly #world: World
  /** By attempt, every order that it ever took, also those that it does not find by id any more. */
  readonly #books = new Map<string, Order[]>()
  /** Ids that it was told never to take. */
  readonly #refused = new Set<string>()
  readonly #calls = new Map<string, number>()

  constructor(name: string, options: ProviderOptions, world: World) {
    this.name = name
    this.options = options
    this.#world = world
  }

  /** The adapter of it, as the product asks it. */
  get rail(): Rail {
    return {
      name: this.name,
      key_lifetime_ms: this.options.key_lifetime_ms,
      submit: payouts => payouts.map(payout => this.#submit(payout)),
      inquire: payouts => payouts.map(payout => this.#inquire(payout)),
    }
  }

  /** A payment has come in, whoever still waits for the answer. */
  receive(payout: RailPayout, now_ms: number): Order | undefined {
    const { id } = payout.attempt
    if (this.#refused.has(id)) return undefined
    const known = this.#find(id, now_ms)
    if (known !== undefined) return known
    const before = this.#ordersOf(id)
    if (before.length > 0) this.#world.count('taken again after its key’s lifetime')
    const order: Order = {
      id,
      payout_id: payout.id,
      received_ms: now_ms,
      fate: this.#world.fateOf(this.name, payout),
      done: 0,
      heard: 0,
      is_stopped: false,
      questions: 0,
    }
    this.#books.set(id, [...before, order])
    return order
  }

  /** All orders that it ever took. */
  orders(): Order[] {
    return [...this.#books.values()].flat()
  }

  #ordersOf(attempt_id: string): readonly Order[] {
    return this.#books.get(attempt_id) ?? []
  }

  /** The next turn of an order, if it is to have one. Returns whether there is news. */
  turn(order: Order): boolean {
    const turn = order.fate[order.done]
    if (turn === undefined || order.is_stopped) return false
    order.done += 1
    const truth = this.#world.truthOf(order.payout_id)
    if (turn.does === 'pays') truth.paid += 1
    if (turn.does === 'returns') truth.returned += 1
    return true
  }

  /** What is heard of an order catches up with what happened. Returns whether that is news. */
  tell(order: Order): boolean {
    const news = order.heard < order.done
    order.heard = order.done
    return news
  }

  /**
   * Somebody telephones about an attempt: the provider looks into its books, and stops what it has
   * not paid. True when it was paid and has stayed so.
   */
  telephone(attempt_id: string): 'paid' | 'returned' | 'stopped' {
    const orders = this.#ordersOf(attempt_id)
    const happened = orders.flatMap(order => order.fate.slice(0, order.done))
    this.#refused.add(attempt_id)
    for (const order of orders) {
      // A payment that was made may still come back.
      if (!order.fate.slice(0, order.done).some(({ does }) => does === 'pays')) {
        order.is_stopped = true
      }
    }
    if (happened.some(({ does }) => does === 'returns')) return 'returned'
    return happened.some(({ does }) => does === 'pays') ? 'paid' : 'stopped'
  }

  /** Whether it cannot say any more what became of an attempt that it had. */
  hasForgotten(attempt_id: string, now_ms: number): boolean {
    return this.#ordersOf(attempt_id).length > 0 && this.#find(attempt_id, now_ms) === undefined
  }

  /** Whether this provider may still pay the attempt, by an order or a message underway. */
  mayPay(attempt_id: string): boolean {
    const orders = this.#ordersOf(attempt_id)
    const will = orders.some(
      ({ fate, done, is_stopped }) => !is_stopped && fate.slice(done).some(t => t.does === 'pays'),
    )
    if (will) return true
    if (this.#refused.has(attempt_id) || orders.length > 0) return false
    return this.#world.underway.some(
      ({ provider, payout }) => provider === this && payout.attempt.id === attempt_id,
    )
  }

  async #submit(payout: RailPayout): Promise<RailReport> {
    const chance = this.#chance('submit', payout)
    const fault = this.#fault(chance, SUBMIT_FAULTS, this.options.is_woken)
    if (fault !== 'none') this.#world.count(`submit: ${fault}`)
    if (fault === 'lost before') throw new Error('connection refused')
    if (fault === 'silent before') return never()
    if (fault === 'late') {
      this.#world.underway.push({ provider: this, payout })
      throw new Error('time-out')
    }
    const order = this.receive(payout, Date.parse(payout.asked_at))
    if (fault === 'lost after') throw new Error('connection reset')
    if (fault === 'silent after') return never()
    if (order === undefined) return REFUSED
    return this.#answer(order, payout, chance)
  }

  async #inquire(payout: RailPayout): Promise<RailReport | undefined> {
    const chance = this.#chance('inquire', payout)
    const fault = this.#fault(chance, INQUIRE_FAULTS, this.options.is_woken)
    if (fault !== 'none') this.#world.count(`inquire: ${fault}`)
    if (fault === 'lost') throw new Error('connection reset')
    if (fault === 'silent') return never()
    const order = this.#find(payout.attempt.id, Date.parse(payout.asked_at))
    if (order === undefined) return undefined
    // A replica that has not heard of it yet.
    if (fault === 'not found' && (order.heard === 0 || chance.is(0.2))) return undefined
    return this.#answer(order, payout, chance)
  }

  #answer(order: Order, payout: RailPayout, chance: Chance): RailReport {
    order.questions += 1
    if (!this.options.is_woken) {
      const waits = this.#waitsForAnswer(order, payout)
      if (chance.is(waits ? 0.1 : 0.7)) this.turn(order)
      order.heard = order.done
    }
    const is_old = !this.options.is_woken && !this.#world.is_calm && chance.is(0.1)
    const heard = is_old ? chance.below(order.heard + 1) : order.heard
    if (is_old && heard < order.heard) this.#world.count('an answer older than the ledger')
    const wants_person = !this.#world.is_calm && chance.is(0.02)
    const report = reportOf(order, heard, { is_woken: this.options.is_woken, wants_person })
    // Some are asked after a success as well, as a return may come.
    const goes_on = report.steps.at(-1)?.status === 'succeeded' && chance.is(0.3)
    return goes_on && !this.options.is_woken ? { ...report, ask_again_in_ms: 1 } : report
  }

  /** It asked for something that the account has not answered. */
  #waitsForAnswer({ fate, done }: Order, { answers }: RailPayout): boolean {
    return fate[done - 1]?.says === 'requires_action' && answers.length === 0
  }

  #find(id: string, now_ms: number): Order | undefined {
    const order = this.#ordersOf(id).at(-1)
    const { key_lifetime_ms } = this.options
    if (order === undefined || key_lifetime_ms === null) return order
    return now_ms - order.received_ms < key_lifetime_ms ? order : undefined
  }

  #fault<F extends string>(
    chance: Chance,
    faults: readonly (readonly [weight: number, fault: F])[],
    is_woken: boolean,
  ): F | 'none' {
    const all: readonly (readonly [number, F | 'none'])[] = [[70, 'none'], ...faults]
    const fault = this.#world.is_calm ? 'none' : chance.weighed(all)
    // What a rail of files takes it has written down: nothing of it is underway.
    return is_woken && (fault === 'late' || fault === 'not found') ? 'none' : fault
  }

  #chance(call: string, payout: RailPayout): Chance {
    const { id, number } = payout.attempt
    const name = `${call} ${id}`
    const calls = (this.#calls.get(name) ?? 0) + 1
    this.#calls.set(name, calls)
    const index = this.#world.indexOf(payout.id)
    return chanceOf(this.#world.seed, this.name, call, index, number, calls)
  }
}

const SUBMIT_FAULTS = [
  [8, 'lost before'],
  [2, 'silent before'],
  [10, 'late'],
  [12, 'lost after'],
  [4, 'silent after'],
] as const

const INQUIRE_FAULTS = [
  [8, 'lost'],
  [2, 'silent'],
  [10, 'not found'],
] as const

const DAY_MS = 86_400_000

/** Nobody answers; whoever asks gives up. */
function never(): Promise<never> {
  return new Promise(() => {})
}

const REFUSED: RailReport = {
  steps: [],
  ask_again_in_ms: null,
  not_taken: { code: 'stopped', message: 'The provider was told never to take it.' },
}

/** What an adapter says of an order of which this much is heard. */
function reportOf(
  { fate, id, done }: Order,
  heard: number,
  { is_woken, wants_person }: { readonly is_woken: boolean; readonly wants_person: boolean },
): RailReport {
  const turns = fate.slice(0, heard)
  const from = turns.findLastIndex(({ instead }) => instead)
  const said = from === -1 ? turns : turns.slice(from)
  const steps = said.flatMap(({ says }): RailStep[] => {
    if (says === 'not_taken' || says === '') return []
    const failure = { code: 'T1', category: 'test', message: 'As the test wants.' }
    return [{ status: says, failure: says === 'failed' || says === 'reversed' ? failure : null }]
  })
  const last = said.findLast(({ says }) => says !== '')?.says
  const is_end =
    last !== undefined && ['succeeded', 'failed', 'reversed', 'not_taken'].includes(last)
  const refusal = { code: 'closed', message: 'The provider takes none today.' }
  const report: RailReport = {
    steps,
    // Whoever speaks by itself is asked for all that once a day.
    ask_again_in_ms: is_end ? null : is_woken ? DAY_MS : 1,
    references: { order: `${id}-${done}` },
    ...(last === 'not_taken' && { not_taken: refusal }),
  }
  if (!wants_person) return report
  const exception = { kind: 'needs_person', message: 'The provider wants to speak to somebody.' }
  return { ...report, ask_again_in_ms: null, exception }
}
