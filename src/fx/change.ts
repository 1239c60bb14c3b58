// Changes of the rate book: load what is stored, judge by it, store. For commands and for the feed.
import type { Line, LineProblem } from '../csv.ts'
import type { Sql } from '../db/connect.ts'
import { checkPeg, decideFeed, type FeedDecision, type Judged, judgeRates } from './guard.ts'
import { type Rate, type RateBook, rateBookOf } from './rules.ts'
import { listRates, lockRates, sayWhoChanges, upsertRates } from './store.ts'

export interface ChangeOptions {
  /** Of the rate book, for pairs that are judged by what they are crossed to. */
  readonly pivot: string
  readonly max_move_bps: number
  /** A person has seen the problems and wants it all the same. */
  readonly force: boolean
  readonly dry_run: boolean
}

export interface Changed {
  readonly changes: readonly Judged[]
  /** With any, nothing was stored. */
  readonly problems: readonly LineProblem[]
  /** They would not be problems with `force`. */
  readonly forceable: boolean
}

/** All of the rates, or none. */
export function changeRates(
  sql: Sql,
  lines: readonly Line<Rate>[],
  options: ChangeOptions,
): Promise<Changed> {
  return onBook(sql, options, async (within, book) => {
    const impossible = lines.flatMap(({ line, value }) => {
      const message = checkPeg(value, book)
      return message === undefined ? [] : [{ line, message }]
    })
    const changes = judgeRates(lines, book, options.max_move_bps)
    const doubtful = options.force ? [] : problemsOf(changes)
    const forceable = impossible.length === 0
    const problems = forceable ? doubtful : impossible
    if (problems.length === 0) await store(within, changes, options)
    return { changes, problems, forceable }
  })
}

/** What of a publication is newer and not doubtful; `by` names the feed in the history. */
export function takeRates(
  sql: Sql,
  lines: readonly Line<Rate>[],
  options: ChangeOptions,
  by?: string,
): Promise<FeedDecision> {
  return onBook(sql, options, async (within, book) => {
    const decision = decideFeed(judgeRates(lines, book, options.max_move_bps), options.force)
    if (by !== undefined) await sayWhoChanges(within, by)
    await store(within, decision.taken, options)
    return decision
  })
}

/** In the words of the lines that have one. */
export function problemsOf(judged: readonly Judged[]): LineProblem[] {
  return judged.flatMap(({ line, problem }) =>
    problem === undefined ? [] : [{ line, message: problem.message }],
  )
}

/** Between reading what is stored and replacing it, nobody else may load a newer rate. */
function onBook<T>(
  sql: Sql,
  { pivot }: ChangeOptions,
  work: (within: Sql, book: RateBook) => Promise<T>,
): Promise<T> {
  const done = sql.begin(async tx => {
    await lockRates(tx)
    const within = tx as unknown as Sql
    return work(within, rateBookOf(pivot, await listRates(within)))
  })
  return done as Promise<T>
}

async function store(sql: Sql, changes: readonly Judged[], { dry_run }: ChangeOptions) {
  if (dry_run || changes.length === 0) return
  await upsertRates(
    sql,
    changes.map(({ rate }) => rate),
  )
}
