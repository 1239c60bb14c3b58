// Idempotency-Key on every POST (§idempotency.replay): the stored answer byte for byte, whatever has
// happened since; once per account, method and path, for 24 hours, and only for what succeeded. Each
// other operation is repeated under a key in examples.test.ts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import actions from '../../docs/api/examples/answerPayout.json' with { type: 'json' }
import { endHolds } from '../../src/app/worker/end-holds.ts'
import { Lane } from '../../src/engine/lane.ts'
import { deleteExpiredReplies } from '../../src/http/idempotency/store.ts'
import { handlePayout } from '../../src/payouts/by-hand/by-hand-operation.ts'
import { verify } from '../../src/verify/run.ts'
import { problemsBesidesActs } from '../support/assert/books.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { inOneTransaction } from '../support/database/one-transaction.ts'
import {
  bankBeneficiary,
  internalPayout,
  localPayout,
  plainEntity,
} from '../support/given/bodies.ts'
import { entityOf, findPayout } from '../support/service/payouts.ts'
import { until } from '../support/service/process.ts'
import { review } from '../support/service/review.ts'
import {
  type Answer,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/payout'
const QUOTE = { payout_info: { currency: 'USD', amount: 10_000 } }

let service: TestService
let account: Client
let aging: Client
let serial = 0
before(async () => {
  service = await startTestService({ bic: 'BANKDEFF' })
  await service.setRates({ 'USD/EUR': '0.9' })
  await service.setFees([{ fixed_amount: 100n }])
  const fund = { USD: 100_000_000n, EUR: 1_000_000n }
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
  aging = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
})
after(async () => {
  // The answers of the other account have been made older.
  const { account_id } = account.account
  const verdict = await verify(service.database.owner, { account_id, all: true })
  await service.close()
  assert.deepEqual(problemsBesidesActs(verdict), [])
})

const newKey = () => `key-${++serial}`
const under = (key: string) => ({ 'idempotency-key': key })
const pay = (key: string, body: unknown = localPayout, by = account) =>
  by.post(PATH, body, under(key))

function assertFresh(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['idempotent-replayed'], undefined)
}

function assertReplayed(replay: Answer, first: Answer): void {
  assert.deepEqual([replay.status, replay.text], [200, first.text])
  assert.equal(replay.headers['idempotent-replayed'], 'true')
  assert.equal(replay.headers['content-type'], first.headers['content-type'])
}

/** What is made, and where its rows are. */
const MADE: readonly (readonly [path: string, table: string, body: object, change: object])[] = [
  [`${PATH}/quote`, 'quotes', QUOTE, { payout_info: { currency: 'USD', amount: 1 } }],
  [PATH, 'payouts', localPayout, { amount: 10_001 }],
  ['/v3/payout_batch', 'payout_batches', { payouts: [localPayout] }, { mode: 'best_effort' }],
  ['/v3/beneficiary', 'beneficiaries', bankBeneficiary, { name: 'Other' }],
  ['/v3/entity', 'entities', plainEntity, { name: 'Other' }],
]

for (const [path, table, body, change] of MADE) {
  test(`POST ${path}, ten requests with one key at once: one effect, replays with Idempotent-Replayed; another body: 422 idempotency_key_reused`, async () => {
    const { owner } = service.database
    const count = async () => (await owner`select from ${owner(table)}`).length
    const key = under(newKey())
    const before = await count()
    const asked = Array.from({ length: 10 }, () => account.post(path, body, key))
    const answers = await Promise.all(asked)
    const [first, ...more] = answers.filter(a => a.headers['idempotent-replayed'] === undefined)
    assertFresh(first as Answer)
    assert.equal(more.length, 0)
    assert.deepEqual([...new Set(answers.map(a => a.text))], [first?.text])
    assert.equal(await count(), before + 1)
    const rows = await rowVersions(owner)
    assertReplayed(await account.post(path, body, key), first as Answer)
    const other = await account.post(path, { ...body, ...change }, key)
    assertRefused(other, 422, 'idempotency_key_reused')
    assert.deepEqual(await rowVersions(owner), rows)
  })
}

test(`POST ${PATH}, same key, members in another order or other white space: same request; array in another order: another request`, async () => {
  const key = newKey()
  const documents = [{ type: 'a' }, { type: 'b' }]
  const body = { ...localPayout, documents }
  const first = await pay(key, body)
  assertFresh(first)
  const turned = (of: object) => Object.fromEntries(Object.entries(of).toReversed())
  const beneficiary_details = turned(body.beneficiary_details)
  const reordered = { ...turned(body), beneficiary_details }
  const spaced = `\n ${JSON.stringify(reordered, null, '\t')}\r\n`
  assert.notEqual(spaced.replaceAll(/\s/g, ''), JSON.stringify(body))
  assertReplayed(await pay(key, spaced), first)
  const escaped = JSON.stringify(body).replace('"local"', '"\\u006cocal"')
  assertReplayed(await pay(key, escaped), first)
  const other = await pay(key, { ...body, documents: documents.toReversed() })
  assertRefused(other, 422, 'idempotency_key_reused')
})

