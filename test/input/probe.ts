// Sends requests one after the other, judges every answer, and sees to it that those that were refused
// have changed no row. What fails is made smaller and shown as a line; the seed sends it again.
import assert from 'node:assert/strict'
import type { ApiDocument } from '../support/assert/document.ts'
import { watchWrittenTables } from '../support/database/written.ts'
import { localPayout } from '../support/given/bodies.ts'
import type { Answer } from '../support/service/service.ts'
import { complaintOf, operationOf, refusedBy } from './judge.ts'
import { placesOf, replaced } from './mutate.ts'
import { type Request, sendRequest, toLine } from './request.ts'
import type { World } from './world.ts'

/** Refused requests whose rows are looked at together. */
const TOGETHER = 200
/** Kinds of failures after which enough is known. */
const ENOUGH = 12
const MOST_TRIES = 300

export interface Probe {
  /** `sure`: only a refusal will do, whatever the document says. */
  send(request: Request, sure?: boolean): Promise<Answer>
  /** Fails with all that was wrong. */
  finish(): Promise<void>
  readonly sent: number
  /** `200` or `400 invalid_field`, by operation, and how often. */
  readonly tally: ReadonlyMap<string, ReadonlyMap<string, number>>
}

export async function openProbe(api: ApiDocument, world: World): Promise<Probe> {
  const written = await watchWrittenTables(world.service.database.owner)
  const failures = new Map<string, string>()
  const tally = new Map<string, Map<string, number>>()
  const paid = await world.ours.post('/v3/payout', localPayout)
  assert.equal(paid.status, 200, paid.text)
  assert.ok((await written()).includes('payouts'), 'rows are seen')
  let refused: Request[] = []
  let sent = 0

  /** `why` is what must refuse it; '' when nothing must. */
  async function judged(request: Request, why: string): Promise<[Answer, string]> {
    sent += 1
    const answer = await sendRequest(world, request)
    const complaint = complaintOf(api, request, answer)
    if (complaint !== '' || isRefused(answer) || why === '') return [answer, complaint]
    return [answer, `not refused for ${why}`]
  }

  function whyRefused(request: Request, sure: boolean): string {
    return refusedBy(api, request) || (sure ? 'the change made to it' : '')
  }

  function fail(request: Request, complaint: string, text: string): void {
    const name = `${operationOf(api, request)?.name ?? request.method}: ${complaint}`
    failures.set(name, `${name}\n  ${toLine(request)}\n  ${text.slice(0, 600)}`)
  }

  /** Looks at the rows after what was refused, and goes back through it when they have changed. */
  async function settle(): Promise<void> {
    const suspects = refused
    refused = []
    const changed = (await written()).join(' and ')
    if (changed === '') return
    let found = 0
    for (const request of suspects) {
      const [{ status }] = await judged(request, whyRefused(request, false))
      const again = (await written()).join(' and ')
      if (status < 400 || again === '') continue
      found += 1
      fail(request, `refused, and ${again} changed`, '')
    }
    if (found === 0) {
      const lines = suspects.map(request => toLine(request)).join('\n  ')
      failures.set(changed, `one of these was refused, and ${changed} changed:\n  ${lines}`)
    }
  }

  const probe: Probe = {
    tally,
    get sent() {
      return sent
    },
    async send(request, sure = false) {
      const reads = request.method === 'GET' || request.method === 'HEAD'
      const why = whyRefused(request, sure)
      if (!reads && why === '' && refused.length > 0) await settle()
      const [answer, complaint] = await judged(request, why)
      count(tally, operationOf(api, request)?.name ?? 'elsewhere', answer)
      if (complaint !== '') {
        const small = await smaller(request, complaint, r => judged(r, whyRefused(r, sure)))
        fail(small, complaint, answer.text)
        if (failures.size >= ENOUGH) await probe.finish()
      }
      if (answer.status >= 400 || reads) refused.push(request)
      else await written()
      if (refused.length >= TOGETHER) await settle()
      return answer
    },
    async finish() {
      await settle()
      const found = [...failures.values()]
      failures.clear()
      assert.equal(found.length, 0, `\n${found.join('\n\n')}\n`)
    },
  }
  return probe
}

/** A dry run says so in an answer of 200. */
function isRefused({ status, json }: Answer): boolean {
  return status >= 400 || json?.data?.outcome === 'would_refuse'
}

function count(
  tally: Map<string, Map<string, number>>,
  name: string,
  { status, json }: Answer,
): void {
  const reason = status < 400 ? '' : ` ${json?.errors?.[0]?.reason}`
  const counts = tally.get(name) ?? new Map<string, number>()
  counts.set(`${status}${reason}`, (counts.get(`${status}${reason}`) ?? 0) + 1)
  tally.set(name, counts)
}

/** Leaves out what can be left out while the same complaint remains. */
async function smaller(
  request: Request,
  complaint: string,
  judge: (request: Request) => Promise<[Answer, string]>,
): Promise<Request> {
  let best = request
  let tries = 0
  for (let shrunk = true; shrunk; ) {
    shrunk = false
    for (const candidate of candidates(best)) {
      tries += 1
      if (tries > MOST_TRIES) return best
      const [, still] = await judge(candidate)
      if (still !== complaint) continue
      best = candidate
      shrunk = true
      break
    }
  }
  return best
}

function* candidates(request: Request): Generator<Request> {
  const { headers, url, body } = request
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...others } = headers
    yield { ...request, headers: others }
  }
  const [path = '', query] = url.split('?')
  const parameters = query?.split('&') ?? []
  for (const i of parameters.keys()) {
    const rest = parameters.toSpliced(i, 1).join('&')
    yield { ...request, url: rest === '' ? path : `${path}?${rest}` }
  }
  let value: unknown
  try {
    value = JSON.parse(body?.toString() ?? '')
  } catch {
    return
  }
  const holders = placesOf(value).filter(([, at]) => typeof at === 'object' && at !== null)
  for (const [place, holder] of holders) {
    for (const key of Object.keys(holder as object)) {
      const left = Array.isArray(holder)
        ? holder.toSpliced(Number(key), 1)
        : Object.fromEntries(Object.entries(holder as object).filter(([name]) => name !== key))
      yield { ...request, body: Buffer.from(JSON.stringify(replaced(value, place, left))) }
    }
  }
}
