// The work on the files of one rail: sealing, sending, fetching and reading, in rounds. One process
// at a time does it, while its lease lasts. It may be killed at any point: each part starts from
// what is committed.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  holdExchange,
  listToSend,
  noteExchange,
  noteFetched,
  releaseExchange,
} from './file-store.ts'
import type { OpenFileRail } from './open-rail.ts'
import { readStored } from './read.ts'
import { fetchNew, type Sizes } from './receive.ts'
import { FileFaulty, sealDue } from './seal.ts'
import { sendDue } from './send.ts'
import { failureWords, joined, type Transport, TransportFailed } from './transport.ts'

/** How often a process looks for work. */
const ROUND_MS = 500

/** How long a killed process keeps others from the work. */
const LEASE_MS = 5_000

/** The longest wait before an unreachable bank is tried again. */
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

  /** Resolves when the current round is over. */
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
    await releaseExchange(this.#rail.sql, this.#rail.name, this.#holder).catch(() => {})
  }

  /** Keeps the lease until the round is over. */
  async #round(): Promise<void> {
    const { sql, name, log } = this.#rail
    const hold = () => holdExchange(sql, name, this.#holder, LEASE_MS)
    if (!(await hold())) return
    const keeping = setInterval(() => {
      hold().catch(error => log.warn({ err: error, rail: name }, 'the lease was not kept'))
    }, LEASE_MS / 3)
    try {
      await this.once()
    } finally {
      clearInterval(keeping)
    }
  }

  /** One round, without the lease. A part that fails stops no other part. */
  async once(): Promise<void> {
    const problems: string[] = []
    const tried = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work()
      } catch (error) {
        problems.push(`${what}: ${this.#told(what, error)}`)
      }
    }
    const seals = !this.#rail.isPaused()
    if (seals) await tried('files are not sealed', () => sealDue(this.#rail))
    await tried('files are not exchanged with the bank', () => this.#exchange())
    await tried('files of the bank are not read', () =>
      this.#reading.run(() => readStored(this.#rail)),
    )
    await noteExchange(this.#rail.sql, this.#rail.name, problems.join('; '))
  }

  /** The words of a failure. Logs a failure once, until the part fails for another reason. */
  #told(what: string, error: unknown): string {
    const { name, log } = this.#rail
    const why = failureWords(error)
    if (this.#logged.get(what) !== why) {
      // A failure that the far end reports is not ours and needs no stack.
      const is_expected = error instanceof TransportFailed || error instanceof FileFaulty
      log.error({ rail: name, why, ...(!is_expected && { err: error }) }, what)
    }
    this.#logged.set(what, why)
    return why
  }

  /** Connects when there is a file to send, or when it is time to read the inbox. */
  async #exchange(): Promise<void> {
    const { sql, name, config } = this.#rail
    const sends = !this.#rail.isPaused() && (await listToSend(sql, name)).length > 0
    const fetches = Date.now() >= this.#fetch_at
    if (!sends && !fetches) return
    await this.#exchanging.run(async () => {
      const transport = await this.#rail.openTransport()
      try {
        const failures: unknown[] = []
        if (sends) await sendDue(this.#rail, transport).catch(error => failures.push(error))
        if (fetches) failures.push(...(await this.#fetch(transport)))
        if (failures.length > 0) throw joined(failures)
        if (fetches) this.#fetch_at = Date.now() + 1000 * config.fetch_every_s
      } finally {
        await transport.close().catch(() => {})
      }
    })
  }

  async #fetch(transport: Transport): Promise<readonly unknown[]> {
    try {
      const { sizes, failures } = await fetchNew(this.#rail, transport, this.#sizes)
      this.#sizes = sizes
      if (failures.length === 0) await noteFetched(this.#rail.sql, this.#rail.name)
      return failures
    } catch (error) {
      return [error]
    }
  }
}

/** Work that is tried again some time after it has failed. */
class Retries {
  #failures = 0
  #try_at = 0
  #failure: unknown

  async run(work: () => Promise<unknown>): Promise<void> {
    // It is too early for another try: the last failure stands.
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
