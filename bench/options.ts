// What the command line says to every scenario.
import type { Generator } from './load.ts'
import type { TargetOptions } from './target.ts'

export interface Options {
  /** A short run, of one round. */
  readonly quick: boolean
  /** Keep the numbers. */
  readonly write: boolean
  /** Lines for postgresql.conf. */
  readonly postgres: string | undefined
  /** Path of the program. */
  readonly pgbench: string
  readonly generator: Generator
  readonly machine: string
}

export function targetOf(postgres: string | undefined): TargetOptions {
  return postgres === undefined ? {} : { postgres_settings: postgres }
}
