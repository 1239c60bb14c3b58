// The shards of accounts on a spread database: PostgreSQL's hash, and one order of visits.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createDatabase, type TestDatabase } from '../../test/support/database/database.ts'
import type { TransactionSql } from './connect.ts'
import { deleter, inserter, updater } from './rows.ts'
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
import { makeTag } from './sql.ts'

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

test('rows inserted, updated and deleted on a spread database: statements go out in this order', async t => {
  t.after(() => useShards(WHOLE))
  useShards(HALVES)
  const sent: string[] = []
  const tx = makeTag(async statement => {
    sent.push(statement.written().text)
    return Object.assign([], { count: 1, command: '' })
  }) as TransactionSql
  const rows = [{ account_id: 'acc_1', id: 'a' }]
  const columns = { account_id: 'text', id: 'text' } as const
  await Promise.all([
    inserter<(typeof rows)[0]>('notes', columns)(tx, rows),
    updater<(typeof rows)[0]>('notes', ['account_id'], columns)(tx, rows),
    deleter<(typeof rows)[0]>('notes', columns)(tx, rows),
  ])
  const verbs = sent.map(text => /insert|update|delete/.exec(text)?.[0])
  assert.deepEqual(verbs, ['insert', 'update', 'delete'])
})

test('row that cannot be written: the promise rejects, nothing is thrown', async () => {
  const insert = inserter<{ account_id: string; data: object }>('notes', {
    ...{ account_id: 'text', data: 'json' },
  })
  const tx = makeTag(() => Promise.reject(new Error('sent'))) as TransactionSql
  const row = { account_id: 'acc_1', data: { amount: 1n } }
  await assert.rejects(insert(tx, [row]), TypeError)
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
