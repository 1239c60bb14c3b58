// Works on the files of one rail in rounds: seals, sends, fetches and reads. The process with the
// lease does it alone. It may be killed at any point: each part starts from what is committed.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { databaseNow } from '../../sql/connect.ts'
import type { OpenFileRail } from './config.ts'
import { acquireLease, listToSend, noteExchange, noteFetched, releaseLease } from './file-store.ts'
import { compareMark } from './mark.ts'
import { readStored } from './read.ts'
import { fetchNew, type Sizes } from './receive.ts'
import { FileFaulty, sealDue } from './seal.ts'
import { sendDue } from './send.ts'
import { failureWords, joinFailures, type Transport, TransportFailed } from './transport.ts'
import { closeProved } from './unread.ts'

/** The pause between rounds. */
const ROUND_MS = 500

/** How long the lease of a killed process still stops the others. */
const LEASE_MS = 5_000

/** The longest wait before another try with an unreachable bank. */
const MOST_WAIT_MS = 60_000

export class Exchange {
  readonly #rail: OpenFileRail
  readonly #holder = randomUUID()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #sizes: Sizes = new Map()
  #fetch_at = 0
  readonly #exchanging = new Retries()
  readonly #reading = new Retries()
  /** The last logged failure of each part. */
  readonly #logged = new Map<string, string>()

  constructor(rail: OpenFileRail) {
    this.#rail = rail
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Ends the rounds. Resolves when the current round is over. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.#round().catch(error => {
        this.#rail.log.warn({ err: error, rail: this.#rail.name }, 'work on files has failed')
      })
      await delay(ROUND_MS, undefined, { signal }).catch(() => {})
    }
    await releaseLease(this.#rail.sql, this.#rail.name, this.#holder).catch(() => {})
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
    } finally {
      clearInterval(renewal)
    }
  }

  /** One round, without the lease. A part that fails stops no other part. */
  async once(): Promise<void> {
    const problems: string[] = []
    const runPart = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work()
      } catch (error) {
        problems.push(`${what}: ${this.#logFailure(what, error)}`)
      }
    }
    const seals = !this.#rail.isPaused()
    if (seals) await runPart('files are not sealed', () => sealDue(this.#rail))
    await runPart('files are not exchanged with the bank', () => this.#exchange())
    await runPart('files of the bank are not read', () =>
      this.#reading.run(() => readStored(this.#rail)),
    )
    await noteExchange(this.#rail.sql, this.#rail.name, problems.join('; '))
    await closeProved(this.#rail)
  }

  /** Logs a failure, unless the last failure of this part was the same. Returns its message. */
  #logFailure(what: string, error: unknown): string {
    const { name, log } = this.#rail
    const why = failureWords(error)
    if (this.#logged.get(what) !== why) {
      // A failure of the far end, or of a file's check, needs no stack.
      const is_expected = error instanceof TransportFailed || error instanceof FileFaulty
      log.error({ rail: name, why, ...(!is_expected && { err: error }) }, what)
    }
    this.#logged.set(what, why)
    return why
  }

  /** Connects when there is a file to send or the inbox is due. */
  async #exchange(): Promise<void> {
    const { sql, name, config } = this.#rail
    const has_files_to_send = !this.#rail.isPaused() && (await listToSend(sql, name)).length > 0
    const is_inbox_due = Date.now() >= this.#fetch_at
    if (!has_files_to_send && !is_inbox_due) return
    await this.#exchanging.run(async () => {
      const transport = await this.#rail.openTransport()
      try {
        const failures: unknown[] = []
        await compareMark(this.#rail, transport)
        if (has_files_to_send)
          await sendDue(this.#rail, transport).catch(error => failures.push(error))
        if (is_inbox_due) failures.push(...(await this.#fetch(transport)))
        if (failures.length > 0) throw joinFailures(failures)
        if (is_inbox_due) this.#fetch_at = Date.now() + 1000 * config.fetch_every_s
      } finally {
        await transport.close().catch(() => {})
      }
    })
  }

  /** Takes the inbox's new files. Returns the failures. */
  async #fetch(transport: Transport): Promise<readonly unknown[]> {
    try {
      const { sql, name } = this.#rail
      const now = await databaseNow(sql)
      const { sizes, failures, is_empty } = await fetchNew(this.#rail, transport, this.#sizes)
      this.#sizes = sizes
      if (is_empty) await noteFetched(sql, name, now)
      return failures
    } catch (error) {
      return [error]
    }
  }
}

/** Tries failed work again after a wait, which doubles with each failure. */
class Retries {
  #failures = 0
  #try_at = 0
  #failure: unknown

  async run(work: () => Promise<unknown>): Promise<void> {
    // Until the wait is over, the last failure stands.
    if (Date.now() < this.#try_at) throw this.#failure
    try {
      await work()
      this.#failures = 0
    } catch (error) {
      this.#failures += 1
      this.#try_at = Date.now() + Math.min(MOST_WAIT_MS, 500 * 2 ** Math.min(this.#failures, 7))
      this.#failure = error
      throw error
    }
  }
}
