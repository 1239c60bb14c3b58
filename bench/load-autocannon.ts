// autocannon with a body of its own for each request; the program that load.ts starts where there
// is no wrk. Its one argument is a Load as JSON, its output a LoadResult as JSON.
import { randomInt, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { type Bodies, type Load, type LoadResult, NUMBER_DIGITS } from './load.ts'

/** The part of autocannon that is used here; it comes without types. */
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
  readonly body?: string
}

async function main(): Promise<void> {
  const { url, authorization, bodies, connections, seconds }: Load = JSON.parse(
    process.argv[2] ?? '',
  )
  const autocannon: Autocannon = createRequire(import.meta.url)('autocannon')
  const nextBody = bodyMaker(bodies)
  const setupRequest = (request: RequestData) => ({
    ...request,
    headers: {
      ...request.headers,
      ...(bodies.keyed ? { 'idempotency-key': randomUUID() } : {}),
    },
    body: nextBody(),
  })
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    timeout: 30,
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    requests: [{ setupRequest }],
  })
  const requests = result['2xx'] + result.non2xx
  const answer: LoadResult = {
    requests,
    per_second: requests / result.duration,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    failures: result.non2xx + result.errors,
  }
  process.stdout.write(JSON.stringify(answer))
}

/** Body after body, as the Lua script of load.ts makes them. */
function bodyMaker({ templates, fresh_from, existing_to }: Bodies): () => string {
  let fresh = fresh_from
  return () => {
    fresh += 1
    const numbers = { fresh, existing: randomInt(1, existing_to + 1) }
    const template = templates[randomInt(templates.length)] ?? ''
    return template.replaceAll(/#(fresh|existing)#/g, (_, name: keyof typeof numbers) =>
      String(numbers[name]).padStart(NUMBER_DIGITS, '0'),
    )
  }
}

await main()
