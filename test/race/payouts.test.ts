// Races on one account's money, made to happen: many requests at the same moment, to one process and
// to two processes that share a database. Expects of each race one exact end.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { verifyBooks } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import { tally } from '../support/service/process.ts'
import type { Answer, Client } from '../support/service/service.ts'
import { type SideBySide, startSideBySide } from '../support/service/side-by-side.ts'
import { share } from '../support/share.ts'

// A race of one process is among those of two: the usual run makes those.
for (const count of share([2], [1, 2])) describe(`${count} process(es), payouts`, () => race(count))

function race(count: number) {
  let all: SideBySide
  /** One account's client by each process in turn. */
  let by: (i: number) => Client

  before(async () => {
    all = await startSideBySide(count)
  })
  after(() => all.close())

  const open = async (usd: bigint) => {
    by = await all.open({ fund: { USD: usd } })
  }

  function together(times: number, ask: (i: number) => Promise<Answer>) {
    return Promise.all(Array.from({ length: times }, (_, i) => ask(i)))
  }

  async function balance(): Promise<bigint | undefined> {
    const [row] = await all.service.database.owner<{ available: bigint }[]>`
      select available from balances
      where account_id = ${by(0).account.account_id} and currency = 'USD'`
    return row?.available
  }

  test('POST /v3/payout, 50 in parallel with one quote: one succeeds, 49 get quote_used', async () => {
    await open(1_000_000n)
    const asked = { payout_info: { currency: 'USD', amount: 10_000 } }
    const quote = await by(0).post('/v3/payout/quote', asked)
    assert.equal(quote.status, 200, quote.text)
    const body = { ...localPayout, quote: quote.json.id }
    const answers = await together(50, i => by(i).post('/v3/payout', body))
    assert.deepEqual(tally(answers), { '200': 1, '422 quote_used': 49 })
    assert.equal(await balance(), 990_000n)
  })

  test('POST /v3/payout, 200 in parallel, balance for 10: 10 succeed, 190 refused, nothing left', async () => {
    await open(100_000n)
    const answers = await together(200, i => by(i).post('/v3/payout', localPayout))
    assert.deepEqual(tally(answers), { '200': 10, '422 insufficient_balance': 190 })
    assert.equal(await balance(), 0n)
  })

  test('POST /v3/payout, 100 in parallel under one Idempotency-Key: one payout, 100 equal answers', async () => {
    await open(1_000_000n)
    const answers = await together(100, i =>
      by(i).post('/v3/payout', localPayout, { 'idempotency-key': 'the-one-key' }),
    )
    assert.deepEqual(tally(answers), { '200': 100 })
    assert.equal(new Set(answers.map(answer => answer.text)).size, 1)
    const replayed = answers.filter(answer => answer.headers['idempotent-replayed'] === 'true')
    assert.equal(replayed.length, 99)
    assert.equal(await balance(), 990_000n)
  })

  test('books after all tests of this file: corridor verify clean', async () => {
    await verifyBooks(all.service.database.owner)
    assert.deepEqual(all.faults, [])
  })
}
