// Works on the payments of one rail in rounds: watches the chain, sends, and reads transfers. The
// process with the lease of the rail does it alone. It may be killed at any point: each part starts
// from what is committed, and a second process that did the same would do no harm.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { databaseNow } from '../../sql/connect.ts'
import { classify } from '../../sql/failure.ts'
import { type Instant, plusMilliseconds } from '../../values/instant.ts'
import { acquireLease, releaseLease } from '../bank-file/file-store.ts'
import { judgeTroubles, Unclear } from './judge.ts'
import { SeenBalances } from './measures.ts'
import type { OpenEvmRail } from './open.ts'
import { readWallets } from './purses.ts'
import { scanTransfers } from './scan.ts'
import { type OpenSlot, sendDue, sendSigned, type TakenAt } from './send.ts'
import { placeName } from './slot.ts'
import { listOpen, listPaidSince, transactHouse } from './slot-store.ts'
import { sweepAgreed } from './sweep.ts'
import { listTransactions } from './transaction-store.ts'
import { noteTroubles } from './trouble-store.ts'
import { watchOpen } from './watch.ts'

/** How long the lease of a killed process still stops the others. */
const LEASE_MS = 5_000

/** The shortest and the longest pause between rounds. */
const LEAST_PAUSE_MS = 100
const MOST_PAUSE_MS = 12_000

/** How often troubles are judged and transfers read: each 30 blocks, and at least once a minute. */
const JUDGED_BLOCKS = 30
const LEAST_JUDGED_MS = 500
const MOST_JUDGED_MS = 60_000

function judgePace({ chain }: OpenEvmRail['config']): number {
  return Math.min(MOST_JUDGED_MS, Math.max(LEAST_JUDGED_MS, JUDGED_BLOCKS * chain.block_ms))
}

export class Work {
  readonly balances = new SeenBalances()
  readonly #rail: OpenEvmRail
  readonly #holder = randomUUID()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  /** Ends the pause: there is something to send. */
  #wake = Promise.withResolvers<void>()
  #judge_at = 0
  readonly #unclear = new Unclear()
  readonly #taken_at: TakenAt = new Map()
  #logged = ''

  constructor(rail: OpenEvmRail) {
    this.#rail = rail
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Does the next round at once. */
  wake(): void {
    this.#wake.resolve()
  }

  /** Ends the rounds. Resolves when the current round is over. */
  async close(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { sql, name, config } = this.#rail
    const pause_ms = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, config.chain.block_ms))
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers()
      await this.#round().catch(error => this.#failed(error))
      const pause = delay(pause_ms, undefined, { signal }).catch(() => {})
      await Promise.race([pause, this.#wake.promise])
    }
    await releaseLease(sql, name, this.#holder).catch(() => {})
  }

  /** Does a round, if this process gets the lease. Renews the lease until the round is over. */
  async #round(): Promise<void> {
    const { sql, name, log } = this.#rail
    const acquire = () => acquireLease(sql, name, this.#holder, LEASE_MS)
    if (!(await acquire())) return
    const renewal = setInterval(() => {
      acquire().catch(error => log.warn({ err: error, rail: name }, 'the lease was not kept'))
    }, LEASE_MS / 3)
    try {
      await this.once()
      this.#logged = ''
    } finally {
      clearInterval(renewal)
    }
  }

  /** One round, without the lease. */
  async once(): Promise<void> {
    const rail = this.#rail
    const now = await databaseNow(rail.sql)
    let open = await readOpen(rail, now)
    // What fails here is due below.
    const signed = await sendSigned(rail, open, this.#taken_at).catch(() => true)
    if (signed) open = await readOpen(rail, now)
    // Bytes whose block has gone go out again in the same round.
    const [watched] = await Promise.allSettled([watchOpen(rail, open, now)])
    if (watched.status === 'rejected' || watched.value) open = await readOpen(rail, now)
    const [sent] = await Promise.allSettled([sendDue(rail, open, now, this.#taken_at)])
    const failed = [watched, sent].find(({ status }) => status === 'rejected')
    if (performance.now() >= this.#judge_at) {
      this.#judge_at = performance.now() + judgePace(rail.config)
      await this.#judge(open, now)
      if (failed === undefined) await noteTroubles(rail.sql, rail.name, ['not_working'], [])
    }
    if (failed?.status === 'rejected') throw failed.reason
  }

  /** A wallet that cannot be sent from hinders none of this. */
  async #judge(open: readonly OpenSlot[], now: Instant): Promise<void> {
    const rail = this.#rail
    await readWallets(rail)
    await judgeTroubles(rail, open, now, this.#unclear)
    await this.balances.read(rail)
    await scanTransfers(rail)
    await sweepAgreed(rail)
  }

  /** Logs a failure, unless the last one was the same. */
  async #failed(error: unknown): Promise<void> {
    const { sql, name, log } = this.#rail
    // Another process has moved a payment: the next round reads it again.
    if (classify(error) === 'contention') return
    const message = error instanceof Error ? error.message : String(error)
    if (this.#logged !== message)
      log.error({ err: error, rail: name }, 'work on a chain has failed')
    this.#logged = message
    const trouble = { wallet: '', kind: 'not_working', message: message || 'no reason' } as const
    await noteTroubles(sql, name, ['not_working'], [trouble]).catch(() => {})
  }
}

/** How long a payment is looked at that a number of blocks has settled. */
const HOUR_MS = 3_600_000

/**
 * The open slots of the rail's wallets, with their transactions; and where a number of blocks
 * settles, those that it has settled and the chain may still take back.
 */
async function readOpen({ sql, config }: OpenEvmRail, now: Instant): Promise<readonly OpenSlot[]> {
  const addresses = config.wallets.map(({ address }) => address)
  return transactHouse(sql, [], async tx => {
    const since = plusMilliseconds(now, -(HOUR_MS + 2 * config.chain.final_ms))
    const is_early = config.settles_on !== 'finalized'
    const slots = [
      ...(await listOpen(tx, config.chain.id, addresses)),
      ...(is_early ? await listPaidSince(tx, config.chain.id, addresses, since) : []),
    ]
    const transactions = Map.groupBy(await listTransactions(tx, slots), placeName)
    return slots.map(slot => ({ slot, transactions: transactions.get(placeName(slot)) ?? [] }))
  })
}
