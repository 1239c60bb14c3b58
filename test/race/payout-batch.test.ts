// Batches that meet: on one balance, with single payouts between them, to and fro between two
// accounts, and over two processes. Money is right whoever comes first, and nobody waits for ever.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { verifyBooks } from '../support/assert/books.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { tally } from '../support/service/process.ts'
import type { Client } from '../support/service/service.ts'
import { startSideBySide } from '../support/service/side-by-side.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/payout_batch'
const ROUNDS = share(1, 3)

const all = await startSideBySide(2)
after(() => all.close())

/** An account, by each of the two processes in turn. */
type By = (i: number) => Client
const open = () => all.open({ fund: { USD: 1_000_000n } })

async function balance(by: By): Promise<bigint | undefined> {
  const [row] = await all.service.database.owner<{ available: bigint }[]>`
    select available from balances
    where account_id = ${by(0).account.account_id} and currency = 'USD'`
  return row?.available
}

const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))
const many = (count: number, amount: number) => times(count, () => ({ ...localPayout, amount }))

test('two batches and 100 payouts in parallel, balance for some: each counted once, balance never exceeded', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const by = await open()
    const [whole, best, ...singles] = await Promise.all([
      by(0).post(PATH, { payouts: many(150, 4_000) }),
      by(1).post(PATH, { mode: 'best_effort', payouts: many(150, 3_000) }),
      ...times(100, i => by(i).post('/v3/payout', { ...localPayout, amount: 1_000 })),
    ])
    assert.ok(whole.status === 200 || whole.status === 422, whole.text)
    assert.equal(best.status, 200, best.text)
    const made = tally(singles)
    const { 200: paid = 0, '422 insufficient_balance': refused = 0 } = made
    assert.equal(paid + refused, 100, JSON.stringify(made))
    const { created } = best.json.data.counts
    const spent = (whole.status === 200 ? 600_000 : 0) + created * 3_000 + paid * 1_000
    assert.equal(await balance(by), 1_000_000n - BigInt(spent))
    // Nothing is refused while there is money for it.
    if (created < 150) assert.ok(1_000_000 - spent < 3_000)
  }
})

test('batches between two accounts, both directions in parallel: no deadlock, no money lost', async () => {
  const [one, other] = [await open(), await open()]
  const pay = (from: By, to: By, i: number) => {
    const payouts = times(50, () => internalPayout(to(0).account.deposit_address, 1_000))
    return from(i).post(PATH, { payouts })
  }
  const answers = await Promise.all([
    ...times(4, i => pay(one, other, i)),
    ...times(4, i => pay(other, one, i)),
  ])
  assert.deepEqual(tally(answers), { '200': 8 })
  assert.deepEqual([await balance(one), await balance(other)], [1_000_000n, 1_000_000n])
})

test('one batch under one Idempotency-Key, ten times in parallel, two processes: created once', async () => {
  const by = await open()
  const body = { payouts: many(100, 1_000) }
  const answers = await Promise.all(
    times(10, i => by(i).post(PATH, body, { 'idempotency-key': 'one' })),
  )
  assert.deepEqual(tally(answers), { '200': 10 })
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal(await balance(by), 900_000n)
})

test('books after all tests of this file: corridor verify clean', async () => {
  await verifyBooks(all.service.database.owner)
  assert.deepEqual(all.faults, [])
})
