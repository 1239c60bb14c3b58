// What the scenario entity measures, how long and how often, and the shape of its numbers.
import type { ImportResult } from './entity-import.ts'
import type { Measured, Seconds } from './measure.ts'
import type { BaselineResult, Style } from './pgbench.ts'

export const KINDS = ['creation', 'hit'] as const
export type Kind = (typeof KINDS)[number]

/** One connection shows how long a request takes, many how many there can be. */
export const CONNECTIONS = [1, 64]

/** How long everything takes, in seconds, and how often it is done. */
export interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
  readonly import_rows: number
}

export const FULL: Plan = {
  rounds: 3,
  warm_up_s: 2,
  load_s: 10,
  pgbench_s: 5,
  import_rows: 100_000,
}
export const QUICK: Plan = { rounds: 1, warm_up_s: 1, load_s: 4, pgbench_s: 2, import_rows: 20_000 }

export interface MeasuredEntity extends Measured {
  readonly kind: Kind
}

/** What was measured of one size in one round. */
export interface Round {
  readonly http: readonly MeasuredEntity[]
  readonly pgbench: Readonly<Record<Style, BaselineResult>>
}

export interface SizeResult {
  readonly size: number
  readonly rounds: readonly Round[]
  readonly imported: ImportResult
}
