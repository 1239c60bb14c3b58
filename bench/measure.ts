// Measurements: a load after a warm-up, and a constant rate, each with the processor time of service
// and database.

import { type Cost, withCost } from './cpu.ts'
import { type FigureRound, readable, roundOf } from './figure.ts'
import { type Generator, type Load, type LoadResult, sendLoad } from './load.ts'
import { say, whole, wordCost } from './report.ts'
import { type SteadyRequest, sendSteadily } from './steady.ts'
import type { Target } from './target.ts'

export interface Measured extends LoadResult, Cost {
  readonly connections: number
}

export interface Seconds {
  readonly warm_up_s: number
  readonly load_s: number
}

/** The processes whose processor time counts. */
export type Measurable = Pick<Target, 'service_pid' | 'postgres_pid'>

/** Requests before it is known for how long they are sent. */
export type Requests = Omit<Load, 'seconds'>

export async function measureLoad(
  generator: Generator,
  target: Measurable,
  load: Requests,
  { warm_up_s, load_s }: Seconds,
): Promise<Measured> {
  await sendLoad(generator, { ...asWarmUp(load), seconds: warm_up_s })
  const result = await withCost([target.service_pid], target.postgres_pid, () =>
    sendLoad(generator, { ...load, seconds: load_s }),
  )
  return { ...result, connections: load.connections }
}

/** The same requests with other fresh numbers than the load. */
export function asWarmUp(load: Requests): Requests {
  const { bodies } = load
  return { ...load, bodies: { ...bodies, fresh_from: bodies.fresh_from + WARM_UP_OFFSET } }
}

/** More requests than any load sends, and less than FRESH_STEP. */
const WARM_UP_OFFSET = 50_000_000
/** The distance between the fresh numbers of two measurements. */
export const FRESH_STEP = 100_000_000

/** A footnote for figures at half of the limit. */
export const HALF_NOTE =
  'Half of what callers who wait reached in the same round. Times count from when a request was ' +
  'due, so that a stall shows in all that were due meanwhile.'

/** Sends the requests of a load at half of the rate at which callers who wait were answered. */
export async function measureHalf(
  target: Measurable,
  { url, authorizations, bodies }: Requests,
  limit: LoadResult,
  seconds: number,
): Promise<FigureRound> {
  const { templates, existing_to } = bodies
  const requests = authorizations.map(
    (authorization, i): SteadyRequest => ({
      authorization,
      body: templates[i % templates.length],
    }),
  )
  const per_second = limit.per_second / 2
  const result = await withCost([target.service_pid], target.postgres_pid, () =>
    sendSteadily({ urls: [url], existing_to, requests, per_second, seconds }),
  )
  const [p50, p99, max, sender] = [
    ...[result.p50_ms, result.p99_ms, result.max_ms, result.sender_p99_ms].map(readable),
  ]
  say(
    `  constant ${whole(per_second)} a second: ${whole(result.per_second)}/s, p50 ${p50} ms, ` +
      `p99 ${p99} ms, max ${max} ms (p99 of the sender's own lateness ${sender} ms); ` +
      wordCost(result),
  )
  return roundOf(result, { 'callers who wait': limit.per_second })
}
