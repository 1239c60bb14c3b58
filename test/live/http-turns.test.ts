// No request keeps everybody else waiting: the longest turn of the event loop that a body takes, for
// bodies made to take long, at every route that takes one. A turn is measured in time of the processor,
// and, when it is long, compared with that of a control at the same moment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_PAYOUTS } from '../../src/payouts/batch/request.ts'
import { rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { HOSTILE, HOSTILE_BATCHES } from '../support/given/hostile.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { openAccountOn, pickSeed, seeded, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { addPerson } from '../support/service/service.ts'
import { share } from '../support/share.ts'

/** What is promised of a machine without other work. */
const MOST_MS = 20
/** On any other a turn may be so many times as long as the control's, measured right behind it. */
const MOST_TIMES = 4
/** A turn is measured anew when it seems to be longer: what others do on the machine only adds to it. */
const TRIES = 12

const ROUTES: readonly string[] = [
  ...['/v3/payout', '/v3/payout/quote', '/v3/entity', '/v3/beneficiary', '/v3/webhook_endpoint'],
  '/v3/sandbox/fund',
]

const { database, account, client, start } = await openScene(url =>
  openAccountOn(url, { USD: 9_000_000_000_000n }),
)
const { account_id } = account.account
const probe = new URL('../support/service/longest-turn.ts', import.meta.url).href
const service = await start({
  CORRIDOR_SETTLE: 'off',
  CORRIDOR_WEBHOOKS: 'off',
  NODE_OPTIONS: `--import=${probe}`,
})

/** The longest turn that the service has taken meanwhile. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const told = (msg: string) => service.log.filter(line => line.msg === msg)
  const signalled = async (msg: string) => {
    const { length } = told(msg)
    service.signal('SIGUSR2')
    await until(msg, () => told(msg).length > length)
  }
  await signalled('turns are measured')
  await work()
  await signalled('longest turn')
  return Number(told('longest turn').at(-1)?.most_ms)
}

/** Payouts that are well, read and judged in turns as those of any batch. */
const CONTROL = {
  mode: 'best_effort',
  dry_run: true,
  payouts: Array(500).fill(localPayout),
}

async function control(): Promise<void> {
  const { status, text } = await client.post(service.address, '/v3/payout_batch', CONTROL)
  assert.equal(status, 200, text)
}

/** The turns of some requests: none holds the event loop. */
function judgeTurns() {
  const turns: { what: string; turn_ms: number }[] = []
  return {
    /** Asks until the turn is short enough. */
    async judge(what: string, ask: () => Promise<unknown>): Promise<void> {
      const tries: string[] = []
      while (tries.length < TRIES) {
        const turn_ms = await longestTurn(ask)
        const control_ms = turn_ms <= MOST_MS ? NaN : await longestTurn(control)
        if (turn_ms <= MOST_MS || turn_ms <= MOST_TIMES * control_ms) {
          turns.push({ what, turn_ms })
          return
        }
        tries.push(`${turn_ms.toFixed(1)} ms, the control ${control_ms.toFixed(1)} ms`)
      }
      assert.fail(`${what}: ${tries.join('; ')}`)
    },
    longest(): string {
      const sorted = turns.toSorted((a, b) => b.turn_ms - a.turn_ms).slice(0, 10)
      const said = sorted.map(({ what, turn_ms }) => `${what}: ${turn_ms.toFixed(1)}`)
      return `longest turns in ms: ${said.join('; ')}`
    },
  }
}

const seed = pickSeed()

/** So many of these, drawn by the seed. */
function draw<T>(random: () => number, all: readonly T[], count: number): T[] {
  const drawn = all.map(one => [random(), one] as const).sort(([a], [b]) => a - b)
  return drawn.slice(0, count).map(([, one]) => one)
}

/** Enough that to judge them at once would take many turns' time. */
const PAYOUTS = share(1_000, MAX_PAYOUTS)
/** To so many of the routes each body is sent, and so many of the batches are. */
const [SENT_TO, BATCHES] = share([1, 5], [ROUTES.length, Infinity])

test(`${Object.keys(HOSTILE).length} bodies of 255 KiB at ${ROUTES.length} routes, seed ${seed}: event loop held for at most ${MOST_MS} ms, no row changes`, async t => {
  await control()
  const rows = await rowVersions(database.owner)
  const random = seeded(seed)
  const { judge, longest } = judgeTurns()
  for (const [name, make] of Object.entries(HOSTILE)) {
    const body = make()
    for (const path of draw(random, ROUTES, SENT_TO)) {
      await judge(`${name} at ${path}`, async () => {
        const { status } = await client.post(service.address, path, body)
        assert.equal(status, 400, `${name} at ${path}`)
      })
    }
  }
  t.diagnostic(longest())
  assert.deepEqual(await rowVersions(database.owner), rows)
})

test(`${Object.keys(HOSTILE_BATCHES).length} batches of up to 16 MiB, seed ${seed}: event loop held for at most ${MOST_MS} ms`, async t => {
  const { judge, longest } = judgeTurns()
  const batches = Object.entries(HOSTILE_BATCHES)
  for (const [what, make] of draw(seeded(seed), batches, BATCHES)) {
    const body = make()
    await judge(what, async () => {
      const { status } = await client.post(service.address, '/v3/payout_batch', body)
      assert.equal(status, what.includes('well') ? 200 : 400, what)
    })
  }
  t.diagnostic(longest())
})

test(`batch of ${PAYOUTS} payouts, made and approved as one: event loop held for at most ${MOST_MS} ms`, async t => {
  const { judge, longest } = judgeTurns()
  const of_database = {
    deps: { sql: database.owner, reference: { refresh: async () => {} } },
    database,
  }
  const people = of_database as unknown as Parameters<typeof addPerson>[0]
  const ann = await addPerson(people, { user: 'ann', roles: [[account_id, 'approver']] })
  await addApprovalRule(people, { account_id })
  const payouts = Array.from({ length: PAYOUTS }, (_, i) => {
    return { ...localPayout, amount: 100, reference_id: `T-${i}` }
  })
  const headers = { ...ann.headers(account_id), 'content-type': 'application/json' }
  const made: string[] = []
  const make = async () => {
    const body = { payouts, dry_run: false }
    const { status, text, json } = await client.post(service.address, '/v3/payout_batch', body)
    assert.equal(status, 200, text.slice(0, 500))
    made.push(`/v3/payout_batch/${json.data.id}`)
  }
  await judge('made', make)
  await judge('approved', async () => {
    if (made.length === 0) await make()
    const path = made.pop()
    const shown = await client.get(service.address, `${path}/approval`)
    assert.equal(shown.json.data.waiting, PAYOUTS, shown.text)
    const body = JSON.stringify({ digest: shown.json.data.digest })
    const answer = await fetch(`${service.address}${path}/approve`, {
      method: 'POST',
      headers,
      body,
    })
    assert.equal(answer.status, 200, await answer.text())
  })
  t.diagnostic(longest())
})

test('GET every list and document: event loop held only briefly', async t => {
  const { judge, longest } = judgeTurns()
  const paths = ['/v3/payout?limit=100', '/v3/event?limit=100', '/openapi.json']
  for (const path of [...paths, '/docs/api/payouts', '/docs', '/metrics']) {
    await judge(path, async () => {
      assert.equal((await client.get(service.address, path)).status, 200, path)
    })
  }
  t.diagnostic(longest())
})
