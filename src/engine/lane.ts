// A lane: a queue that sends its commands to the database in batches, one transaction each. An idle
// lane sends a command at once. A busy lane gathers commands while the previous batch is written.
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { classify, isOutcomeUnknown, isTableMissing, OutcomeUnknown } from '../sql/failure.ts'
import { isSpread, shardOf, takeShard } from '../sql/shard.ts'
import { currentCourse, during, duringSync, type QueuedCommand } from '../values/diagnostics.ts'
import { Refusal, refusal } from '../values/errors.ts'
import { nextTick, nextTurn } from '../values/event-loop.ts'
import { MAX_WAIT_MS } from './late.ts'
import { type Decided, decideOne, type LongOperation, type Operation } from './operation.ts'

interface Waiting<Command, Outcome> extends QueuedCommand {
  readonly command: Command
  resolve(outcome: Outcome): void
  reject(reason: unknown): void
}

export interface LaneOptions {
  /** The most commands in one transaction. */
  readonly max_batch: number
  /**
   * The longest wait for an answer; MAX_WAIT_MS by default. The lane refuses a command that it has
   * not begun by then, because the caller may be gone.
   */
  readonly max_wait_ms?: number
  /** How many batches may run in the database at once; MAX_IN_FLIGHT by default. */
  readonly in_flight?: number
  /** Connections to the machine that has the account's rows; undefined if there are none. */
  sqlAt?(account_id: string): Sql | undefined
  /** Called after each commit, for metrics. */
  onBatch?(operation: string, size: number, seconds: number): void
}

/**
 * While one batch is written, the next waits for its locks: the database begins it the moment the
 * first commits, without a round trip in between.
 */
export const MAX_IN_FLIGHT = 2

/** A portion: how many commands are decided and then stored; a quarter of the batch if larger. */
const STORE_PORTION = 64
/** The first portion is smaller: the database is idle until it arrives. */
const FIRST_PORTION = 16

/** How many callers are answered before the event loop may do other work. */
const ANSWER_PORTION = 16

/**
 * Tries of a batch that meets deadlocks, serialization failures or lock time-outs, before a 503.
 */
const MAX_ATTEMPTS = 5
const MAX_BACKOFF_MS = 1000

/** The interval at which a busy lane looks for commands that have waited too long. */
const CHECK_MS = 250
/** A check this late means that the process stood still, and not the database. */
const STOOD_STILL_MS = 4 * CHECK_MS

/** Stands for the shard of a command that touches several shards. */
const SEVERAL = -1

/** An operation of many commands a batch, or of one long command. */
export type AnyOperation<Command, State, Outcome> =
  | Operation<Command, State, Outcome>
  | LongOperation<Command, State, Outcome>

export class Lane<Command, State, Outcome> {
  readonly #sql: Sql
  readonly #operation: AnyOperation<Command, State, Outcome>
  readonly #options: LaneOptions
  readonly #max_batch: number
  readonly #max_wait_ms: number
  #queue: Waiting<Command, Outcome>[] = []
  /** Commands that the database works on now. */
  readonly #running = new Set<Waiting<Command, Outcome>>()
  #busy = false

  constructor(sql: Sql, operation: AnyOperation<Command, State, Outcome>, options: LaneOptions) {
    this.#sql = sql
    this.#operation = operation
    this.#options = options
    this.#max_batch = 'settle' in operation ? 1 : options.max_batch
    this.#max_wait_ms = options.max_wait_ms ?? MAX_WAIT_MS
  }

  /** Resolves after the commit. Rejects with the command's Refusal, or with a fault. */
  run(command: Command): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const since = performance.now()
      this.#queue.push({ command, since, caller: currentCourse(), resolve, reject })
      if (!this.#busy) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#busy = true
    let checked_at = performance.now()
    let stood_still = false
    const checks = setInterval(() => {
      const now = performance.now()
      // A check after a pause is skipped, because answers that came meanwhile are not read yet. Two
      // checks in a row are not skipped: pauses could follow each other while callers wait.
      stood_still = !stood_still && now - checked_at > STOOD_STILL_MS
      checked_at = now
      if (!stood_still) this.#answerLate(now)
    }, CHECK_MS)
    const inFlight = new Set<Promise<void>>()
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch()
      const stored = Promise.withResolvers<void>()
      const done = this.#runBatch(batch, stored.resolve).finally(() => inFlight.delete(done))
      inFlight.add(done)
      await Promise.race([stored.promise, done])
      const most = this.#options.in_flight ?? MAX_IN_FLIGHT
      while (inFlight.size === most || (this.#queue.length === 0 && inFlight.size > 0)) {
        await Promise.race(inFlight)
      }
    }
    clearInterval(checks)
    this.#busy = false
  }

