// Large batches, in the long run as large as they may be, on a process of their own: how long each
// takes, what waits for it meanwhile, and what bodies made to hurt cost. The figures are printed; what is asserted is what
// callers are promised.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { MAX_KEYS } from '../../src/http/json-reader.ts'
import type { OpenedAccount } from '../../src/operator/create-account.ts'
import { checkBooks } from '../support/assert/books.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { filled } from '../support/given/hostile.ts'
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcess,
} from '../support/service/process.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/payout_batch'
const LARGEST = 10_000
const LARGE = share(600, LARGEST)

let database: TestDatabase
let service: RunningProcess
let account: OpenedAccount
let client: HttpClient
let neighbour: HttpClient

before(async () => {
  database = await createDatabase()
  account = await openAccountOn(database.url, { USD: 1_000_000_000n })
  client = httpClient(account)
  neighbour = httpClient(await openAccountOn(database.url, { USD: 1_000_000_000n }))
  service = await startProcess({ DATABASE_URL: database.url, CORRIDOR_SETTLE: 'off' })
})
after(async () => {
  client?.close()
  neighbour?.close()
  await service?.kill()
  await checkBooks(database.owner, { DATABASE_URL: database.url })
  await database.drop()
})

function payouts(count: number, fields: object = {}) {
  return Array.from({ length: count }, (_, i) => ({
    ...localPayout,
    amount: 10_000 + (i % 7),
    reference_id: `INV-${i}`,
    ...fields,
  }))
}

/** Between one answer and the next request of who asks beside a batch. */
const PAUSE_MS = 25

/** Asks again and again, one after the other, until `asked` is answered; the slowest in ms. */
async function meanwhile(asked: Promise<unknown>, ask: () => Promise<HttpAnswer>) {
  let over = false
  const ended = asked.finally(() => {
    over = true
  })
  ended.catch(() => {})
  const answers: HttpAnswer[] = []
  while (!over) {
    answers.push(await ask())
    await delay(PAUSE_MS)
  }
  const slowest = Math.max(0, ...answers.map(({ took_ms }) => took_ms))
  // On a machine that is busy with other tests a lock may be waited for too long.
  const refused = answers.filter(({ status }) => status !== 200)
  for (const { status, text } of refused) assert.equal(status, 503, text)
  return `${Math.round(slowest)} ms (${answers.length} asked, ${refused.length} told 503)`
}

const ping = () => client.get(service.address, '/healthz')

for (const [what, mode] of [
  ['cold', 'all_or_nothing'],
  ['warm', 'best_effort'],
] as const) {
  test(`POST ${PATH}, ${LARGE} payouts (${mode}, ${what}): made, and others are let in`, async t => {
    const body = { mode, payouts: payouts(LARGE) }
    const asked = client.post(service.address, PATH, body, `${mode} ${what}`)
    const [pings, own, others] = await Promise.all([
      meanwhile(asked, ping),
      meanwhile(asked, () => client.post(service.address, '/v3/payout', localPayout)),
      meanwhile(asked, () => neighbour.post(service.address, '/v3/payout', localPayout)),
    ])
    const answer = await asked
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.json.data.counts, {
      payouts: LARGE,
      created: LARGE,
      held: 0,
      refused: 0,
    })
    t.diagnostic(
      `${LARGE} payouts in ${(answer.took_ms / 1000).toFixed(2)} s; slowest meanwhile: ` +
        `/healthz ${pings}, a payout of the account ${own}, of another account ${others}`,
    )
    const again = await client.post(service.address, PATH, body, `${mode} ${what}`)
    assert.equal(again.text, answer.text)
  })
}

test(`POST ${PATH}, a dry run of ${LARGE}: a report, and others are let in`, async t => {
  const body = { dry_run: true, payouts: payouts(LARGE) }
  const asked = client.post(service.address, PATH, body)
  const [pings, own] = await Promise.all([
    meanwhile(asked, ping),
    meanwhile(asked, () => client.post(service.address, '/v3/payout', localPayout)),
  ])
  const answer = await asked
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.json.data.payouts.length, LARGE)
  t.diagnostic(
    `in ${(answer.took_ms / 1000).toFixed(2)} s, ${answer.text.length} bytes; slowest meanwhile: ` +
      `/healthz ${pings}, a payout of the account ${own}`,
  )
})

const LIMIT = 16 * 1024 * 1024
/** Smaller bodies are refused for the same reason, no later. */
const FILLED = share(4 * 1024 * 1024, LIMIT)

const wide = { ...localPayout, statement_descriptor: 'x'.repeat(128), metadata: {} as object }
wide.metadata = Object.fromEntries(
  Array.from({ length: 25 }, (_, i) => [`name ${i}`, 'y'.repeat(20)]),
)

const unknown = Array.from({ length: MAX_KEYS }, (_, i) => `"a${i}":"${'x'.repeat(100)}"`).join(',')

/** What is refused, and by which reason; more of them are in live/http-turns.test.ts. */
const HURTING: Readonly<Record<string, readonly [body: () => string, reason: string]>> = {
  'millions of empty payouts': [() => filled('{"payouts":[', '{}', ']}', FILLED), 'invalid_json'],
  'as many unknown fields as are read': [() => `{${unknown}}`, 'invalid_field'],
  'as wide as they may be, without money': [
    () => JSON.stringify({ payouts: Array(LARGE).fill({ ...wide, amount: 10_000_000_000_000 }) }),
    'insufficient_balance',
  ],
}

for (const [what, [body, reason]] of Object.entries(HURTING)) {
  test(`POST ${PATH}, ${what}: refused, and others are let in`, async t => {
    const text = body()
    assert.ok(Buffer.byteLength(text) <= LIMIT)
    const asked = client.post(service.address, PATH, text)
    const pings = await meanwhile(asked, ping)
    const answer = await asked
    assert.equal(answer.json.errors[0].reason, reason, answer.text.slice(0, 500))
    assert.ok(answer.text.length < 100_000, 'the answer is small')
    t.diagnostic(
      `${Buffer.byteLength(text)} bytes refused in ${(answer.took_ms / 1000).toFixed(2)} s; ` +
        `slowest meanwhile: /healthz ${pings}: ${answer.json.message.slice(0, 80)}`,
    )
  })
}
