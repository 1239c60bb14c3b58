// Ids of a book are in its order, exact to the microsecond. Ids of numbered rows contain the number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { share } from '../../test/support/share.ts'
import {
  bookId,
  idBound,
  idPattern,
  instantIn,
  newAccountId,
  newId,
  numberedId,
  numberIn,
} from './id.ts'
import type { Instant } from './instant.ts'

const RUNS = { numRuns: share(500, 2_000) }
const FIRST = Date.UTC(1970, 0, 1)
const LAST = Date.UTC(3084, 0, 1)

/** A random instant with six digits, in the years that ids can have. */
const instants: fc.Arbitrary<Instant> = fc
  .tuple(fc.integer({ min: FIRST, max: LAST }), fc.integer({ min: 0, max: 999 }))
  .map(([ms, us]) => {
    return `${new Date(ms).toISOString().slice(0, 23)}${String(us).padStart(3, '0')}Z`
  })

const bookAt = (now: Instant) => ({ now, ids_given: 0 })

test('bookId: 24 characters, contains the exact time, sorts by creation', () => {
  fc.assert(
    fc.property(instants, instants, (one, other) => {
      const ids = [one, other].sort().flatMap(now => {
        const book = bookAt(now)
        return Array.from({ length: 40 }, () => bookId(book, 'pot'))
      })
      for (const id of ids) assert.match(id, new RegExp(idPattern('pot')))
      assert.deepEqual(
        ids.map(instantIn),
        [one, other].sort().flatMap(at => Array(40).fill(at)),
      )
      const given = one === other ? ids.slice(0, 40) : ids
      assert.deepEqual(given.toSorted(), given)
    }),
    RUNS,
  )
})

test('bookId, two books at the same microsecond: random parts differ', () => {
  const now = '2026-01-31T09:30:00.123456Z'
  const ids = new Set(Array.from({ length: 1_000 }, () => bookId(bookAt(now), 'pot')))
  assert.ok(ids.size > 990, `${ids.size} of 1,000`)
})

test('bookId, all ids of a microsecond used: throws', () => {
  const book = { now: '2026-01-31T09:30:00.123456Z', ids_given: 2 ** 20 - 1 }
  assert.match(bookId(book, 'pot'), /^pot_[0-9a-z]{11}zzzz[0-9a-z]{5}$/)
  assert.throws(() => bookId(book, 'pot'), /1048576 ids at most/)
})

test('idBound, time bound: sorts before or after all ids of that time, as asked', () => {
  fc.assert(
    fc.property(instants, instants, (at, bound) => {
      const id = bookId(bookAt(at), 'bnf')
      assert.equal(id < idBound('bnf', bound, 'before'), at < bound)
      assert.equal(id > idBound('bnf', bound, 'after'), at > bound)
    }),
    RUNS,
  )
  const id = bookId(bookAt('2026-01-31T09:30:00.123456Z'), 'bnf')
  for (const early of ['-infinity', '0001-01-01T00:00:00.000000Z', '1969-12-31T23:59:59.999999Z']) {
    for (const side of ['before', 'after'] as const) assert.ok(idBound('bnf', early, side) < id)
  }
  for (const late of ['infinity', '9999-12-31T23:59:59.999999Z', '3200-01-01T00:00:00.000000Z']) {
    for (const side of ['before', 'after'] as const) assert.ok(idBound('bnf', late, side) > id)
  }
})

test('numberedId: contains the number, sorts by it, differs between accounts', () => {
  const numbers = fc.bigInt({ min: 1n, max: 2n ** 35n - 2n })
  fc.assert(
    fc.property(instants, numbers, (created_at, number) => {
      const row = { account_id: 'acc_1', created_at }
      const id = numberedId('evt', row, number)
      assert.match(id, new RegExp(idPattern('evt')))
      assert.equal(numberIn(id), number)
      assert.ok(id < numberedId('evt', row, number + 1n))
      assert.notEqual(id, numberedId('evt', { ...row, account_id: 'acc_2' }, number))
    }),
    RUNS,
  )
  const row = { account_id: 'acc_1', created_at: '2026-01-31T09:30:00.123456Z' }
  assert.throws(() => numberedId('evt', row, 2n ** 35n), /acc_1 has used up the numbers/)
})

test('newId: the form of all ids, different each time', () => {
  const ids = Array.from({ length: 50_000 }, () => newId('dep'))
  for (const id of ids) assert.match(id, new RegExp(idPattern('dep')))
  assert.equal(new Set(ids).size, ids.length)
  const at = Date.parse(instantIn(newId('dep')))
  assert.ok(Math.abs(at - Date.now()) < 60_000)
  assert.match(newId('fx'), new RegExp(idPattern('fx')))
})

test('newAccountId: short, different each time', () => {
  const ids = Array.from({ length: 1_000 }, newAccountId)
  for (const id of ids) assert.match(id, /^acc_[0-9a-hjkmnp-tv-z]{8}$/)
  assert.equal(new Set(ids).size, ids.length)
})
