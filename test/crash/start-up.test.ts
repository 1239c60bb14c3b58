// How long a start takes, from the command to the first answer: on an empty folder and on one that
// has been used. Prints the figures; fails only far beyond the promise.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningProcess, startProcess } from '../support/service/process.ts'

/** A busy machine is no fault of the service: the promises are a third of these. */
const EMPTY_LIMIT_MS = 3 * 8_000
const USED_LIMIT_MS = 3 * 3_000

let folder: string
let service: RunningProcess | undefined

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-start-'))
  await chmod(folder, 0o711)
})
after(async () => {
  await service?.kill()
  await rm(folder, { recursive: true, force: true })
})

for (const [state, limit_ms] of [
  ['empty', EMPTY_LIMIT_MS],
  ['used', USED_LIMIT_MS],
] as const) {
  test(`corridor start, ${state} data folder: answers in time, ends with code 0`, async t => {
    const started = performance.now()
    service = await startProcess({ CORRIDOR_DATA: folder, CORRIDOR_DRAIN_MS: '0' })
    const answer = await fetch(`${service.address}/readyz`)
    const took_ms = Math.round(performance.now() - started)
    assert.equal(answer.status, 200)
    t.diagnostic(`${state} folder to first answer: ${took_ms} ms`)
    assert.ok(took_ms < limit_ms, `${took_ms} ms`)
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
  })
}
