// Which differences make a database another one. What is not known proves nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differenceOf } from './restored.ts'

const NOTED = { system: '7', database: '16384', timeline: '00000001', files: '12 1000.5' }

for (const [name, now, expected] of [
  ['an ordinary restart', {}, /^$/],
  ['another cluster', { system: '8' }, /cluster/],
  ['another database', { database: '16500' }, /database/],
  ['a recovery or a promotion', { timeline: '00000002' }, /timeline/],
  ['copied files', { files: '13 1000.5' }, /files/],
  ['no data', { system: '', timeline: '', files: '' }, /^$/],
] as const) {
  test(`differenceOf noted and present database, ${name}: ${expected.source}`, () => {
    assert.match(differenceOf(NOTED, { ...NOTED, ...now }), expected)
  })
}
