// Looks at the clock that overlap: an older answer never undoes a newer one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../sql/connect.ts'
import { Clock } from './clock.ts'

const HOUR_MS = 3_600_000
const at = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')

/** The answer of the database at this time, after so many corrections. */
function answered(ms: number, corrections: bigint) {
  const mark = { seen_at: null, seen_by_host: null, stopped_from: null, stopped_at: null }
  return [{ now: at(ms), corrections, corrected_at: null, ...mark }]
}

/** A function that looks through the same connections each time, with the answer for this look. */
function looker(clock: Clock) {
  const answers: unknown[] = []
  const sql = (async () => answers.shift()) as unknown as Sql
  return (answer: unknown) => {
    answers.push(answer)
    return clock.look(sql, { keeps: false })
  }
}

test('Clock.look, an answer from before a clock correction arrives late: the next jump is still detected', async () => {
  const clock = new Clock()
  const began = Date.now()
  const look = looker(clock)
  await look(answered(began, 0n))
  const late = Promise.withResolvers<unknown>()
  const looks = [look(late.promise), look(answered(began, 1n))]
  setImmediate(() => late.resolve(answered(began, 0n)))
  assert.deepEqual(await Promise.all(looks), [null, null])
  const jump = await look(answered(began + HOUR_MS, 1n))
  assert.equal(jump?.found, at(began + HOUR_MS))
})

test('Clock.look, database with fewer clock corrections, as after a restore: its clock is accepted', async () => {
  const clock = new Clock()
  const began = Date.now()
  const look = looker(clock)
  await look(answered(began + HOUR_MS, 1n))
  assert.equal(await look(answered(began, 0n)), null)
  assert.notEqual(await look(answered(began + HOUR_MS, 0n)), null)
})

test('Clock.look, database clock already stopped by another process: reports the same jump', async () => {
  const clock = new Clock()
  const began = Date.now()
  await looker(clock)(answered(began, 0n))
  const [row] = answered(began + HOUR_MS, 1n)
  const seen = { seen_at: at(began), seen_by_host: at(began) }
  const stopped = { stopped_from: at(began), stopped_at: at(began + HOUR_MS) }
  const jump = await looker(clock)([{ ...row, ...seen, ...stopped }])
  assert.equal(jump?.found, at(began + HOUR_MS))
})

test('Clock.look, previous look failed: the next look asks again', async () => {
  const clock = new Clock()
  const look = looker(clock)
  await assert.rejects(look(Promise.reject(new Error('away'))), /away/)
  assert.equal(await look(answered(Date.now(), 0n)), null)
})
