// Each message has one meaning: what two readers could take for two things is refused, and changes no
// row; and every answer says how it may be read and kept. One row for each point.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertErrorEnvelope, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { talk } from '../support/network/raw-client.ts'
import { basic, startTestService } from '../support/service/service.ts'

const hosts = { allowed_hosts: ['api.example', '10.0.0.7:8080', '[fd00::1]'] }
const service = await startTestService({ webhook_allow_private: true, ...hosts })
const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
const auth = `Authorization: ${basic(account.key_id, account.secret)}`
after(() => service.close())

/** In ASCII, as messages are written byte by byte here. */
const BODY = JSON.stringify(localPayout).replaceAll('’', ' ')
const CLOSE = 'Connection: close'
const JSON_TYPE = 'Content-Type: application/json'

function post(path: string, body: string, headers: readonly string[], host = 'api.example') {
  const length = headers.some(header => /^transfer/i.test(header))
    ? []
    : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]
  return [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    CLOSE,
    auth,
    ...length,
    ...headers,
    '',
    body,
  ].join('\r\n')
}
const get = (path: string, host = 'api.example') =>
  [`GET ${path} HTTP/1.1`, `Host: ${host}`, CLOSE, auth, '', ''].join('\r\n')

const paid = (headers: readonly string[], body = BODY) => post('/v3/payout', body, headers)
const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
const packed = gzipSync(BODY).toString('latin1')
const hook = (url: string) => post('/v3/webhook_endpoint', JSON.stringify({ url }), [JSON_TYPE])
const utf16 = Buffer.from(BODY, 'utf16le').toString('latin1')

type Row = readonly [what: string, message: () => string, status: number, reason: string]

const REFUSED: readonly Row[] = [
  ...['gzip', 'gzip, identity', '""'].map((coding): Row => {
    const headers = [JSON_TYPE, `Content-Encoding: ${coding}`]
    return [`Content-Encoding: ${coding}`, () => paid(headers), 415, 'unsupported_media_type']
  }),
  [
    'a compressed body, declared so',
    () => paid([JSON_TYPE, 'Content-Encoding: gzip'], packed),
    415,
    'unsupported_media_type',
  ],
  ...['gzip, chunked', 'chunked, chunked'].map((coding): Row => {
    const headers = [JSON_TYPE, `Transfer-Encoding: ${coding}`]
    return [`Transfer-Encoding: ${coding}`, () => paid(headers, chunked), 400, 'invalid_request']
  }),
  ...['charset="utf-16"', 'charset=utf-8; charset=utf-16', 'charset='].map((parameter): Row => {
    const headers = [`${JSON_TYPE}; ${parameter}`]
    return [parameter, () => paid(headers), 415, 'unsupported_media_type']
  }),
  ['a body in UTF-16', () => paid([JSON_TYPE], utf16), 400, 'invalid_json'],
  ['%ff in a path', () => get('/v3/payout/%ff'), 400, 'invalid_request'],
  ['%ff in a query', () => get('/v3/payout?reference_id=%ff'), 400, 'invalid_query_parameter'],
  ['% alone', () => get('/v3/payout?reference_id=100%'), 400, 'invalid_query_parameter'],
  ['%zz in a name', () => get('/v3/payout?%zz=1'), 400, 'invalid_query_parameter'],
  ['a surrogate', () => get('/v3/payout?reference_id=%ed%a0%80'), 400, 'invalid_query_parameter'],
  ...[0, 25, 10080].map(
    (port): Row => [
      `a webhook to port ${port}`,
      () => hook(`http://127.0.0.1:${port}/hook`),
      400,
      'invalid_field',
    ],
  ),
  ['another host', () => get('/v3/balance', 'evil.example'), 421, 'misdirected_request'],
  [
    'a payout by another host',
    () => post('/v3/payout', BODY, [JSON_TYPE], 'evil.example'),
    421,
    'misdirected_request',
  ],
  [
    'a host that begins with an allowed one',
    () => get('/v3/balance', 'api.example.evil'),
    421,
    'misdirected_request',
  ],
  [
    'another port of an address',
    () => get('/v3/balance', '10.0.0.7:9'),
    421,
    'misdirected_request',
  ],
]

