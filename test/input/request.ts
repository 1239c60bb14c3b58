// One request as it is sent, and as one line that sends it again: `REPLAY='…' npm test -- test/input`.
// In a line, objects of the world go by name (`<own.pot.0>`), as ids differ from run to run.
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

/** Sent by `Authorization: @ours`, so that a line holds no secret and can be sent again. */
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

export function toLine(world: World, { method, url, headers, body, notes }: Request): string {
  const named = (text: string) => {
    return names(world).reduce((line, [name, id]) => line.replaceAll(id, name), text)
  }
  const bytes = body && Buffer.from(named(body.toString('latin1')), 'latin1').toString('base64')
  const line = { method, url: named(url), headers, body: bytes, notes }
  return named(JSON.stringify(line)).replaceAll("'", '\\u0027')
}

export function fromLine(world: World, line: string): Request {
  const actual = (text: string) => {
    return names(world).reduce((known, [name, id]) => known.replaceAll(name, id), text)
  }
  const { body, ...request } = JSON.parse(actual(line))
  const bytes = body && Buffer.from(body, 'base64').toString('latin1')
  return { ...request, body: bytes && Buffer.from(actual(bytes), 'latin1') }
}

function names({ own, foreign }: World): [name: string, id: string][] {
  return Object.entries({ own, foreign }).flatMap(([whose, ids]) =>
    [...ids].flatMap(([prefix, of]) =>
      of.map((id, i): [string, string] => [`<${whose}.${prefix}.${i}>`, id]),
    ),
  )
}
