// The load: requests over keep-alive connections from a second process. wrk is taken when it is
// installed, as it leaves more of the machine to what is measured; else autocannon. Knows nothing of
// the database, nor what the requests mean.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runWrk } from './load-wrk.ts'

const run = promisify(execFile)

export type Generator = 'wrk' | 'autocannon'

export interface Load {
  /** Its path may have `#existing#`, as bodies may. */
  readonly url: string
  /** Values of the Authorization header, one drawn at random for each request. */
  readonly authorizations: readonly string[]
  readonly bodies: Bodies
  /** Makes pairs: each answer is followed up by a second request. */
  readonly follow_up?: FollowUp
  readonly connections: number
  readonly seconds: number
}

/**
 * What is sent: for each request one of the templates, drawn at random, with its numbers filled in.
 */
export interface Bodies {
  /**
   * JSON, in which `#fresh#` and `#existing#` stand for numbers of `NUMBER_DIGITS` digits. None:
   * the requests are GET.
   */
  readonly templates: readonly string[]
  /** Template n is for authorization n, and none is drawn. */
  readonly template_per_authorization?: boolean
  /** `#fresh#` counts up from here, one a request. */
  readonly fresh_from: number
  /** `#existing#` is drawn from 1 to this. */
  readonly existing_to: number
  /** Whether each request has an Idempotency-Key of its own. */
  readonly keyed: boolean
}

/** The second request of a pair, as the same account: there must be one authorization only. */
export interface FollowUp {
  readonly path: string
  /** JSON, in which `#id#` stands for the first id in the first answer. */
  readonly template: string
  /** What ids of first answers begin with, and those of second answers do not. */
  readonly id_prefix: string
}

export const NUMBER_DIGITS = 12

export interface LoadResult {
  /** Of pairs, those whose second request was answered. */
  readonly requests: number
  readonly per_second: number
  /** Of single requests, also where they are pairs. */
  readonly p50_ms: number
  readonly p99_ms: number
}

/** What a generator says of a load. */
export interface LoadAnswer extends LoadResult {
  /** Answers that are not 2xx, and connections that failed. */
  readonly failures: number
}

export async function findGenerator(): Promise<Generator> {
  // wrk without arguments prints its usage and fails; what matters is whether it is there.
  const missing = await run('wrk', ['-v']).then(
    () => false,
    (error: { code?: unknown }) => error.code === 'ENOENT',
  )
  return missing ? 'autocannon' : 'wrk'
}

/** Throws when a request failed. */
export async function sendLoad(generator: Generator, load: Load): Promise<LoadResult> {
  const { failures, ...result } = await (generator === 'wrk' ? runWrk(load) : runAutocannon(load))
  if (failures > 0) throw new Error(`${failures} requests to ${load.url} were not answered by 2xx`)
  return result
}

/** As a process of its own, so that it does not share one with what reads the numbers. */
async function runAutocannon(load: Load): Promise<LoadAnswer> {
  const program = join(import.meta.dirname, 'load-autocannon.ts')
  const ended = run(process.execPath, [program])
  ended.child.stdin?.end(JSON.stringify(load))
  return JSON.parse((await ended).stdout)
}
