// Changes of the rate book, by commands and by feeds: loads the stored rates, judges the new ones,
// stores them.

import { databaseNow, type Sql, type TransactionSql } from '../../db/connect.ts'
import type { Line, LineProblem } from '../../text/csv.ts'
import { type FetchOptions, fetchRates, hostOf } from './fetch.ts'
import { checkPeg, decideFeed, type FeedDecision, type Judged, judgeRates } from './guard.ts'
import { guessRateFormat, loadDefaultRates, parseRates } from './load.ts'
import { type Rate, type RateBook, rateBookOf } from './rules.ts'
import { listRates, lockRates, sayWhoChanges, upsertRates } from './store.ts'

export interface ChangeOptions {
  /** The pivot of the rate book, to judge crossed pairs. */
  readonly pivot: string
  readonly max_move_bps: number
  /** Whether a person has seen the problems and confirms the change. */
  readonly force: boolean
  readonly dry_run: boolean
}

export interface Changed {
  readonly changes: readonly Judged[]
  /** If there are any, no rate was stored. */
  readonly problems: readonly LineProblem[]
  /** Whether `force` would store the change in spite of them. */
  readonly forceable: boolean
}

/** The base of all sample rates. */
const SHIPPED_PIVOT = 'EUR'

/** Stores all of the rates, or none. */
export function changeRates(
  sql: Sql,
  lines: readonly Line<Rate>[],
  options: ChangeOptions,
): Promise<Changed> {
  return onBook(sql, options, async (tx, book, guide) => {
    const impossible = lines.flatMap(({ line, value }) => {
      const message = checkPeg(value, book)
      return message === undefined ? [] : [{ line, message }]
    })
    const changes = judgeRates(lines, book, options.max_move_bps, guide)
    const doubtful = options.force ? [] : problemsOf(changes)
    const forceable = impossible.length === 0
    const problems = forceable ? doubtful : impossible
    if (problems.length === 0) await store(tx, changes, options)
    return { changes, problems, forceable }
  })
}

/**
 * Stores the rates of a publication that are newer and not doubtful; `by` names it in the history.
 */
function takeRates(
  sql: Sql,
  lines: readonly Line<Rate>[],
  options: ChangeOptions,
  by?: string,
): Promise<FeedDecision> {
  return onBook(sql, options, async (tx, book, guide) => {
    const judged = judgeRates(lines, book, options.max_move_bps, guide)
    const decision = decideFeed(judged, options.force)
    if (by !== undefined) await sayWhoChanges(tx, by)
    await store(tx, decision.taken, options)
    return decision
  })
}

/** The problems of the lines that have one. */
function problemsOf(judged: readonly Judged[]): LineProblem[] {
  return judged.flatMap(({ line, problem }) =>
    problem === undefined ? [] : [{ line, message: problem.message }],
  )
}

/** Runs `work` on the stored book under its lock, so that nobody else changes rates meanwhile. */
function onBook<T>(
  sql: Sql,
  { pivot }: ChangeOptions,
  work: (tx: TransactionSql, book: RateBook, guide: RateBook) => Promise<T>,
): Promise<T> {
  return sql.begin(async tx => {
    await lockRates(tx)
    const stored = await listRates(tx)
    return work(tx, rateBookOf(pivot, stored), guideOf(stored, await loadDefaultRates()))
  })
}

/**
 * The sample rates of pairs that are not stored. They give an expected rate, as in a book that
 * never had samples.
 */
function guideOf(stored: readonly Rate[], shipped: readonly Rate[]): RateBook {
  const known = new Set(stored.flatMap(({ base, quote }) => [base + quote, quote + base]))
  const missing = shipped.filter(({ base, quote }) => !known.has(base + quote))
  return rateBookOf(SHIPPED_PIVOT, [...missing, ...stored])
}

async function store(tx: TransactionSql, changes: readonly Judged[], { dry_run }: ChangeOptions) {
  if (dry_run || changes.length === 0) return
  const rates = changes.map(({ rate }) => rate)
  await upsertRates(tx, rates)
}

interface FeedOptions extends ChangeOptions, FetchOptions {
  readonly url: string
  /** The name under which the history records these changes; absent: the user of the connection. */
  readonly by?: string
}

/** How long a message may be: it quotes the wrong text, which may be long. */
const MAX_MESSAGE = 200

/** A publication with an error: none of it is used. */
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

export interface FeedOutcome extends FeedDecision {
  readonly host: string
  /** Why rates were refused. */
  readonly problems: readonly LineProblem[]
}

/** Rejects with FetchFailed or FeedUnreadable, having changed nothing. */
export async function takeFeed(sql: Sql, options: FeedOptions): Promise<FeedOutcome> {
  const { url, by } = options
  const host = hostOf(url)
  const text = await fetchRates(url, options)
  const defaults = { source: host, now: await databaseNow(sql), undated: 'refused' } as const
  const { lines, problems } = parseRates(text, guessRateFormat(text), defaults)
  if (problems.length > 0) throw new FeedUnreadable(host, problems)
  const decision = await takeRates(sql, lines, options, by)
  return { ...decision, host, problems: problemsOf(decision.refused) }
}
