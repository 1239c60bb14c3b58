// The load: payouts over keep-alive connections from a second process, each under an Idempotency-Key of
// its own. wrk is taken when it is installed, as it leaves more of the machine to what is measured;
// else autocannon. Knows nothing of the database.
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Generator = 'wrk' | 'autocannon'

export interface Load {
  readonly url: string
  readonly authorization: string
  readonly body: string
  readonly connections: number
  readonly seconds: number
}

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
function luaScript({ authorization, body }: Load): string {
  const seed = Math.floor(Math.random() * 2 ** 31)
  return `
math.randomseed(${seed})
local random, format = math.random, string.format
local body = [==[${body}]==]
local headers = {
  ["Authorization"] = "${authorization}",
  ["Content-Type"] = "application/json",
}
function request()
  headers["Idempotency-Key"] = format("%08x-%04x-4%03x-%04x-%06x%06x", random(0, 0x7fffffff),
    random(0, 0xffff), random(0, 0xfff), random(0x8000, 0xbfff), random(0, 0xffffff),
    random(0, 0xffffff))
  return wrk.format("POST", nil, headers, body)
end
function done(summary, latency)
  local e = summary.errors
  print(format(
    '{"requests":%d,"per_second":%.1f,"p50_ms":%.2f,"p99_ms":%.2f,"failures":%d}',
    summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
`
}

async function runAutocannon(load: Load): Promise<LoadResult> {
  const program = createRequire(import.meta.url).resolve('autocannon')
  // -I puts a new id in the place of [<id>]; an argument must not end with the bracket.
  const args = ['--json', '-I', '-m', 'POST', '-c', String(load.connections)]
  const headers = [
    `authorization=${load.authorization}`,
    'content-type=application/json',
    'idempotency-key=[<id>]-bench',
  ].flatMap(header => ['-H', header])
  const more = ['-d', String(load.seconds), '-t', '30', '-b', load.body, load.url]
  const { stdout } = await run(process.execPath, [program, ...args, ...headers, ...more])
  const result = JSON.parse(stdout)
  return {
    requests: result['2xx'] + result.non2xx,
    per_second: (result['2xx'] + result.non2xx) / result.duration,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    failures: result.non2xx + result.errors,
  }
}
