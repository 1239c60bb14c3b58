// A batch of schedules that run side by side through the product's own worker, as two processes:
// what accounts, people, providers and networks do at each step, and what goes wrong with workers.
import assert from 'node:assert/strict'
import { wakePayouts } from '../../src/payouts/advance/wake-store.ts'
import type { RailPayout } from '../../src/rails/rail.ts'
import type { Deps } from '../../src/runtime/deps.ts'
import { transactConfined } from '../../src/sql/confine.ts'
import type { Client, TestService } from '../support/service/service.ts'
import { payAll } from '../support/service/settling.ts'
import { type Chance, chanceOf } from './chance.ts'
import { allowing, Person, patiently } from './people.ts'
import { type Order, Provider, type Truth, type World } from './provider.ts'
import { amountsOf, fateOf, lieOf, PROVIDERS, type Schedule, START } from './schedule.ts'
import { look, type Seen, wrongWith } from './seen.ts'
import { WORK, work } from './workers.ts'

const HOUR_MS = 3_600_000
/** Steps at the end in which nothing goes wrong; more while a payment is still on its way. */
const CALM_STEPS = 7
const MOST_CALM_STEPS = 40
/** Past the end of every calendar of the product. */
const YEARS_MS = 4 * 365 * 24 * HOUR_MS

export interface Processes {
  readonly service: TestService
  /** Another process on the same database. */
  readonly other: Deps
}

type Payout = Schedule['payouts'][number] & { readonly schedule: Schedule }

export class Batch {
  readonly #service: TestService
  readonly #processes: readonly [Deps, Deps]
  readonly #chance: Chance
  readonly world: World
  readonly #providers: readonly Provider[]
  readonly #schedules: Schedule[] = []
  readonly #payouts = new Map<string, Payout>()
  #seen: ReadonlyMap<string, Seen> = new Map()
  readonly #person: Person
  #step = 0