  /**
   * Takes the commands that have waited longest. On a distributed database it takes commands of one
   * shard only, which one machine commits alone. The others keep their order.
   */
  #takeBatch(): Waiting<Command, Outcome>[] {
    const [first] = this.#queue
    if (first === undefined || !isSpread()) return this.#queue.splice(0, this.#max_batch)
    const batch: Waiting<Command, Outcome>[] = []
    const rest: Waiting<Command, Outcome>[] = []
    const shard = this.#shardOf(first.command)
    for (const waiting of this.#queue) {
      const fits = batch.length < this.#max_batch && this.#shardOf(waiting.command) === shard
      if (fits) batch.push(waiting)
      else rest.push(waiting)
    }
    this.#queue = rest
    return batch
  }

  /** The number of the command's shard. Commands that touch several shards share a number. */
  #shardOf(command: Command): number {
    const { ofOneShard } = this.#operation
    return ofOneShard?.(command) === false ? SEVERAL : shardOfCommand(command)
  }

  /** Answers callers who have waited too long, so that a silent database does not hold them. */
  #answerLate(now: number): void {
    this.#queue = refuseLate(this.#queue, now, this.#max_wait_ms)
    for (const { since, reject } of this.#running) {
      if (now - since >= this.#max_wait_ms)
        reject(unavailable(new OutcomeUnknown(new Error('no answer in time'))))
    }
  }

  /** Never rejects: settles each command. Calls `onStored` when all statements are sent. */
  async #runBatch(all: Waiting<Command, Outcome>[], onStored = () => {}): Promise<void> {
    const started = performance.now()
    const batch = refuseLate(all, started, this.#max_wait_ms)
    if (batch.length === 0) return
    for (const waiting of batch) this.#running.add(waiting)
    try {
      const commands = batch.map(waiting => waiting.command)
      const about = { waiting: batch }
      const settled = await during(
        'batch',
        this.#operation.name,
        commands.length,
        () => this.#transact(commands, onStored),
        about,
      ).catch(error => ({ error }))
      if ('error' in settled) return await this.#answerFailed(batch, settled.error)
      const seconds = (performance.now() - started) / 1000
      this.#options.onBatch?.(this.#operation.name, batch.length, seconds)
      const replying = () => answer(batch, settled)
      await during('reply', this.#operation.name, batch.length, replying, about)
    } finally {
      for (const waiting of batch) this.#running.delete(waiting)
    }
  }

  /**
   * After a fault, runs the commands one by one, so that a poisoned command fails alone. A Refusal
   * of the whole batch goes to every caller instead: the batch may have been committed, so no
   * command runs again.
   */
  async #answerFailed(batch: Waiting<Command, Outcome>[], error: unknown): Promise<void> {
    const [only] = batch
    if (error instanceof Refusal) {
      for (const waiting of batch) waiting.reject(error)
    } else if (batch.length === 1 && only !== undefined) {
      only.reject(error)
    } else {
      for (const waiting of batch) await this.#runBatch([waiting])
    }
  }

  /**
   * Runs the transaction of a batch. Rejects with a Refusal when the outcome is unknown, the
   * database is unavailable, or contention does not end. Rejects with any other error after the
   * rollback.
   */
  async #transact(commands: readonly Command[], onStored: () => void): Promise<Decided<Outcome>[]> {
    for (let attempt = 1; ; attempt++) {
      let begun = false
      const machine = this.#machineOf(commands)
      try {
        return await (machine?.sql ?? this.#sql).begin(async (tx, commit) => {
          begun = true
          if (machine !== undefined) takeShard(tx, machine.account_id)
          const state = await this.#load(tx, commands)
          return await this.#settle(tx, state, commands, () => {
            onStored()
            return during('commit', this.#operation.name, commands.length, commit)
          })
        })
      } catch (error) {
        const moved = machine !== undefined && isTableMissing(error)
        const failure = moved ? 'contention' : classify(error)
        // A pooled connection that died since its last use has run nothing: another one is tried.
        const ran_nothing = failure === 'unavailable' && !begun && !isSlow(error)
        const retries = (failure === 'contention' || ran_nothing) && attempt < MAX_ATTEMPTS
        if (retries) await backOff(attempt)
        else if (failure !== 'fault') throw unavailable(error)
        else throw error
      }
    }
  }

  /** The machine that can run the whole batch, and an account whose rows it has. */
  #machineOf([first]: readonly Command[]) {
    const account_id = accountOf(first)
    if (first === undefined || account_id === undefined || !isSpread()) return undefined
    if (this.#operation.ofOneShard?.(first) !== true) return undefined
    const sql = this.#options.sqlAt?.(account_id)
    return sql && { sql, account_id }
  }

  #load(tx: TransactionSql, commands: readonly Command[]): Promise<State> {
    const operation = this.#operation
    return during('load', operation.name, commands.length, async () => {
      const prepared = await operation.prepare?.(tx, commands)
      return await operation.load(tx, commands, prepared)
    })
  }

  async #settle(
    tx: TransactionSql,
    state: State,
    commands: readonly Command[],
    commit: () => Promise<void>,
  ): Promise<Decided<Outcome>[]> {
    const operation = this.#operation
    if (!('settle' in operation)) {
      return this.#decideAndStore(operation, tx, state, commands, commit)
    }
    const [command] = commands
    const outcome = await operation.settle(tx, state, command as Command, () => {})
    await commit()
    return [{ outcome }]
  }

  /** Decides and stores in portions, so that the database stores one while the next is decided. */
  async #decideAndStore(
    operation: Operation<Command, State, Outcome>,
    tx: TransactionSql,
    state: State,
    commands: readonly Command[],
    commit: () => Promise<void>,
  ): Promise<Decided<Outcome>[]> {
    const settled: Decided<Outcome>[] = []
    const stores: Promise<unknown>[] = []
    let failed = false
    while (settled.length < commands.length) {
      const from = settled.length
      const undecided = commands.slice(from, from + portionAfter(from, commands.length))
      const portion = duringSync('decide', operation.name, undecided.length, () =>
        undecided.map(command => decideOne(operation, state, command)),
      )
      settled.push(...portion)
      const outcomes = portion.flatMap(s => ('outcome' in s ? [s.outcome] : []))
      if (outcomes.length === 0) continue
      const stored = during('store', operation.name, outcomes.length, () =>
        operation.store(tx, outcomes, state),
      )
      // Awaited below; until then a rejection must not count as unhandled.
      stored.catch(() => {
        failed = true
      })
      stores.push(stored)
      // Sends the statements before the process reads new requests, so the database need not wait.
      // Those of the last portion go with the COMMIT.
      if (settled.length < commands.length) await nextTick()
    }
    // If a statement could not be sent, the others must not be committed. One of the last portion
    // rejects below, before COMMIT is sent at the next tick.
    if (failed) await Promise.all(stores)
    const committed = commit()
    committed.catch(() => {})
    // A statement's error explains more than the error of the COMMIT after it.
    await Promise.all(stores)
    await committed
    return settled
  }
}

