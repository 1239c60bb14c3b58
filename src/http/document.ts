// Serves files that change only with this installation's version, such as openapi.json. An answer
// has an ETag of its content, so a caller who has the content gets 304. Each file is compressed
// once for all callers.
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, codingOf, encode } from './coding.ts'

interface Content {
  readonly bytes: Buffer
  /** The ETag of the encoded bytes, as a strong ETag must be (RFC 9110, 8.8.3.3). */
  readonly etag: string
}

/** The file that /openapi.json serves, which scripts/openapi.ts writes. */
export const DOCUMENT = new URL('../../openapi.json', import.meta.url)

/** GET /openapi.json. All answers share the same bytes in memory. */
export function documentRoute(app: FastifyInstance): void {
  app.get('/openapi.json', serveDocument(DOCUMENT, 'application/json; charset=utf-8'))
}

/** Answers with the file, which the first request reads. */
function serveDocument(file: URL, type: string) {
  let read: Promise<Buffer> | undefined
  const made = new Map<Coding, Promise<Content>>()
  const make = async (coding: Coding): Promise<Content> => {
    read ??= readFile(file)
    const bytes = await encode(await read, coding, 'once')
    return { bytes, etag: tagOf(bytes) }
  }
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const coding = codingOf(request.headers['accept-encoding'])
    const content = made.get(coding) ?? make(coding)
    made.set(coding, content)
    const { bytes, etag } = await content
    // no-cache: a client may keep the file, but asks each time whether it has changed.
    void reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' })
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (coding !== 'identity') void reply.header('content-encoding', coding)
    return reply.type(type).send(bytes)
  }
}

export function tagOf(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`
}

/** Whether If-None-Match has this ETag or `*`; a weak ETag compares alike (RFC 9110, 13.1.2). */
export function isKnown(sent: string | undefined, etag: string): boolean {
  if (sent === undefined) return false
  const tags = sent.split(',').map(tag => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || sent.trim() === '*'
}
