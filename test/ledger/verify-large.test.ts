// corridor verify on a book of a million journals: in order, and with one fault at a time at its end,
// where it is found last. Made and judged as `npm run bench verify` does; runs in the long share.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFault, verifyClean, withBook } from '../../bench/verify.ts'
import { LONG } from '../support/share.ts'

const PAYOUTS = 500_000
const LIMIT_S = 60

test('corridor verify, a million journals: in order within a minute, and each of three faults named within one', {
  skip: !LONG && 'in the long share',
}, async t => {
  await withBook(PAYOUTS, {}, async book => {
    assert.ok(book.journals >= 2 * PAYOUTS, `${book.journals} journals`)
    assert.equal(book.faults.length, 3)
    const times: [what: string, seconds: number][] = [['in order', await verifyClean(book)]]
    for (const fault of book.faults) times.push([fault.name, await findFault(book, fault)])
    for (const [what, seconds] of times) {
      t.diagnostic(`${what}: ${seconds.toFixed(1)} s`)
      assert.ok(seconds < LIMIT_S, `${what}: ${seconds} s`)
    }
  })
})
