// The keys by which rows of a file are known again: they are kept for ever, so their recipe may not
// change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImportDrafts } from './import.ts'

const row = { type: 'individual', name: 'Anna', metadata: { b: '2', a: '1' } } as const

test('import keys, the recipe: as it was when the first rows were imported', () => {
  const drafts = new ImportDrafts('people.csv')
  const keys = [drafts.next(row).import_key, drafts.next(row).import_key]
  assert.deepEqual(keys, [
    '2e0d98c0b887c99b4926c0d3b6543819955eeea206ae8549554706b350ec64c4',
    'c09dd47c33d9e3259c8aa1185a94bdc5df7bed3d69ad3420debac603ddfdb4b7',
  ])
})

test('import keys, the same row: another under another name, the same in any order of members', () => {
  const [ours] = [new ImportDrafts('a').next(row)]
  const turned = { metadata: { a: '1', b: '2' }, name: 'Anna', type: 'individual' } as const
  assert.equal(new ImportDrafts('a').next(turned).import_key, ours.import_key)
  assert.notEqual(new ImportDrafts('b').next(row).import_key, ours.import_key)
})
