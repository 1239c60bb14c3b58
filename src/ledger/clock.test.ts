// Looks at the clock that overlap: an older answer never undoes a newer one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../db/connect.ts'
import { Clock } from './clock.ts'

const HOUR_MS = 3_600_000
const at = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')

/** The answer of the database at this time, after so many corrections. */
function answered(ms: number, corrections: bigint) {
  const mark = { seen_at: null, seen_by_host: null, stopped_from: null, stopped_at: null }
  return [{ now: at(ms), corrections, corrected_at: null, ...mark }]
}

test('Clock.look, an answer from before a correction that comes late: the next jump is still seen', async () => {
  const clock = new Clock()
  const began = Date.now()
  const look = (answer: Promise<unknown>) =>
    clock.look((() => answer) as unknown as Sql, { keeps: false })
  await look(Promise.resolve(answered(began, 0n)))
  const late = Promise.withResolvers<unknown>()
  const looking = look(late.promise)
  await look(Promise.resolve(answered(began, 1n)))
  late.resolve(answered(began, 0n))
  assert.equal(await looking, null)
  const jump = await look(Promise.resolve(answered(began + HOUR_MS, 1n)))
  assert.equal(jump?.found, at(began + HOUR_MS))
})
