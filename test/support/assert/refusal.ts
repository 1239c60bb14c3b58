// Asserts that a pure rule refuses, at which member, and in which words.
import assert from 'node:assert/strict'
import { Refusal } from '../../../src/values/errors.ts'

/** The rule refuses with one problem, at this member. */
export function assertRefusedAt(judge: () => unknown, member: string, message: RegExp): void {
  assert.throws(judge, (error: unknown) => {
    assert.ok(error instanceof Refusal)
    assert.deepEqual(
      error.problems.map(({ remarks }) => remarks),
      [member],
    )
    assert.match(error.message, message)
    return true
  })
}
