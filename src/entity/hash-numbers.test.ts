import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { HashNumbers } from './hash-numbers.ts'

const hashOf = (i: number) => createHash('sha256').update(String(i)).digest('hex')

test('numbers by hash, many more than it begins with room for: what was set, else 0', () => {
  const numbers = new HashNumbers()
  const count = 50_000
  for (let i = 0; i < count; i++) numbers.set(hashOf(i), i + 1)
  for (let i = 0; i < count; i += 3) numbers.set(hashOf(i), 2 ** 32 - 1 - i)
  for (let i = 0; i < count; i++) {
    assert.equal(numbers.get(hashOf(i)), i % 3 === 0 ? 2 ** 32 - 1 - i : i + 1)
  }
  for (let i = count; i < count + 1000; i++) assert.equal(numbers.get(hashOf(i)), 0)
})

test('numbers by hash, hashes of one place in the table: told apart', () => {
  const numbers = new HashNumbers()
  const hashes = ['00', '01', '02'].map(last => '0'.repeat(22) + last)
  hashes.forEach((hash, i) => void numbers.set(hash, i + 1))
  assert.deepEqual(
    hashes.map(hash => numbers.get(hash)),
    [1, 2, 3],
  )
})
