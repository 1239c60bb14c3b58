// Figures, the rows of the results table: their rounds, baselines and goals, and the text of their
// outcomes. Pure.

/** The circumstances of a measurement. */
export interface Setting {
  /** `2026-11-21T08:22Z`. */
  readonly at: string
  /** `81165f4`, or `81165f4 with changes`. */
  readonly commit: string
  readonly quick: boolean
  /** `2 cores (AMD EPYC), Linux 6.18`. */
  readonly machine: string
  readonly node: string
  readonly postgresql: string
  /** Lines for postgresql.conf in addition to the usual ones. */
  readonly postgres: string
  readonly generator: string
}

/** The kept results of a scenario. */
export interface Results extends Setting {
  readonly scenario: string
  readonly figures: readonly Figure[]
  /** The plan and other values that the scenario recorded. */
  readonly recorded: Readonly<Record<string, unknown>>
}

export interface Figure {
  /** Such as `payout create, one hot account, 256 connections`. */
  readonly name: string
  /** `payouts/s`, `rows/s`, `MiB`. */
  readonly unit: string
  readonly rounds: readonly FigureRound[]
  readonly goals: readonly Goal[]
  /** A footnote. */
  readonly note?: string
}

/** The measurements of one round, taken in turn with their baselines. */
export interface FigureRound {
  /** In the unit of the figure. */
  readonly value: number
  readonly p50_ms?: number
  readonly p99_ms?: number
  readonly max_ms?: number
  /** Seconds of processor time for 1,000 requests (or rows). */
  readonly service_cpu_s?: number
  readonly database_cpu_s?: number
  /** The peak of the service's resident memory. */
  readonly rss_mib?: number
  /** By name, in the unit of the figure: `pgbench, best`, `static route`. */
  readonly baselines: Readonly<Record<string, number>>
}

/** The rounds of a figure that is measured once, without a baseline. */
export function onlyRound(value: number): readonly FigureRound[] {
  return [{ value, baselines: {} }]
}

/** Makes a round of a load; its value is the load's rate. */
export function roundOf<Load extends { readonly per_second: number }>(
  load: Load,
  baselines: Readonly<Record<string, number>>,
): FigureRound & Load {
  return { ...load, value: load.per_second, baselines }
}

/**
 * What a goal can be for besides a ratio, with the words of its target. Seconds of processor time
 * for 1,000 requests are milliseconds for one.
 */
const MEASURES = {
  value: { before: '', unit: '' },
  p50_ms: { before: 'p50 ', unit: 'ms' },
  p99_ms: { before: 'p99 ', unit: 'ms' },
  rss_mib: { before: 'memory ', unit: 'MiB' },
  service_cpu_s: { before: 'service CPU ', unit: 'ms' },
  database_cpu_s: { before: 'database CPU ', unit: 'ms' },
} as const

/** A goal for the figure's value, another measure of it, or its ratio to a baseline. */
export type Goal = (
  | { readonly what: keyof typeof MEASURES }
  | { readonly what: 'ratio'; readonly to: string }
) &
  ({ readonly at_least: number } | { readonly at_most: number })

export interface Outcome {
  readonly goal: Goal
  /** The median of the rounds, each ratio taken within its round. */
  readonly median: number
  readonly least: number
  readonly most: number
  readonly reached: boolean
}

export function judge(figure: Figure, goal: Goal): Outcome {
  const values = figure.rounds.map(round => measuredOf(round, goal))
  const middle = median(values)
  const reached = 'at_least' in goal ? middle >= goal.at_least : middle <= goal.at_most
  return { goal, median: middle, least: Math.min(...values), most: Math.max(...values), reached }
}

function measuredOf(round: FigureRound, goal: Goal): number {
  if (goal.what !== 'ratio') return round[goal.what] ?? Number.NaN
  return round.value / (round.baselines[goal.to] ?? Number.NaN)
}

