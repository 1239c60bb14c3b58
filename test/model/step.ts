// What commands are made of: a name, what was drawn at random, and what to do with it when it runs. A
// command holds numbers alone and finds its quote or payout then, so that commands before it can be
// left out while a failure is shrunk.
import fc from 'fast-check'
import { MAX_AMOUNT, type Rates } from './price.ts'
import type { Booking, Request, World } from './world.ts'

/** What a command needs of the service; the test makes it. */
export interface Real {
  /** Sends a request, its body as this text if given; holds answer and books against the model. */
  post(world: World, request: Request, text?: string): Promise<void>
  /** The settling worker, until nothing is due. */
  settle(world: World): Promise<void>
  /** Reads of one account and one payout or quote of it. */
  read(world: World, account: number, pick: number): Promise<void>
  setRates(world: World, rates: Rates): Promise<void>
  /** What an operator books by hand, and takes back. */
  book(world: World, wanted: ByHand): Promise<void>
  takeBack(world: World, booking: Booking): Promise<void>
}

export interface ByHand {
  readonly kind: 'funding' | 'withdrawal' | 'adjustment'
  readonly account: number
  readonly currency: string
  readonly amount: bigint
}

export type Command = fc.AsyncCommand<World, Real, true>
export type Body = Request['body']

export interface Start {
  readonly currencies: readonly string[]
  readonly primary: string
  readonly fund: Readonly<Record<string, bigint>>
}

/** Each without money in one of its currencies. */
export const ACCOUNTS: readonly Start[] = [
  {
    currencies: ['USD', 'EUR', 'JPY'],
    primary: 'USD',
    fund: { USD: 2_000_000n, JPY: 2_000_000n },
  },
  { currencies: ['USD', 'KWD'], primary: 'USD', fund: { USD: 2_000_000n } },
  {
    currencies: ['EUR', 'USD', 'KWD'],
    primary: 'EUR',
    fund: { EUR: 2_000_000n, KWD: 2_000_000n },
  },
]

class Step {
  readonly #name: string
  readonly #drawn: object
  readonly #run: (world: World, real: Real) => Promise<void>

  constructor(name: string, drawn: object, run: (world: World, real: Real) => Promise<void>) {
    this.#name = name
    this.#drawn = drawn
    this.#run = run
  }

  check(): Promise<boolean> {
    return Promise.resolve(true)
  }

  run(world: World, real: Real): Promise<void> {
    return this.#run(world, real)
  }

  toString(): string {
    return `${this.#name}${JSON.stringify(this.#drawn)}`
  }
}

/** A command of a name, drawn from an arbitrary. */
export function step<T extends object>(
  name: string,
  drawn: fc.Arbitrary<T>,
  run: (world: World, real: Real, drawn: T) => Promise<void>,
): fc.Arbitrary<Command> {
  return drawn.map(d => new Step(name, d, (world, real) => run(world, real, d)))
}

/** By place in the world. */
export const account = fc.nat(ACCOUNTS.length - 1)
/** One of a list, whatever its length. */
export const pick = fc.nat(1_000)
export const rarely = fc.nat(19).map(n => n === 19)
export const often = fc.nat(9).map(n => n < 8)

/** Held by some accounts, by none, and seldom one that no rate joins to the others. */
export const currency = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('USD', 'EUR', 'JPY', 'KWD', 'HKD') },
  { weight: 1, arbitrary: fc.constant('THB') },
)

/** Ordinary ones, and those by which the simulator decides. */
export const amount = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 60_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(100_000, 200_000, 300_000, 400_000, 500_000, 500_001) },
  { weight: 2, arbitrary: fc.integer({ min: 195_000, max: 560_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
)
/** And more than anybody has. */
export const anyAmount = fc.oneof(
  { weight: 40, arbitrary: amount },
  { weight: 1, arbitrary: fc.integer({ min: 10_000_000_000, max: Number(MAX_AMOUNT) }) },
)

/** Mostly none; else a key of its own, and seldom one that others have, too. */
export const key = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.integer({ min: 100, max: 1_000_000_000 }) },
  { weight: 1, arbitrary: fc.nat(2) },
)
export const named = (drawn: number | null) => (drawn === null ? null : `key ${drawn}`)

export function nth<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(1, list.length)]
}

/** In range like the first. */
export const another = (amount: number) => (amount > 1 ? amount - 1 : amount + 1)
