// Reads DATABASE_URL as libpq does: a server by TCP or by a Unix socket, with or without TLS.
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { DatabaseProblem } from './failure.ts'

interface Address {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  readonly ssl: false | TlsOptions
  /** Always set, because pg would take it from the environment otherwise. */
  readonly sslnegotiation: 'postgres'
  /** Options for the server, such as `-c search_path=books`. */
  readonly options: string | undefined
}

/** The known parameters of a URL. An unknown one might choose the schema, or ask for TLS. */
const KNOWN = ['host', 'sslmode', 'options']

/** @throws DatabaseProblem for an unknown parameter, which might be meant to protect something */
export function addressOf(url: string): Address {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const unknown = [...searchParams.keys()].find(name => !KNOWN.includes(name))
  if (unknown !== undefined) {
    throw new DatabaseProblem(
      `DATABASE_URL has the parameter ${unknown}, which is not known here: use host, sslmode ` +
        'and options (as options=-c%20search_path=books)',
    )
  }
  const folder = socketFolder(searchParams)
  if (folder === undefined && searchParams.has('host')) {
    throw new DatabaseProblem(
      'host in DATABASE_URL names no folder of a socket, which begins with /: write the name of ' +
        'a server before the database, as in postgres://user@server/database',
    )
  }
  return {
    host: folder ?? (hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost'),
    port: Number(port || 5432),
    user: decoded(username),
    password: decoded(password),
    database: decoded(pathname.slice(1)),
    // As in libpq, `sslmode` counts for TCP alone.
    ssl: folder === undefined ? tlsOf(searchParams.get('sslmode') ?? 'disable') : false,
    sslnegotiation: 'postgres',
    options: searchParams.get('options') ?? undefined,
  }
}

/** Decodes a part of the URL. Undefined for an empty one: pg then takes it from the environment. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    throw new DatabaseProblem('DATABASE_URL has a % that begins no escape: write %25')
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
