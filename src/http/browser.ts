// Reads what a browser adds to a request by itself. The cookie of a session does not prove that the
// user made the request; the origin shows whether a page of another site did. Knows no route.
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isZone } from '../values/calendar/rules.ts'
import { refusal } from '../values/errors.ts'
import { checkHost, type Hosts, partsOfHost } from './message.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** CORRIDOR_PUBLIC_URL; '' without one. */
    public_url: string
  }
}

/** Sent only over HTTPS and to this host, whatever its subdomains do (RFC 6265bis, 4.1.3.2). */
const SECURE = '__Host-'

/** The cookies of the service. On this machine, where they need no HTTPS, they have these names. */
const SESSION = 'corridor'
const DEVICE = 'corridor-device'
/** What a browser keeps while its person logs in at the provider. */
const FLOW = 'corridor-flow'
const FLOW_S = 600
/** Written by a script, so it has the same name everywhere. */
const ZONE = 'corridor-zone'

/** The token of the session in the cookie; undefined without a cookie. */
export function sessionTokenOf(request: FastifyRequest): string | undefined {
  return cookieOf(request, SESSION)
}

/** The token by which a device on which somebody has logged in is known; undefined without one. */
export function deviceTokenOf(request: FastifyRequest): string | undefined {
  return cookieOf(request, DEVICE)
}

/** What the browser kept when its person left for the provider; undefined without it. */
export function flowOf(request: FastifyRequest): string | undefined {
  return cookieOf(request, FLOW)
}

/** Sent when the provider leads back, which is another site. The text '' deletes it. */
export function flowCookie(request: FastifyRequest, text: string): string {
  return writeCookie(request, `${FLOW}=${text}`, 'Lax', text === '' ? 0 : FLOW_S)
}

/**
 * The reader's time zone, which the console's script puts into a cookie; UTC without a known zone.
 * It decides which days a page means, and nothing else.
 */
export function zoneOf(request: FastifyRequest): string {
  const zone = namedCookie(request, ZONE) ?? ''
  return zone.length <= 64 && isZone(zone) ? zone : 'UTC'
}

function cookieOf(request: FastifyRequest, cookie: string): string | undefined {
  return namedCookie(request, `${isSecure(request) ? SECURE : ''}${cookie}`)
}

function namedCookie(request: FastifyRequest, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** The Set-Cookie header that stores a session in a browser. The token '' deletes it. */
export function sessionCookie(request: FastifyRequest, token: string): string {
  return writeCookie(request, `${SESSION}=${token}`, 'Lax', token === '' ? 0 : undefined)
}

/** The Set-Cookie header by which a device is known for some days. */
export function deviceCookie(request: FastifyRequest, token: string, days: number): string {
  return writeCookie(request, `${DEVICE}=${token}`, 'Strict', days * 86_400)
}

function writeCookie(
  request: FastifyRequest,
  pair: string,
  site: 'Lax' | 'Strict',
  age_s: number | undefined,
): string {
  const secure = isSecure(request)
  const parts = [
    `${secure ? SECURE : ''}${pair}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${site}`,
    ...(secure ? ['Secure'] : []),
    ...(age_s === undefined ? [] : [`Max-Age=${age_s}`]),
  ]
  return parts.join('; ')
}

const isSecure = ({ protocol }: FastifyRequest) => protocol === 'https'

/** Refuses (403) a password or a session over a connection that others can read. */
export function checkPrivate(request: FastifyRequest): void {
  if (isSecure(request) || isLoopback(request.hostname)) return
  const message =
    'Log in over HTTPS: the proxy in front of this service must send X-Forwarded-Proto, and ' +
    'CORRIDOR_TRUSTED_PROXIES must name the proxy.'
  throw refusal('insecure_connection', message)
}

/**
 * Refuses (421) a host that is not this service's: any site can point its own name to this address
 * (DNS rebinding). Without a list of hosts, IP addresses and this machine count as the service's.
 */
export function checkOwnHost(request: FastifyRequest, allowed: Hosts): void {
  // Behind a trusted proxy this is X-Forwarded-Host, which the caller may have sent.
  const { host } = request
  const { name = '' } = partsOfHost(host) ?? {}
  const { public_url } = request.server
  if (allowed.length > 0) checkHost(host, allowed)
  else if (public_url !== '' && new URL(public_url).host === host.toLowerCase()) return
  else if (!isLoopback(name) && isIP(name.replace(/^\[|\]$/g, '')) === 0) {
    const message = 'For sessions under this host name, set CORRIDOR_ALLOWED_HOSTS to the name.'
    throw refusal('misdirected_request', message)
  }
}

/**
 * This service's origin, for links to it: CORRIDOR_PUBLIC_URL, or that of the request, whose host
 * must have passed `checkOwnHost` before somebody else gets the link.
 */
export function ownOrigin(request: FastifyRequest): string {
  const { public_url } = request.server
  if (public_url !== '') return public_url
  return `${isSecure(request) ? 'https' : 'http'}://${request.host}`
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname)
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses (403) a request that a page of another site made the browser send. With `proof`, also
 * refuses a request without an origin, because every browser sends one.
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
  throw refusal('cross_site_request', 'Another site sent this request, or it has no Origin header.')
}
