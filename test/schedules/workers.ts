// What goes wrong with workers of the product, of which two processes have one each.

import { askOver, OVER_ROUND } from '../../src/app/worker/ask-over.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { claimDuePayouts, listDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import type { Rail, RailPayout, Rails } from '../../src/rails/rail.ts'
import type { Deps } from '../../src/runtime/deps.ts'
import type { Chance } from './chance.ts'

/** Each is once a step; a batch has each several times. */
export const WORK = [
  'both',
  'killed before it asks',
  'both',
  'killed once it has asked',
  'a rail is paused',
  'a rail goes between claim and question',
  'slower than its claim',
] as const

interface Working {
  readonly processes: readonly [Deps, Deps]
  readonly rails: ReadonlyMap<string, Rail>
  readonly chance: Chance
  /** As if every claim had run out. */
  endClaims(): Promise<void>
}

export async function work(how: (typeof WORK)[number], working: Working): Promise<void> {
  const { processes, rails, chance } = working
  const [one, two] = processes
  switch (how) {
    case 'both':
      await Promise.all([settle(one, rails), settle(two, rails)])
      return
    case 'killed before it asks': {
      const keys = await listDuePayouts(one.finder, [...rails.keys()], 500)
      await claimDuePayouts(one.sql, keys, 60_000)
      return
    }
    case 'killed once it has asked':
      await settle(killed(one, chance), rails)
      return
    case 'a rail is paused':
      await Promise.all([
        settle(one, without(rails, 'bank')),
        settle(two, without(rails, 'second')),
      ])
      return
    case 'a rail goes between claim and question':
      await settle(one, {
        get: name => (name === 'bank' ? undefined : rails.get(name)),
        has: name => rails.has(name),
        keys: () => rails.keys(),
      })
      return
    case 'slower than its claim':
      await slowly(working)
  }
}

/** Attempts that are over are asked about until none is left, as the worker does while it finds more. */
async function settle(deps: Deps, rails: Rails): Promise<void> {
  const working = { ...deps, rails }
  await settleOnce(working)
  while ((await askOver(working)) === OVER_ROUND);
}

function without(rails: ReadonlyMap<string, Rail>, paused: string): Rails {
  return new Map([...rails].filter(([name]) => name !== paused))
}

/** A worker that is killed while it writes what it was told: some of it is written. */
function killed(deps: Deps, chance: Chance): Deps {
  const run: Deps['lanes']['advancePayout']['run'] = async advance => {
    if (chance.is(0.5)) throw new Error('killed')
    await deps.lanes.advancePayout.run(advance)
    throw new Error('killed')
  }
  const advancePayout = { run } as Deps['lanes']['advancePayout']
  return { ...deps, lanes: { ...deps.lanes, advancePayout } }
}

/** One worker waits for its answers until the other has claimed, asked and written. */
async function slowly({ processes: [slow, quick], rails, endClaims }: Working): Promise<void> {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const hold = <A>(answers: readonly Promise<A>[]) => {
    asked.resolve()
    return answers.map(async answer => {
      answer.catch(() => {})
      await gate.promise
      return Promise.race([answer, silence()])
    })
  }
  const behind = [...rails].map(([name, rail]): [string, Rail] => {
    const submit = (payouts: readonly RailPayout[]) => hold(rail.submit(payouts))
    const inquire = (payouts: readonly RailPayout[]) => hold(rail.inquire(payouts))
    return [name, { ...rail, submit, inquire }]
  })
  const patient = { ...slow, config: { ...slow.config, rail_timeout_ms: 60_000 } }
  const round = settle(patient, new Map(behind))
  await Promise.race([asked.promise, round])
  await endClaims()
  await settle(quick, rails)
  gate.resolve()
  await round
}

/** Whoever has not answered by now gives no answer. */
function silence(): Promise<never> {
  return new Promise((_, reject) => setImmediate(reject, new Error('time-out')))
}
