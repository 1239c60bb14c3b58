// The dated versions of the API: the version that answers a request, and the headers that name it.
import type { FastifyRequest } from 'fastify'
import { refusal } from '../values/errors.ts'

interface Version {
  /** The name of the version: the day of its first answers. */
  readonly date: string
  /** From `since` on, answers announce the end of the version. It works until `until`. */
  readonly deprecated?: { readonly since: string; readonly until: string }
}

/**
 * Oldest first. A client that names no version gets the oldest, so that an upgrade changes nothing
 * for it.
 */
const VERSIONS: readonly Version[] = [{ date: '2026-11-25' }]

export const VERSION_DATES: readonly string[] = VERSIONS.map(({ date }) => date)

const POLICY = '</docs/versioning>; rel="deprecation"; type="text/html"'

/** The headers of a version. RFC 9745 and RFC 8594 define those that announce its end. */
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

/** The version headers of an API answer: those of the requested version, else of the oldest. */
export function versionHeaders({ url, headers }: FastifyRequest): Record<string, string> {
  if (!url.startsWith('/v3/')) return {}
  return HEADERS.get(String(headers['corridor-version'])) ?? OLDEST
}

/** Refuses an unknown version (§version.known). */
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
