// Messages of HTTP itself, byte by byte over real connections: what has two meanings, or is no HTTP, is
// refused in the envelope of every refusal, the connection is closed, and neither it nor what follows
// on the connection changes a row. Behind each bad message stands a good payout that must not be made.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { MAX_HEADERS, MAX_URL_LENGTH } from '../../src/http/message.ts'
import { assertErrorEnvelope } from '../support/assert/check.ts'
import { type WrittenTables, watchWrittenTables } from '../support/database/written.ts'
import { localPayout } from '../support/given/bodies.ts'
import { bytesOf, type RawAnswer, talk } from '../support/network/raw-client.ts'
import {
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

let service: TestService
let account: Client
let address: string
let auth: string
let written: WrittenTables
before(async () => {
  service = await startTestService()
  address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000_000n } })
  auth = `Authorization: ${basic(account.key_id, account.secret)}`
  written = await watchWrittenTables(service.database.owner)
})
after(() => service?.close())

/** A byte a character, as messages are sent. */
const BODY = Buffer.from(JSON.stringify(localPayout)).toString('latin1')
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
const HOST = 'Host: corridor.example'
const JSON_TYPE = 'Content-Type: application/json'
const LENGTH = `Content-Length: ${BODY.length}`

const message = (line: string, headers: readonly string[], body = '', end = '\r\n') =>
  [line, ...headers, '', body].join(end)
const payout = (headers: readonly string[], body = BODY) =>
  message('POST /v3/payout HTTP/1.1', [HOST, auth, JSON_TYPE, ...headers], body)
const get = (path: string, headers: readonly string[] = []) =>
  message(`GET ${path} HTTP/1.1`, [HOST, auth, ...headers])
const good = () => payout([LENGTH])
const last = () => get('/v3/balance', ['Connection: close'])

type Message = () => string | Buffer

