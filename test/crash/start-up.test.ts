// How long a start takes, from the command to the first answer: on an empty folder and on one that
// has been used.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type RunningProcess, startProcess } from '../support/service/process.ts'
import { LONG, promised } from '../support/share.ts'

const EMPTY_LIMIT_MS = 8_000
const USED_LIMIT_MS = 3_000

let service: RunningProcess | undefined

const folder = await mkdtemp(join(tmpdir(), 'corridor-start-'))
await chmod(folder, 0o711)
after(async () => {
  await service?.kill()
  await rm(folder, { recursive: true, force: true })
})

for (const [state, limit_ms] of [
  ['empty', EMPTY_LIMIT_MS],
  ['used', USED_LIMIT_MS],
] as const) {
  test(`corridor start, ${state} data folder: answers, ends with code 0`, {
    skip: !LONG && 'what else starts shows it, and the figures are those of the long run',
  }, async t => {
    const started = performance.now()
    service = await startProcess({ CORRIDOR_DATA: folder, CORRIDOR_DRAIN_MS: '0' })
    const answer = await fetch(`${service.address}/readyz`)
    assert.equal(answer.status, 200)
    promised(t, `${state} folder to first answer`, performance.now() - started, limit_ms)
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
  })
}
