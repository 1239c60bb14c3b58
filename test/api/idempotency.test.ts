// Idempotency-Key on every POST (§idempotency.replay): the stored answer byte for byte, once per
// account, method and path, for 24 hours, and only for what succeeded.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deleteExpiredReplies } from '../../src/http/idempotency/store.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { inOneTransaction } from '../support/database/one-transaction.ts'
import { localPayout } from '../support/given/bodies.ts'
import { until } from '../support/service/process.ts'
import {
  type Answer,
  type Client,
  client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATHS = ['/v3/payout/quote', '/v3/payout'] as const
const BODIES: Readonly<Record<string, object>> = {
  '/v3/payout/quote': { payout_info: { currency: 'USD', amount: 10_000 } },
  '/v3/payout': localPayout,
}

let service: TestService
let account: Client
let serial = 0
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 100_000_000n } })
})
after(() => service.close())

const newKey = () => `key-${++serial}`
const under = (key: string) => ({ 'idempotency-key': key })

async function count(table: 'payouts' | 'quotes', of = account): Promise<number> {
  const { owner } = service.database
  const [row] = await owner<{ n: number }[]>`
    select count(*)::int as n from ${owner(table)} where account_id = ${of.account.account_id}`
  return row?.n ?? 0
}

function assertReplayed(replay: Answer, first: Answer): void {
  assert.equal(replay.status, first.status)
  assert.equal(replay.text, first.text)
  assert.equal(replay.headers['idempotent-replayed'], 'true')
  assert.equal(replay.headers['content-type'], first.headers['content-type'])
}

for (const path of PATHS) {
  test(`POST ${path}, same key and body: the first answer again with Idempotent-Replayed, no row changes`, async () => {
    const key = newKey()
    const first = await account.post(path, BODIES[path], under(key))
    assert.equal(first.status, 200, first.text)
    assert.equal(first.headers['idempotent-replayed'], undefined)
    const before = await rowVersions(service.database.owner)
    assertReplayed(await account.post(path, BODIES[path], under(key)), first)
    assertReplayed(await account.post(path, BODIES[path], under(key)), first)
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })

  test(`POST ${path}, ten requests with one key at once: one effect, ten equal answers`, async () => {
    const key = newKey()
    const before = [await count('payouts'), await count('quotes')]
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => account.post(path, BODIES[path], under(key))),
    )
    assert.deepEqual([...new Set(answers.map(a => a.text))], [answers[0]?.text])
    const fresh = answers.filter(a => a.headers['idempotent-replayed'] === undefined)
    assert.equal(fresh.length, 1)
    const made = path === '/v3/payout' ? [1, 0] : [0, 1]
    const now = [await count('payouts'), await count('quotes')]
    assert.deepEqual(
      now.map((n, i) => n - (before[i] ?? 0)),
      made,
    )
  })
}

test('POST /v3/payout, same key, another body: 422 idempotency_key_reused, no row changes', async () => {
  const key = newKey()
  await account.post('/v3/payout', localPayout, under(key))
  const before = await rowVersions(service.database.owner)
  const answer = await account.post('/v3/payout', { ...localPayout, amount: 10_001 }, under(key))
  assertRefused(answer, 422, 'idempotency_key_reused')
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test('POST /v3/payout, one key in two processes at once: one effect, equal answers', async () => {
  const other = await service.anotherProcess()
  try {
    const key = newKey()
    const there = client(account, other.inject)
    const answers = await Promise.all(
      [account, there, account, there, account, there].map(by =>
        by.post('/v3/payout', localPayout, under(key)),
      ),
    )
    assert.equal(new Set(answers.map(a => a.text)).size, 1, answers.map(a => a.text).join('\n'))
    const fresh = answers.filter(a => a.headers['idempotent-replayed'] === undefined)
    assert.equal(fresh.length, 1)
  } finally {
    await other.close()
  }
})

test('POST /v3/payout, same key, keys in another order and other white space: the same request', async () => {
  const key = newKey()
  const first = await account.post('/v3/payout', localPayout, under(key))
  const entries = Object.entries(localPayout).toReversed()
  const { beneficiary_details } = localPayout
  const inner = Object.fromEntries(Object.entries(beneficiary_details).toReversed())
  const reordered = { ...Object.fromEntries(entries), beneficiary_details: inner }
  const spaced = `\n ${JSON.stringify(reordered, null, '\t')}\r\n`
  assert.notEqual(spaced.replaceAll(/\s/g, ''), JSON.stringify(localPayout))
  assertReplayed(await account.post('/v3/payout', spaced, under(key)), first)
  const escaped = JSON.stringify(localPayout).replace('"local"', '"\\u006cocal"')
  assertReplayed(await account.post('/v3/payout', escaped, under(key)), first)
})

test('POST /v3/payout, same key, array in another order: another body', async () => {
  const key = newKey()
  const documents = [{ type: 'a' }, { type: 'b' }]
  const first = await account.post('/v3/payout', { ...localPayout, documents }, under(key))
  assert.equal(first.status, 200, first.text)
  const turned = { ...localPayout, documents: documents.toReversed() }
  assertRefused(await account.post('/v3/payout', turned, under(key)), 422, 'idempotency_key_reused')
})

test('POST /v3/payout, refused under a key: not stored, the retry pays once the balance allows', async () => {
  const poor = await service.openAccount({ currencies: ['USD'] })
  const key = newKey()
  const refused = await poor.post('/v3/payout', localPayout, under(key))
  assertRefused(refused, 422, 'insufficient_balance')
  const again = await poor.post('/v3/payout', localPayout, under(key))
  assertRefused(again, 422, 'insufficient_balance')
  assert.equal(again.headers['idempotent-replayed'], undefined)
  await service.database.owner`
    update balances set available = 10000 where account_id = ${poor.account.account_id}`
  const paid = await poor.post('/v3/payout', localPayout, under(key))
  assert.equal(paid.status, 200, paid.text)
  assert.equal(paid.headers['idempotent-replayed'], undefined)
  assertReplayed(await poor.post('/v3/payout', localPayout, under(key)), paid)
})

test('POST /v3/payout, refused for a field under a key: the corrected body pays under the same key', async () => {
  const key = newKey()
  const wrong = { ...localPayout, amount: 0 }
  assertRefused(await account.post('/v3/payout', wrong, under(key)), 400, 'amount_out_of_range')
  const paid = await account.post('/v3/payout', localPayout, under(key))
  assert.equal(paid.status, 200, paid.text)
  assert.equal(paid.headers['idempotent-replayed'], undefined)
})

test('Idempotency-Key, same text on another path or from another account: not the same key', async () => {
  const key = newKey()
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000n } })
  const answers = [
    await account.post('/v3/payout/quote', BODIES['/v3/payout/quote'], under(key)),
    await account.post('/v3/payout', localPayout, under(key)),
    await other.post('/v3/payout', localPayout, under(key)),
  ]
  for (const answer of answers) {
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers['idempotent-replayed'], undefined)
  }
  assert.deepEqual(await balancesOf(other), { USD: '0' })
})

