// One request: how it is sent, and the line that a failure shows of it.
import { type Answer, basic } from '../support/service/service.ts'
import type { World } from './world.ts'

export interface Request {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer | undefined
  /** What was done to it, for whoever reads of a failure. */
  readonly notes: readonly string[]
}

/** Sent by `Authorization: @ours`, so that a line holds no secret. */
const KEYS = ['ours', 'theirs', 'reader', 'production', 'approver'] as const

export async function sendRequest(world: World, request: Request): Promise<Answer> {
  const { method, url, body } = request
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, credentials(world, value)]),
  )
  const payload = body === undefined ? {} : { payload: body }
  return await world.service.inject({ method, url, headers, ...payload } as never)
}

function credentials(world: World, value: string | readonly string[]) {
  if (value === '@account') return world.ours.account.account_id
  const by = KEYS.find(name => value === `@${name}`)
  if (by === undefined) return value
  const { key_id, secret } = world[by]
  return basic(key_id, secret)
}

export function toLine({ body, ...request }: Request): string {
  return JSON.stringify({ ...request, body: body?.toString('latin1') })
}
