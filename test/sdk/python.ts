// Where Python and its client are, what tests say where there is none, and a process that calls the
// client.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** That of the system: the client needs nothing else. */
export const python = '/usr/bin/python3'

export const PYTHON_CLIENT = fileURLToPath(new URL('../../packages/python', import.meta.url))

const found = spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'])
export const noPython =
  found.status === 0 ? false : 'NOT RUN: this machine has no Python 3.11 or newer (python3)'

/** A Python process that calls the client: to start one takes longer than most calls. */
export interface PythonClient {
  /** Makes a call that client.py knows; returns what came of it. */
  call(given: object): Promise<unknown>
  close(): void
}

export function startPythonClient(): PythonClient {
  const script = fileURLToPath(new URL('./client.py', import.meta.url))
  const env = { PYTHONPATH: PYTHON_CLIENT, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' }
  const child = spawn(python, [script], { env })
  const errors = text(child.stderr)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async call(given) {
      child.stdin.write(`${JSON.stringify(given)}\n`)
      const { value, done } = await lines.next()
      return done === true ? assert.fail(await errors) : JSON.parse(value)
    },
    close: () => void child.stdin.end(),
  }
}
