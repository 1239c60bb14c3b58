// Puts the reader's own address and key id into the examples of a page. It never shows a secret,
// which the service does not have.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account, ApiKey } from '../account/rules.ts'
import { sessionTokenOf } from '../http/browser.ts'
import type { Person } from '../user/user.ts'
import { ADDRESS, KEY } from './snippets.ts'

export interface Known {
  readonly accounts: ReadonlyMap<string, Account>
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly people: ReadonlyMap<string, Person>
}

export interface Reader {
  readonly address: string
  /** A key of a sandbox that the reader works for; undefined when nobody is logged in. */
  readonly key: { readonly key_id: string; readonly account: Account } | undefined
}

/** Finds out who reads: it asks the API in process, with only the cookie of the request. */
export async function readerOf(
  app: FastifyInstance,
  request: FastifyRequest,
  known: Known,
): Promise<Reader> {
  const address = `${request.protocol}://${request.host}`
  const own = /^https?:\/\/[\w.:[\]-]+$/.test(address) ? address : ADDRESS
  if (sessionTokenOf(request) === undefined) return { address: own, key: undefined }
  const { cookie = '', host = '', 'x-forwarded-proto': proto } = request.headers
  const answer = await app.inject({
    url: '/v3/session',
    remoteAddress: request.socket.remoteAddress ?? '',
    headers: { cookie, host, ...(proto && { 'x-forwarded-proto': proto }) },
  })
  if (answer.statusCode !== 200) return { address: own, key: undefined }
  const { data } = answer.json<{ data: { user: string } }>()
  return { address: own, key: sandboxKeyOf(known, known.people.get(data.user)) }
}

/**
 * A key of the first sandbox where the person makes payouts. A person's own keys belong to no
 * account.
 */
function sandboxKeyOf({ accounts, keys }: Known, person: Person | undefined): Reader['key'] {
  for (const [account_id, roles] of person?.roles ?? []) {
    const account = accounts.get(account_id)
    if (account?.sandbox !== true || !roles.includes('maker')) continue
    const own = [...keys.values()].filter(key => key.account_id === account_id && !key.revoked)
    const key = own.find(({ scope }) => scope === 'write') ?? own[0]
    if (key !== undefined) return { key_id: key.key_id, account }
  }
  return undefined
}

/** The page with the reader's own address and key; neither contains marks of HTML. */
export function personal(page: string, { address, key }: Reader): string {
  const named = page.replaceAll(ADDRESS, address)
  return key === undefined ? named : named.replaceAll(KEY, `${key.key_id}:YOUR_SECRET`)
}
