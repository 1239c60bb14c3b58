// Checks that Node's test runner blames an unawaited error on the test that caused it, although
// current-test.ts removes the runner's async hook.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const FIRST = new URL('./current-test.ts', import.meta.url)

const TESTS = `
import '${FIRST}'
const { suite, test } = await import('node:test')
const { setTimeout: delay } = await import('node:timers/promises')
suite('side by side', { concurrency: true }, () => {
  test('innocent', () => delay(300))
  test('guilty', async () => {
    await delay(50)
    void delay(50).then(() => { throw new Error('stray') })
    await delay(200)
  })
  test('another', () => delay(300))
})
`

test('unhandled rejection: only the test that caused it fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-current-'))
  try {
    const file = join(folder, 'stray.mjs')
    await writeFile(file, TESTS)
    // With NODE_TEST_CONTEXT set, the child would report to the runner and not to this test.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const run = promisify(execFile)(process.execPath, ['--test-reporter=tap', file], { env })
    const { stdout } = await run.catch((error: { stdout: string }) => error)
    assert.match(stdout, /^ +not ok \d - guilty$/m, stdout)
    assert.match(stdout, /^ +ok \d - innocent$/m, stdout)
    assert.match(stdout, /^ +ok \d - another$/m, stdout)
    assert.match(stdout, /stray/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
