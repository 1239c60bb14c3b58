// The options of scenarios.
import type { Generator } from './load.ts'

export interface Options {
  /** A short run, of one round. */
  readonly quick: boolean
  /** Measures only the heap allocated for a request, without rounds. */
  readonly allocation: boolean
  /** How many entities there are, for the scenario entity. */
  readonly sizes: readonly number[]
  /** Lines for postgresql.conf. */
  readonly postgres: string | undefined
  /** Path of the program. */
  readonly pgbench: string
  readonly generator: Generator
  /** Adds a value, such as the plan or a series, to the file of results. */
  record(name: string, value: unknown): void
}
