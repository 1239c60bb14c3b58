// Makes and sends the answers of routes. `success` and `bare` make an answer's text once: it goes
// to the socket and, under an Idempotency-Key, into the database. `claimOf` reads that key.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashJson } from '../values/digest.ts'
import { refusal } from '../values/errors.ts'
import { codingOf, encode } from './coding.ts'
import { isKnown, tagOf } from './document.ts'
import type { Claim, Reply } from './idempotency/kept-reply.ts'

/**
 * 1 to 255 characters of visible ASCII (§idempotency.key). The IETF draft puts the key in double
 * quotes; `claimOf` removes them.
 */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/**
 * The claim that a request makes by its Idempotency-Key header; null without the header. A repeat
 * must have the same `content`: by default the body, and `{}` without a body.
 */
export function claimOf(
  request: FastifyRequest,
  operation: string,
  content: unknown = request.body ?? {},
): Claim | null {
  const header = request.headers['idempotency-key']
  if (header === undefined) return null
  const sent = typeof header === 'string' ? header : ''
  const quoted = /^"(.*)"$/.exec(sent)
  const key = quoted?.[1] ?? sent
  if (!KEY.test(key)) {
    const message = 'An Idempotency-Key has 1 to 255 visible ASCII characters.'
    throw refusal('invalid_idempotency_key', message, 'Idempotency-Key')
  }
  return { operation, key, request_hash: hashJson(content) }
}

/** Sends an answer whose body is already JSON text. */
export function send(reply: FastifyReply, { status, body, replayed, headers = {} }: Reply) {
  for (const [name, value] of Object.entries(headers)) void reply.header(name, value)
  if (replayed) void reply.header('idempotent-replayed', 'true')
  return reply.status(status).type(JSON_TEXT).send(body)
}

/** Shorter lists are not compressed: it would save few packets, and cost a thread's turn. */
const LONG_BYTES = 4 * 1024

/**
 * Sends a list, compressed when it is long and the caller accepts a coding. The payouts of a page
 * have much text in common, so the page shrinks to a tenth or less.
 */
export async function sendList({ headers }: FastifyRequest, reply: FastifyReply, answer: Reply) {
  const varies = reply.getHeader('vary')
  void reply.header('vary', varies === undefined ? ENCODING : `${varies}, ${ENCODING}`)
  const coding = codingOf(headers[ENCODING])
  if (coding === 'identity' || answer.body.length < LONG_BYTES) return send(reply, answer)
  const bytes = await encode(Buffer.from(answer.body), coding, 'each')
  void reply.header('content-encoding', coding)
  return reply.status(answer.status).type(JSON_TEXT).send(bytes)
}

const ENCODING = 'accept-encoding'
const JSON_TEXT = 'application/json; charset=utf-8'

/**
 * Sends the answer to a read of one object, with an ETag of its content. A caller who already has
 * the content gets 304. The answer stays `no-store`, because it has data of people and money: no
 * cache keeps it, and a caller keeps it by their own decision.
 */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, answer: Reply) {
  const etag = tagOf(answer.body)
  void reply.header('etag', etag)
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return send(reply, answer)
}

/** 200 with `{status, message, data}`. */
export function success(data: object): Reply {
  return { status: 200, body: enveloped(data), replayed: false }
}

/** 200 with the object itself and no envelope, as quotes are answered. */
export function bare(data: object): Reply {
  return { status: 200, body: JSON.stringify(data), replayed: false }
}

/** The envelope of a success, as text. */
export function enveloped(data: object): string {
  return JSON.stringify({ status: 'success', message: '', data })
}
