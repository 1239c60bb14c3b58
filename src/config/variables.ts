// Which environment variables are ours, and which only look like ours: a mistyped one must not let
// a default count. Also reads secrets from the files that variables name.
import { closeSync, openSync, readSync } from 'node:fs'
import { nearestOf } from '../values/text/nearest.ts'
import { SETTINGS } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Settings that may hold a secret. The variable NAME_FILE names a file with the value. */
const SECRETS: readonly string[] = SETTINGS.flatMap(setting =>
  'secret' in setting ? [setting.name] : [],
)
const FILE = '_FILE'
const NAMES: readonly string[] = [
  ...SETTINGS.map(({ name }) => name),
  ...SECRETS.map(name => name + FILE),
]

/** Variables of earlier versions, and the commands that now replace them. */
const REMOVED: Readonly<Record<string, string>> = {
  CORRIDOR_QUOTE_VALIDITY_S: 'corridor pricing set --quote-validity-s 1800',
  CORRIDOR_RATE_SPREAD_BPS: 'corridor pricing set --spread-bps 50',
  CORRIDOR_RATE_MAX_AGE_S: 'corridor pricing set --max-age-s 86400',
  CORRIDOR_RATE_PIVOT: 'corridor pricing set --pivot EUR',
}

/** Either names the database. */
const URLS: readonly string[] = ['DATABASE_URL', `DATABASE_URL${FILE}`]

/** Every variable with such a name is ours, or mistyped. */
const OURS = /^(CORRIDOR|DATABASE)_/i

/**
 * Variables that say where a PostgreSQL is. Who sets one of them, and neither DATABASE_URL nor
 * CORRIDOR_DATA, means that PostgreSQL. Variables that only say how to connect to any of them, such
 * as PGPASSWORD, PGUSER or POSTGRES_PASSWORD, are part of many machines, and are ignored.
 */
const PLACES = new RegExp(
  '^(PG(HOST|HOSTADDR|DATABASE|SERVICE)|' +
    '(PG|POSTGRES|POSTGRESQL)_(\\w+_)?(URL|URI|DSN|HOST|HOSTNAME)(_FILE)?)$',
  'i',
)

/** Kubernetes and Docker set these for each service that they know, whatever its name is. */
const LINKS = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?$/

const isLink = (env: Environment, name: string) =>
  LINKS.test(name) || (name.endsWith('_PORT') && /^(tcp|udp):\/\//.test(env[name] ?? ''))

/** @throws ConfigError that names the first variable that looks like ours and is not */
export function checkVariables(env: Environment = process.env): void {
  const chosen = [...URLS, 'CORRIDOR_DATA'].some(one => env[one])
  for (const name of Object.keys(env).sort()) {
    if (NAMES.includes(name) || isLink(env, name)) continue
    if (OURS.test(name)) throw unknown(name)
    if (!chosen && env[name] && PLACES.test(name)) {
      throw new ConfigError(
        `${name} is not read: set DATABASE_URL to use that PostgreSQL, or CORRIDOR_DATA=./data ` +
          'to use the embedded one',
      )
    }
  }
  for (const name of SECRETS) {
    if (!env[name] || !env[name + FILE]) continue
    throw new ConfigError(`${name} and ${name}${FILE} are both set: unset one of them`)
  }
  if (!chosen && env.CORRIDOR_DEFAULT_DATA === 'off') {
    throw new ConfigError(
      'no database is chosen: set DATABASE_URL or DATABASE_URL_FILE, or CORRIDOR_DATA to a ' +
        'folder that is kept, such as a volume, to use the embedded one',
    )
  }
  const empty = URLS.find(one => env[one] === '')
  if (!chosen && empty !== undefined) {
    throw new ConfigError(
      `${empty} is set and empty, as when a secret is missing: unset it to use the embedded ` +
        'database, or set CORRIDOR_DATA=./data',
    )
  }
}

function unknown(name: string): ConfigError {
  const instead = REMOVED[name]
  if (instead !== undefined) {
    return new ConfigError(`${name} is in the database now: unset it and run: ${instead}`)
  }
  if (NAMES.some(one => name === one + FILE)) {
    return new ConfigError(`${name} is unknown; ${name.slice(0, -FILE.length)} holds no secret`)
  }
  // Compares without the prefix, because some settings lack it: PORT, HOST.
  const short = (text: string) => text.replace(/^CORRIDOR_/i, '')
  const meant = nearestOf(short(name), NAMES.map(short))
  const near = NAMES.find(one => short(one) === meant)
  const setting = near ?? (/^DATABASE_/i.test(name) ? 'DATABASE_URL' : undefined)
  const hint = setting === undefined ? 'docs/operations.md lists all' : `did you mean ${setting}?`
  return new ConfigError(`${name} is unknown; ${hint}`)
}

const MOST_BYTES = 64 * 1024

/** The environment with the secrets that files hold. No error repeats what a file holds. */
export function withSecrets(env: Environment): Environment {
  const read = SECRETS.flatMap(name => {
    const path = env[name + FILE]
    return path ? [[name, secretIn(name + FILE, path)] as const] : []
  })
  return read.length === 0 ? env : { ...env, ...Object.fromEntries(read) }
}

function secretIn(name: string, path: string): string {
  const text = readStart(name, path).trim()
  if (text !== '' && !/[\r\n\0]/.test(text)) return text
  throw new ConfigError(`${name} must name a file with one line, the secret; "${path}" has none`)
}

/** Reads no more than it may: a path such as /dev/zero has no end. */
function readStart(name: string, path: string): string {
  const bytes = Buffer.alloc(MOST_BYTES + 1)
  let length = 0
  try {
    const file = openSync(path, 'r')
    try {
      let read = 0
      do {
        read = readSync(file, bytes, length, bytes.length - length, null)
        length += read
      } while (read > 0 && length < bytes.length)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`${name} must name a file with a secret; "${path}" is not read: ${code}`)
  }
  if (length <= MOST_BYTES) return bytes.toString('utf8', 0, length)
  throw new ConfigError(`${name} must name a file of at most 64 KiB; "${path}" is larger`)
}