/**
 * How many commands the next portion has, after `done` of them. On a distributed database one
 * portion has all: two machines plan each statement there, so fewer statements matter more.
 */
function portionAfter(done: number, all: number): number {
  if (isSpread()) return all
  return done === 0 ? FIRST_PORTION : Math.max(STORE_PORTION, all / 4)
}

/** The shard of the command's account; 0 for an operator's command that names no account. */
function shardOfCommand(command: unknown): number {
  const account_id = accountOf(command)
  return account_id === undefined ? 0 : shardOf(account_id)
}

function accountOf(command: unknown): string | undefined {
  return (command as { readonly account_id?: string } | undefined)?.account_id
}

/** Settles in portions, so that the next batch, whose rows may have arrived, is not delayed. */
async function answer<Outcome>(
  batch: readonly Waiting<unknown, Outcome>[],
  settled: readonly Decided<Outcome>[],
): Promise<void> {
  for (const [i, { resolve, reject }] of batch.entries()) {
    const result = settled[i] as Decided<Outcome>
    if ('refusal' in result) reject(result.refusal)
    else resolve(result.outcome)
    if (i % ANSWER_PORTION === ANSWER_PORTION - 1) await nextTurn()
  }
}

/** Refuses the commands that have waited longer than `max_wait_ms`; returns the others. */
function refuseLate<W extends Pick<Waiting<unknown, unknown>, 'since' | 'reject'>>(
  waiting: W[],
  now: number,
  max_wait_ms: number,
): W[] {
  const oldest = waiting[0]?.since ?? now
  if (now - oldest < max_wait_ms) return waiting
  return waiting.filter(({ since, reject }) => {
    const late = now - since >= max_wait_ms
    if (late) reject(refusal('service_unavailable', 'The database is busy; nothing was written.'))
    return !late
  })
}

function unavailable(cause: unknown): Refusal {
  const answer = refusal(
    'service_unavailable',
    isOutcomeUnknown(cause)
      ? 'The database did not confirm the request; whether it took effect is not known. ' +
          'Retry with the same Idempotency-Key.'
      : 'The database cannot take the request now; nothing was written.',
  )
  answer.cause = cause
  return answer
}

/** Whether the caller has already waited in vain for a connection. */
function isSlow(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'CONNECT_TIMEOUT'
}

/** Full jitter: a random wait below a doubling ceiling keeps retries from coming all at once. */
function backOff(attempt: number): Promise<void> {
  const ceiling_ms = Math.min(MAX_BACKOFF_MS, 10 * 2 ** attempt)
  return delay(Math.random() * ceiling_ms)
}
