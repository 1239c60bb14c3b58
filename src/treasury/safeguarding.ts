// Client money: what is owed to clients against what is held for them, by pool and currency. Pure.
import type { Instant } from '../values/instant.ts'

/** The pools that are safeguarded. */
export const SAFEGUARDED = ['payments', 'emoney'] as const
export type SafeguardedPool = (typeof SAFEGUARDED)[number]

/** Minor units. */
export interface Requirement {
  readonly pool: SafeguardedPool
  readonly currency: string
  /** The sum of what each client has: available and in transit. No negative one offsets another. */
  readonly owed: bigint
  /** Clients with a negative sum, which a person must look at. */
  readonly negative: number
  /** Fees and income of conversions since the beginning. */
  readonly income: bigint
}

/** Of the nostros of a pool in one currency. */
export interface Resource {
  readonly pool: SafeguardedPool
  readonly currency: string
  readonly bank: bigint
  readonly book: bigint
  /** What deals, transfers and top-ups bring on a later day: the books have it, and no bank has. */
  readonly to_come: bigint
  /** What the banks have debited, and no open item has its sum: fees. */
  readonly debits: bigint
  /** Credits that no account has yet: owed to whoever has paid them. */
  readonly suspense: bigint
  /** Funding that was reversed and has not left the bank. */
  readonly returning: bigint
  /** What transfers have moved to accounts of the house's own, less what came back. */
  readonly taken_out: bigint
  readonly nostros: readonly External[]
}

/** What has left accounts of the pool, and no nostro is known for; minor units, above 0. */
export interface Unassigned extends Pick<Requirement, 'pool' | 'currency'> {
  readonly amount: bigint
}

/** One nostro: the bank against the books. */
export interface External {
  readonly nostro: string
  /** As it was at the time; '' for not said. */
  readonly institution: string
  readonly bank: string
  readonly book: string
  readonly open_lines: string
  readonly open_items: string
  readonly proved: boolean
}

/** What the figures are made of, in minor units: how each sum comes about. */
export interface SafeguardingParts {
  /** Of each client, available and in transit. */
  readonly clients: bigint
  /** Part of what is owed, and of what is held. */
  readonly suspense: bigint
  readonly returning: bigint
  readonly book: bigint
  /** These three are subtracted from the books. */
  readonly to_come: bigint
  readonly debits: bigint
  readonly unassigned: bigint
  /** At the end of the day before. */
  readonly d1_clients: bigint
  readonly d1_suspense: bigint
  readonly d1_returning: bigint
  /** Fees and conversions since the beginning, and what of it was taken out. */
  readonly income: bigint
  readonly taken_out: bigint
}

export interface Safeguarding {
  readonly day: string
  readonly as_of: Instant
  readonly pool: SafeguardedPool
  readonly currency: string
  readonly requirement: bigint
  readonly resource: bigint
  readonly d1_requirement: bigint
  readonly d1_resource: bigint
  readonly earned: bigint
  readonly negative: number
  readonly parts: SafeguardingParts
  readonly external: readonly External[]
}

/** What is kept of it when a person signs. */
export type KeptSafeguarding = Omit<Safeguarding, 'negative' | 'parts'>

export type SafeguardingState = 'met' | 'shortfall' | 'excess'

/** A signed day. */
export interface SignedDay extends KeptSafeguarding {
  readonly number: number
  readonly at: Instant
  readonly entered: bigint
  readonly state: SafeguardingState
  readonly action: string
  readonly by: string
}

/**
 * Each resource, with what a person has entered besides, against its requirement. Less than owed,
 * now or at the end of the day before, is a shortfall. The excess is that of now.
 */
export function stateOfDay(
  day: Pick<Safeguarding, 'requirement' | 'resource' | 'd1_requirement' | 'd1_resource'>,
  entered = 0n,
): SafeguardingState {
  const over = day.resource + entered - day.requirement
  const over_d1 = day.d1_resource + entered - day.d1_requirement
  if (over < 0n || over_d1 < 0n) return 'shortfall'
  return over > 0n ? 'excess' : 'met'
}

interface Moment {
  readonly requirements: readonly Requirement[]
  readonly resources: readonly Resource[]
}

/**
 * The day's figures by pool and currency. Suspense and money on its way back are owed, and the bank
 * has them. What left a nostro that nobody knows is not held. `d1` is the end of the day before, by
 * what the banks say.
 */
export function safeguardingOf(
  { day, as_of }: Pick<Safeguarding, 'day' | 'as_of'>,
  now: Moment & { readonly unassigned: readonly Unassigned[] },
  d1: Moment,
): Safeguarding[] {
  const keys = new Set(
    [now.requirements, now.resources, now.unassigned, d1.requirements, d1.resources]
      .flat()
      .map(keyOf),
  )
  return [...keys].sort().map(key => {
    const [pool, currency] = key.split(' ') as [SafeguardedPool, string]
    const [owed, held] = at(now, key)
    const [before, at_banks] = at(d1, key)
    const { suspense, returning, book, to_come, debits, taken_out } = held
    const unassigned = now.unassigned.find(one => keyOf(one) === key)?.amount ?? 0n
    return {
      ...{ day, as_of, pool, currency },
      requirement: owed.owed + suspense + returning,
      resource: book - to_come - debits - unassigned + suspense + returning,
      d1_requirement: before.owed + at_banks.suspense + at_banks.returning,
      d1_resource: at_banks.bank,
      earned: owed.income - taken_out,
      negative: owed.negative,
      parts: {
        ...{ clients: owed.owed, suspense, returning, book, to_come, debits, unassigned },
        d1_clients: before.owed,
        ...{ d1_suspense: at_banks.suspense, d1_returning: at_banks.returning },
        ...{ income: owed.income, taken_out },
      },
      external: held.nostros,
    }
  })
}

const keyOf = ({ pool, currency }: Pick<Requirement, 'pool' | 'currency'>) => `${pool} ${currency}`

const NOTHING = {
  ...{ owed: 0n, negative: 0, income: 0n },
  ...{ bank: 0n, book: 0n, to_come: 0n, debits: 0n, suspense: 0n, returning: 0n },
  ...{ taken_out: 0n, nostros: [] },
}

function at({ requirements, resources }: Moment, key: string) {
  return [
    requirements.find(one => keyOf(one) === key) ?? NOTHING,
    resources.find(one => keyOf(one) === key) ?? NOTHING,
  ] as const
}
