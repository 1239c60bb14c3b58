// What a browser sends by itself, and what therefore does not prove who wrote the request: the
// cookie of a session, and the origin of the request. Knows no route.
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { refusal } from '../errors.ts'
import { checkHost, type Hosts, partsOfHost } from './message.ts'

/** Sent over HTTPS alone, to this host alone, whatever its subdomains do (RFC 6265bis, 4.1.3.2). */
const SECURE_COOKIE = '__Host-corridor'
/** On this machine there is no HTTPS to wait for. */
const LOCAL_COOKIE = 'corridor'

/** The token of the session in the cookie; undefined without one. */
export function sessionTokenOf(request: FastifyRequest): string | undefined {
  const name = isSecure(request) ? SECURE_COOKIE : LOCAL_COOKIE
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** The header that keeps a session in a browser, or forgets it with ''. */
export function sessionCookie(request: FastifyRequest, token: string): string {
  const secure = isSecure(request)
  const parts = [
    `${secure ? SECURE_COOKIE : LOCAL_COOKIE}=${token}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
    ...(token === '' ? ['Max-Age=0'] : []),
  ]
  return parts.join('; ')
}

const isSecure = ({ protocol }: FastifyRequest) => protocol === 'https'

/** Refuses a password or a session over a connection that others can read. */
export function checkPrivate(request: FastifyRequest): void {
  if (isSecure(request) || isLoopback(request.hostname)) return
  const message =
    'Log in over HTTPS: the proxy in front of this service says so by X-Forwarded-Proto, and ' +
    'CORRIDOR_TRUSTED_PROXIES names it.'
  throw refusal('insecure_connection', message)
}

/**
 * Refuses (421) a browser that names a host that is not this service's: any page can give its own
 * name to this address. Without a list of hosts, IP addresses and this machine count as its own.
 */
export function checkOwnHost(request: FastifyRequest, allowed: Hosts): void {
  // Behind a trusted proxy this is X-Forwarded-Host, which may be what the caller has sent.
  const { host } = request
  const { name = '' } = partsOfHost(host) ?? {}
  if (allowed.length > 0) checkHost(host, allowed)
  else if (!isLoopback(name) && isIP(name.replace(/^\[|\]$/g, '')) === 0) {
    const message = 'To use sessions by this name, set CORRIDOR_ALLOWED_HOSTS to it.'
    throw refusal('misdirected_request', message)
  }
}

/**
 * The origin at which people find this service, for links to it. Its host has passed
 * `checkOwnHost`.
 */
export function ownOrigin(request: FastifyRequest): string {
  return `${isSecure(request) ? 'https' : 'http'}://${request.host}`
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname)
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses (403) a request that a page of another site made the browser send. With `proof`, a
 * request without an origin is refused too, as every browser sends one.
 */
export function checkSameOrigin(request: FastifyRequest, proof: boolean): void {
  if (SAFE_METHODS.includes(request.method)) return
  const { 'sec-fetch-site': site, origin, host } = request.headers
  const same =
    site === undefined && origin === undefined
      ? !proof
      : site === undefined
        ? origin === `${request.protocol}://${host}`
        : site === 'same-origin'
  if (same) return
  throw refusal('cross_site_request', 'A page of another site sent this, or nothing says which.')
}