/** The value that this share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** `6.10 (5.83–6.44)`: median, minimum and maximum. */
export function spread(values: readonly number[]): string {
  const text = readable(median(values))
  if (values.length < 2) return text
  return `${text} (${readable(Math.min(...values))}–${readable(Math.max(...values))})`
}

/** `6,462`, `66.3` or `0.52`: three significant digits, or all digits of the integer part. */
export function readable(number: number): string {
  const digits = Math.abs(number) >= 99.95 ? 0 : Math.abs(number) >= 9.995 ? 1 : 2
  return number.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/** The comparison of a figure with a baseline, a goal, or both. */
export interface Comparison {
  /** `pgbench, best: 1,037`; '' for a goal of the figure itself. */
  readonly against: string
  /** `6.46 (5.83–6.84)`; '' where there is no baseline. */
  readonly ratio: string
  /** `≥ 8`, `p99 ≤ 100 ms`; '' without a goal. */
  readonly target: string
  /** `reached`, `short by 20 %`; '' without a goal. */
  readonly outcome: string
}

/** Compares with each baseline and its goals, then with the goals of the figure itself. */
export function compare(figure: Figure): readonly Comparison[] {
  const baselines = Object.keys(figure.rounds[0]?.baselines ?? {})
  const missing = figure.goals.find(goal => goal.what === 'ratio' && !baselines.includes(goal.to))
  if (missing !== undefined) throw new Error(`${figure.name}: no ${JSON.stringify(missing)}`)
  return [
    ...baselines.flatMap(name => compareTo(figure, name)),
    ...figure.goals
      .filter(goal => goal.what !== 'ratio')
      .map(goal => ({ against: '', ratio: '', ...judged(figure, goal) })),
  ]
}

function compareTo(figure: Figure, baseline: string): Comparison[] {
  const values = figure.rounds.map(round => round.baselines[baseline] ?? Number.NaN)
  const ratios = figure.rounds.map((round, i) => round.value / (values[i] ?? Number.NaN))
  const against = `${baseline}: ${readable(median(values))}`
  const ratio = spread(ratios)
  const goals = figure.goals.filter(goal => goal.what === 'ratio' && goal.to === baseline)
  if (goals.length === 0) return [{ against, ratio, target: '', outcome: '' }]
  return goals.map(goal => ({ against, ratio, ...judged(figure, goal) }))
}

function judged(figure: Figure, goal: Goal): Pick<Comparison, 'target' | 'outcome'> {
  return { target: wordTarget(figure, goal), outcome: wordOutcome(judge(figure, goal)) }
}

/** `≥ 8` of a ratio, `≥ 5,000 rows/s`, `p99 ≤ 100 ms`, `service CPU ≤ 0.17 ms`. */
export function wordTarget(figure: Figure, goal: Goal): string {
  const limit = limitOf(goal).toLocaleString('en')
  const bound = 'at_least' in goal ? `≥ ${limit}` : `≤ ${limit}`
  if (goal.what === 'ratio') return bound
  const { before, unit } = MEASURES[goal.what]
  return `${before}${bound} ${unit === '' ? figure.unit : unit}`.trim()
}

/** Rounds a miss up, so that it is never 0 %. */
function wordOutcome(outcome: Outcome): string {
  if (outcome.reached) return 'reached'
  const limit = limitOf(outcome.goal)
  const percent = Math.ceil((Math.abs(outcome.median - limit) / limit) * 100)
  if (Number.isNaN(percent)) return 'not measured'
  return `${'at_least' in outcome.goal ? 'short' : 'over'} by ${percent} %`
}

/** The share of the goal that was reached: at least 1 when it was, also for upper limits. */
export function fulfilment({ goal, median }: Outcome): number {
  return 'at_least' in goal ? median / goal.at_least : goal.at_most / median
}

function limitOf(goal: Goal): number {
  return 'at_least' in goal ? goal.at_least : goal.at_most
}
