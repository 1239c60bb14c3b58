// The keys by which a later run recognises the rows of a file. Keys are stored for ever, so their
// recipe may not change.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { hashJson } from '../values/digest.ts'
import { HashNumbers, RowKeys } from './keys.ts'

const hashOf = (i: number) => createHash('sha256').update(String(i)).digest('hex')

test('HashNumbers, many more keys than its initial size: every stored value found, 0 for an unknown key', () => {
  const numbers = new HashNumbers()
  const count = 50_000
  for (let i = 0; i < count; i++) numbers.set(hashOf(i), i + 1)
  for (let i = 0; i < count; i += 3) numbers.set(hashOf(i), 2 ** 32 - 1 - i)
  for (let i = 0; i < count; i++) {
    assert.equal(numbers.get(hashOf(i)), i % 3 === 0 ? 2 ** 32 - 1 - i : i + 1)
  }
  for (let i = count; i < count + 1000; i++) assert.equal(numbers.get(hashOf(i)), 0)
})

test('HashNumbers, keys with equal hashes: values kept apart', () => {
  const numbers = new HashNumbers()
  const hashes = ['00', '01', '02'].map(suffix => '0'.repeat(22) + suffix)
  hashes.forEach((hash, i) => void numbers.set(hash, i + 1))
  assert.deepEqual(
    hashes.map(hash => numbers.get(hash)),
    [1, 2, 3],
  )
})

const row = { type: 'individual', name: 'Anna', metadata: { b: '2', a: '1' } } as const

test('import keys of a row: equal to the keys stored by earlier versions', () => {
  const keys = new RowKeys('people.csv')
  const found = [keys.next(hashJson(row)).key, keys.next(hashJson(row)).key]
  assert.deepEqual(found, [
    '2e0d98c0b887c99b4926c0d3b6543819955eeea206ae8549554706b350ec64c4',
    'c09dd47c33d9e3259c8aa1185a94bdc5df7bed3d69ad3420debac603ddfdb4b7',
  ])
})

test('import keys of a row: equal for any order of members, different for another file name', () => {
  const [ours] = [new RowKeys('a').next(hashJson(row))]
  const reordered = { metadata: { a: '1', b: '2' }, name: 'Anna', type: 'individual' } as const
  assert.equal(new RowKeys('a').next(hashJson(reordered)).key, ours.key)
  assert.notEqual(new RowKeys('b').next(hashJson(row)).key, ours.key)
})
