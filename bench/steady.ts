// A load at a constant rate from a second process, as callers who do not wait for each other send
// it: a stall of the service shows in every request that was due while it lasted. Knows nothing of
// the database, nor what the bodies mean.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface SteadyLoad {
  /** Taken in turn. */
  readonly urls: readonly string[]
  /** Sent in turn by POST, each time with an Idempotency-Key of its own. */
  readonly requests: readonly SteadyRequest[]
  readonly per_second: number
  readonly seconds: number
}

export interface SteadyRequest {
  readonly authorization: string
  readonly body: string
}

export interface SteadyResult {
  readonly requests: number
  readonly per_second: number
  /** From when a request was due to the end of its answer. */
  readonly p50_ms: number
  readonly p99_ms: number
  readonly max_ms: number
  /** How late the sender itself was, which the times above include. */
  readonly sender_p99_ms: number
}

export interface SteadyAnswer extends SteadyResult {
  /** Answers that are not 2xx, and requests that have none. */
  readonly failures: number
}

/** Waits for all answers; throws when one of them is not 2xx. */
export async function sendSteadily(load: SteadyLoad): Promise<SteadyResult> {
  const ended = run(process.execPath, [join(import.meta.dirname, 'steady-sender.ts')])
  ended.child.stdin?.end(JSON.stringify(load))
  const { failures, ...result }: SteadyAnswer = JSON.parse((await ended).stdout)
  if (failures > 0) throw new Error(`${failures} of ${result.requests} requests failed`)
  return result
}
