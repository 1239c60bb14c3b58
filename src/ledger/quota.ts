// How much an account may write in a day of UTC, so that a key without money does not fill the
// disk. Pure.
import type { Account } from '../accounts/rules.ts'
import { Refusal } from '../values/errors.ts'
import { type Instant, plusMilliseconds } from '../values/instant.ts'
import type { Book } from './rules.ts'

/** The most that an account may write in a day. */
export type Quota = Pick<Account, 'sandbox' | 'daily_rows' | 'daily_mb'>

/**
 * What a row takes besides its text, with its share of indexes. Measured: what counts is 1.0 times
 * (entities) to 2.9 times (quotes without a key) the growth of the tables.
 */
const ROW_BYTES = 300

/**
 * When a command is refused: at the quota, at twice the quota, or never. What an account may write
 * without money is refused at the quota, so that a flood of it stops no payout
 * (docs/decisions/bounds-and-rate-limits.md).
 */
export type FullAt = 'quota' | 'twice' | 'never'

const DAY_S = 86_400
/** The bytes of a megabyte. */
const MB = 1_000_000

/**
 * Refuses (429) an account that has written its quota, once or twice. The last command of a day may
 * pass it. `now_s` is the time in seconds, by which the caller is told how long to wait.
 */
export function checkQuota(
  book: Book,
  { daily_rows, daily_mb }: Quota,
  now_s: number,
  full_at: FullAt,
): void {
  if (full_at === 'never') return
  const times = full_at === 'quota' ? 1 : 2
  const { written_rows: rows, written_bytes: bytes, today } = book
  const is_full =
    rows >= BigInt(daily_rows * times) || bytes >= BigInt(daily_mb * times) * BigInt(MB)
  if (!is_full) return
  const message =
    `The account has written ${rows} rows and ${bytes} bytes today, and may write ${daily_rows} ` +
    `rows and ${daily_mb} MB a day. A day ends at 00:00 UTC; an operator can raise the quota.`
  const wait_s = Math.max(1, Math.ceil((today + 1) * DAY_S - now_s))
  throw new Refusal([{ reason: 'quota_exceeded', message, remarks: '' }], 0, wait_s)
}

/** What a book has written on its last day, and the present day. */
export interface WrittenRow extends Pick<Book, 'today' | 'written_rows' | 'written_bytes'> {
  readonly written_day: number
}

/** What a book has written today: nothing before the first command of a day. */
export function writtenToday(row: WrittenRow): Pick<Book, 'written_rows' | 'written_bytes'> {
  const { written_day, today, written_rows, written_bytes } = row
  return written_day === today
    ? { written_rows, written_bytes }
    : { written_rows: 0n, written_bytes: 0n }
}

export function countWritten(book: Book, rows: number, text_bytes: number): void {
  book.written_rows += BigInt(rows)
  book.written_bytes += BigInt(rows * ROW_BYTES + text_bytes)
}

/** The instant at which a day of UTC ends, by its number since 1970. */
export function endOfDay(day: number): Instant {
  return plusMilliseconds('1970-01-01T00:00:00.000000Z', (day + 1) * DAY_S * 1000)
}
