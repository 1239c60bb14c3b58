// Sends a load by autocannon; load.ts runs this program where wrk is missing. Reads a Load as JSON
// and prints a LoadAnswer. Makes the same requests as runWrk.
import { randomInt, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { type FollowUp, type Load, type LoadAnswer, NUMBER_DIGITS } from './load.ts'

/** The part of autocannon in use, which has no types. */
type Autocannon = (options: object) => Promise<{
  readonly '2xx': number
  readonly non2xx: number
  readonly errors: number
  /** Seconds. */
  readonly duration: number
  readonly latency: { readonly p50: number; readonly p99: number }
}>

interface RequestData {
  readonly headers: Readonly<Record<string, string>>
}

/** The state of one connection. */
interface Context {
  id?: string | undefined
}

async function main(): Promise<void> {
  const load: Load = JSON.parse(await text(process.stdin))
  const autocannon: Autocannon = createRequire(import.meta.url)('autocannon')
  let answered = 0
  const { follow_up } = load
  const requests =
    follow_up === undefined
      ? [numberedRequest(load)]
      : pair(load, follow_up, () => {
          answered += 1
        })
  const result = await autocannon({
    url: new URL(load.url).origin,
    connections: load.connections,
    duration: load.seconds,
    timeout: 30,
    headers: { 'content-type': 'application/json' },
    requests,
  })
  if (follow_up === undefined) answered = result['2xx'] + result.non2xx
  const answer: LoadAnswer = {
    requests: answered,
    per_second: answered / result.duration,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    failures: result.non2xx + result.errors,
  }
  process.stdout.write(JSON.stringify(answer))
}

function numberedRequest({ url, authorizations, bodies }: Load) {
  const { templates, template_per_authorization, existing_to, keyed } = bodies
  const path = url.slice(new URL(url).origin.length)
  let fresh = bodies.fresh_from
  const setupRequest = (request: RequestData) => {
    fresh += 1
    const numbers = { fresh, existing: randomInt(1, existing_to + 1) }
    const filled = (template: string) =>
      template.replaceAll(/#(fresh|existing)#/g, (_, name: keyof typeof numbers) =>
        String(numbers[name]).padStart(NUMBER_DIGITS, '0'),
      )
    const caller = randomInt(authorizations.length)
    const drawn = template_per_authorization ? caller : randomInt(templates.length || 1)
    const template = templates[drawn]
    return {
      ...request,
      method: template === undefined ? 'GET' : 'POST',
      path: filled(path),
      headers: { ...request.headers, authorization: authorizations[caller], ...newKey(keyed) },
      ...(template === undefined ? {} : { body: filled(template) }),
    }
  }
  return { setupRequest }
}

function newKey(keyed: boolean): Readonly<Record<string, string>> {
  return keyed ? { 'idempotency-key': randomUUID() } : {}
}

/**
 * The two requests of a pair. A refused first request counts as a failure and gets no second one.
 */
function pair(load: Load, { path, template }: FollowUp, answered: () => void) {
  const [authorization] = load.authorizations
  const onFirst = (_status: number, body: string, context: Context) => {
    context.id = /"id":"(\w+)"/.exec(body)?.[1]
  }
  const setupSecond = (request: RequestData, { id }: Context) =>
    id !== undefined && {
      ...request,
      method: 'POST',
      path,
      headers: { ...request.headers, authorization, ...newKey(load.bodies.keyed) },
      body: template.replaceAll('#id#', id),
    }
  const onSecond = (status: number) => {
    if (status < 300) answered()
  }
  return [
    { ...numberedRequest(load), onResponse: onFirst },
    { setupRequest: setupSecond, onResponse: onSecond },
  ]
}

await main()
