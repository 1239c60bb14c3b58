// Fetches rates from publishers that are slow, send too much, redirect, or have no valid
// certificate.
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { after, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { listen, receiver } from '../../../test/support/network/raw-receiver.ts'
import { FetchFailed, fetchRates, MAX_BYTES, refuseUrl } from './fetch.ts'

const LOCAL = { allow_http: true, timeout_ms: 5_000 }
const SOON_MS = 300

const closing: (() => void)[] = []
after(() => {
  for (const close of closing) close()
})

/** Starts a publisher with this answer and returns its address. */
async function publisher(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  closing.push(() => server.closeAllConnections())
  return `http://127.0.0.1:${await listen(server)}/rates.xml?key=s3cret`
}

async function failure(url: string, timeout_ms = LOCAL.timeout_ms): Promise<string> {
  const error = await fetchRates(url, { ...LOCAL, timeout_ms }).then(
    () => assert.fail('fetched'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof FetchFailed, String(error))
  assert.doesNotMatch(error.message, /s3cret/)
  return error.message
}

test('fetchRates, a file: its text, by one request, uncompressed', async () => {
  const asked: unknown[] = []
  const url = await publisher((request, response) => {
    asked.push([request.method, request.url, request.headers['accept-encoding']])
    response.end('base,quote,mid\n€')
  })
  assert.equal(await fetchRates(url, LOCAL), 'base,quote,mid\n€')
  assert.deepEqual(asked, [['GET', '/rates.xml?key=s3cret', 'identity']])
})

test('fetchRates, a file of the maximum size: its text', async () => {
  const text = 'x'.repeat(MAX_BYTES)
  const url = await publisher((_request, response) => response.end(text))
  assert.equal(await fetchRates(url, LOCAL), text)
})

test('fetchRates, three redirects: followed; a fourth: refused', async () => {
  const from = (count: number): RequestListener => {
    return (request, response) => {
      const left = Number(/left=(\d)/.exec(request.url ?? '')?.[1] ?? count)
      if (left === 0) response.end('there')
      else response.writeHead(302, { location: `/again?left=${left - 1}` }).end()
    }
  }
  assert.equal(await fetchRates(await publisher(from(3)), LOCAL), 'there')
  assert.equal(await failure(await publisher(from(4))), '127.0.0.1: more than 3 redirects')
})

const gone = (status: number, headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) => response.writeHead(status, headers).end('x')
}

const HOSTILE: readonly (readonly [what: string, answer: RequestListener, message: string])[] = [
  ['not found', gone(404), 'status 404'],
  ['an error', gone(500), 'status 500'],
  ['a partial answer', gone(206), 'status 206'],
  [
    'redirected to plain http elsewhere',
    gone(301, { location: 'http://rates.example.com/' }),
    'rates are fetched by https:// alone',
  ],
  [
    'redirected to a file',
    gone(302, { location: 'file:///etc/passwd' }),
    'rates are fetched by https:// alone',
  ],
  ['redirected nowhere', gone(302, { location: 'https://' }), 'a redirect to no address'],
  [
    'compressed',
    gone(200, { 'content-encoding': 'gzip' }),
    'a compressed answer, which was not asked for',
  ],
  [
    'no text',
    (_request, response) => response.end(Buffer.from([0x3c, 0xff, 0xfe])),
    'not UTF-8 text',
  ],
  [
    'one byte above the maximum',
    (_request, response) => response.end('x'.repeat(MAX_BYTES + 1)),
    `more than ${MAX_BYTES} bytes`,
  ],
  [
    'without end',
    (_request, response) => {
      const pour = () => {
        while (response.writable && response.write('x'.repeat(65_536)));
      }
      response.on('drain', pour)
      pour()
    },
    `more than ${MAX_BYTES} bytes`,
  ],
  ['headers without end', gone(200, { 'x-long': 'x'.repeat(20_000) }), 'HPE_HEADER_OVERFLOW'],
  [
    'cut off',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setTimeout(() => response.destroy(), 20)
    },
    'ECONNRESET',
  ],
]

for (const [what, answer, message] of HOSTILE) {
  test(`fetchRates, ${what}: ${message}`, async () => {
    assert.equal(await failure(await publisher(answer)), `127.0.0.1: ${message}`)
  })
}

const SLOW: readonly (readonly [what: string, answer: RequestListener])[] = [
  ['silent', () => {}],
  ['silent after its headers', (_request, response) => response.flushHeaders()],
  [
    'dripping',
    (_request, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    },
  ],
  [
    'redirecting slowly',
    (_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), SOON_MS / 2)
    },
  ],
]

for (const [what, answer] of SLOW) {
  test(`fetchRates, publisher ${what}: aborted at the time-out`, async () => {
    const url = await publisher(answer)
    assert.equal(await failure(url, SOON_MS), '127.0.0.1: no whole answer in time')
  })
}

test('fetchRates, server does not speak HTTP or does not listen: the error code is reported', async () => {
  const talker = await receiver(socket => socket.end('220 mail.example.com ESMTP\r\n'))
  assert.match(await failure(talker), /^127\.0\.0\.1: HPE_/)
  const server = createServer()
  const port = await listen(server)
  await new Promise(resolve => server.close(resolve))
  assert.equal(await failure(`http://127.0.0.1:${port}/`), '127.0.0.1: ECONNREFUSED')
})

test('fetchRates, untrusted https certificate: refused, whatever the environment variables say', async () => {
  const server = createTlsServer({}, () => {})
  server.on('tlsClientError', () => {})
  const url = `https://127.0.0.1:${await listen(server)}/`
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    assert.match(await failure(url), /^127\.0\.0\.1: (ERR_SSL|EPROTO|DEPTH_ZERO|ECONNRESET)/)
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  }
})

const ADDRESSES: readonly (readonly [address: string, allow_http: boolean, ok: boolean])[] = [
  ['https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml', false, true],
  ['https://10.0.0.7:8443/rates.csv', false, true],
  ['http://127.0.0.1:8000/rates.csv', false, false],
  ['http://127.0.0.1:8000/rates.csv', true, true],
  ['http://localhost/rates.csv', true, true],
  ['http://[::1]/rates.csv', true, true],
  ['http://rates.example.com/rates.csv', true, false],
  ['http://127.0.0.1.example.com/', true, false],
  ['ftp://rates.example.com/rates.csv', true, false],
  ['rates.csv', true, false],
  ['', true, false],
]

for (const [address, allow_http, ok] of ADDRESSES) {
  const allowed = allow_http ? 'plain http allowed' : 'https only'
  test(`refuseUrl, ${JSON.stringify(address)}, ${allowed}: ${ok ? 'allowed' : 'refused'}`, () => {
    assert.equal(refuseUrl(address, { allow_http }) === undefined, ok)
  })
}
