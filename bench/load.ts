// The load: POST requests over keep-alive connections from a second process, each with a body of
// its own. wrk is taken when it is installed, as it leaves more of the machine to what is measured;
// else autocannon. Knows nothing of the database, nor what the bodies mean.
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Generator = 'wrk' | 'autocannon'

export interface Load {
  readonly url: string
  readonly authorization: string
  readonly bodies: Bodies
  readonly connections: number
  readonly seconds: number
}

/**
 * What is sent: for each request one of the templates, drawn at random, with its numbers filled in.
 */
export interface Bodies {
  /** JSON, in which `#fresh#` and `#existing#` stand for numbers of `NUMBER_DIGITS` digits. */
  readonly templates: readonly string[]
  /** `#fresh#` counts up from here, one a request. */
  readonly fresh_from: number
  /** `#existing#` is drawn from 1 to this. */
  readonly existing_to: number
  /** Whether each request has an Idempotency-Key of its own. */
  readonly keyed: boolean
}

export const NUMBER_DIGITS = 12

export interface LoadResult {
  readonly requests: number
  readonly per_second: number
  readonly p50_ms: number
  readonly p99_ms: number
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

export function sendLoad(generator: Generator, load: Load): Promise<LoadResult> {
  return generator === 'wrk' ? runWrk(load) : runAutocannon(load)
}

/** One wrk thread: on two cores a second one would only take from the service. */
async function runWrk(load: Load): Promise<LoadResult> {
  const script = join(tmpdir(), `corridor-bench-${process.pid}.lua`)
  await writeFile(script, luaScript(load))
  try {
    const { connections, seconds, url } = load
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url]
    const { stdout } = await run('wrk', args)
    const line = stdout.split('\n').find(text => text.startsWith('{'))
    if (line === undefined) throw new Error(`wrk said nothing of use:\n${stdout}`)
    return JSON.parse(line)
  } finally {
    await rm(script, { force: true })
  }
}

/** The keys have the form of a random UUID, as clients send them. wrk counts answers above 399. */
function luaScript({ authorization, bodies }: Load): string {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const templates = bodies.templates.map(template => `[==[${template}]==]`).join(', ')
  const key = `
  headers["Idempotency-Key"] = format("%08x-%04x-4%03x-%04x-%06x%06x", random(0, 0x7fffffff),
    random(0, 0xffff), random(0, 0xfff), random(0x8000, 0xbfff), random(0, 0xffffff),
    random(0, 0xffffff))`
  return `
math.randomseed(${seed})
local random, format = math.random, string.format
local templates = {${templates}}
local numbers = { fresh = ${bodies.fresh_from}, existing = 0 }
local digits = {}
local headers = {
  ["Authorization"] = "${authorization}",
  ["Content-Type"] = "application/json",
}
function request()
  numbers.fresh = numbers.fresh + 1
  numbers.existing = random(1, ${bodies.existing_to})
  digits.fresh = format("%0${NUMBER_DIGITS}d", numbers.fresh)
  digits.existing = format("%0${NUMBER_DIGITS}d", numbers.existing)
  local body = templates[random(1, #templates)]:gsub("#(%l+)#", digits)${bodies.keyed ? key : ''}
  return wrk.format("POST", nil, headers, body)
end
function done(summary, latency)
  local e = summary.errors
  print(format(
    '{"requests":%d,"per_second":%.1f,"p50_ms":%.3f,"p99_ms":%.3f,"failures":%d}',
    summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
`
}

/** As a process of its own, so that it does not share one with what reads the numbers. */
async function runAutocannon(load: Load): Promise<LoadResult> {
  const program = join(import.meta.dirname, 'load-autocannon.ts')
  const { stdout } = await run(process.execPath, [program, JSON.stringify(load)])
  return JSON.parse(stdout)
}
