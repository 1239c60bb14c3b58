// The shards of accounts on a spread database: PostgreSQL's hash, and one order of visits.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createDatabase, type TestDatabase } from '../../test/support/database/database.ts'
import type { TransactionSql } from './connect.ts'
import {
  byShard,
  hashText,
  holdShard,
  isAtShard,
  isSpread,
  nameAt,
  shardOf,
  tableAt,
  takeShard,
  useShards,
} from './shard.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`SEED=${seed}`)

let database: TestDatabase
before(async () => {
  database = await createDatabase()
})
after(() => database.drop())

const WHOLE = [{ first: -(2 ** 31), last: 2 ** 31 - 1 }]
const HALVES = [
  { first: -(2 ** 31), last: -1 },
  { first: 0, last: 2 ** 31 - 1 },
]

test('hashText, random texts: the hash of PostgreSQL', async () => {
  const texts = fc.sample(fc.string({ unit: 'grapheme', maxLength: 60 }), { seed, numRuns: 500 })
  // PostgreSQL has no text with a NUL, and none that ends within a character.
  const sent = texts.map(text => text.replaceAll('\0', ' ').toWellFormed())
  const rows = await database.owner<{ text: string; hash: number }[]>`
    select text, hashtext(text) as hash from unnest(${sent}::text[]) as t (text)`
  for (const { text, hash } of rows) assert.equal(hashText(text), hash, JSON.stringify(text))
})

test('byShard: accounts by shard, shards in order; one group without Citus', t => {
  t.after(() => useShards(WHOLE))
  const items = Array.from({ length: 20 }, (_, i) => ({ account_id: `acc_${i}` }))
  assert.deepEqual([isSpread(), byShard(items)], [false, [items]])
  useShards(HALVES)
  const groups = byShard(items)
  assert.deepEqual(
    groups.map(group => [...new Set(group.map(item => shardOf(item.account_id)))]),
    [[0], [1]],
  )
  assert.deepEqual(new Set(groups.flat()), new Set(items))
})

test("transaction on one shard: reads the shard's tables, writes only after holdShard", async t => {
  t.after(() => useShards(WHOLE))
  const parts = new Map([
    ['books', '102008'],
    ['payouts', '102031'],
  ])
  useShards(HALVES.map(half => ({ ...half, parts })))
  const sent: string[] = []
  const tx = Object.assign(
    (texts: TemplateStringsArray) => {
      sent.push(texts.join('$'))
      return { execute: () => Promise.resolve([]) }
    },
    { unsafe: (text: string) => text },
  ) as unknown as TransactionSql
  assert.deepEqual([nameAt(tx, 'payouts'), isAtShard(tx)], ['payouts', false])
  holdShard(tx)
  takeShard(tx, 'acc_1')
  assert.deepEqual([tableAt(tx, 'payouts'), isAtShard(tx)], ['payouts_102031', true])
  assert.throws(() => nameAt(tx, 'payouts'), /not held/)
  holdShard(tx)
  assert.equal(nameAt(tx, 'payouts'), 'payouts_102031')
  assert.equal(nameAt(tx, 'accounts'), 'accounts')
  assert.deepEqual(sent, ['select take_shard($::bigint)'])
})
