// One measurement: a warm-up and a load, with the processor time of service and database.

import { type Cost, withCost } from './cpu.ts'
import { type Generator, type Load, type LoadResult, sendLoad } from './load.ts'
import type { Target } from './target.ts'

export interface Measured extends LoadResult, Cost {
  readonly connections: number
}

export interface Seconds {
  readonly warm_up_s: number
  readonly load_s: number
}

export async function measureLoad(
  generator: Generator,
  target: Target,
  load: Omit<Load, 'seconds'>,
  { warm_up_s, load_s }: Seconds,
): Promise<Measured> {
  // The warm-up uses other fresh numbers than the load.
  const { bodies } = load
  const early = { ...bodies, fresh_from: bodies.fresh_from + WARM_UP_OFFSET }
  await sendLoad(generator, { ...load, bodies: early, seconds: warm_up_s })
  const result = await withCost([target.service_pid], target.postgres_pid, () =>
    sendLoad(generator, { ...load, seconds: load_s }),
  )
  return { ...result, connections: load.connections }
}

/** More requests than any load sends, and less than FRESH_STEP. */
const WARM_UP_OFFSET = 50_000_000
/** The distance between the fresh numbers of two measurements. */
export const FRESH_STEP = 100_000_000