describe('HTTP message read differently by proxies', () => {
  for (const [what, message, status, reason] of REFUSED) {
    test(`${what}: ${status} ${reason}, no row changes`, async () => {
      const rows = await rowVersions(service.database.owner)
      const { answers } = await talk(address, [message()], 10_000)
      const [answer] = answers
      assert.equal(answers.length, 1)
      assert.equal(answer?.status, status, String(answer?.text))
      assertErrorEnvelope(answer as never)
      assert.equal(answer?.json.errors[0].reason, reason, String(answer?.text))
      assert.match(String(answer?.headers['x-request-id']), /^req_/)
      assert.deepEqual(await rowVersions(service.database.owner), rows)
    })
  }
})

const TAKEN: readonly (readonly [what: string, message: () => string])[] = [
  ['Content-Encoding: identity', () => paid([JSON_TYPE, 'Content-Encoding: identity'])],
  ['Transfer-Encoding: Chunked', () => paid([JSON_TYPE, 'Transfer-Encoding: Chunked'], chunked)],
  ['charset=UTF-8', () => paid([`${JSON_TYPE};charset=UTF-8`])],
  ['charset="utf-8"', () => paid([`${JSON_TYPE}; charset="utf-8"`])],
  ['%C3%BC in a query', () => get('/v3/payout?reference_id=%C3%BC')],
  ['a webhook to port 26', () => hook('http://127.0.0.1:26/hook')],
  ['the host with a port and a dot', () => get('/v3/balance', 'API.example.:8443')],
  ['the address with its port', () => get('/v3/balance', '10.0.0.7:8080')],
  ['the address of IPv6', () => get('/v3/balance', '[fd00::1]:80')],
  ['a probe by any host name', () => get('/readyz', '192.0.2.1')],
  ['metrics by any host name', () => get('/metrics', '192.0.2.1')],
]

describe('HTTP message with one reading', () => {
  for (const [what, message] of TAKEN) {
    test(`${what}: 200`, async () => {
      const { answers } = await talk(address, [message()], 10_000)
      assert.equal(answers[0]?.status, 200, String(answers[0]?.text))
    })
  }
})

describe('HTTP answer', () => {
  const csv = () =>
    get('/v3/balance_transaction').replace('\r\n\r\n', '\r\nAccept: text/csv\r\n\r\n')
  const rows: readonly (readonly [what: string, message: () => string, status: number])[] = [
    ['a balance', () => get('/v3/balance'), 200],
    ['a payout', () => paid([JSON_TYPE]), 200],
    ['a secret of a webhook endpoint', () => hook('http://127.0.0.1:26/'), 200],
    ['a statement as CSV', csv, 200],
    ['a refusal', () => paid([JSON_TYPE], '{}'), 400],
    ['no credentials', () => get('/v3/balance').replace(auth, 'X: y'), 401],
    ['no such path', () => get('/v3/nothing'), 404],
    ['a path that cannot be decoded', () => get('/v3/payout/%ff'), 400],
    ['no HTTP', () => 'nonsense\r\n\r\n', 400],
    ['health', () => get('/healthz'), 200],
    ['readiness', () => get('/readyz'), 200],
    ['metrics', () => get('/metrics'), 200],
  ]
  for (const [what, message, status] of rows) {
    test(`${what}: has nosniff and no-store`, async () => {
      const { answers } = await talk(address, [message()], 10_000)
      const [answer] = answers
      assert.equal(answer?.status, status, String(answer?.text))
      assert.equal(answer?.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer?.headers['cache-control'], 'no-store')
    })
  }

  test('public documents: have nosniff, may be cached', async () => {
    for (const path of ['/openapi.json', '/docs']) {
      const { answers } = await talk(address, [get(path)], 10_000)
      assert.equal(answers[0]?.status, 200)
      assert.equal(answers[0]?.headers['x-content-type-options'], 'nosniff', path)
      assert.notEqual(answers[0]?.headers['cache-control'], 'no-store', path)
    }
  })
})
