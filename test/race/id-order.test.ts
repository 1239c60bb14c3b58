// Ids of one account follow its commits, whatever wrote it: two processes at once, batches of several
// kinds, a sandbox's clock that jumps, and a database whose clock is behind the book.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect } from '../../src/sql/connect.ts'
import { idTimeSql, microsSql, numberedIdSql } from '../../src/sql/id-sql.ts'
import { instantIn, numberedId } from '../../src/values/id.ts'
import { verify } from '../../src/verify/run.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { client as clientOf, startTestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const ROUNDS = share(20, 40)

const service = await startTestService()
after(() => service.close())

const localQuote = { payout_type: 'local', payout_info: { currency: 'USD', amount: 10_000 } }

const WRITES = [
  ['/v3/payout', localPayout],
  ['/v3/payout/quote', localQuote],
  ['/v3/beneficiary', bankBeneficiary],
  ['/v3/payout_batch', { mode: 'best_effort', payouts: [localPayout, localPayout] }],
  [
    '/v3/payout_batch',
    { mode: 'best_effort', payouts: [localPayout, { ...localPayout, amount: 10_000_000_000 }] },
  ],
] as const

test('ids of one account, two processes, moving clocks: sort in commit order', async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000_000n } })
  const { account_id } = client.account
  const another = await service.anotherProcess()
  const clients = [client, clientOf(client, another.inject)]
  const { owner } = service.database
  try {
    for (let round = 0; round < ROUNDS; round++) {
      if (random() < 0.1) {
        const seconds = 1 + Math.floor(random() * 1000)
        await client.post('/v3/sandbox/clock/advance', { seconds })
      }
      // As if the database's clock had been set back: each batch is a microsecond after the last.
      if (random() < 0.1) {
        await owner`
          update books set last_written_at = greatest(last_written_at at time zone 'UTC',
            ${new Date().toISOString()}::timestamp + clock_ahead + interval '9 minutes')
            at time zone 'UTC'
          where account_id = ${account_id}`
      }
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => {
          const [url, body] = WRITES[Math.floor(random() * WRITES.length)] ?? assert.fail()
          const by = clients[random() < 0.5 ? 0 : 1] ?? client
          return by.post(url, body)
        }),
      )
      for (const { status, text } of answers) assert.equal(status, 200, text)
    }
  } finally {
    await another.close()
  }
  // Events are numbered in the order of commits, and an object's id is taken when its event is.
  const created = await owner<{ object_id: string; created_at: string }[]>`
    select object_id, created_at from each_event
    where account_id = ${account_id} and type like '%.created'
      and type <> 'balance_transaction.created'
    order by sequence`
  assert.ok(created.length > ROUNDS)
  const bodies = created.map(({ object_id }) => object_id.slice(4))
  // A payout and the quote that it carries have the same.
  const different = [...new Set(bodies)]
  assert.deepEqual(different, different.toSorted())
  for (const { object_id, created_at } of created) assert.equal(instantIn(object_id), created_at)
  for (const table of ['payouts', 'quotes', 'beneficiaries', 'payout_batches']) {
    const rows = await owner<{ id: string; created_at: string; made: string }[]>`
      select id, created_at, ${owner.unsafe(idTimeSql(microsSql('created_at')))} as made
      from ${owner(table)} where account_id = ${account_id} order by id`
    for (const { id, created_at, made } of rows) {
      assert.deepEqual([instantIn(id), id.slice(4, 15)], [created_at, made])
    }
    const times = rows.map(row => row.created_at)
    assert.deepEqual(times, times.toSorted(), table)
  }
  const numbered = { account_id: 'account_id', created_at: 'created_at', number: 'sequence' }
  const events = await owner<{ sequence: bigint; created_at: string; id: string }[]>`
    select sequence, created_at, ${owner.unsafe(numberedIdSql('evt', numbered))} as id
    from each_event where account_id = ${account_id}`
  for (const { sequence, created_at, id } of events) {
    assert.equal(id, numberedId('evt', { account_id, created_at }, sequence))
  }
  const audit = connect(service.database.url, { max: 1, as: 'auditor' })
  const verdict = await verify(audit, { account_id }).finally(() => audit.end())
  assert.deepEqual(verdict.problem, null)
})
