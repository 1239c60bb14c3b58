// Reads DATABASE_URL as libpq does: one server or several, by TCP or by a Unix socket, with or
// without TLS. No other file takes a database URL apart.
// https://www.postgresql.org/docs/current/libpq-connect.html
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { DatabaseProblem } from './failure.ts'
import { tlsWays } from './tls.ts'

/** One server of a URL, with all that a connection to it needs. */
export interface Address {
  /** The server as messages call it: as the URL writes it, or the path of its socket. */
  readonly server: string
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  /** Options for the server, such as `-c search_path=books`. */
  readonly options: string | undefined
  readonly application_name: string | undefined
  /** Undefined where the URL says nothing. */
  readonly connect_timeout_s: number | undefined
  /** The ways to connect, in the order in which they are tried; false is without TLS. */
  readonly ways: readonly (false | TlsOptions)[]
  readonly channel_binding: 'disable' | 'prefer' | 'require'
  readonly keep_alive: KeepAlive
}

/** Undefined members have the caller's default, or the system's. */
interface KeepAlive {
  readonly enable: boolean
  readonly idle_s: number | undefined
  readonly interval_s: number | undefined
  readonly count: number | undefined
}

/** The known parameters of a URL. An unknown one might choose the schema, or protect something. */
const KNOWN = [
  'host',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'channel_binding',
  'target_session_attrs',
  'connect_timeout',
  'application_name',
  'keepalives',
  'keepalives_idle',
  'keepalives_interval',
  'keepalives_count',
  'options',
] as const

const SCHEME = /^postgres(?:ql)?:\/\//
const PARTS = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]\s]*)(?::(\d{1,5}))?$/
const DEFAULT_PORT = 5432

interface Written {
  readonly user: string
  readonly password: string
  /** As written, one for each server. */
  readonly hosts: readonly string[]
  readonly database: string
  readonly parameters: URLSearchParams
}

/** Undefined for a text that is no URL of a database. */
function takeApart(url: string): Written | undefined {
  const [whole, log_in = '', hosts = '', database = '', parameters = ''] = PARTS.exec(url) ?? []
  // A password with a raw / or ? would end up in one of these, and so in the log.
  if (whole === undefined || `${database}${parameters}`.includes('@')) return undefined
  const each = hosts.split(',')
  if (!each.every(host => HOST.test(host) && portOf(host) > 0 && portOf(host) < 65_536)) {
    return undefined
  }
  const [, user = '', password = ''] = /^([^:]*)(?::(.*))?$/.exec(log_in) ?? []
  return { user, password, hosts: each, database, parameters: new URLSearchParams(parameters) }
}

const portOf = (host: string) => Number(HOST.exec(host)?.[2] ?? DEFAULT_PORT)

/** Whether the text has the form of a URL of a database. Its parts may still be refused. */
export function isDatabaseUrl(text: string): boolean {
  return takeApart(text) !== undefined
}

/**
 * The servers of a URL, in its order; never none.
 * @throws DatabaseProblem for a parameter that is unknown or cannot be obeyed, which might be meant
 * to protect something; for a file of a certificate that cannot be read
 */
export function addressesOf(url: string): readonly [Address, ...Address[]] {
  const written = takeApart(url)
  if (written === undefined) {
    throw new DatabaseProblem(
      SCHEME.test(url)
        ? 'DATABASE_URL cannot be read: write special characters of the password as %23 for #, ' +
            '%2F for /, %3F for ? and %40 for @, and servers as a:5432,b:5432'
        : 'DATABASE_URL must be like postgres://user:password@host:5432/database',
    )
  }
  const { hosts, parameters } = written
  refuseUnknown(parameters)
  const of_all = {
    user: decoded(written.user),
    password: decoded(written.password),
    database: decoded(written.database),
    ...settingsOf(parameters),
  }
  const folder = socketFolder(parameters)
  const addresses = hosts.map(host => {
    const place = placeOf(host, folder)
    return { ...place, ...of_all, ways: tlsWays(parameters, place.host) }
  })
  return addresses as [Address, ...Address[]]
}

