// A person who looks at payouts: telephones providers, moves payouts to what is true, closes exceptions,
// and pays by hand.

import { Lane } from '../../src/engine/lane.ts'
import { closeException } from '../../src/payouts/advance/wake-store.ts'
import { handlePayout } from '../../src/payouts/by-hand/by-hand-operation.ts'
import type { RailStatus } from '../../src/rails/rail.ts'
import type { Deps } from '../../src/runtime/deps.ts'
import { transactConfined } from '../../src/sql/confine.ts'
import { classify } from '../../src/sql/failure.ts'
import { Refusal } from '../../src/values/errors.ts'
import type { Chance } from './chance.ts'
import type { Provider, World } from './provider.ts'
import type { Seen } from './seen.ts'

export class Person {
  readonly #deps: Deps
  readonly #world: World
  readonly #providers: readonly Provider[]

  constructor(deps: Deps, world: World, providers: readonly Provider[]) {
    this.#deps = deps
    this.#world = world
    this.#providers = providers
  }

  /** Closes what is open, after setting the payout right if `thoroughly`. */
  async resolve(seen: Seen, thoroughly: boolean): Promise<void> {
    if (thoroughly) await this.setRight(seen)
    const { account_id, id } = seen
    const by = { closed_by: 'anna', note: 'Telephoned.' }
    for (const { number } of seen.exceptions.filter(({ is_open }) => is_open)) {
      await patiently(() =>
        transactConfined(this.#deps.sql, [account_id], tx =>
          closeException(tx, { account_id, id }, { number, ...by }),
        ),
      )
      this.#world.count('exception closed')
    }
  }

  /** Telephones the provider, and moves the payout to what is true. */
  async setRight(seen: Seen): Promise<void> {
    const { id, attempt, status, rail } = seen
    if (rail === 'manual') return
    const at = this.#providers.find(({ name }) => name === attempt?.rail)
    const said = attempt === undefined ? 'stopped' : at?.telephone(`${id}-${attempt.number}`)
    const has_returned = (this.#world.truth.get(id)?.returned ?? 0) > 0
    const paid = has_returned || said === 'paid'
    if (!paid) await this.#transition(seen, 'failed')
    else if (status !== 'succeeded') await this.#transition(seen, 'succeeded')
    if (has_returned) await this.#transition(seen, 'reversed')
  }

  async #transition({ account_id, id }: Seen, status: RailStatus): Promise<void> {
    const failure = { code: 'OP1', category: 'operator', message: 'Telephoned.' }
    const gives_back = status === 'failed' || status === 'reversed'
    const steps = [{ status, failure: gives_back ? failure : null }]
    const person = { name: 'anna', reason: 'Telephoned.' }
    const about = { account_id, payout_id: id, by: 'operator' } as const
    const done = await allowing(this.#deps.lanes.advancePayout.run({ ...about, steps, person }))
    this.#world.count(done ? `a person says ${status}` : 'a person may not say so')
  }

  /** Takes it and pays, or gives it back unpaid. */
  async payByHand({ account_id, id, status }: Seen, chance: Chance): Promise<void> {
    if (status !== 'processing') return
    const about = { account_id, payout_id: id }
    const person = { name: 'anna', reason: 'Today.' }
    const lane = new Lane(this.#deps.sql, handlePayout, { max_batch: 1 })
    if (!(await allowing(lane.run({ ...about, act: 'take', person })))) return
    if (chance.is(0.3)) {
      await allowing(lane.run({ ...about, act: 'release', person }))
      return
    }
    const step = { status: 'succeeded', failure: null } as const
    const advance = { ...about, by: 'operator', steps: [step] } as const
    this.#world.truthOf(id).paid += 1
    const paid = { ...person, reference: `BY-HAND-${id}` }
    // Whoever is not answered says it again, and is refused if it was heard.
    await allowing(
      patiently(() => this.#deps.lanes.advancePayout.run({ ...advance, person: paid })),
    )
    this.#world.count('paid by hand')
  }
}

/** Whether it was done; false when the product refused it, or could not say so in time. */
export async function allowing(act: Promise<unknown>): Promise<boolean> {
  try {
    await act
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Once more while the database is too slow to say whether it is done; a repeat does no harm. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let left = 10; ; left--) {
    try {
      return await act()
    } catch (error) {
      const is_slow = error instanceof Refusal ? error.status === 503 : classify(error) !== 'fault'
      if (!is_slow || left === 0) throw error
    }
  }
}
