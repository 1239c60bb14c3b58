// DATABASE_URL, as libpq reads it: a server by TCP or by a Unix socket, and whether it takes TLS.
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { DatabaseProblem } from './failure.ts'

interface Address {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  readonly ssl: false | TlsOptions
  /** Said, as pg would ask the environment. */
  readonly sslnegotiation: 'postgres'
}

/** @throws DatabaseProblem for a word of `sslmode` that is not known */
export function addressOf(url: string): Address {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const folder = socketFolder(searchParams)
  return {
    host: folder ?? (hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost'),
    port: Number(port || 5432),
    user: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    database: decodeURIComponent(pathname.slice(1)) || undefined,
    // As in libpq, `sslmode` counts for TCP alone.
    ssl: folder === undefined ? tlsOf(searchParams.get('sslmode') ?? 'disable') : false,
    sslnegotiation: 'postgres',
  }
}

/**
 * The Unix socket that a URL names: the parameter `host` is the folder of the socket, as in
 * `postgres://corridor@localhost/corridor?host=/run/postgresql`. Undefined for TCP.
 * https://www.postgresql.org/docs/current/libpq-connect.html
 */
export function socketOf(url: string): string | undefined {
  const { searchParams, port } = new URL(url)
  const folder = socketFolder(searchParams)
  return folder === undefined ? undefined : `${folder}/.s.PGSQL.${port || 5432}`
}

function socketFolder(parameters: URLSearchParams): string | undefined {
  const folder = parameters.get('host')
  return folder?.startsWith('/') ? folder : undefined
}

function tlsOf(mode: string): false | TlsOptions {
  switch (mode) {
    case 'disable':
      return false
    case 'require':
      return { rejectUnauthorized: false }
    case 'verify-full':
      return {}
    default:
      throw new DatabaseProblem(
        `sslmode=${mode} in DATABASE_URL is not known here: use disable, require or verify-full`,
      )
  }
}
