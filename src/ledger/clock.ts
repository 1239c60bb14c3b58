// Notices that the database's clock has jumped, and then refuses writes: times of quotes, limits
// and kept answers would be wrong. A process compares that clock with its own steady clock, and,
// when it starts, with what the last process has seen (docs/decisions/ids-and-clocks.md).
import type { Sql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import { type Instant, instantToMicros } from '../values/instant.ts'
import { type ClockMark, type Jump, keepSeen, readMark, setStopped } from './clock-store.ts'

/** A larger difference is a jump. The trigger time_near_clock has the same bound. */
export const MAX_JUMP_MS = 600_000

/** How often a process writes down what it sees. */
const KEEP_EVERY_MS = 60_000

export const millisecondsOf = (time: Instant) => Number(instantToMicros(time) / 1000n)

const isNear = (a: number, b: number) => Math.abs(a - b) <= MAX_JUMP_MS

/**
 * The time that the database's clock should show when a process starts: by the host's clock, as
 * much after the last look as it is after it there, and never before the last look. So a database
 * that was off for a month starts. Pure.
 */
export function expectedAtStart(
  mark: Pick<ClockMark, 'seen_at' | 'seen_by_host'> | undefined,
  host_ms: number,
): number {
  if (mark === undefined) return host_ms
  const seen = millisecondsOf(mark.seen_at)
  return Math.max(seen, seen + host_ms - millisecondsOf(mark.seen_by_host))
}

/**
 * Whether the clock is right again, as a process sees that has not measured the jump. A wrong clock
 * only goes on from the time that was found. Pure.
 */
export function isBack(expected_ms: number, found_ms: number, now_ms: number): boolean {
  if (now_ms < expected_ms - MAX_JUMP_MS) return false
  return found_ms < expected_ms || now_ms < found_ms
}

/** Refuses with clock_jumped a book whose time is ahead of its account's clock. */
export function refuseBookAhead(book: { by_clock: Instant; after_last: Instant }): void {
  const { by_clock, after_last } = book
  if (after_last <= by_clock) return
  if (!isNear(millisecondsOf(after_last), millisecondsOf(by_clock))) jumped(after_last, by_clock)
}

function jumped(expected: Instant, found: Instant): never {
  const words = `The clock of the database shows ${found} instead of about ${expected}`
  throw refusal('clock_jumped', `${words}; nothing was written.`)
}

/** The time of this machine. */
export const hostNow = (): Instant => instantOf(Date.now())

const instantOf = (ms: number): Instant => new Date(ms).toISOString().replace('Z', '000Z')

/** What this process knows of the database's clock. */
export class Clock {
  #last: { readonly ms: number; readonly since: number } | undefined
  #corrections: bigint | undefined
  /** The connections that it last looked through: other ones may lead to another database. */
  #through: Sql | undefined
  #looked: Promise<unknown> = Promise.resolve()
  /** Null while the clock is right. */
  jump: Jump | null = null
  /** When the clock was last confirmed; null: never, as far as this process has looked. */
  corrected_at: Instant | null = null

  #expected(): number | undefined {
    return this.#last && this.#last.ms + performance.now() - this.#last.since
  }

  #learn(ms: number): void {
    this.#last = { ms, since: performance.now() }
  }

  /** Refuses with clock_jumped unless `now`, the database's time, is where it should be. */
  refuseJump(now: Instant): void {
    if (this.jump !== null) jumped(this.jump.expected, this.jump.found)
    const ms = millisecondsOf(now)
    const expected = this.#expected()
    if (expected === undefined) this.#learn(ms)
    else if (!isNear(ms, expected)) jumped(instantOf(expected), now)
  }

  /**
   * Looks at the clock of the database. Writes down what it sees, unless the process only reads: a
   * jump stays known to processes that start later. A look waits for the one before it: answers out
   * of order would show a correction again, and let the next jump pass as one.
   */
  look(sql: Sql, { keeps }: { readonly keeps: boolean }): Promise<Jump | null> {
    const look = this.#looked.then(() => this.#lookAlone(sql, keeps))
    this.#looked = look.catch(() => null)
    return look
  }

  async #lookAlone(sql: Sql, keeps: boolean): Promise<Jump | null> {
    const { now, corrections, corrected_at, mark } = await readMark(sql)
    if (this.#through !== sql) {
      this.#through = sql
      this.#last = undefined
      this.#corrections = undefined
    }
    this.corrected_at = corrected_at
    const ms = millisecondsOf(now)
    if (this.#corrections !== undefined && corrections !== this.#corrections) this.#learn(ms)
    this.#corrections = corrections
    const measured = this.#expected()
    const expected = measured ?? expectedAtStart(mark, Date.now())
    const stopped = mark?.stopped ?? null
    const back =
      stopped !== null && measured === undefined
        ? isBack(millisecondsOf(stopped.expected), millisecondsOf(stopped.found), ms)
        : isNear(ms, expected)
    if (!back) {
      this.jump = stopped ?? { expected: instantOf(expected), found: now }
      if (keeps && stopped === null) await setStopped(sql, this.jump, hostNow())
      return this.jump
    }
    this.jump = null
    this.#learn(ms)
    const is_old = mark === undefined || !(ms - millisecondsOf(mark.seen_at) < KEEP_EVERY_MS)
    if (keeps && (is_old || stopped !== null)) await keepSeen(sql, now, hostNow())
    return null
  }
}

/** The clock of this process's database. */
export const clock = new Clock()
