// A load sent by wrk: the Lua script that makes its requests and counts their answers. The same
// requests as load-autocannon.ts makes.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Bodies, type FollowUp, type Load, type LoadAnswer, NUMBER_DIGITS } from './load.ts'

/** One wrk thread: on two cores a second one would only take from the service. */
export async function runWrk(load: Load): Promise<LoadAnswer> {
  const script = join(tmpdir(), `corridor-bench-${randomUUID()}.lua`)
  await writeFile(script, luaScript(load))
  try {
    const { connections, seconds, url } = load
    // What a script asks for stands in its requests; wrk itself only connects.
    const where = new URL(url).origin
    const how = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script]
    const { stdout } = await promisify(execFile)('wrk', [...how, where])
    const line = stdout.split('\n').find(text => text.startsWith('{'))
    if (line === undefined) throw new Error(`wrk said nothing of use:\n${stdout}`)
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

/** wrk does not tell on which connection an answer came: the ids wait in one line. */
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

/** wrk counts answers above 399 as failures. */
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
