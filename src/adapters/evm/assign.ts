// Which wallet pays which payout: the least loaded one that has the money, the oldest payout first.
// Pure.
import { moneyWords } from '../../values/money/words.ts'
import type { Hex } from './chain.ts'
import type { NewTrouble } from './trouble.ts'

/** A wallet that may sign now, and what it has beyond its open payments. */
export interface Purse {
  readonly address: Hex
  /** Its next nonce when the rest was read: once it is counted on, the rest is not so any more. */
  readonly next_nonce: bigint
  /** Payments in no block yet. */
  readonly unmined: number
  /** By token, in its smallest unit. Absent: not known now. */
  readonly units: ReadonlyMap<Hex, bigint>
  /** Wei for gas. */
  readonly gas_wei: bigint
  /** By token: minor units paid since the day of UTC began. */
  readonly today: ReadonlyMap<Hex, bigint>
}

export interface Wanted {
  readonly token: Hex
  readonly currency: string
  readonly amount: bigint
  readonly units: bigint
}

export interface Limits {
  /** The most payments of a wallet that are in no block. */
  readonly in_flight: number
  /** Minor units of a wallet's day and token; null: any. */
  readonly max_day: bigint | null
}

/** Why a payout waits; a trouble where a person can help. */
export interface Wait {
  readonly wait: 'room' | 'unclear' | NewTrouble
}

export type Assigned<W> =
  | { readonly order: W; readonly wallet: Hex }
  | ({ readonly order: W } & Wait)

/**
 * Assigns orders, in their order. An order that waits for money lets no later one of its token
 * pass, so that a large payout is not overtaken for ever.
 */
export function assign<W extends Wanted>(
  orders: readonly W[],
  purses: readonly Purse[],
  limits: Limits,
): Assigned<W>[] {
  const left = purses.map(purse => ({
    address: purse.address,
    unmined: purse.unmined,
    units: new Map(purse.units),
    today: new Map(purse.today),
  }))
  const blocked = new Map<Hex, NewTrouble>()
  return orders.map(order => {
    const { token, amount, units } = order
    const before = blocked.get(token)
    if (before !== undefined) return { order, wait: before }
    const roomy = left.filter(({ unmined }) => unmined < limits.in_flight)
    if (roomy.length === 0) return { order, wait: 'room' as const }
    const known = roomy.filter(purse => purse.units.has(token))
    if (known.length === 0) return { order, wait: 'unclear' as const }
    const rich = known.filter(purse => (purse.units.get(token) ?? 0n) >= units)
    const day = ({ today }: (typeof left)[number]) => (today.get(token) ?? 0n) + amount
    const fitting = rich.filter(purse => limits.max_day === null || day(purse) <= limits.max_day)
    const [purse] = fitting.toSorted((a, b) => a.unmined - b.unmined)
    if (purse === undefined) {
      // A wallet without room may have the money, and has room in a moment.
      const is_full = roomy.length < left.length
      const trouble = rich.length === 0 ? noFunds(order) : dayCap(order, limits.max_day ?? 0n)
      if (is_full && rich.length === 0) return { order, wait: 'room' as const }
      blocked.set(token, trouble)
      return { order, wait: trouble }
    }
    purse.unmined += 1
    purse.units.set(token, (purse.units.get(token) ?? 0n) - units)
    purse.today.set(token, day(purse))
    return { order, wallet: purse.address }
  })
}

function noFunds({ amount, currency }: Wanted): NewTrouble {
  const message = `no wallet has ${moneyWords(amount, currency)} beyond its open payments`
  return { wallet: '', kind: 'no_funds', message }
}

function dayCap({ amount, currency }: Wanted, max_day: bigint): NewTrouble {
  const [asked, most] = [amount, max_day].map(sum => moneyWords(sum, currency))
  const message = `${asked} more today is above max_day, ${most}, of each wallet with the money`
  return { wallet: '', kind: 'cap', message }
}
