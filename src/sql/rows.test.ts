// Rows written by one array a column, or one row by its values: both are read back unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../test/support/database/database.ts'
import { inserter } from './rows.ts'

test('text list column: any text, also empty, is read back equal', async t => {
  const { owner, drop } = await createDatabase({ empty: true })
  t.after(drop)
  await owner`create table lists (account_id text, words text[])`
  const rows = [['null', 'a "b"', 'c\\d', 'e,f', '', '{}', '"', '\\'], [], ['one']].map(words => ({
    account_id: 'acc_1',
    words,
  }))
  type Row = (typeof rows)[number]
  const insert = inserter<Row>('lists', { account_id: 'text', words: 'words' })
  await owner.begin(tx => insert(tx, rows))
  assert.deepEqual([...(await owner<Row[]>`select * from lists`)], rows)
})

const FULL = {
  account_id: 'acc_1',
  words: ['null', 'a "b"', ''],
  note: 'NULL' as string | null,
  amount: 9_007_199_254_740_993n as bigint | null,
  place: -1 as number | null,
  at: '2026-01-02T03:04:05.678901Z' as string | null,
  day: '2026-02-28',
  found: { text: 'null', of: [null] } as object | null,
  sums: { EUR: 9_007_199_254_740_993n } as object | null,
  body: '{"a":  1}' as string | null,
  seal: '[1.50]' as string | null,
  hash: '00ff' as string | null,
  numbers: [1n, -9_007_199_254_740_993n],
  places: [3, -1],
}
type Full = typeof FULL

const BARE: Full = {
  ...{ ...FULL, words: [], note: null, amount: null, place: null, at: null, found: null },
  ...{ sums: null, body: null, seal: null, hash: null, numbers: [], places: [] },
}

const insertFull = inserter<Full>('full_rows', {
  ...{ account_id: 'text', words: 'words', note: 'text', amount: 'bigint', place: 'integer' },
  ...{ at: 'timestamptz', day: 'date', found: 'json', sums: 'exact_json', body: 'document' },
  ...{ seal: 'json_text', hash: 'hex', numbers: 'bigints', places: 'integers' },
})

test('row of each kind of column, with and without values: stored alike alone and among others', async t => {
  const { owner, drop } = await createDatabase({ empty: true })
  t.after(drop)
  await owner`
    create table full_rows (account_id text, words text[], note text, amount bigint, place integer,
      at timestamptz, day date, found json, sums json, body text, seal json, hash bytea,
      numbers bigint[], places integer[])`
  const stored = async (batches: readonly (readonly Full[])[]) => {
    for (const rows of batches) await owner.begin(tx => insertFull(tx, rows))
    const rows = await owner<{ row: string }[]>`select f::text as row from full_rows f`
    await owner`truncate full_rows`
    return rows.map(({ row }) => row)
  }
  const alone = await stored([[FULL], [BARE], []])
  assert.deepEqual(alone, await stored([[FULL, BARE]]))
  assert.equal(alone[1], '(acc_1,{},,,,,2026-02-28,,,,,,{},{})')
  for (const batch of [[1], [1, 2]]) {
    const rows = batch.map(() => ({ ...FULL, found: undefined as never }))
    await assert.rejects(stored([rows]), { code: '22P02' })
  }
})