test(`POST ${PATH}, request with a key refused: answer not stored; retry once corrected or funded: paid once`, async () => {
  const poor = await service.openAccount({ currencies: ['USD'] })
  const key = newKey()
  for (let i = 0; i < 2; i++) {
    const refused = await pay(key, localPayout, poor)
    assertRefused(refused, 422, 'insufficient_balance')
    assert.equal(refused.headers['idempotent-replayed'], undefined)
  }
  await poor.post('/v3/sandbox/fund', { amount: 10_100, currency: 'USD' })
  const wrong = { ...localPayout, amount: 0 }
  assertRefused(await pay(key, wrong, poor), 400, 'amount_out_of_range')
  const paid = await pay(key, localPayout, poor)
  assertFresh(paid)
  assertReplayed(await pay(key, localPayout, poor), paid)
})

test('Idempotency-Key on another path or account: another key; with another API key of the account: the same key', async () => {
  const key = newKey()
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_100n } })
  assertFresh(await account.post(`${PATH}/quote`, QUOTE, under(key)))
  const first = await pay(key)
  assertFresh(first)
  assertFresh(await pay(key, localPayout, other))
  assert.deepEqual(await balancesOf(other), { USD: '0' })
  const second = await service.addKey(account, 'write')
  assertReplayed(await pay(key, localPayout, second), first)
})

test('Idempotency-Key of 1 or 255 characters, every visible character, quoted: stored and replayed', async () => {
  const visible = String.raw`!#$%&'()*+,-./09:;<=>?@AZ[\]^_az{|}~`
  for (const key of ['k', 'k'.repeat(255), visible, 'quoted']) {
    const first = await pay(key === 'k' ? key : `"${key}"`)
    assertFresh(first)
    assertReplayed(await pay(key), first)
  }
})