test('Idempotency-Key, another API key of the same account: the same key', async () => {
  const key = newKey()
  const second = await service.addKey(account, 'write')
  const first = await account.post('/v3/payout', localPayout, under(key))
  assertReplayed(await second.post('/v3/payout', localPayout, under(key)), first)
})

test('Idempotency-Key of 1 character, of 255, of every visible one: kept and replayed', async () => {
  const all = String.raw`!#$%&'()*+,-./09:;<=>?@AZ[\]^_az{|}~`
  for (const key of ['k', 'k'.repeat(255), all]) {
    const first = await account.post('/v3/payout', localPayout, under(key))
    assert.equal(first.status, 200, first.text)
    assertReplayed(await account.post('/v3/payout', localPayout, under(key)), first)
  }
})

test('Idempotency-Key in quotes: the same key as without them', async () => {
  const key = newKey()
  const first = await account.post('/v3/payout', localPayout, under(`"${key}"`))
  assert.equal(first.status, 200, first.text)
  assertReplayed(await account.post('/v3/payout', localPayout, under(key)), first)
  const longest = await account.post('/v3/payout', localPayout, under(`"${'q'.repeat(255)}"`))
  assert.equal(longest.status, 200, longest.text)
})

test('Idempotency-Key empty, too long or with other characters: 400, no row changes', async () => {
  const before = await rowVersions(service.database.owner)
  const long = 'k'.repeat(256)
  for (const key of ['', '""', long, `"${long}"`, 'clé', 'a\tb']) {
    const answer = await account.post('/v3/payout', localPayout, under(key))
    assertRefused(answer, 400, 'invalid_idempotency_key')
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test('Idempotency-Key 24 hours old: forgotten, the request takes effect anew and is kept anew', async () => {
  const key = newKey()
  const { owner } = service.database
  const first = await account.post('/v3/payout', localPayout, under(key))
  await owner`
    update idempotency_keys set created_at = statement_timestamp() - interval '23 hours 59 minutes'
    where key = ${key}`
  assertReplayed(await account.post('/v3/payout', localPayout, under(key)), first)
  await owner`
    update idempotency_keys set created_at = statement_timestamp() - interval '24 hours 1 second'
    where key = ${key}`
  const second = await account.post('/v3/payout', { ...localPayout, amount: 1 }, under(key))
  assert.equal(second.status, 200, second.text)
  assert.equal(second.headers['idempotent-replayed'], undefined)
  const third = await account.post('/v3/payout', { ...localPayout, amount: 1 }, under(key))
  assertReplayed(third, second)
})

test('Idempotency-Key kept anew at the moment old ones are forgotten: stays, and is replayed', async () => {
  const key = newKey()
  const { owner } = service.database
  const first = await account.post('/v3/payout', localPayout, under(key))
  await owner`
    update idempotency_keys set created_at = statement_timestamp() - interval '25 hours'
    where key = ${key}`
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
  assertReplayed(await account.post('/v3/payout', localPayout, under(key)), first)
})

test('Idempotency-Keys past their time: found by their age, the young are not read', async () => {
  await inOneTransaction(service.database.url, async (tx, connections) => {
    await deleteExpiredReplies(connections)
    const [scans] = await tx`
      select seq_scan from pg_stat_xact_user_tables where relname = 'idempotency_keys'`
    assert.equal(scans?.seq_scan, 0n)
  })
})

test('Idempotency-Key of a quote that was used since: the answer of then, not of now', async () => {
  const key = newKey()
  const body = BODIES['/v3/payout/quote']
  const first = await account.post('/v3/payout/quote', body, under(key))
  const payout = await account.post('/v3/payout', { ...localPayout, quote: first.json.id })
  assert.equal(payout.status, 200, payout.text)
  assertReplayed(await account.post('/v3/payout/quote', body, under(key)), first)
  assert.equal((await account.get(`/v3/payout/quote/${first.json.id}`)).json.status, 'used')
})
