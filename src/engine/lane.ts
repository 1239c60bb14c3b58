// A lane: a queue with one batch in flight. Idle, a command goes at once and alone; busy, commands
// gather while the batch before them commits, and then go together in one transaction.

import type { Sql } from '../db/connect.ts'
import { classify } from '../db/failure.ts'
import { transact } from '../db/transact.ts'
import { Refusal, refusal } from '../errors.ts'
import type { Operation } from './operation.ts'

interface Waiting<Command, Outcome> {
  readonly command: Command
  /** When it came, by performance.now(). */
  readonly since: number
  resolve(outcome: Outcome): void
  reject(reason: unknown): void
}

type Settled<Outcome> = { readonly outcome: Outcome } | { readonly refusal: Refusal }

export interface LaneOptions {
  /** Most commands in one transaction. */
  readonly max_batch: number
  /** Called after each committed batch with its size and duration, for metrics. */
  onBatch?(operation: string, size: number, seconds: number): void
}

/** Deadlocks, serialization failures and lock time-outs are tried this often before a 503. */
const MAX_ATTEMPTS = 5
const MAX_BACKOFF_MS = 1000

/**
 * A caller is answered within this time, if only by a 503; a command not begun by then is not begun
 * at all, as its caller may have turned elsewhere.
 */
export const MAX_WAIT_MS = 4_500
const WATCH_MS = 250

export class Lane<Command, State, Outcome> {
  readonly #sql: Sql
  readonly #operation: Operation<Command, State, Outcome>
  readonly #options: LaneOptions
  #queue: Waiting<Command, Outcome>[] = []
  /** What is with the database now. */
  #batch: readonly Waiting<Command, Outcome>[] = []
  #busy = false

  constructor(sql: Sql, operation: Operation<Command, State, Outcome>, options: LaneOptions) {
    this.#sql = sql
    this.#operation = operation
    this.#options = options
  }

  /**
   * Resolves after commit; rejects with the command's Refusal, or with the fault that stopped it.
   */
  run(command: Command): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ command, since: performance.now(), resolve, reject })
      if (!this.#busy) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#busy = true
    const watch = setInterval(() => this.#answerLate(), WATCH_MS)
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#options.max_batch)
      this.#batch = batch
      await this.#runBatch(batch)
    }
    clearInterval(watch)
    this.#batch = []
    this.#busy = false
  }

  /** A silent database must not hold callers: whoever has waited too long is answered now. */
  #answerLate(): void {
    const now = performance.now()
    this.#queue = refuseLate(this.#queue, now)
    for (const { since, reject } of this.#batch) {
      if (now - since >= MAX_WAIT_MS) reject(unavailable(new Error('no answer in time')))
    }
  }

  /** Never rejects: every waiting command gets its answer. */
  async #runBatch(all: Waiting<Command, Outcome>[]): Promise<void> {
    const started = performance.now()
    const batch = refuseLate(all, started)
    if (batch.length === 0) return
    try {
      const settled = await this.#transact(batch.map(waiting => waiting.command))
      batch.forEach((waiting, i) => {
        const result = settled[i] as Settled<Outcome>
        if ('refusal' in result) waiting.reject(result.refusal)
        else waiting.resolve(result.outcome)
      })
      const seconds = (performance.now() - started) / 1000
      this.#options.onBatch?.(this.#operation.name, batch.length, seconds)
    } catch (error) {
      const [only] = batch
      // A poisoned command must not fail its neighbours: run them one by one. A lost connection is
      // different: the commit may have happened, so nothing is tried again on the caller's behalf.
      if (classify(error) === 'unavailable') {
        for (const waiting of batch) waiting.reject(unavailable(error))
      } else if (batch.length === 1 && only !== undefined) {
        only.reject(error)
      } else {
        for (const waiting of batch) await this.#runBatch([waiting])
      }
    }
  }

  async #transact(commands: readonly Command[]): Promise<Settled<Outcome>[]> {
    for (let attempt = 1; ; attempt++) {
      let begun = false
      try {
        return await transact(this.#sql, async tx => {
          begun = true
          const state = await this.#operation.load(tx, commands)
          const settled = commands.map(command => this.#decide(state, command))
          const outcomes = settled.flatMap(s => ('outcome' in s ? [s.outcome] : []))
          if (outcomes.length > 0) await this.#operation.store(tx, outcomes, state)
          return settled
        })
      } catch (error) {
        const failure = classify(error)
        // A pooled connection that died since its last use: nothing was asked yet, so another one
        // is taken. postgres.js also fails the first query of a connection that replaces a killed
        // one.
        const unasked = failure === 'unavailable' && !begun && !isSlow(error)
        if (failure !== 'contention' && !unasked) throw error
        if (attempt === MAX_ATTEMPTS) throw failure === 'contention' ? unavailable(error) : error
        await backOff(attempt)
      }
    }
  }

  #decide(state: State, command: Command): Settled<Outcome> {
    try {
      return { outcome: this.#operation.decide(state, command) }
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error }
      throw error
    }
  }
}

/** Several lanes of one operation, so that different accounts commit side by side. */
export class Lanes<Command extends { readonly account_id: string }, State, Outcome> {
  readonly #lanes: readonly Lane<Command, State, Outcome>[]

  constructor(
    sql: Sql,
    operation: Operation<Command, State, Outcome>,
    options: LaneOptions & { readonly lanes: number },
  ) {
    this.#lanes = Array.from(
      { length: options.lanes },
      () => new Lane<Command, State, Outcome>(sql, operation, options),
    )
  }

  /** All commands of one account go through one lane, in the order they came. */
  run(command: Command): Promise<Outcome> {
    let sum = 0
    for (let i = 0; i < command.account_id.length; i++) sum += command.account_id.charCodeAt(i)
    return (this.#lanes[sum % this.#lanes.length] as Lane<Command, State, Outcome>).run(command)
  }
}

/** Refuses the commands that have waited too long, and returns the others. */
function refuseLate<W extends Pick<Waiting<unknown, unknown>, 'since' | 'reject'>>(
  waiting: W[],
  now: number,
): W[] {
  const oldest = waiting[0]?.since ?? now
  if (now - oldest < MAX_WAIT_MS) return waiting
  return waiting.filter(({ since, reject }) => {
    const late = now - since >= MAX_WAIT_MS
    if (late) reject(refusal('service_unavailable', 'The database is busy; nothing was written.'))
    return !late
  })
}

function unavailable(cause: unknown): Refusal {
  const answer = refusal(
    'service_unavailable',
    'The database did not answer; whether the request took effect is not known. ' +
      'Retry with the same Idempotency-Key.',
  )
  answer.cause = cause
  return answer
}

/** Waiting for a connection has taken its time already. */
function isSlow(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'CONNECT_TIMEOUT'
}

/** Full jitter: a random wait below a doubling ceiling keeps retries from marching in step. */
function backOff(attempt: number): Promise<void> {
  const ceiling_ms = Math.min(MAX_BACKOFF_MS, 10 * 2 ** attempt)
  return new Promise(resolve => setTimeout(resolve, Math.random() * ceiling_ms))
}
