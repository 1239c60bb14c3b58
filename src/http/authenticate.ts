// Authenticates a request: by HTTP Basic with the id and secret of an account's or a person's key,
// or by the cookie of a session. Compares secrets in constant time with reference data in memory.
// All wrong credentials get the same answer. limits.ts limits an address that sends many of them,
// but never refuses a valid key.
import type { FastifyRequest } from 'fastify'
import {
  type Account,
  type ApiKey,
  type Scope,
  scopeAllows,
  secretMatches,
} from '../accounts/rules.ts'
import { mayRunInstallation, rolesAllow } from '../accounts/user/rules.ts'
import type { Lacks } from '../accounts/user/second-factor.ts'
import { hashToken, type Session } from '../accounts/user/session.ts'
import type { Person, UserKey } from '../accounts/user/user.ts'
import { refusal } from '../values/errors.ts'
import { checkOwnHost, checkPrivate, checkSameOrigin, sessionTokenOf } from './browser.ts'
import { countFailure, countRequest, type Limits } from './limits.ts'
import type { Hosts } from './message.ts'

/**
 * The access that a route needs. `read`, `write` and `operator` are scopes of an account's keys;
 * people have roles on the account for the first two. Only people have `approve`, `own`,
 * `installation_read` (auditors and operators), `installation_write` (operators) and `person`
 * (every named person). A route for `anyone` needs no credentials, and takes a body.
 */