  constructor({ service, other }: Processes, seed: number, tally: Map<string, number>) {
    this.#service = service
    this.#processes = [service.deps, other]
    this.#chance = chanceOf(seed, 'batch')
    const truth = new Map<string, Truth>()
    this.world = {
      seed,
      truth,
      truthOf: id => {
        const known = truth.get(id) ?? { paid: 0, returned: 0 }
        truth.set(id, known)
        return known
      },
      is_calm: false,
      underway: [],
      fateOf: (provider, payout) => this.#fateOf(provider, payout),
      indexOf: id => this.#payoutOf(id).index,
      count: what => tally.set(what, (tally.get(what) ?? 0) + 1),
    }
    this.#providers = PROVIDERS.map(name => {
      const is_woken = name === 'third'
      const key_lifetime_ms = name === 'second' || is_woken ? null : HOUR_MS
      return new Provider(name, { key_lifetime_ms, is_woken }, this.world)
    })
    this.#person = new Person(service.deps, this.world, this.#providers)
  }

  /** Runs so many schedules; throws with the first that is wrong. */
  async run(schedules: number, steps: number): Promise<void> {
    await this.#open(schedules)
    for (this.#step = 1; this.#step <= steps; this.#step++) {
      await this.#people()
      await Promise.all([this.#accounts(), this.#deliver(), this.#work(), this.#news()])
      await this.#pass()
      await this.#look()
      this.#check(false)
    }
    await this.#calmDown()
    this.#check(true)
    this.#countEnds()
  }

  async #open(schedules: number): Promise<void> {
    const wanted = { sandbox: false, currencies: ['USD'], fund: { USD: START } }
    const clients = await this.#service.openAccounts(Array(schedules).fill(wanted))
    const [first] = this.#processes
    await this.#processes[1].reference.refresh()
    assert.equal(first.reference.current().accounts.size >= schedules, true)
    // Some at a time, as each waits for its write no longer than a client would.
    for (let from = 0; from < clients.length; from += 15) {
      const some = clients.slice(from, from + 15)
      await Promise.all(some.map((client, i) => this.#pay(client, from + i)))
    }
    this.#schedules.sort((a, b) => a.index - b.index)
    await this.#look()
  }

  async #pay(client: Client, index: number): Promise<void> {
    const chance = chanceOf(this.world.seed, 'schedule', index)
    const lies = lieOf(chance)
    const amounts = amountsOf(chance).map(amount => ({ amount }))
    const made = await payAll(this.#service, client, amounts)
    const payouts = made.map(({ outcome }, i) => {
      return { index: index * 10 + i, id: outcome?.payout.id ?? assert.fail() }
    })
    const schedule = { index, client, chance, lies, payouts, ahead_ms: 0 }
    this.#schedules.push(schedule)
    for (const payout of payouts) this.#payouts.set(payout.id, { ...payout, schedule })
  }

  #payoutOf(id: string): Payout {
    return this.#payouts.get(id) ?? assert.fail(`payout ${id} is of no schedule`)
  }

  #fateOf(provider: string, payout: RailPayout) {
    const { index, schedule } = this.#payoutOf(payout.id)
    return fateOf(this.world.seed, index, schedule.lies, provider, payout)
  }

  /** What accounts do while workers are at it: they cancel, and answer what is asked. */
  async #accounts(): Promise<void> {
    const acts = [...this.#payouts.values()].map(async ({ id, schedule }) => {
      const { status } = this.#seenOf(id)
      const { chance, client } = schedule
      const about = { account_id: client.account.account_id, payout_id: id }
      const command = { ...about, maker: 'key_1', claim: null }
      const { lanes } = this.#anyProcess(chance)
      if (chance.is(0.05)) {
        const done = await allowing(lanes.cancelPayout.run(command))
        this.world.count(done ? 'cancelled' : 'cancellation refused')
      }
      if (status === 'requires_action' && chance.is(0.5)) {
        const request = { note: 'As you asked.' }
        if (await allowing(lanes.answerPayout.run({ ...command, request }))) {
          this.world.count('answered')
        }
      }
    })
    await Promise.all(acts)
  }

  /** What was slow comes in at last. */
  async #deliver(): Promise<void> {
    for (const { provider, payout } of this.world.underway.splice(0)) {
      const { ahead_ms } = this.#payoutOf(payout.id).schedule
      provider.receive(payout, Date.now() + ahead_ms)
    }
  }

  /** Payments go their way, and providers tell: with the news itself, or by a webhook. */
  async #news(): Promise<void> {
    const told = this.#providers.flatMap(provider =>
      provider.orders().filter(order => this.#hasNews(provider, order)),
    )
    await this.#wake(told)
  }

  #hasNews(provider: Provider, order: Order): boolean {
    const { chance } = this.#payoutOf(order.payout_id).schedule
    const { is_woken } = provider.options
    const moved = chance.is(this.world.is_calm ? 1 : 0.3) && provider.turn(order)
    if (is_woken) return chance.is(this.world.is_calm ? 1 : 0.6) && provider.tell(order)
    // A webhook may be lost, repeated or late: it is a question, not an answer.
    return chance.is(moved ? 0.8 : 0.05)
  }

  /** News of these attempts has come in. */
  async #wake(orders: readonly Pick<Order, 'id' | 'payout_id'>[]): Promise<void> {
    const news = orders.map(({ payout_id: id, id: attempt_id }) => {
      const { account_id } = this.#payoutOf(id).schedule.client.account
      return { account_id, id, attempt: Number(attempt_id.slice(id.length + 1)) }
    })
    if (news.length === 0) return
    const account_ids = [...new Set(news.map(({ account_id }) => account_id))]
    const { sql } = this.#anyProcess(this.#chance)
    await patiently(() => transactConfined(sql, account_ids, tx => wakePayouts(tx, news)))
  }

  /** Who looks at exceptions: a person who telephones, and says or closes what they found. */
  async #people(): Promise<void> {
    for (const { id, schedule } of this.#payouts.values()) {
      const seen = this.#seenOf(id)
      const { chance, lies } = schedule
      if (lies !== undefined) continue
      const open = seen.exceptions.filter(({ is_open }) => is_open)
      // Whom no rail has, nobody is asked about: only a person can say how that ends.
      const is_left = open.some(({ kind }) => kind === 'no_other_route')
      if (open.length > 0 && chance.is(0.4))
        await this.#person.resolve(seen, is_left || chance.is(0.6))
      else if (seen.rail === 'manual' && chance.is(0.4)) await this.#person.payByHand(seen, chance)
      else if (chance.is(0.01)) await this.#person.setRight(seen)
    }
  }

  /** One step of both processes, with what may go wrong with them. */
  async #work(): Promise<void> {
    // Each of them several times in a batch, in an order of its own.
    const nth = this.world.seed + this.#step
    const how = this.world.is_calm ? 'both' : (WORK[nth % WORK.length] ?? 'both')
    this.world.count(`workers: ${how}`)
    const rails = new Map(this.#providers.map(({ name, rail }) => [name, rail]))
    const endClaims = () => this.#endClaims()
    await work(how, { processes: this.#processes, rails, chance: this.#chance, endClaims })
  }

  /** Claims run out, what is to be asked is due, and the clocks of some accounts go on. */
  async #pass(): Promise<void> {
    const { owner } = this.#service.database
    for (const schedule of this.#schedules) {
      const { chance } = schedule
      const by_ms = chance.is(0.08) ? chance.weighed(JUMPS) : 0
      if (by_ms === 0 || this.world.is_calm) continue
      // No network keeps a message for hours.
      await this.#deliver()
      schedule.ahead_ms += by_ms
      const { account_id } = schedule.client.account
      await owner`update books set clock_ahead = clock_ahead + make_interval(secs => ${by_ms / 1000})
        where account_id = ${account_id}`
      this.world.count(`time passes: ${by_ms / HOUR_MS} h`)
    }
    await this.#endClaims()
    await owner`
      update open_payouts o set ask_rail_at = statement_timestamp() from books b
      where b.account_id = o.account_id and o.account_id = any (${this.#accountIds()}::text[])
        and o.ask_rail_at > statement_timestamp()
        and o.ask_rail_at < statement_timestamp() + b.clock_ahead + interval '2 minutes'`
  }

  /** But of payouts that somebody writes at this moment: whoever waited for them could deadlock. */
  async #endClaims(): Promise<void> {
    await this.#service.database.owner`
      update open_payouts o set claimed_until = statement_timestamp()
      from (
        select account_id, id from open_payouts
        where claimed_until is not null and account_id = any (${this.#accountIds()}::text[])
        for update skip locked
      ) free
      where o.account_id = free.account_id and o.id = free.id`
  }

  /** Nothing goes wrong any more: what is underway arrives, and everybody has time. */
  async #calmDown(): Promise<void> {
    this.world.is_calm = true
    const isEnough = (round: number) => round >= CALM_STEPS && this.#wrong(true).length === 0
    for (let round = 0; round < MOST_CALM_STEPS && !isEnough(round); round++) {
      for (const seen of this.#seen.values()) {
        const { lies } = this.#payoutOf(seen.id).schedule
        const is_open = seen.exceptions.some(exception => exception.is_open)
        if (is_open && lies === undefined && round > CALM_STEPS / 2)
          await this.#person.resolve(seen, true)
      }
      await this.#deliver()
      await this.#news()
      await this.#wake(this.#providers.flatMap(provider => provider.orders()))
      await this.#work()
      await this.#pass()
      await this.#look()
    }
  }

  #anyProcess(chance: Chance): Deps {
    return chance.pick(this.#processes)
  }

  #accountIds(): string[] {
    return this.#schedules.map(({ client }) => client.account.account_id)
  }

  #seenOf(id: string): Seen {
    return this.#seen.get(id) ?? assert.fail(`payout ${id} is lost`)
  }

  async #look(): Promise<void> {
    this.#seen = await look(this.#service.database.owner, this.#accountIds())
  }

  #countEnds(): void {
    for (const { id, schedule } of this.#payouts.values()) {
      const { status, attempt, exceptions } = this.#seenOf(id)
      for (const { kind } of exceptions) this.world.count(`exception: ${kind}`)
      const by = attempt === undefined ? '' : `, attempt ${attempt.number}`
      const is_told = schedule.lies === undefined
      this.world.count(is_told ? `end: ${status}${by}` : `end with a liar: ${status}`)
    }
  }

  #check(is_over: boolean): void {
    const wrong = this.#wrong(is_over).slice(0, 5)
    assert.deepEqual(wrong, [], `seed ${this.world.seed}, step ${this.#step}`)
  }

  /** What is wrong as it was seen last, with what the providers know of it. */
  #wrong(is_over: boolean): string[] {
    return [...this.#payouts.values()].flatMap(({ id, index, schedule }) => {
      const { lies, ahead_ms } = schedule
      const seen = this.#seenOf(id)
      const truth = this.world.truthOf(id)
      const now_ms = Date.now() + ahead_ms
      const words = wrongWith(seen, {
        truth,
        providers: this.#providers,
        underway: this.world.underway,
        now_ms,
        lies: lies !== undefined,
        is_over,
      })
      if (words.length === 0) return []
      const orders = this.#providers.flatMap(provider =>
        provider.orders().filter(({ payout_id }) => payout_id === id),
      )
      const known = JSON.stringify({ seen, lies, ahead_ms, truth, orders })
      return words.map(word => `${index} ${id}: ${word}, ${known}`)
    })
  }
}

const JUMPS = [
  [5, HOUR_MS / 2],
  [5, 2 * HOUR_MS],
  [4, 96 * HOUR_MS],
  [1, YEARS_MS],
] as const
