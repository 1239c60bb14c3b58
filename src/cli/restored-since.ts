// What happened between the instant that a database was restored to and the end of its log. The log
// is still there: a second copy, recovered to its end, tells which payouts may have gone out.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { compareSince, eachSince, type Since } from '../adapters/bank-file/since-store.ts'
import type { Config } from '../config/config.ts'
import { openDatabase } from '../postgres/open.ts'
import { restoreScratch } from '../postgres/restore.ts'
import { connect, type Sql } from '../sql/connect.ts'
import { migrate } from '../sql/migrate.ts'
import { type Instant, plusMilliseconds } from '../values/instant.ts'
import { moneyWords } from '../values/money/words.ts'
import { asOwner } from './context.ts'
import { listing } from './table.ts'

/** A payout with an earlier time may end its transaction later; none lasts so long. */
const MARGIN_MS = 600_000

/** All are in the file. */
const MAX_NAMED = 1_000
const SHOWN = 20

export interface SinceReport {
  /** The instant that the database was restored to. */
  readonly to: Instant
  /** How far the log reaches; null if it has nothing since the backup. */
  readonly log_ends_at: Instant | null
  /** A segment that is missing: nothing after it could be read; null for none. */
  readonly gap: string | null
  /** Payouts that stand otherwise at the end of the log, and those of them that may be sent. */
  readonly changed: number
  readonly may_be_sent: number
  /** Has each of them as a line of JSON. */
  readonly file: string
  /** The first of those that may be sent. */
  readonly payouts: readonly ReturnType<typeof present>[]
}

/** Why it could not be told, as text. */
export type ToldSince = SinceReport | { readonly to: Instant; readonly problem: string }

export interface Asked {
  /** The backup. */
  readonly file: string
  readonly archive_dir: string
  readonly to: Instant
  readonly config: Config
}

export async function tellSince(
  here: Sql,
  { file: backup, archive_dir, to, config }: Asked,
): Promise<ToldSince> {
  const file = join(config.data_dir, 'payouts-since.jsonl')
  let report: SinceReport | undefined
  try {
    await restoreScratch({
      file: backup,
      data_dir: join(config.data_dir, 'postgres.later'),
      log: () => {},
      recovery: { archive_dir, to: null, stops_at_gap: true },
      async accept(data_dir, recovered) {
        const ends = { log_ends_at: recovered?.reached ?? null, gap: recovered?.gap ?? null }
        const told = await onCopy(data_dir, later => writeSince(here, later, to, file))
        report = { to, ...ends, ...told, file }
        return true
      },
    })
  } catch (error) {
    // The restored database is whole without this list, whatever the reason is.
    return { to, problem: error instanceof Error ? error.message : String(error) }
  }
  if (report === undefined) throw new Error('the end of the log was not looked at')
  return report
}

async function onCopy<T>(data_dir: string, work: (later: Sql) => Promise<T>): Promise<T> {
  const database = await openDatabase({ database_url: undefined, data_dir }, { create: false })
  try {
    await asOwner(database.url, migrate)
    const later = connect(database.url, { max: 1, as: 'auditor' })
    return await work(later).finally(() => later.end({ timeout: 5 }))
  } finally {
    await database.release()
  }
}

async function writeSince(here: Sql, later: Sql, to: Instant, path: string) {
  const file = await open(path, 'w', 0o600)
  const counts = { changed: 0, may_be_sent: 0 }
  const payouts: ReturnType<typeof present>[] = []
  try {
    await eachSince(later, plusMilliseconds(to, -MARGIN_MS), async rows => {
      const changed = await compareSince(here, rows)
      const sent = changed.filter(({ may_be_sent }) => may_be_sent)
      counts.changed += changed.length
      counts.may_be_sent += sent.length
      payouts.push(...sent.slice(0, MAX_NAMED - payouts.length).map(present))
      await file.write(changed.map(row => `${JSON.stringify(present(row))}\n`).join(''))
    })
    await file.sync()
  } finally {
    await file.close()
  }
  return { ...counts, payouts }
}

function present({ id: payout, amount, ...row }: Since) {
  return { payout, amount: String(amount), ...row }
}

export function sinceWords(told: ToldSince): string[] {
  if ('problem' in told) {
    return [`What went out after ${told.to} could not be read: ${told.problem}`]
  }
  const { to, log_ends_at, gap, changed, may_be_sent, file, payouts } = told
  const rows = payouts.slice(0, SHOWN).map(row => ({
    payout: row.payout,
    rail: row.rail,
    'status here': row.status_here ?? 'none',
    'at the end': row.status,
    amount: moneyWords(BigInt(row.amount), row.currency),
    'end-to-end id': row.end_to_end_id,
  }))
  return [
    `The log goes on to ${log_ends_at ?? to}${gap === null ? '' : `, where it lacks ${gap}`}: ` +
      `${changed} payouts stand otherwise there, and ${may_be_sent} of them may have gone out.`,
    ...(rows.length === 0 ? [] : [listing(rows)]),
    `${file} has each of them.`,
  ]
}
