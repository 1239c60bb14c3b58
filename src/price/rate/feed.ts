// Takes one publication of a feed into the rate book: fetches it, reads it like a file, and stores
// the rates that are newer and not doubtful. The CLI command and the worker share it.
import type { LineProblem } from '../../csv.ts'
import { databaseNow, type Sql } from '../../db/connect.ts'
import { type ChangeOptions, problemsOf, takeRates } from './change.ts'
import { type FetchOptions, fetchRates, hostOf } from './fetch.ts'
import type { FeedDecision } from './guard.ts'
import { guessRateFormat, parseRates } from './load.ts'

export interface FeedOptions extends ChangeOptions, FetchOptions {
  readonly url: string
  /** The name that the history gives these changes; absent: the user of the connection. */
  readonly by?: string
}

/** A message quotes the wrong text, which may be long. */
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
