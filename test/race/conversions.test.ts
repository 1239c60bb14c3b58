// Races of conversions, made to happen: one quote asked for many times at once, and conversions and
// payouts that want one balance, by two processes that share a database.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyBooks } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import { tally } from '../support/service/process.ts'
import type { Answer, Client } from '../support/service/service.ts'
import { type SideBySide, startSideBySide } from '../support/service/side-by-side.ts'

const ASKED = {
  holding_info: { currency: 'USD' },
  destination_info: { currency: 'EUR', amount: 8_000 },
}

let all: SideBySide
/** One account's client by each process in turn. */
let by: (i: number) => Client

before(async () => {
  all = await startSideBySide(2)
  await all.service.setRates({ 'EUR/USD': '1.25' })
})
after(() => all.close())

async function open(usd: bigint): Promise<void> {
  by = await all.open({ currencies: ['USD', 'EUR'], fund: { USD: usd } })
}

async function quote(): Promise<string> {
  const answer = await by(0).post('/v3/conversion/quote', ASKED)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.json.data.total_debit.amount, 10_000)
  return answer.json.data.id
}

function together(times: number, ask: (i: number) => Promise<Answer>) {
  return Promise.all(Array.from({ length: times }, (_, i) => ask(i)))
}

async function balances(): Promise<Record<string, bigint>> {
  const rows = await all.service.database.owner<{ currency: string; available: bigint }[]>`
    select currency, available from balances where account_id = ${by(0).account.account_id}`
  return Object.fromEntries(rows.map(({ currency, available }) => [currency, available]))
}

test('POST /v3/conversion, 50 in parallel with one quote: one succeeds, 49 get quote_used', async () => {
  await open(1_000_000n)
  const id = await quote()
  const answers = await together(50, i => by(i).post('/v3/conversion', { quote: id }))
  assert.deepEqual(tally(answers), { '200': 1, '422 quote_used': 49 })
  assert.deepEqual(await balances(), { USD: 990_000n, EUR: 8_000n })
})

test('POST /v3/conversion, 50 in parallel under one Idempotency-Key: one conversion, 50 equal answers', async () => {
  await open(1_000_000n)
  const id = await quote()
  const key = { 'idempotency-key': 'the-one-key' }
  const answers = await together(50, i => by(i).post('/v3/conversion', { quote: id }, key))
  assert.deepEqual(tally(answers), { '200': 50 })
  assert.equal(new Set(answers.map(answer => answer.text)).size, 1)
  assert.deepEqual(await balances(), { USD: 990_000n, EUR: 8_000n })
})

test('conversions and payouts in parallel, balance for 10 of 60: 10 succeed, 50 refused, nothing left', async () => {
  await open(100_000n)
  const ids = await Promise.all(Array.from({ length: 30 }, quote))
  const answers = await together(60, i => {
    const id = ids[i >> 1]
    return i % 2 === 0
      ? by(i >> 1).post('/v3/conversion', { quote: id })
      : by(i >> 1).post('/v3/payout', localPayout)
  })
  assert.deepEqual(tally(answers), { '200': 10, '422 insufficient_balance': 50 })
  const { USD, EUR } = await balances()
  const conversions = answers.filter(({ status }, i) => status === 200 && i % 2 === 0).length
  assert.deepEqual([USD, EUR], [0n, BigInt(conversions) * 8_000n])
})

test('books after all tests of this file: corridor verify clean', async () => {
  await verifyBooks(all.service.database.owner)
  assert.deepEqual(all.faults, [])
})