test('Idempotency-Key, empty, too long or invalid characters: 400, no row changes', async () => {
  const before = await rowVersions(service.database.owner)
  const long = 'k'.repeat(256)
  for (const key of ['', '""', long, `"${long}"`, 'clé', 'a\tb']) {
    assertRefused(await pay(key), 400, 'invalid_idempotency_key')
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

/** Makes the answer so old that it is kept no longer, or just so. */
async function age(key: string, interval: string): Promise<void> {
  await service.database.owner`
    update idempotency_keys set created_at = statement_timestamp() - ${interval}::interval
    where key = ${key}`
}

test('Idempotency-Key older than 24 hours: the request takes effect again and its answer is stored again', async () => {
  const key = newKey()
  const first = await pay(key, localPayout, aging)
  await age(key, '23 hours 59 minutes')
  assertReplayed(await pay(key, localPayout, aging), first)
  await age(key, '24 hours 1 second')
  const other = { ...localPayout, amount: 1 }
  const second = await pay(key, other, aging)
  assertFresh(second)
  assertReplayed(await pay(key, other, aging), second)
})

test('Idempotency-Key stored again while expired keys are deleted: kept and replayed', async () => {
  const key = newKey()
  const { owner } = service.database
  const first = await pay(key, localPayout, aging)
  await age(key, '25 hours')
  let forgotten = Promise.resolve(0)
  await owner.begin(async tx => {
    await tx`update idempotency_keys set created_at = statement_timestamp() where key = ${key}`
    forgotten = deleteExpiredReplies(service.deps)
    await until('the deletion waits for the row', async () => {
      const waiting = await tx`
        select from pg_locks where not granted and locktype = 'transactionid'`
      return waiting.length > 0
    })
  })
  await forgotten
  assertReplayed(await pay(key, localPayout, aging), first)
})

test('deletion of expired Idempotency-Keys: found by index, younger keys not read', async () => {
  await inOneTransaction(service.database.url, async (tx, connections) => {
    await deleteExpiredReplies(connections)
    const [scans] = await tx`
      select seq_scan from pg_stat_xact_user_tables where relname = 'idempotency_keys'`
    assert.equal(scans?.seq_scan, 0n)
  })
})

test('Idempotency-Key of a quote that a payout has used: the original answer', async () => {
  const key = under(newKey())
  const first = await account.post(`${PATH}/quote`, QUOTE, key)
  assertFresh(await pay(newKey(), { ...localPayout, quote: first.json.id }))
  assertReplayed(await account.post(`${PATH}/quote`, QUOTE, key), first)
  assert.equal((await account.get(`${PATH}/quote/${first.json.id}`)).json.status, 'used')
})

for (const [what, status, since] of [
  ['nothing', 'active', async () => {}],
  [
    'its use',
    'used',
    async (payer, quote) => assertFresh(await pay(newKey(), { ...localPayout, quote }, payer)),
  ],
  [
    'its expiry',
    'expired',
    async payer => {
      const later = await payer.post('/v3/sandbox/clock/advance', { seconds: 1800 })
      assert.equal(later.status, 200, later.text)
    },
  ],
] as const satisfies [string, string, (payer: Client, quote: string) => Promise<void>][]) {
  test(`POST ${PATH}/quote, key of a quote replayed after ${what}: body of the first answer, header Quote-Status with the present status, ${status}`, async () => {
    const payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
    const key = under(newKey())
    const first = await payer.post(`${PATH}/quote`, QUOTE, key)
    assertFresh(first)
    assert.equal(first.headers['quote-status'], undefined)
    await since(payer, first.json.id)
    const again = await payer.post(`${PATH}/quote`, QUOTE, key)
    assertReplayed(again, first)
    assert.equal(again.headers['quote-status'], status)
  })
}

// The payout changes after its creation; the kept text does not.

type Since = (id: string) => Promise<unknown>

/** Answers to the key, before and after `since` has happened to the payout; the payout of now. */
async function replays(body: object, since: Since, by = account) {
  const key = newKey()
  const first = await pay(key, body, by)
  assertFresh(first)
  const { id } = first.json.data
  await since(id)
  assertReplayed(await pay(key, body, by), first)
  return findPayout(by, id)
}

const moved =
  (...statuses: string[]): Since =>
  async id => {
    for (const status of statuses) {
      const answer = await account.post(`/v3/sandbox/payout/${id}/transition`, { status })
      assert.equal(answer.status, 200, answer.text)
    }
  }

const full = {
  ...localPayout,
  reference_id: 'INV-2041 “Ü”',
  statement_descriptor: 'HARBOUR',
  documents: [{ type: 'invoice', file_name: 'ä\u2028"\\.pdf', url: 'https://files.example/1' }],
  logistics_tracking_details: [{ tracking_number: '1', tracking_type: 'dhl' }],
  metadata: { b: '1', a: '\u0007', é: '' },
}

const SINCE: readonly (readonly [what: string, now: string, body: object, since: Since])[] = [
  ['nothing', 'processing', full, moved()],
  ['arrival and reversal', 'reversed', localPayout, moved('succeeded', 'reversed')],
  ['a hold and its failure', 'failed', localPayout, moved('compliance_hold', 'failed')],
  [
    'arrival in another currency',
    'succeeded',
    { ...localPayout, holding_currency: 'EUR' },
    moved('succeeded'),
  ],
  ['its cancellation', 'failed', localPayout, id => account.post(`${PATH}/${id}/cancel`, {})],
]

for (const [what, status, body, since] of SINCE) {
  test(`POST ${PATH}, key replayed after ${what}: the original answer`, async () => {
    assert.equal((await replays(body, since)).status, status)
  })
}

test(`POST ${PATH}, key replayed after documents were added: the original answer, without these documents`, async () => {
  const now = await replays(localPayout, async id => {
    await moved('requires_action')(id)
    await account.post(`${PATH}/${id}/action`, actions.action.request)
  })
  assert.deepEqual(now.documents, actions.action.request.documents)
})

test(`POST ${PATH} to another account, key replayed: the original answer`, async () => {
  const sister = await service.openAccount({ currencies: ['USD'] })
  const body = internalPayout(sister.account.deposit_address)
  assert.equal((await replays(body, moved())).status, 'succeeded')
})

test(`POST ${PATH}, payout held, key replayed after its release: the original answer, held`, async () => {
  const on_behalf_of = await entityOf(account)
  const now = await replays({ ...localPayout, on_behalf_of }, async id => {
    assert.match((await findPayout(account, id)).status_description, /until entity/)
    await review(service, account, on_behalf_of, 'approved')
    await endHolds(service.deps)
  })
  assert.deepEqual([now.status, now.status_description], ['processing', ''])
})

test(`POST ${PATH}, key replayed after a person paid the payout: the original answer, without the bank reference`, async () => {
  await service.setRoutes([{}])
  const live = await service.openAccount({ fund: { USD: 10_100n }, sandbox: false })
  const { account_id } = live.account
  const advance = { account_id, by: 'operator' } as const
  const person = { name: 'anna', reference: 'B-1' }
  const since = async (payout_id: string) => {
    const take = new Lane(service.deps.sql, handlePayout, { max_batch: 1 })
    await take.run({ account_id, payout_id, act: 'take', person })
    const steps = [{ status: 'succeeded', failure: null }] as const
    await service.deps.lanes.advancePayout.run({ ...advance, payout_id, steps, person })
  }
  const now = await replays(localPayout, since, live)
  assert.deepEqual(now.tracking_details.tracking_number, 'B-1')
})
