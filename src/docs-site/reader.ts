// Puts the service's address and the reader's key id into a page. Shows no secret: none is kept.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account, ApiKey } from '../accounts/rules.ts'
import type { Person } from '../accounts/user/user.ts'
import { ownOrigin, sessionTokenOf } from '../http/browser.ts'
import { ADDRESS, KEY } from './snippets.ts'

export interface KnownReaders {
  readonly accounts: ReadonlyMap<string, Account>
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly people: ReadonlyMap<string, Person>
}

export interface Reader {
  readonly address: string
  /** A key of a sandbox that the reader works for; undefined when nobody is logged in. */
  readonly key: { readonly key_id: string; readonly account: Account } | undefined
}

/** Asks the API in process for the session of the request's cookie. */
export async function findReader(
  app: FastifyInstance,
  request: FastifyRequest,
  known: KnownReaders,
): Promise<Reader> {
  const address = ownOrigin(request)
  const own = /^https?:\/\/[\w.:[\]-]+$/.test(address) ? address : ADDRESS
  if (sessionTokenOf(request) === undefined) return { address: own, key: undefined }
  const { cookie = '', host = '', 'x-forwarded-proto': proto } = request.headers
  const answer = await app.inject({
    url: '/v3/session',
    remoteAddress: request.socket.remoteAddress ?? '',
    headers: { cookie, host, ...(proto && { 'x-forwarded-proto': proto }) },
  })
  if (answer.statusCode !== 200) return { address: own, key: undefined }
  const { data } = answer.json<{ data: { user: string; lacks: string | null } }>()
  if (data.lacks !== null) return { address: own, key: undefined }
  return { address: own, key: sandboxKeyOf(known, known.people.get(data.user)) }
}

/** The account's key, because a person's own keys belong to no account. */
function sandboxKeyOf({ accounts, keys }: KnownReaders, person: Person | undefined): Reader['key'] {
  for (const [account_id, roles] of person?.roles ?? []) {
    const account = accounts.get(account_id)
    if (account?.sandbox !== true || !roles.includes('maker')) continue
    const own = [...keys.values()].filter(key => key.account_id === account_id && !key.revoked)
    const key = own.find(({ scope }) => scope === 'write') ?? own[0]
    if (key !== undefined) return { key_id: key.key_id, account }
  }
  return undefined
}

/** Neither needs escaping in HTML. */
export function personalize(page: string, { address, key }: Reader): string {
  const named = page.replaceAll(ADDRESS, address)
  return key === undefined ? named : named.replaceAll(KEY, `${key.key_id}:YOUR_SECRET`)
}
