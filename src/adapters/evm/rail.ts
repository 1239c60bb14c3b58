// The adapter of a chain. It answers from the tables: a payment has its slot before its bytes
// leave, so an attempt without a slot was never taken.

import { setImmediate } from 'node:timers/promises'
import { findEvidence } from '../../rails/evidence-store.ts'
import type { OpenRail } from '../../rails/kind.ts'
import type { RailMeasures, RailPayout, RailReport } from '../../rails/rail.ts'
import { readAtOnce } from '../../sql/confine.ts'
import { accountsOf } from '../../sql/shard.ts'
import { payoutKey } from '../../values/id.ts'
import { handOver } from './hand-over.ts'
import { measuresOf } from './measures.ts'
import type { OpenEvmRail } from './open.ts'
import { keyOf } from './order.ts'
import { slotReport } from './report.ts'
import { findReported } from './report-store.ts'
import { slotName } from './slot.ts'
import type { Work } from './work.ts'

type Reports = ReadonlyMap<string, RailReport>

export class EvmRail implements OpenRail {
  readonly name: string
  /** The slots of attempts are never removed. */
  readonly key_lifetime_ms = null
  readonly #rail: OpenEvmRail
  readonly #work: Work
  /** One hand-over at a time, so that two do not assign the same money. */
  #last: Promise<unknown> = Promise.resolve()
  /** What comes meanwhile goes into the next one. */
  #next: { readonly payouts: RailPayout[]; readonly taking: Promise<Reports> } | undefined

  readonly #closed: () => unknown

  /** `closed` is called once nothing asks the chain any more. */
  constructor(rail: OpenEvmRail, work: Work, closed: () => unknown = () => {}) {
    this.name = rail.name
    this.#rail = rail
    this.#work = work
    this.#closed = closed
  }

  submit(payouts: readonly RailPayout[]): readonly Promise<RailReport>[] {
    this.#next ??= this.#beginNext()
    const { taking, payouts: all } = this.#next
    all.push(...payouts)
    return payouts.map(async ({ attempt }) => {
      const report = (await taking).get(attempt.id)
      if (report === undefined) throw new Error('not handed over: it waits for a person')
      return report
    })
  }

  inquire(payouts: readonly RailPayout[]): readonly Promise<RailReport | undefined>[] {
    const asking = inquire(this.#rail, payouts)
    return payouts.map(async ({ attempt }) => (await asking).get(attempt.id))
  }

  measures(): RailMeasures {
    return measuresOf(this.#rail, this.#work.balances)
  }

  start(): void {
    this.#work.start()
  }

  async close(): Promise<void> {
    await this.#work.close()
    await this.#last
    await this.#closed()
  }

  /** A hand-over of the payouts that are submitted until it begins. */
  #beginNext() {
    const payouts: RailPayout[] = []
    const taking = this.#last.then(setImmediate).then(() => {
      this.#next = undefined
      return this.#take(payouts)
    })
    this.#last = taking.catch(() => {})
    return { payouts, taking }
  }

  /** The slots tell what was taken; the hand-over only why the others wait. */
  async #take(payouts: readonly RailPayout[]): Promise<Reports> {
    const waits = await handOver(this.#rail, payouts)
    return new Map([...waits, ...(await inquire(this.#rail, payouts))])
  }
}

/** Reports by the tables; an attempt without a slot has no report. */
async function inquire(rail: OpenEvmRail, payouts: readonly RailPayout[]): Promise<Reports> {
  const keys = payouts.map(keyOf)
  // The evidence is read last: it is as new as the slot.
  const [slots, evidence] = await readAtOnce(rail.sql, accountsOf(keys), tx =>
    Promise.all([findReported(tx, keys), findEvidence(tx, keys.map(payoutKey))]),
  )
  const by_attempt = Map.groupBy(evidence, slotName)
  return new Map(
    payouts.flatMap(payout => {
      const name = slotName(keyOf(payout))
      const slot = slots.get(name)
      if (slot === undefined) return []
      const input = { config: rail.config, payout, slot, evidence: by_attempt.get(name) ?? [] }
      return [[payout.attempt.id, slotReport(input)] as const]
    }),
  )
}
