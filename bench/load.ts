// Sends a load: requests over keep-alive connections from another process. Uses wrk if installed,
// which leaves more of the machine to the service, else autocannon.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Generator = 'wrk' | 'autocannon'

export interface Load {
  /** The path may contain `#existing#`, as bodies may. */
  readonly url: string
  /** Values of the Authorization header, one drawn at random for each request. */
  readonly authorizations: readonly string[]
  readonly bodies: Bodies
  /** Sends pairs: a second request after each answer to a first one. */
  readonly follow_up?: FollowUp
  readonly connections: number
  readonly seconds: number
}

/** The bodies of a load: each request draws a template at random and fills in its numbers. */
export interface Bodies {
  /**
   * JSON, in which `#fresh#` and `#existing#` stand for numbers of `NUMBER_DIGITS` digits. Without
   * a template, the requests are GET.
   */
  readonly templates: readonly string[]
  /** Uses template n for authorization n, instead of drawing one. */
  readonly template_per_authorization?: boolean
  /** `#fresh#` counts up from here, one a request. */
  readonly fresh_from: number
  /** `#existing#` is drawn from 1 to this. */
  readonly existing_to: number
  /** Whether each request has an Idempotency-Key of its own. */
  readonly keyed: boolean
}

/** The second request of a pair, by the same account: needs a single authorization. */
export interface FollowUp {
  readonly path: string
  /** JSON, in which `#id#` stands for the first id in the first answer. */
  readonly template: string
  /** The prefix of ids in first answers, which ids in second answers do not have. */
  readonly id_prefix: string
}

export const NUMBER_DIGITS = 12

export interface LoadResult {
  /** Requests answered; for pairs, second requests answered. */
  readonly requests: number
  readonly per_second: number
  /** Latencies of single requests, also for pairs. */
  readonly p50_ms: number
  readonly p99_ms: number
}

/** The result of a generator. */
export interface LoadAnswer extends LoadResult {
  /** Answers that are not 2xx, and connections that failed. */
  readonly failures: number
}

export async function findGenerator(): Promise<Generator> {
  // wrk -v prints its usage and fails; this only checks that the program exists.
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

/** Runs autocannon in a process of its own. */
async function runAutocannon(load: Load): Promise<LoadAnswer> {
  const program = join(import.meta.dirname, 'load-autocannon.ts')
  const ended = run(process.execPath, [program])
  ended.child.stdin?.end(JSON.stringify(load))
  return JSON.parse((await ended).stdout)
}

/** Uses one thread: on two cores a second one would take time from the service. */
export async function runWrk(load: Load): Promise<LoadAnswer> {
  const script = join(tmpdir(), `corridor-bench-${randomUUID()}.lua`)
  await writeFile(script, luaScript(load))
  try {
    const { connections, seconds, url } = load
    // wrk only connects to this URL; the script sets the path of each request.
    const where = new URL(url).origin
    const how = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script]
    const { stdout } = await run('wrk', [...how, where])
    const line = stdout.split('\n').find(text => text.startsWith('{'))
    if (line === undefined) throw new Error(`wrk printed no result:\n${stdout}`)
    return JSON.parse(line)
  } finally {
    await rm(script, { force: true })
  }
}

function luaScript({ url, authorizations, bodies, follow_up }: Load): string {
  return `
math.randomseed(${Math.floor(Math.random() * 2 ** 31)})
local random, format = math.random, string.format
local authorizations = {${authorizations.map(quoted).join(', ')}}
local headers = { ["Content-Type"] = "application/json" }
${idempotencyKey(bodies)}
${numberedRequest(url, bodies)}
${follow_up === undefined ? 'request = numbered' : pairs(follow_up)}
${summary(follow_up === undefined ? 'summary.requests' : 'sender:get("answered")')}`
}

/** The keys have the form of a random UUID, as clients send them. */
function idempotencyKey({ keyed }: Bodies): string {
  if (!keyed) return 'local function renew_key() end'
  return `
local function renew_key()
  headers["Idempotency-Key"] = format("%08x-%04x-4%03x-%04x-%06x%06x", random(0, 0x7fffffff),
    random(0, 0xffff), random(0, 0xfff), random(0x8000, 0xbfff), random(0, 0xffffff),
    random(0, 0xffffff))
end`
}

function numberedRequest(url: string, bodies: Bodies): string {
  const { templates, template_per_authorization, fresh_from, existing_to } = bodies
  const drawn = template_per_authorization ? 'caller' : 'random(1, #templates)'
  const filled = `templates[${drawn}]:gsub("#(%l+)#", digits)`
  return `
local path = ${quoted(url.slice(new URL(url).origin.length))}
local templates = {${templates.map(quoted).join(', ')}}
local fresh, digits = ${fresh_from}, {}
local function numbered()
  fresh = fresh + 1
  digits.fresh = format("%0${NUMBER_DIGITS}d", fresh)
  digits.existing = format("%0${NUMBER_DIGITS}d", random(1, ${existing_to}))
  local caller = random(1, #authorizations)
  headers["Authorization"] = authorizations[caller]
  renew_key()
  local path = path:gsub("#(%l+)#", digits)
  ${templates.length === 0 ? 'local body' : `local body = ${filled}`}
  return wrk.format(${templates.length === 0 ? '"GET"' : '"POST"'}, path, headers, body)
end`
}

/**
 * A Lua script for pairs. wrk does not say which connection an answer came by, so the ids wait in
 * one queue.
 */
function pairs({ path, template, id_prefix }: FollowUp): string {
  return `
local follow_up = ${quoted(template)}
local ids, first, last = {}, 1, 0
answered = 0
function request()
  if first > last then return numbered() end
  local id = ids[first]
  ids[first] = nil
  first = first + 1
  renew_key()
  return wrk.format("POST", ${quoted(path)}, headers, (follow_up:gsub("#id#", id)))
end
function response(status, _, body)
  if status > 299 then return end
  local id = body:match('"id":"([%w_]+)"')
  if id:find("${id_prefix}_", 1, true) == 1 then
    last = last + 1
    ids[last] = id
  else
    answered = answered + 1
  end
end
local sender
function setup(thread) sender = thread end`
}

/** A Lua script that prints the result. wrk counts answers above 399 as failures. */
function summary(requests: string): string {
  return `
function done(summary, latency)
  local e, requests = summary.errors, ${requests}
  print(format(
    '{"requests":%d,"per_second":%.1f,"p50_ms":%.3f,"p99_ms":%.3f,"failures":%d}',
    requests, requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
`
}

function quoted(text: string): string {
  return `[==[${text}]==]`
}
