// What a figure comes to, in words: what it is held against, what it should reach and whether it
// did. Pure; the terminal, the table and the chart all speak through it.
import { type Figure, type Goal, judge, type Outcome } from './figure.ts'
import { median, readable, spread } from './numbers.ts'

/** One thing that a figure is held against: a baseline, a target, or both. */
export interface Comparison {
  /** `pgbench, best: 1,037`; '' for a target of the figure itself. */
  readonly against: string
  /** `6.46 (5.83–6.84)`; '' where there is no baseline. */
  readonly ratio: string
  /** `≥ 8`, `p99 ≤ 100 ms`; '' where nothing is to be reached. */
  readonly target: string
  /** `reached`, `short by 20 %`; '' where nothing is to be reached. */
  readonly outcome: string
}

/** The ratios to the baselines, each with its targets, then the targets of the figure itself. */
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

/** `≥ 8` of a ratio, `≥ 5,000 rows/s`, `p99 ≤ 100 ms`, `memory ≤ 250 MiB`, `CPU ≤ 0.17 ms`. */
export function wordTarget(figure: Figure, goal: Goal): string {
  const limit = limitOf(goal).toLocaleString('en')
  const bound = 'at_least' in goal ? `≥ ${limit}` : `≤ ${limit}`
  switch (goal.what) {
    case 'ratio':
      return bound
    case 'value':
      return `${bound} ${figure.unit}`.trim()
    case 'p99_ms':
      return `p99 ${bound} ms`
    case 'rss_mib':
      return `memory ${bound} MiB`
    case 'cpu_ms':
      return `CPU ${bound} ms`
  }
}

/** A miss is never rounded to nothing. */
function wordOutcome(outcome: Outcome): string {
  if (outcome.reached) return 'reached'
  const limit = limitOf(outcome.goal)
  const percent = Math.ceil((Math.abs(outcome.median - limit) / limit) * 100)
  if (Number.isNaN(percent)) return 'not measured'
  return `${'at_least' in outcome.goal ? 'short' : 'over'} by ${percent} %`
}

/** How much of its target an outcome is: from 1 on it is reached, also of an upper limit. */
export function fulfilment({ goal, median }: Outcome): number {
  return 'at_least' in goal ? median / goal.at_least : goal.at_most / median
}

function limitOf(goal: Goal): number {
  return 'at_least' in goal ? goal.at_least : goal.at_most
}
