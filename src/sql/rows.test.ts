// Rows written by one array a column: lists within a row are read back unchanged.
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
