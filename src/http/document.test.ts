// How a caller requests a document: the accepted coding, and the content that it already has.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { codingOf } from './coding.ts'
import { DOCUMENT, documentRoute, isKnown } from './document.ts'

test('GET /openapi.json, ETag of a cached copy: 304 without a body; brotli and gzip: same bytes, an ETag for each encoding', async () => {
  const app = fastify()
  documentRoute(app)
  const ask = (headers = {}) => app.inject({ url: '/openapi.json', headers })
  const document = await readFile(DOCUMENT)
  const plain = await ask()
  assert.ok(document.equals(plain.rawPayload))
  assert.equal(plain.headers['content-encoding'], undefined)
  const tags = new Set([plain.headers.etag])
  for (const [coding, decompress] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { statusCode, headers, rawPayload } = await ask({ 'accept-encoding': coding })
    assert.deepEqual([statusCode, headers['content-encoding']], [200, coding])
    assert.equal(headers.vary, 'accept-encoding')
    assert.ok(document.equals(decompress(rawPayload)), coding)
    assert.ok(rawPayload.length < document.length / 4, `${coding}: ${rawPayload.length} bytes`)
    tags.add(headers.etag)
  }
  assert.equal(tags.size, 3)
  const known = await ask({ 'if-none-match': `"other", ${plain.headers.etag}` })
  assert.deepEqual([known.statusCode, known.body], [304, ''])
  assert.equal(known.headers.etag, plain.headers.etag)
  assert.equal((await ask({ 'if-none-match': '"other"' })).statusCode, 200)
})

const CODINGS = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=1.0', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.000, gzip;q=0', 'identity'],
  ['br;q=0.001', 'br'],
  ['brotli, xgzip', 'identity'],
  ['*', 'identity'],
] as const

for (const [accepts, coding] of CODINGS) {
  test(`GET /openapi.json, Accept-Encoding ${accepts}: ${coding}`, () =>
    assert.equal(codingOf(accepts), coding))
}

const KNOWN = [
  [undefined, false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
] as const

for (const [sent, known] of KNOWN) {
  test(`GET /openapi.json, If-None-Match ${sent}, ETag "a": ${known ? '304' : '200'}`, () => {
    assert.equal(isKnown(sent, '"a"'), known)
  })
}
