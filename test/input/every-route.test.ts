// Every route gets requests as documented and requests made bad at random. Whatever comes, no answer is
// a fault, each is as openapi.json says, what the document forbids is refused, and what is refused
// changes no row. The seed is printed: `SEED=… npm test -- test/input/every-route` sends the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import openapi from '../../openapi.json' with { type: 'json' }
import {
  type ApiDocument,
  type Operation,
  readDocument,
  watchRoutes,
} from '../support/assert/document.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { share } from '../support/share.ts'
import { type Chance, generator, pick } from './generate.ts'
import { mutate } from './mutate.ts'
import { openProbe, type Probe } from './probe.ts'
import type { Request } from './request.ts'
import { makeWorld, type World } from './world.ts'

const api: ApiDocument = readDocument(openapi)

/** In each world, so that neither rows nor clocks run away. */
const REQUESTS = share(1_000, 20_000)
const WORLDS = share(1, 10)

/** A route that needs the rarest object is answered well once in some 15: this many are certain. */
const MOST_TRIES = 1_000

/**
 * Keys approve nothing, and nothing here waits for that: test/approval asks these routes. No bank
 * writes notices here: test/bank-file/notices asks to accept one. The log of
 * requests is off: each request would change it.
 */
const NEVER_WELL =
  /\/(payout|payout_batch|payout_import|beneficiary)\/[^/]+\/(approval|approve|reject|payout|accept_notice)$|\/request_log$/

async function run(world: World, chance: Chance, requests: number): Promise<Probe> {
  const make = generator(api, world)
  const probe = await openProbe(api, world)
  // Each is answered well while there is something that it is for: what ends things comes last.
  const [lasting, ending] = [false, true].map(ends =>
    api.operations.filter(operation => endsThings(operation) === ends),
  ) as [Operation[], Operation[]]
  for (const operation of [...lasting, ...ending]) {
    const most = NEVER_WELL.test(operation.name) ? 1 : MOST_TRIES
    for (let tries = 0; tries < most; tries++) {
      const { status } = await probe.send(make.complete(operation, chance))
      if (status < 300) break
    }
  }
  // What writes has most to go wrong.
  const operations = api.operations.flatMap(operation =>
    Array(operation.method === 'get' ? 1 : 3).fill(operation),
  )
  const sendBroken = async (of: readonly Operation[]) => {
    let request: Request = make.request(pick(chance, of), chance)
    let sure = false
    for (let changes = pick(chance, [0, 1, 1, 1, 1, 1, 1, 2, 3]); changes > 0; changes--) {
      const mutated = mutate(request, chance, world)
      // Another change could undo it, or be what it is no fault beside.
      sure = mutated.sure && request.notes.length === 0
      request = mutated.request
      if (sure) break
    }
    await probe.send(request, sure)
  }
  for (let i = 0; i < requests; i++) await sendBroken(operations)
  // More for each route that has by chance got no request that is refused.
  const needed = api.operations.filter(({ path }) => path.startsWith('/v3/'))
  for (let i = 0; i < requests; i++) {
    const lacking = needed.filter(({ name }) => !wasRefused(probe, name))
    if (lacking.length === 0) break
    await sendBroken(lacking)
  }
  return probe
}

for (let round = 0; round < WORLDS; round++) {
  const seed = pickSeed() + round
  test(`every route, ${REQUESTS} requests, seed ${seed}: answers as documented, refused requests change no row`, async t => {
    const [world, routes] = await watchRoutes(() => makeWorld(api.operations))
    try {
      const probe = await run(world, seeded(seed), REQUESTS)
      await probe.finish()
      t.diagnostic(`seed ${seed}: ${probe.sent} sent; ${summary(probe)}`)
      for (const route of routes) {
        const counts = [...(probe.tally.get(route) ?? new Map<string, number>()).keys()]
        const well = counts.some(status => status.startsWith('2'))
        assert.ok(well || NEVER_WELL.test(route), `${route} was never answered well: ${counts}`)
        const refused = wasRefused(probe, route)
        assert.ok(refused || !route.includes('/v3/'), `${route} was never refused: ${counts}`)
      }
    } finally {
      await world.service.close()
    }
  })
}

function wasRefused({ tally }: Probe, route: string): boolean {
  return [...(tally.get(route) ?? new Map<string, number>()).keys()].some(of => of.startsWith('4'))
}

function endsThings({ method, path }: Operation): boolean {
  return method === 'delete' || /\/(cancel|transition)$/.test(path)
}

/** `200: 5012, 400 invalid_field: 9120, …` */
function summary({ tally }: Probe): string {
  const all = new Map<string, number>()
  for (const counts of tally.values()) {
    for (const [status, count] of counts) all.set(status, (all.get(status) ?? 0) + count)
  }
  const sorted = [...all].sort(([, a], [, b]) => b - a)
  return sorted.map(([status, count]) => `${status}: ${count}`).join(', ')
}