/** Each could be read as two different requests, by two programs in a row. */
const AMBIGUOUS: Readonly<Record<string, Message>> = {
  'length and chunks': () => payout([LENGTH, 'Transfer-Encoding: chunked'], CHUNKED),
  'chunks and length': () => payout(['Transfer-Encoding: chunked', 'Content-Length: 4'], CHUNKED),
  'two equal lengths': () => payout([LENGTH, LENGTH]),
  'two different lengths': () => payout([LENGTH, 'Content-Length: 4']),
  'a list of lengths': () => payout([`${LENGTH}, ${BODY.length}`]),
  'a length with a sign': () => payout([`Content-Length: +${BODY.length}`]),
  'a negative length': () => payout(['Content-Length: -1']),
  'a length with an exponent': () => payout(['Content-Length: 1e3']),
  'a hexadecimal length': () => payout(['Content-Length: 0x10']),
  'a length followed by letters': () => payout([`${LENGTH}abc`]),
  'an empty length': () => payout(['Content-Length: ']),
  'a length beyond 2^64': () => payout([`Content-Length: ${2n ** 64n + 4n}`]),
  'transfer coding identity': () => payout([LENGTH, 'Transfer-Encoding: identity']),
  'chunked, then identity': () => payout(['Transfer-Encoding: chunked, identity'], CHUNKED),
  'chunked in two headers': () =>
    payout(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], CHUNKED),
  'an unknown transfer coding': () => payout([LENGTH, 'Transfer-Encoding: xchunked'], CHUNKED),
  'chunked with a character before': () => payout(['Transfer-Encoding: \u000bchunked'], CHUNKED),
  'chunked in quotes': () => payout(['Transfer-Encoding: "chunked"'], CHUNKED),
  'an empty transfer coding': () => payout([LENGTH, 'Transfer-Encoding:']),
  'space before the colon': () => payout([LENGTH, 'Transfer-Encoding : chunked'], CHUNKED),
  'space before the colon of a length': () => payout([`Content-Length : ${BODY.length}`]),
  'a header folded over two lines': () => payout([LENGTH, 'X-A: 1\r\n Transfer-Encoding: chunked']),
  'the first header folded': () => `POST /v3/payout HTTP/1.1\r\n ${HOST}\r\n\r\n`,
  'line feeds only': () =>
    message('POST /v3/payout HTTP/1.1', [HOST, auth, JSON_TYPE, LENGTH], BODY, '\n'),
  'one bare line feed': () => payout([`X-A: 1\nTransfer-Encoding: chunked`, LENGTH]),
  'bare carriage returns': () => payout([`X-A: 1\rTransfer-Encoding: chunked`, LENGTH]),
  'a NUL in a value': () => payout(['X-A: 1\u0000', LENGTH]),
  'a NUL in a name': () => payout(['X\u0000A: 1', LENGTH]),
  'a control character in a value': () => payout(['X-A: \u0001', LENGTH]),
  'a space in a name': () => payout(['X A: 1', LENGTH]),
  'an empty name': () => payout([': 1', LENGTH]),
  'no colon': () => payout(['X-A', LENGTH]),
  'a name in quotes': () => payout(['"X-A": 1', LENGTH]),
  'no Host': () => message('POST /v3/payout HTTP/1.1', [auth, JSON_TYPE, LENGTH], BODY),
  'two Hosts': () => payout([LENGTH, 'Host: elsewhere.example']),
  'two equal Hosts': () => payout([LENGTH, HOST]),
  'two Hosts in different case': () => payout([LENGTH, 'hOST: elsewhere.example']),
  'two Authorizations': () => payout([LENGTH, 'Authorization: Basic eDp5']),
  'two equal Authorizations': () => payout([LENGTH, auth]),
  'two Content-Types': () => payout([LENGTH, 'Content-Type: text/plain']),
  'two Idempotency-Keys': () => payout([LENGTH, 'Idempotency-Key: a', 'Idempotency-Key: b']),
  'an unknown expectation': () => payout([LENGTH, 'Expect: the-unexpected']),
  'another host in the address': () =>
    message(
      'POST http://elsewhere.example/v3/payout HTTP/1.1',
      [HOST, auth, JSON_TYPE, LENGTH],
      BODY,
    ),
  'a user in the address': () =>
    message(
      'POST http://a@corridor.example/v3/payout HTTP/1.1',
      [HOST, auth, JSON_TYPE, LENGTH],
      BODY,
    ),
  'a chunk without a size': () =>
    payout(['Transfer-Encoding: chunked'], `\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk of a negative size': () => payout(['Transfer-Encoding: chunked'], '-1\r\n\r\n'),
  'a chunk size with 0x': () => payout(['Transfer-Encoding: chunked'], `0x${CHUNKED}`),
  'a chunk larger than 2^64': () =>
    payout(['Transfer-Encoding: chunked'], `1${'0'.repeat(17)}\r\n`),
  'a chunk longer than its size': () => payout(['Transfer-Encoding: chunked'], `1\r\n${BODY}\r\n`),
  'a line feed after a chunk size': () =>
    payout(['Transfer-Encoding: chunked'], CHUNKED.replace('\r\n', '\n')),
  'a chunk extension of 20 KiB': () =>
    payout(['Transfer-Encoding: chunked'], CHUNKED.replace('\r\n', `;a=${'x'.repeat(20_000)}\r\n`)),
}

/** No HTTP, or of another version. */
const NO_HTTP: Readonly<Record<string, Message>> = {
  'preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004',
  'TLS hello': () => Buffer.from('16030100c8010000c40303', 'hex'),
  'random bytes': () => Buffer.concat([Buffer.from([0xff]), randomBytes(500)]),
  'PROXY protocol': () => `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${good()}`,
  'HTTP/0.9': () => 'GET /v3/balance\r\n',
  'HTTP/2.0': () => good().replace('HTTP/1.1', 'HTTP/2.0'),
  'HTTPS/1.1': () => good().replace('HTTP/1.1', 'HTTPS/1.1'),
  'a method in lower case': () => good().replace('POST', 'post'),
  'an unknown method': () => good().replace('POST', 'PAY'),
  'a space in the path': () => good().replace('/v3/payout', '/v3/pay out'),
  'bytes of UTF-8 in the path': () => good().replace('/v3/payout', '/v3/caf\u00e9'),
  'a path without a slash': () => good().replace('/v3/payout', 'v3/payout'),
}

/** Larger than any request: 16 KiB of headers, 100 of them, 4,096 characters of an address. */
const TOO_LARGE: Readonly<Record<string, readonly [status: number, Message]>> = {
  'a header of 17 KiB': [431, () => payout([LENGTH, `X-A: ${'a'.repeat(17_000)}`])],
  'a name of 17 KiB': [431, () => payout([LENGTH, `${'a'.repeat(17_000)}: 1`])],
  'an address of 17 KiB': [431, () => get(`/v3/balance?a=${'a'.repeat(17_000)}`)],
  'one header too many': [431, () => payout([LENGTH, ...numbered(MAX_HEADERS - 3)])],
  'two thousand headers': [431, () => payout([LENGTH, ...numbered(2_000, 'b')])],
  'a second Host behind two thousand headers': [
    431,
    () => payout([LENGTH, ...numbered(2_000, 'b'), 'Host: elsewhere.example']),
  ],
  'an address one character too long': [
    414,
    () => get(`/v3/balance?a=`.padEnd(MAX_URL_LENGTH + 1, 'a')),
  ],
}

function numbered(count: number, name = 'X-A'): string[] {
  return Array.from({ length: count }, (_, i) => `${name}${i}:`)
}

/** Refused in the envelope as the last that is said on the connection, and nothing is written. */
async function assertRefusedAndClosed(bytes: string | Buffer, status: number): Promise<void> {
  await written()
  const followed = Buffer.concat([bytesOf(bytes), bytesOf(good())])
  const { answers, closed } = await talk(address, [followed])
  assert.deepEqual(
    answers.map(answer => answer.status),
    [status],
  )
  assertErrorEnvelope(answers[0] as RawAnswer)
  assert.equal(answers[0]?.headers.connection, 'close')
  assert.ok(closed, 'the connection is closed')
  assert.deepEqual(await written(), [])
}

for (const [what, bytes] of Object.entries({ ...AMBIGUOUS, ...NO_HTTP })) {
  test(`HTTP, ${what}: 400, closed, later bytes not executed`, async () => {
    await assertRefusedAndClosed(bytes(), 400)
  })
}

for (const [what, [status, bytes]] of Object.entries(TOO_LARGE)) {
  test(`HTTP, ${what}: ${status}, closed, later bytes not executed`, async () => {
    await assertRefusedAndClosed(bytes(), status)
  })
}

/** Unusual, with one meaning: answered like any other, on a connection that stays. */
const UNUSUAL: Readonly<Record<string, readonly [status: number, Message]>> = {
  chunks: [200, () => payout(['Transfer-Encoding: chunked'], CHUNKED)],
  'chunked in upper case': [200, () => payout(['TRANSFER-ENCODING:\tCHUNKED'], CHUNKED)],
  'chunks with an extension and a trailer': [
    200,
    () =>
      payout(
        ['Transfer-Encoding: chunked'],
        CHUNKED.replace('\r\n', ';a=b\r\n').replace(/\r\n$/, 'Authorization: Basic eDp5\r\n\r\n'),
      ),
  ],
  'an empty line before the request': [200, () => `\r\n${get('/v3/balance')}`],
  'the address with its host': [200, () => get('http://corridor.example/v3/balance')],
  'the address with its host in upper case': [200, () => get('http://CORRIDOR.example/v3/balance')],
  'headers in upper case': [
    200,
    () => get('/v3/balance').replace(auth, auth.replace('Auth', 'AUTH')),
  ],
  'two Accepts': [200, () => get('/v3/balance', ['Accept: text/html', 'Accept: */*'])],
  'bytes beyond ASCII in a header': [200, () => get('/v3/balance', ['X-A: caf\u00e9'])],
  'an unsupported upgrade': [
    200,
    () => get('/v3/balance', ['Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']),
  ],
  'a websocket': [
    200,
    () =>
      get('/v3/balance', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA==']),
  ],
  'the maximum number of headers': [200, () => get('/v3/balance', numbered(MAX_HEADERS - 2))],
  'headers of nearly 16 KiB': [200, () => get('/v3/balance', [`X-A: ${'a'.repeat(15_900)}`])],
  'an address of the maximum length': [
    400,
    () => get('/v3/balance?a='.padEnd(MAX_URL_LENGTH, 'a')),
  ],
  'the longest possible list': [200, () => get(`/v3/payout?${longestQuery()}`)],
  'expect 100-continue': [200, () => payout([LENGTH, 'Expect: 100-continue'])],
  TRACE: [405, () => get('/v3/balance').replace('GET', 'TRACE')],
  OPTIONS: [405, () => get('/v3/balance').replace('GET', 'OPTIONS')],
  'OPTIONS *': [404, () => get('*').replace('GET', 'OPTIONS')],
  PATCH: [405, () => get('/v3/balance').replace('GET', 'PATCH')],
  PROPFIND: [405, () => get('/v3/balance').replace('GET', 'PROPFIND')],
  'a method override header': [405, () => get('/v3/payout/quote').replace('GET', 'DELETE')],
  'two slashes': [404, () => get('//v3/balance')],
  'a trailing slash': [404, () => get('/v3/balance/')],
  'dot segments': [404, () => get('/v3/payout/../balance')],
  'encoded dot segments': [400, () => get('/v3/payout/%2e%2e%2fbalance')],
  "dot segments out of the documents' folder": [404, () => get('/docs/assets/../../package.json')],
  'a NUL in the path': [400, () => get('/v3/payout/%00')],
  'a NUL in the query': [400, () => get('/v3/payout?reference_id=%00')],
  'half an escape': [400, () => get('/v3/payout/%e')],
  'an id of 257 characters': [400, () => get(`/v3/payout/${'x'.repeat(257)}`)],
  'a fragment': [400, () => get('/v3/payout/x#y')],
  'a header in the query': [400, () => get('/v3/balance?a=%0d%0aX-Injected:%20yes')],
}

function longestQuery(): string {
  const id = (prefix: string) => `${prefix}_${'0'.repeat(20)}`
  const time = encodeURIComponent('2026-01-31T09:30:00.123456+00:00')
  return [
    `reference_id=${encodeURIComponent('😀'.repeat(128))}`,
    ...['gt', 'gte', 'lt', 'lte'].map(bound => `created.${bound}=${time}`),
    `limit=100&status=requires_action&currency=USDC&holding_currency=USDT`,
    `type=local_payment_network&on_behalf_of=${id('ent')}&quote=${id('poq')}`,
    `beneficiary=${id('bnf')}`,
  ].join('&')
}

for (const [what, [status, bytes]] of Object.entries(UNUSUAL)) {
  test(`HTTP, ${what}: ${status}, connection kept`, async () => {
    const { answers } = await talk(address, [bytes(), last()])
    const [first, second] = answers
    assert.equal(first?.status, status, first?.text ?? 'no answer')
    assert.equal(first?.headers['x-injected'], undefined)
    if (status >= 400) assertErrorEnvelope(first as RawAnswer)
    if (status === 405) assert.match(first?.headers.allow ?? '', /^[A-Z, ]+$/)
    // After a refusal the connection may end; after a good answer it does not.
    if (status === 200) assert.equal(second?.status, 200)
  })
}

test('HTTP/1.0 without Host: answered and closed', async () => {
  const { answers, closed } = await talk(address, [message('GET /v3/balance HTTP/1.0', [auth])])
  assert.equal(answers[0]?.status, 200)
  assert.ok(closed)
})

test('CONNECT: no tunnel, connection closed', async () => {
  const { answers, closed } = await talk(address, [
    message('CONNECT 169.254.169.254:80 HTTP/1.1', [HOST, auth]),
  ])
  assert.ok(closed)
  assert.ok(answers.every(({ status }) => status >= 400))
})

test('HTTP, pipelined requests: answered in order', async () => {
  const ids = ['a', 'b', 'c'].map(name => `${name}_1`)
  const sent = [...ids.map(id => get(`/v3/payout/${id}?${id}`)), good(), last()]
  const { answers } = await talk(address, [sent.join('')])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [400, 400, 400, 200, 200],
  )
  assert.equal(answers[3]?.json.data.object, 'payout')
})

test('HTTP, payout followed by bytes that are no HTTP: the payout gets its answer, then 400, connection closed', async () => {
  const { answers, closed } = await talk(address, [`${good()}${good()}no HTTP\r\n\r\n`])
  assert.deepEqual(
    answers.map(({ status, json }) => [status, json.data?.object]),
    [
      [200, 'payout'],
      [200, 'payout'],
      [400, undefined],
    ],
  )
  assert.ok(closed)
})

test('HTTP, body too large, still being sent: 413 delivered, connection closed', async () => {
  await written()
  const large = Buffer.alloc(8 * 1024 * 1024, ' ')
  for (const headers of [
    [`Content-Length: ${large.length}`],
    [`Content-Length: ${2 ** 40}`],
    ['Transfer-Encoding: chunked'],
  ]) {
    const chunk = headers.includes('Transfer-Encoding: chunked') ? '40000000\r\n' : ''
    const head = payout(headers, chunk)
    const { answers, closed } = await talk(address, [Buffer.concat([Buffer.from(head), large])])
    assert.deepEqual(
      answers.map(({ status, json }) => [status, json.errors[0].reason]),
      [[413, 'payload_too_large']],
      headers.join(),
    )
    assert.ok(closed, headers.join())
  }
  assert.deepEqual(await written(), [])
})

test('HTTP, message that is no HTTP, client keeps sending: disconnected', async () => {
  const { closed } = await talk(address, [
    Buffer.concat([Buffer.from('no HTTP\r\n\r\n'), randomBytes(4 * 1024 * 1024)]),
  ])
  assert.ok(closed)
})
