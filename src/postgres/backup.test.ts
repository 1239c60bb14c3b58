// What the warnings of a base backup mean.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemIn } from './backup.ts'

const GREW =
  'could not verify checksum in file "./base/13508/17104", block 24: read buffer size 28672 and page size 8192 differ'
const FAILED =
  'checksum verification failed in file "./base/5/2601", block 7: calculated 1A2B but expected 3C4D'

test('warning of a file that grew while it was read: not checked, and no word of damage', () => {
  const { message } = problemIn([GREW, GREW])
  assert.match(
    message,
    /^PostgreSQL could not check a file, which grew while it was read.*block 24/,
  )
  assert.doesNotMatch(message, /damaged/)
})

test('warning of a wrong checksum, also behind one of a file that grew: the cluster is damaged', () => {
  for (const warnings of [[FAILED], [GREW, FAILED]]) {
    assert.equal(problemIn(warnings).message, `the cluster is damaged: ${FAILED}`)
  }
})