export type Access =
  | Scope
  | 'approve'
  | 'own'
  | 'installation_read'
  | 'installation_write'
  | 'person'
  | 'anyone'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticate` on every route of an account. */
    account: Account
    /** The person who calls in their own name; null when an account's key does. */
    person: Person | null
    /** The session by which the person calls; null for a call by a key. */
    session: OpenSession | null
    /** The id of the account's or the person's key; '' in a session. */
    key_id: string
    /** The key whose rate is limited; '' for none. */
    rate_name: string
    /** The account or person whose bodies share a memory budget. */
    caller: string
  }
  interface FastifyContextConfig {
    /** The access that the route needs. A route without a scope is public. */
    scope?: Access
    /** Whether a session must have given its password recently. */
    asksPassword?: boolean
    /** What a session may lack that calls the route; no other route takes such a session. */
    without?: readonly Lacks[]
    /** Whether only a session may call the route: a person's key gives no password. */
    ofSession?: boolean
  }
}

/** The header by which a person names the account that they work for. */
export const ACCOUNT_HEADER = 'corridor-account'

export interface OpenSession extends Session {
  readonly token_hash: Buffer
}

/** Finds a session by the hash of its token; undefined when the session is over. */
export type FindSession = (token_hash: Buffer) => Promise<Session | undefined>

interface Known {
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly userKeys: ReadonlyMap<string, UserKey>
  readonly people: ReadonlyMap<string, Person>
  readonly accounts: ReadonlyMap<string, Account>
}

/** The parts of the service that authentication uses. */
interface Means {
  readonly limits: Limits
  readonly findSession: FindSession
  readonly allowed_hosts: Hosts
}

/**
 * Sets the caller in the request, or refuses with 400, 401, 403, 421 or 429. Returns a promise only
 * for the session of a cookie.
 */
export function authenticate(
  request: FastifyRequest,
  known: Known,
  needed: Access,
  means: Means,
): void | Promise<void> {
  if (needed === 'anyone') return admitAnyone(request, means)
  const { authorization } = request.headers
  if (authorization === undefined) {
    const token = sessionTokenOf(request)
    if (token !== undefined) return admitSession(request, known, needed, { ...means, token })
    throw refusal('missing_credentials', 'Send Authorization: Basic with key id and secret.')
  }
  const credentials = readBasic(authorization)
  const { key_id = '', secret = '' } = credentials ?? {}
  const own = known.keys.get(key_id)
  const persons = known.userKeys.get(key_id)
  // Also hashes and compares for an unknown key: the time taken must not reveal which keys exist.
  const matches = secretMatches(own ?? persons, secret)
  const account = own && known.accounts.get(own.account_id)
  const person = persons && known.people.get(persons.user_name)
  if (!matches || (account === undefined && person === undefined)) {
    countFailure(means.limits, request.ip)
    throw refusal('invalid_credentials', 'The key is unknown, wrong or revoked.')
  }
  request.key_id = key_id
  // A sandbox is bounded by its quota alone, so that load can be tried on it.
  if (account?.sandbox !== true) {
    request.rate_name = key_id
    countRequest(means.limits, key_id)
  }
  request.person = person ?? null
  request.caller = person?.user ?? account?.account_id ?? ''
  if (person !== undefined) {
    admitPerson(request, known, person, needed)
    if (request.routeOptions.config.ofSession !== true) return
    throw refusal('insufficient_scope', 'Only a logged-in person may do this; a key may not.')
  }
  if (own !== undefined && account !== undefined) admitKey(request, own, account, needed)
}

function admitAnyone(request: FastifyRequest, { allowed_hosts }: Means): void {
  request.caller = request.ip
  checkOwnHost(request, allowed_hosts)
  checkSameOrigin(request, false)
}

async function admitSession(
  request: FastifyRequest,
  known: Known,
  needed: Exclude<Access, 'anyone'>,
  { limits, findSession, allowed_hosts, token }: Means & { readonly token: string },
): Promise<void> {
  checkOwnHost(request, allowed_hosts)
  checkPrivate(request)
  checkSameOrigin(request, true)
  const token_hash = hashToken(token)
  const session = token_hash && (await findSession(token_hash))
  const person = session && known.people.get(session.user_name)
  if (token_hash === undefined || session === undefined || person === undefined) {
    countFailure(limits, request.ip)
    throw refusal('session_over', 'The session is over; log in again.')
  }
  countRequest(limits, person.user)
  request.key_id = ''
  request.caller = person.user
  request.person = person
  request.session = { ...session, token_hash }
  checkComplete(request, session)
  admitPerson(request, known, person, needed)
  if (request.routeOptions.config.asksPassword === true) checkConfirmed(request)
}

/** Refuses (403) a session that lacks what the route does not do without. */
function checkComplete({ routeOptions }: FastifyRequest, { lacks }: Session): void {
  const { without = [] } = routeOptions.config
  if (lacks === null || without.includes(lacks)) return
  if (lacks === 'code') {
    throw refusal('code_needed', 'Give the code of your second factor: POST /v3/session/code.')
  }
  const message = 'Enrol a second factor first: POST /v3/session/second_factor.'
  throw refusal('enrolment_needed', message)
}

/** Refuses (403) a session that has not given its password recently. Keys pass. */
export function checkConfirmed({ session }: FastifyRequest): void {
  if (session === null || session.confirmed) return
  throw refusal('password_needed', 'Give your password again: POST /v3/session/confirm.')
}

function admitKey(
  request: FastifyRequest,
  { scope }: ApiKey,
  account: Account,
  needed: Access,
): void {
  request.account = account
  if (!isScope(needed)) {
    throw refusal('insufficient_scope', 'Only people may do this: use the key of a user.')
  }
  if (scopeAllows(scope, needed)) return
  throw refusal('insufficient_scope', `This key has scope ${scope}; ${needed} is needed.`)
}

const isScope = (needed: Access): needed is Scope =>
  needed === 'read' || needed === 'write' || needed === 'operator'

function admitPerson(
  request: FastifyRequest,
  known: Pick<Known, 'accounts'>,
  person: Person,
  needed: Exclude<Access, 'anyone'>,
): void {
  if (needed === 'person') return
  if (needed === 'installation_read' || needed === 'installation_write') {
    if (mayRunInstallation(person.role, needed === 'installation_read' ? 'read' : 'write')) return
    const role = describeRole(person)
    throw refusal('insufficient_scope', `${person.user} is ${role}, who may not do this.`)
  }
  const account_id = request.headers[ACCOUNT_HEADER]
  if (typeof account_id !== 'string') {
    const message = 'Name the account that you work for by the header Corridor-Account.'
    throw refusal('invalid_request', message, 'Corridor-Account')
  }
  const account = known.accounts.get(account_id)
  const roles = person.roles.get(account_id) ?? []
  // A person without a role gets the same answer whether the account exists or not.
  if (account === undefined || !rolesAllow(roles, needed)) {
    const has = roles.length === 0 ? 'no role' : `the role ${roles.join(', ')}`
    throw refusal(
      'insufficient_scope',
      `${person.user} has ${has} on this account; ${needed} is needed.`,
    )
  }
  request.account = account
}

function describeRole({ role }: Person): string {
  return role === 'member' ? 'a member' : `an ${role}`
}

/** Reads Basic credentials (RFC 7617): canonical base64 of a text with a colon; else undefined. */
function readBasic(header: string): { key_id: string; secret: string } | undefined {
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)
  const encoded = match?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  // Node also decodes other spellings of the same bytes; only the canonical one counts here.
  if (bytes.toString('base64') !== encoded) return undefined
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) return undefined
  return { key_id: text.slice(0, colon), secret: text.slice(colon + 1) }
}
