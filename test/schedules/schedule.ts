// The schedules of a batch, by seed: accounts with payouts of several kinds of routes, the fate of each
// attempt, and which providers lie.
import type { RailPayout } from '../../src/rails/rail.ts'
import type { Route } from '../../src/rails/rules.ts'
import type { Client } from '../support/service/service.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Fate, Turn } from './provider.ts'

export const PROVIDERS = ['bank', 'second', 'third'] as const

/**
 * The ways that payouts go: their rails in order, and which of them waits for a cut-off. The amount of
 * a payout says which way it goes.
 */
const WAYS: readonly { readonly rails: readonly string[]; readonly cut_off?: string }[] = [
  { rails: ['bank', 'second'] },
  { rails: ['bank', 'second', 'third'] },
  { rails: ['third', 'bank'] },
  { rails: ['bank', 'manual'] },
  { rails: ['second', 'bank'], cut_off: 'bank' },
  { rails: ['bank', 'third'], cut_off: 'bank' },
]

const WIDTH = 1_000
const CUT_OFF = {
  calendar: 't2',
  cut_off: '15:00',
  zone: 'Europe/Berlin',
  lead_minutes: 30,
  arrival_days: 1,
} as const

/** The routes of all ways, each for its own amounts. */
export const ROUTES: readonly Partial<Route>[] = WAYS.flatMap(({ rails, cut_off }, i) => {
  const min_amount = BigInt(WIDTH * (i + 1))
  const max_amount = min_amount + BigInt(WIDTH - 1)
  return rails.map((rail, place) => ({
    currency: 'USD',
    min_amount,
    max_amount,
    rail,
    priority: rails.length - place,
    timetable: rail === cut_off ? CUT_OFF : null,
  }))
})

export interface Schedule {
  readonly index: number
  readonly client: Client
  readonly chance: Chance
  /** A provider of these payouts says what is not so. Then no person closes exceptions. */
  readonly lies: Lie | undefined
  readonly payouts: readonly { readonly index: number; readonly id: string }[]
  /** How far the account's clock was moved. */
  ahead_ms: number
}

const PAYOUTS_EACH = 3
export const START = 1_000_000n

/** What one account pays, by seed. */
export function amountsOf(chance: Chance): number[] {
  return Array.from({ length: PAYOUTS_EACH }, () => {
    return WIDTH * (1 + chance.below(WAYS.length)) + chance.below(WIDTH)
  })
}

type Lie = keyof typeof LIES

const says = (what: Turn['says'], does: Turn['does'] = 'nothing'): Turn => ({ says: what, does })
const PAID = says('succeeded', 'pays')

const HONEST: readonly (readonly [weight: number, fate: Fate])[] = [
  [22, [PAID]],
  [10, [says('', 'pays'), says('succeeded')]],
  [9, [says('requires_action'), says('processing'), PAID]],
  [3, [says('requires_action'), PAID]],
  [4, [says('requires_action'), says('failed')]],
  [5, [says('compliance_hold'), says('processing'), PAID]],
  [3, [says('compliance_hold'), says('failed')]],
  [9, [says('failed')]],
  [12, [PAID, says('reversed', 'returns')]],
  [23, [says('not_taken')]],
]

/** What liars say; each is heard by somebody who has reason to think otherwise. */
const LIES = {
  'a success that never was, taken back': [
    says('succeeded'),
    { says: 'failed', does: 'nothing', instead: true },
  ],
  'not taken, said of what it had begun, and pays': [
    says('compliance_hold'),
    says('not_taken'),
    PAID,
  ],
  'not taken, and pays later': [says('not_taken'), { ...PAID, instead: true }],
  'failed, and pays later': [says('failed'), { ...PAID, instead: true }],
} as const satisfies Readonly<Record<string, Fate>>

/** One schedule in six has a provider that lies. */
export function lieOf(chance: Chance): Lie | undefined {
  return chance.is(1 / 6) ? chance.pick(Object.keys(LIES) as Lie[]) : undefined
}

/** What becomes of an attempt; the bank is the one that lies. */
export function fateOf(
  seed: number,
  index: number,
  lie: Lie | undefined,
  provider: string,
  { attempt: { number } }: RailPayout,
): Fate {
  const chance = chanceOf(seed, 'fate', index, number, provider)
  return lie !== undefined && provider === 'bank' ? LIES[lie] : chance.weighed(HONEST)
}
