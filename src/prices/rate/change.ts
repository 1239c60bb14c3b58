// Changes the rate book by commands and feeds: loads the stored rates, judges the new rates, and
// stores them.
import { databaseNow, type Sql, type TransactionSql } from '../../sql/connect.ts'
import type { Line, LineProblem } from '../../values/text/csv.ts'
import { type FetchOptions, fetchRates, hostOf } from './fetch.ts'
import { findGaps, type Gap, gapsOf, type SpreadOf, withRates } from './gap.ts'
import {
  checkPeg,
  decideFeed,
  type FeedDecision,
  type Judged,
  judgeRates,
  pairOf,
  withGaps,
} from './guard.ts'
import { guessRateFormat, loadDefaultRates, parseRates } from './load.ts'
import { type Rate, RateBook } from './rules.ts'
import { listRates, lockRates, setChangedBy, upsertRates } from './store.ts'

export interface ChangeOptions {
  /** The pivot of the rate book, to judge crossed pairs. */
  readonly pivot: string
  /** The spread that a gap may have without a word. */
  readonly spreadOf: SpreadOf
  /** Whether a person confirms the change in spite of its problems. */
  readonly force: boolean
  readonly dry_run: boolean
}

export interface Changed {
  readonly changes: readonly Judged[]
  /** With any problem, no rate was stored. */
  readonly problems: readonly LineProblem[]
  /** Whether `force` would store the change in spite of the problems. */
  readonly forceable: boolean
  /** The gaps that the changed rates make. */
  readonly gaps: readonly Gap[]
}

/** The base of all sample rates. */
const SHIPPED_PIVOT = 'EUR'

/** Stores all of these rates, or none of them. */
export function changeRates(sql: Sql, lines: readonly Line<Rate>[], options: ChangeOptions) {
  return withLockedBook(sql, options, async (tx, book, guide) => {
    const impossible = lines.flatMap(({ line, value }) => {
      const message = checkPeg(value, book)
      return message === undefined ? [] : [{ line, message }]
    })
    const judged = judgeRates(lines, book, guide)
    const rates = judged.map(({ rate }) => rate)
    const gaps = gapsOf(findGaps(withRates(book, rates), options.spreadOf), rates)
    const before = new Set(findGaps(book, options.spreadOf).map(({ rate }) => pairOf(rate)))
    // A person answers for each row of a new gap. An old gap must not keep its ratio from moving.
    const changes = withGaps(
      judged,
      gaps,
      (gap, rate) =>
        gap.rate === rate || (gap.rows.includes(rate) && !before.has(pairOf(gap.rate))),
    )
    const doubtful = options.force ? [] : problemsOf(changes)
    const forceable = impossible.length === 0
    const problems = forceable ? doubtful : impossible
    if (problems.length === 0) await store(tx, changes, options)
    return { changes, problems, forceable, gaps }
  })
}

/**
 * Stores a publication's rates that are newer and not doubtful. `by` is the change's name in the
 * history.
 */
function takeRates(sql: Sql, lines: readonly Line<Rate>[], options: ChangeOptions, by?: string) {
  return withLockedBook(sql, options, async (tx, book, guide) => {
    const first = judgeRates(lines, book, guide)
    const news = decideFeed(first, options.force).taken.map(({ rate }) => rate)
    const wide = findGaps(withRates(book, news), options.spreadOf)
    // The feed's own row is refused for its gap, and never because another row is out of date.
    const judged = withGaps(first, wide, (gap, rate) => gap.rate === rate)
    const decision = decideFeed(judged, options.force)
    const taken = decision.taken.map(({ rate }) => rate)
    const gaps = gapsOf(findGaps(withRates(book, taken), options.spreadOf), taken)
    if (by !== undefined) await setChangedBy(tx, by)
    await store(tx, decision.taken, options)
    return { ...decision, gaps }
  })
}

function problemsOf(judged: readonly Judged[]): LineProblem[] {
  return judged.flatMap(({ line, problem }) =>
    problem === undefined ? [] : [{ line, message: problem.message }],
  )
}

/** Runs `work` on the stored book under the lock of rates. */
function withLockedBook<T>(
  sql: Sql,
  { pivot }: ChangeOptions,
  work: (tx: TransactionSql, book: RateBook, guide: RateBook) => Promise<T>,
): Promise<T> {
  return sql.begin(async tx => {
    await lockRates(tx)
    const stored = await listRates(tx)
    return work(tx, new RateBook(pivot, stored), guideBook(stored, await loadDefaultRates()))
  })
}

/** The stored rates, with sample rates for pairs without a row. It has the expected rates. */
function guideBook(stored: readonly Rate[], shipped: readonly Rate[]): RateBook {
  const known = new Set(stored.flatMap(({ base, quote }) => [base + quote, quote + base]))
  const missing = shipped.filter(({ base, quote }) => !known.has(base + quote))
  return new RateBook(SHIPPED_PIVOT, [...missing, ...stored])
}

async function store(tx: TransactionSql, changes: readonly Judged[], { dry_run }: ChangeOptions) {
  if (dry_run || changes.length === 0) return
  const rates = changes.map(({ rate }) => rate)
  await upsertRates(tx, rates)
}

interface FeedOptions extends ChangeOptions, FetchOptions {
  readonly url: string
  /** The name of these changes in the history; absent: the database user's. */
  readonly by?: string
}

/** A longer message is cut: it quotes the wrong text, which may be long. */
const MAX_MESSAGE = 200

/** A publication with a mistake. No rate of it was stored. */
export class FeedUnreadable extends Error {
  readonly host: string
  readonly problems: readonly LineProblem[]

  constructor(host: string, problems: readonly LineProblem[]) {
    const [first] = problems
    const more = problems.length > 1 ? `, and ${problems.length - 1} more problems` : ''
    const message = first?.message.slice(0, MAX_MESSAGE)
    super(`${host}: line ${first?.line}: ${message}${more}`)
    this.host = host
    this.problems = problems
  }
}

export interface FeedOutcome extends FeedDecision, Pick<Changed, 'gaps'> {
  readonly host: string
  /** Why rates were refused. */
  readonly problems: readonly LineProblem[]
  /** The publication's lines that are no rates of ours. */
  readonly left_out: readonly LineProblem[]
}

/**
 * Fetches a feed and stores its rates. Rejects with FetchFailed or FeedUnreadable before a change.
 */
export async function takeFeed(sql: Sql, options: FeedOptions): Promise<FeedOutcome> {
  const { url, by } = options
  const host = hostOf(url)
  const text = await fetchRates(url, options)
  const defaults = { source: host, now: await databaseNow(sql), undated: 'refused' } as const
  const { lines, problems, left_out } = await parseRates(text, guessRateFormat(text), defaults)
  if (problems.length > 0) throw new FeedUnreadable(host, problems)
  const decision = await takeRates(sql, lines, options, by)
  return { ...decision, host, problems: problemsOf(decision.refused), left_out }
}