function refuseUnknown(parameters: URLSearchParams): void {
  const known: readonly string[] = KNOWN
  for (const name of parameters.keys()) {
    if (!known.includes(name)) {
      throw new DatabaseProblem(
        `DATABASE_URL has the parameter ${name}, which is not known here: use ` +
          `${KNOWN.slice(0, -1).join(', ')} and options (as options=-c%20search_path=books)`,
      )
    }
    if (parameters.getAll(name).length > 1) {
      throw new DatabaseProblem(`DATABASE_URL has the parameter ${name} twice: write it once`)
    }
  }
}

function placeOf(host: string, folder: string | undefined) {
  const [, name = ''] = HOST.exec(host) ?? []
  const port = portOf(host)
  const here = folder ?? decoded(name.replace(/^\[(.*)\]$/, '$1')) ?? 'localhost'
  const server = here.startsWith('/') ? `${here}/.s.PGSQL.${port}` : host || 'localhost'
  return { server, host: here, port }
}

/** The parameter `host` is the folder of a socket, as in `?host=/run/postgresql`. */
function socketFolder(parameters: URLSearchParams): string | undefined {
  const folder = parameters.get('host') ?? undefined
  if (folder === undefined || folder.startsWith('/')) return folder
  throw new DatabaseProblem(
    'host in DATABASE_URL names no folder of a socket, which begins with /: write the name of ' +
      'a server before the database, as in postgres://user@server/database',
  )
}

/** The service writes, so each of these asks for the server that takes writes. */
const TARGETS = ['any', 'read-write', 'primary'] as const
const BINDINGS = ['disable', 'prefer', 'require'] as const

function settingsOf(parameters: URLSearchParams) {
  oneOf(parameters, 'target_session_attrs', TARGETS)
  const connect_timeout_s = integer(parameters, 'connect_timeout', 0, 600) || undefined
  return {
    options: parameters.get('options') ?? undefined,
    application_name: parameters.get('application_name') ?? undefined,
    connect_timeout_s,
    channel_binding: oneOf(parameters, 'channel_binding', BINDINGS) ?? 'disable',
    keep_alive: {
      enable: integer(parameters, 'keepalives', 0, 1) !== 0,
      idle_s: integer(parameters, 'keepalives_idle', 0, 86_400) || undefined,
      interval_s: integer(parameters, 'keepalives_interval', 0, 3_600) || undefined,
      count: integer(parameters, 'keepalives_count', 0, 100) || undefined,
    },
  }
}

type Known = (typeof KNOWN)[number]

function oneOf<V extends string>(
  parameters: URLSearchParams,
  name: Known,
  values: readonly V[],
): V | undefined {
  const value = parameters.get(name)
  if (value === null) return undefined
  const known = values.find(one => one === value)
  if (known !== undefined) return known
  throw new DatabaseProblem(
    `${name}=${value} in DATABASE_URL is not possible here: use ${values.join(', ')}`,
  )
}

function integer(parameters: URLSearchParams, name: Known, least: number, most: number) {
  const value = parameters.get(name)
  if (value === null) return undefined
  const number = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  throw new DatabaseProblem(`${name} in DATABASE_URL must be an integer from ${least} to ${most}`)
}

/** Decodes a part of the URL. Undefined for an empty one: pg then takes it from the environment. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    throw new DatabaseProblem('DATABASE_URL has a % that begins no escape: write %25')
  }
}

/** The servers and the database of a URL, for people; never a password. */
export function describeUrl(url: string): string {
  const addresses = addressesOf(url)
  const [{ database }] = addresses
  const servers = addresses.map(({ server }) => server).join(',')
  return database === undefined ? servers : `${servers}/${database}`
}

/** The URL of the same database at another server, `host:port`, by TCP. */
export function urlAt(url: string, server: string): string {
  const { user, password, database, parameters } = takeApart(url) as Written
  const there = new URLSearchParams(parameters)
  there.delete('host')
  const log_in = user === '' ? '' : `${user}${password === '' ? '' : `:${password}`}@`
  const query = there.size === 0 ? '' : `?${there}`
  return `postgres://${log_in}${server}/${database}${query}`
}
