// Authenticates a request: HTTP Basic with the id and secret of an API key, compared in constant
// time with what the process holds in memory. All wrong credentials get the same answer. limits.ts
// slows down an address that sends many of them, and never refuses a valid key for it.
import type { FastifyRequest } from 'fastify'
import {
  type Account,
  type ApiKey,
  type Scope,
  scopeAllows,
  secretMatches,
} from '../account/rules.ts'
import { refusal } from '../errors.ts'
import { countFailure, countRequest, type Limits } from './limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticate` on every route of the API. */
    account: Account
    key_id: string
  }
  interface FastifyContextConfig {
    /** The scope that a key needs. A route without a scope is public. */
    scope?: Scope
  }
}

interface Known {
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly accounts: ReadonlyMap<string, Account>
}

/** Sets `request.account` and `request.key_id`, or refuses with 401, 403 or 429. */
export function authenticate(
  request: FastifyRequest,
  known: Known,
  needed: Scope,
  limits: Limits,
): void {
  const { authorization } = request.headers
  if (authorization === undefined) {
    throw refusal('missing_credentials', 'Send Authorization: Basic with key id and secret.')
  }
  const credentials = readBasic(authorization)
  const key = credentials && known.keys.get(credentials.key_id)
  // An unknown key is hashed and compared too: the time taken must not reveal which keys exist.
  const matches = secretMatches(key, credentials?.secret ?? '')
  const account = key && known.accounts.get(key.account_id)
  if (!matches || key === undefined || account === undefined) {
    countFailure(limits, request.ip)
    throw refusal('invalid_credentials', 'The API key is unknown, wrong or revoked.')
  }
  countRequest(limits, key.key_id)
  if (!scopeAllows(key.scope, needed)) {
    throw refusal('insufficient_scope', `This key has scope ${key.scope}; ${needed} is needed.`)
  }
  request.account = account
  request.key_id = key.key_id
}

/** Basic credentials by RFC 7617: one canonical base64 text that holds a colon, else undefined. */
function readBasic(header: string): { key_id: string; secret: string } | undefined {
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)
  const encoded = match?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  // Node decodes many spellings of the same bytes; this takes the canonical one alone.
  if (bytes.toString('base64') !== encoded) return undefined
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) return undefined
  return { key_id: text.slice(0, colon), secret: text.slice(colon + 1) }
}
