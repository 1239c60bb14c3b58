// The lease to sign with a wallet. One process at a time reads the wallet's next nonce, signs, and
// commits. The lease saves work that would be dropped; it is the count of nonces that makes signing
// safe, so a lease that was lost, or stolen, does no harm.
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../../sql/connect.ts'
import { holdWallet, releaseWallet, type Wallet } from './wallet-store.ts'

/** How long the lease of a killed process still stops the others. */
export const LEASE_MS = 30_000

/** How long a process waits for the lease before it leaves the payouts to a later round. */
const MOST_WAIT_MS = 2_000
const LOOK_EVERY_MS = 50

type Key = Pick<Wallet, 'chain_id' | 'address'>

/** The leases of one process. Works with one wallet are done one after the other. */
export class Leases {
  readonly #sql: Sql
  readonly #holder: string
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(sql: Sql, holder: string) {
    this.#sql = sql
    this.#holder = holder
  }

  /** Undefined, without doing the work, while another process has the wallet. */
  with<T>(wallet: Key, work: (holder: string) => Promise<T>): Promise<T | undefined> {
    const name = `${wallet.chain_id}/${wallet.address}`
    const before = this.#last.get(name) ?? Promise.resolve()
    const now = before.then(() => this.#hold(wallet, work))
    const settled = now.catch(() => {})
    this.#last.set(name, settled)
    return now
  }

  /** The lease is given up also after a failure: what was committed is read again. */
  async #hold<T>(wallet: Key, work: (holder: string) => Promise<T>): Promise<T | undefined> {
    if (!(await this.#acquire(wallet))) return undefined
    try {
      return await work(this.#holder)
    } finally {
      await releaseWallet(this.#sql, wallet, this.#holder).catch(() => {})
    }
  }

  async #acquire(wallet: Key): Promise<boolean> {
    const until = performance.now() + MOST_WAIT_MS
    for (;;) {
      if (await holdWallet(this.#sql, wallet, this.#holder, LEASE_MS)) return true
      if (performance.now() >= until) return false
      await delay(LOOK_EVERY_MS)
    }
  }
}
