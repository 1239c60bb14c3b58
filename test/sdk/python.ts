// Where Python and its client are, and what tests say where there is none.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** That of the system: the client needs nothing else. */
export const python = '/usr/bin/python3'

export const PYTHON_CLIENT = fileURLToPath(new URL('../../packages/python', import.meta.url))

const found = spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'])
export const noPython =
  found.status === 0 ? false : 'NOT RUN: this machine has no Python 3.11 or newer (python3)'
