// Where a command comes from, as the operating system tells it: its user, host and terminal. A
// person chooses CORRIDOR_USER; the audit log has this beside it.
import { readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { isatty } from 'node:tty'
import type { Origin } from '../ledger/audit/store.ts'

/** The longest value that the audit log gets, in characters. */
const MAX_LENGTH = 100

/** The origin of this process's commands, without what is not known. */
export function originOfCommand(environment: NodeJS.ProcessEnv = process.env): Origin {
  const known = {
    os_user: userName(),
    host: hostname(),
    terminal: terminalName(),
    sudo_user: environment.SUDO_USER ?? '',
  }
  const told = Object.entries(known).filter(([, value]) => value !== '')
  return Object.fromEntries(told.map(([name, value]) => [name, value.slice(0, MAX_LENGTH)]))
}

/** The name of the user that the process runs as; its number if it has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** The terminal of the first standard stream that has one; '' for a command without a terminal. */
function terminalName(): string {
  const stream = [0, 1, 2].find(isatty)
  if (stream === undefined) return ''
  try {
    return readlinkSync(`/proc/self/fd/${stream}`)
  } catch {
    // A system without /proc does not tell its name.
    return 'a terminal'
  }
}
