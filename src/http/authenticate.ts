// Who is asking: HTTP Basic with an API key's id and secret, judged from memory in constant time.
// All wrong credentials get one answer, whatever is wrong with them. Too many of them are slowed
// down (limits.ts), which never keeps a valid key out, wherever it comes from.
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
    /** What a key must be allowed to; a route without one is public. */
    scope?: Scope
  }
}

interface Known {
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly accounts: ReadonlyMap<string, Account>
}

/** Sets `request.account` or refuses with 401, 403 or 429. */
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
  // Hashed and compared even when the key is unknown, so that time does not tell.
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

/** RFC 7617. Undefined unless the value is exactly one canonical base64 text with a colon in it. */
function readBasic(header: string): { key_id: string; secret: string } | undefined {
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)
  const encoded = match?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  // Node accepts many spellings of the same bytes; only the canonical one is taken.
  if (bytes.toString('base64') !== encoded) return undefined
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) return undefined
  return { key_id: text.slice(0, colon), secret: text.slice(colon + 1) }
}
