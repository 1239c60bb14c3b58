// A figure: one row of the results table, with what it is held against and what it must reach.
// Pure; knows no scenario.
import { median } from './numbers.ts'

export interface Figure {
  /** As a reader says it: `payout create, one hot account, 256 connections`. */
  readonly name: string
  /** `payouts/s`, `rows/s`, `MiB`. */
  readonly unit: string
  readonly rounds: readonly FigureRound[]
  readonly goals: readonly Goal[]
  /** What a reader must know to believe the row. */
  readonly note?: string
}

/** What was measured alternately with its baselines, in one round. */
export interface FigureRound {
  /** In the unit of the figure. */
  readonly value: number
  readonly p50_ms?: number
  readonly p99_ms?: number
  readonly max_ms?: number
  /** Seconds of processor time for 1,000 requests (or rows). */
  readonly service_cpu_s?: number
  readonly database_cpu_s?: number
  /** The most resident memory of the service that was seen. */
  readonly rss_mib?: number
  /** By name, in the unit of the figure: `pgbench, best`, `static route`. */
  readonly baselines: Readonly<Record<string, number>>
}

/** A load as a round, by what came through a second; whatever else was measured is kept. */
export function roundOf<Load extends { readonly per_second: number }>(
  load: Load,
  baselines: Readonly<Record<string, number>>,
): FigureRound & Load {
  return { ...load, value: load.per_second, baselines }
}

/**
 * What is compared: the figure itself, one of its times, what a request takes of service and
 * database in processor time, or its ratio to a baseline.
 */
export type Goal = (
  | { readonly what: 'value' | 'p99_ms' | 'rss_mib' | 'cpu_ms' }
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
  // Seconds for 1,000 are milliseconds for one.
  if (goal.what === 'cpu_ms') {
    return (round.service_cpu_s ?? Number.NaN) + (round.database_cpu_s ?? Number.NaN)
  }
  if (goal.what !== 'ratio') return round[goal.what] ?? Number.NaN
  return round.value / (round.baselines[goal.to] ?? Number.NaN)
}
