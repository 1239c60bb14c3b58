// The dated versions of the API: which one answers a request, and what the answer says of it.
import type { FastifyRequest } from 'fastify'
import { refusal } from '../errors.ts'

interface Version {
  /** The day from which it is answered; its name. */
  readonly date: string
  /** Clients are told to leave it since the one time, and it is answered until the other. */
  readonly deprecated?: { readonly since: string; readonly until: string }
}

/** Oldest first. Who names none gets the oldest, so that an upgrade changes nothing for them. */
const VERSIONS: readonly Version[] = [{ date: '2026-11-25' }]

export const VERSION_DATES: readonly string[] = VERSIONS.map(({ date }) => date)

const POLICY = '</docs/versioning>; rel="deprecation"; type="text/html"'

/** RFC 9745 and RFC 8594 say how a version that ends is announced. */
export function headersOf({ date, deprecated }: Version): Record<string, string> {
  if (deprecated === undefined) return { 'corridor-version': date }
  const since = Date.parse(deprecated.since) / 1000
  return {
    'corridor-version': date,
    deprecation: `@${since}`,
    sunset: new Date(deprecated.until).toUTCString(),
    link: POLICY,
  }
}

const HEADERS = new Map(VERSIONS.map(version => [version.date, headersOf(version)]))
const OLDEST = HEADERS.values().next().value ?? {}

/** The headers of an answer of the API: those of the version that was asked for. */
export function versionHeaders({ url, headers }: FastifyRequest): Record<string, string> {
  if (!url.startsWith('/v3/')) return {}
  return HEADERS.get(String(headers['corridor-version'])) ?? OLDEST
}

/** Refuses a version that is none (§version.known). */
export function checkVersion({ headers }: FastifyRequest): void {
  const { 'corridor-version': sent } = headers
  if (sent === undefined || HEADERS.has(String(sent))) return
  const are = VERSION_DATES.length === 1 ? 'is' : 'are'
  throw refusal(
    'unknown_version',
    `No such version. There ${are} ${VERSION_DATES.join(', ')}.`,
    'Corridor-Version',
  )
}
