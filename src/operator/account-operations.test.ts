// Which accounts may be opened: any on one engine, sandboxes alone on a spread database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useShards } from '../sql/shard.ts'
import { Refusal } from '../values/errors.ts'
import { openAccount } from './account-operations.ts'

const WHOLE = [{ first: -(2 ** 31), last: 2 ** 31 - 1 }]
const HALVES = [
  { first: -(2 ** 31), last: -1 },
  { first: 0, last: 2 ** 31 - 1 },
]

const open = (sandbox: boolean) =>
  openAccount.decide(null, { account: { sandbox } } as Parameters<typeof openAccount.decide>[1])

test('live account: created on a single PostgreSQL; refused on a distributed database, at `sandbox`', t => {
  open(false)
  t.after(() => useShards(WHOLE))
  useShards(HALVES)
  open(true)
  assert.throws(
    () => open(false),
    refused =>
      refused instanceof Refusal &&
      refused.problems.map(at => `${at.reason} ${at.remarks}`).join() === 'invalid_field sandbox',
  )
})
