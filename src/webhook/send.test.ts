// What one sending does with receivers of all kinds, honest, broken and hostile. Whatever they
// answer there is a result, by the deadline, in bounded memory.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createSign, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
} from 'node:tls'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { type Sending, type SendResult, send } from './send.ts'

const DEADLINE_MS = 400
/** How late a cut may be seen on a busy machine. */
const LATE_MS = 1500
const MiB = 1024 * 1024
const GiB = 1024 * MiB

const open: Server[] = []
after(() => {
  for (const server of open) server.close()
})

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(server)
  return (server.address() as AddressInfo).port
}

function to(url: string, more: Partial<Sending> = {}): Promise<SendResult> {
  return send({
    url,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    timeout_ms: 10_000,
    allow_private: true,
    ...more,
  })
}

/** A receiver that does as it likes with the connection once the request is there. */
async function receiver(behave: (socket: Socket) => void): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => behave(socket))
  })
  return `http://127.0.0.1:${await listen(server)}/`
}

/** A receiver that answers this, byte for byte, and closes. */
const saying = (text: string | Buffer) => receiver(socket => socket.end(text))

const answering = (headers: string, body: string | Buffer = '') =>
  saying(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
      ),
      Buffer.from(body),
    ]),
  )

/** Writes the same again and again as fast as it is taken, `limit` bytes at most. */
function pour(socket: Socket, block: string | Buffer, limit = Number.POSITIVE_INFINITY) {
  let left = limit
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= block.length
      if (!socket.write(block)) break
    }
    if (left <= 0) socket.end()
  }
  socket.on('drain', more)
  more()
}

/** Writes a beginning, then one character every 10 ms, for ever. */
function drip(socket: Socket, start: string) {
  socket.write(start, 'latin1')
  const timer = setInterval(() => socket.write('x'), 10)
  socket.on('close', () => clearInterval(timer))
}

suite('what is sent', () => {
  let port: number
  const requests: { request: IncomingMessage; body: string; socket: Socket }[] = []
  before(async () => {
    const server = createHttpServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        const { socket } = request
        requests.push({ request, body: Buffer.concat(chunks).toString(), socket })
        const status = /^\/(\d+)/.exec(request.url ?? '')?.[1] ?? '200'
        response.writeHead(Number(status), { location: `http://127.0.0.1:${port}/200` })
        response.end('thanks')
      })
    })
    port = await listen(server)
  })

  test('send, a body beyond ASCII: a POST with its length, our headers last', async () => {
    requests.length = 0
    const result = await to(`http://127.0.0.1:${port}/hook?a=b%20c#d`, {
      headers: { 'webhook-id': 'evt_1', 'accept-encoding': 'gzip', 'content-length': '1' },
      body: '{"name":"Żółć 🎉"}',
    })
    const { duration_ms, ...rest } = result
    assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0)
    assert.deepEqual(rest, { status_code: 200, retry_after_s: null, error: '', answer: 'thanks' })
    const [got] = requests
    assert.equal(got?.request.method, 'POST')
    assert.equal(got?.request.url, '/hook?a=b%20c')
    assert.equal(got?.body, '{"name":"Żółć 🎉"}')
    assert.deepEqual(got?.request.headers, {
      'webhook-id': 'evt_1',
      host: `127.0.0.1:${port}`,
      'content-length': '24',
      'accept-encoding': 'identity',
      connection: 'close',
    })
  })

  test('send, twice: two connections, neither kept', async () => {
    requests.length = 0
    for (let i = 0; i < 2; i++) await to(`http://127.0.0.1:${port}/`)
    const sockets = requests.map(({ socket }) => socket)
    assert.equal(new Set(sockets).size, 2)
    for (const socket of sockets) if (!socket.closed) await once(socket, 'close')
  })

  test('send, redirects and other statuses: answers like others, nothing followed', async () => {
    for (const status of [201, 204, 301, 302, 303, 304, 307, 308, 400, 410, 429, 500, 599]) {
      requests.length = 0
      const { status_code, error } = await to(`http://127.0.0.1:${port}/${status}`)
      assert.deepEqual({ status_code, error }, { status_code: status, error: '' })
      assert.equal(requests.length, 1)
    }
  })

  test('send, a name with several addresses: the one that answers is found', async () => {
    const lookup = async () => ['::1', '127.0.0.1']
    const { status_code } = await to(`http://hooks.example:${port}/`, { lookup })
    assert.equal(status_code, 200)
  })

  test('send, a proxy in the environment: not used', async () => {
    let proxied = 0
    const proxy = await listen(
      createServer(socket => {
        proxied += 1
        socket.destroy()
      }),
    )
    const script = `
      const { send } = await import('${import.meta.dirname}/send.ts')
      const { status_code, error } = await send({ url: 'http://hooks.example:${port}/', headers: {},
        body: '', timeout_ms: 5000, allow_private: true, lookup: async () => ['127.0.0.1'] })
      process.stdout.write(status_code + error)`
    const at = `http://127.0.0.1:${proxy}`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script],
      {
        env: {
          NODE_USE_ENV_PROXY: '1',
          HTTP_PROXY: at,
          http_proxy: at,
          HTTPS_PROXY: at,
          https_proxy: at,
          ALL_PROXY: at,
        },
      },
    )
    assert.equal(stdout, '200')
    assert.equal(proxied, 0)
  })
})

suite('what is kept of an answer', () => {
  test('send, answers in many scripts and worse: the first 1,000 characters as plain text', async () => {
    const table: readonly (readonly [string, string | Buffer, string])[] = [
      ['empty', '', ''],
      ['plain', 'received', 'received'],
      ['lines', 'a\r\nb\tc', 'a  b c'],
      ['NUL and escapes', 'a\u0000b\u001b[31mc\u007f\u0085', 'a b [31mc  '],
      ['direction marks', 'a\u202eb\u2066c\u2028d', 'a b c d'],
      ['beyond ASCII', 'Żółć 🎉 日本', 'Żółć 🎉 日本'],
      ['bytes that are no text', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\ufffd\ufffdb'],
      ['a lone surrogate in UTF-8', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 'a\ufffd\ufffd\ufffd'],
      ['exactly 1,000', 'x'.repeat(1000), 'x'.repeat(1000)],
      ['1,001', 'x'.repeat(1001), 'x'.repeat(1000)],
      ['1,001 of four bytes', '🎉'.repeat(1001), '🎉'.repeat(1000)],
      ['cut before a pair', `${'x'.repeat(999)}🎉🎉`, `${'x'.repeat(999)}🎉`],
    ]
    for (const [what, body, expected] of table) {
      const { status_code, answer } = await to(await answering('', body))
      assert.equal(status_code, 200, what)
      assert.equal(answer, expected, what)
      assert.ok(answer.isWellFormed(), what)
    }
  })

  test('send, Retry-After: seconds, or how long until a date in any of its forms', async () => {
    const in_100_s = new Date(Date.now() + 100_000)
    const [, day = '', month = '', year = '', time = ''] =
      /, (\d\d) (\w+) (\d+) ([\d:]+) GMT/.exec(in_100_s.toUTCString()) ?? []
    const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(
      in_100_s,
    )
    const short = weekday.slice(0, 3)
    const dates = [
      in_100_s.toUTCString(),
      `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
      `${short} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
    ]
    for (const date of dates) {
      const { retry_after_s } = await to(await answering(`retry-after: ${date}\r\n`))
      assert.ok(retry_after_s !== null && retry_after_s > 95 && retry_after_s <= 100, date)
    }
    const table: readonly (readonly [string, number | null])[] = [
      ['120', 120],
      ['  7 ', 7],
      ['0', 0],
      ['9'.repeat(400), 999_999_999],
      ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
      ['Fri, 31 Dec 9999 23:59:59 GMT', 999_999_999],
      ['-5', null],
      ['1.5', null],
      ['1e3', null],
      ['soon', null],
      ['Whenever 00:00:00', null],
      ['', null],
    ]
    for (const [value, expected] of table) {
      const { retry_after_s } = await to(await answering(`retry-after: ${value}\r\n`))
      assert.equal(retry_after_s, expected, value)
    }
  })

  test('send, a body that ends with the connection, chunked, or after a 103: whole', async () => {
    const table = [
      'HTTP/1.1 200 OK\r\n\r\nthanks',
      'HTTP/1.0 200 OK\r\n\r\nthanks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nthanks\r\n0\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nthanks',
    ]
    for (const text of table) {
      const { status_code, answer } = await to(await saying(text))
      assert.deepEqual({ status_code, answer }, { status_code: 200, answer: 'thanks' })
    }
  })
})

suite('what cannot be sent', () => {
  test('send, nothing listens, no such name, no such URL, bad headers: said in a word', async () => {
    const spare = createServer()
    const port = await listen(spare)
    spare.close()
    await once(spare, 'close')
    const unknown = Object.assign(new Error(), { code: 'ENOTFOUND' })
    const table: readonly (readonly [string, Partial<Sending>, string])[] = [
      [`http://127.0.0.1:${port}/`, {}, 'connection refused'],
      [
        `http://two.example:${port}/`,
        { lookup: async () => ['127.0.0.1', '::1'] },
        'connection refused',
      ],
      ['http://none.example/', { lookup: () => Promise.reject(unknown) }, 'name not resolved'],
      ['http://none.example/', { lookup: async () => [] }, 'name not resolved'],
      [
        'http://none.example/',
        {
          lookup: () => {
            throw unknown
          },
        },
        'name not resolved',
      ],
      ['http://', {}, 'invalid url'],
      ['ftp://127.0.0.1/', {}, 'address not allowed'],
      ['http://me:word@127.0.0.1/', {}, 'address not allowed'],
      [await answering(''), { headers: { 'bad header': 'x' } }, 'invalid http token'],
      [await answering(''), { headers: { bad: 'x\r\ny: z' } }, 'invalid char'],
    ]
    for (const [url, more, expected] of table) {
      const { duration_ms, ...rest } = await to(url, more)
      assert.deepEqual(
        rest,
        { status_code: null, retry_after_s: null, error: expected, answer: '' },
        url,
      )
      assert.ok(duration_ms < 5000)
    }
  })

  test('send, a resolver that never answers: cut at the deadline', async () => {
    const lookup = () => new Promise<string[]>(() => {})
    await assertCut(to('http://slow.example/', { lookup, timeout_ms: DEADLINE_MS }))
  })
})

async function assertCut(sent: Promise<SendResult>) {
  const { duration_ms, ...rest } = await sent
  assert.deepEqual(rest, { status_code: null, retry_after_s: null, error: 'timeout', answer: '' })
  assert.ok(
    duration_ms >= DEADLINE_MS - 20 && duration_ms < DEADLINE_MS + LATE_MS,
    `${duration_ms}`,
  )
}

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const BLOCK = Buffer.alloc(64 * 1024, 'x')
const BOMB = gzipSync(Buffer.alloc(64 * MiB))

/** Receivers that mean harm, and what is said of them: a status, or why there is none. */
const HOSTILE: readonly (readonly [string, (socket: Socket) => void, number | string])[] = [
  ['says nothing', () => {}, 'timeout'],
  ['drips a header', socket => drip(socket, `${OK}a: `), 'timeout'],
  ['drips a body', socket => drip(socket, `${OK}content-length: 9999\r\n\r\n`), 'timeout'],
  ['drips a chunked body', socket => drip(socket, `${CHUNKED}fff\r\n`), 'timeout'],
  ['never ends its body', socket => socket.write(`${OK}content-length: 9\r\n\r\n1`), 'timeout'],
  [
    'hints for ever',
    socket => pour(socket, 'HTTP/1.1 103 Hints\r\n\r\n'.repeat(2000)),
    'malformed answer',
  ],
  [
    'continues for ever',
    socket => pour(socket, 'HTTP/1.1 100 Go\r\n\r\n'.repeat(2000)),
    'malformed answer',
  ],
  ['one endless header', socket => pour(begin(socket, `${OK}a: `), BLOCK), 'headers too large'],
  [
    'endless headers',
    socket => pour(begin(socket, OK), 'a: b\r\n'.repeat(10_000)),
    'headers too large',
  ],
  ['endless reason', socket => pour(begin(socket, 'HTTP/1.1 200 '), BLOCK), 'headers too large'],
  [
    'a body of 1 GiB',
    socket => pour(begin(socket, `${OK}content-length: ${GiB}\r\n\r\n`), BLOCK, GiB),
    200,
  ],
  ['a body without end', socket => pour(begin(socket, `${OK}\r\n`), BLOCK), 200],
  [
    'chunks without end',
    socket => pour(begin(socket, CHUNKED), `10000\r\n${BLOCK.toString()}\r\n`),
    200,
  ],
  [
    'tiny chunks without end',
    socket => pour(begin(socket, CHUNKED), '1\r\nx\r\n'.repeat(10_000)),
    200,
  ],
  [
    'an endless chunk extension',
    socket => pour(begin(socket, `${CHUNKED}1;`), BLOCK),
    'malformed answer',
  ],
  [
    'endless trailers',
    socket => pour(begin(socket, `${CHUNKED}1\r\nx\r\n0\r\n`), 'a: b\r\n'.repeat(10_000)),
    'headers too large',
  ],
  [
    'a gzip bomb',
    socket =>
      socket.end(
        Buffer.concat([
          Buffer.from(`${OK}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`),
          BOMB,
        ]),
      ),
    200,
  ],
  ['resets', socket => socket.resetAndDestroy(), 'connection reset'],
  ['closes', socket => socket.end(), 'connection reset'],
  ['closes in a header', socket => socket.end(`${OK}a: b`), 'connection reset'],
  ['closes in a body', socket => socket.end(`${OK}content-length: 9\r\n\r\n1`), 'connection reset'],
  ['closes between chunks', socket => socket.end(`${CHUNKED}1\r\nx\r\n`), 'connection reset'],
  ['garbage', socket => pour(socket, BLOCK), 'malformed answer'],
  ['another protocol', socket => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), 'malformed answer'],
  ['HTTP/0.9', socket => socket.end('<html>'), 'malformed answer'],
  ['no digits', socket => socket.end('HTTP/1.1 OK\r\n\r\n'), 'malformed answer'],
  ['status 000', socket => socket.end('HTTP/1.1 000 A\r\n\r\n'), 'malformed answer'],
  ['status 099', socket => socket.end('HTTP/1.1 099 A\r\n\r\n'), 'malformed answer'],
  ['status 600', socket => socket.end('HTTP/1.1 600 A\r\n\r\n'), 'malformed answer'],
  ['status 999', socket => socket.end('HTTP/1.1 999 A\r\n\r\n'), 'malformed answer'],
  ['status 2000', socket => socket.end('HTTP/1.1 2000 A\r\n\r\n'), 'malformed answer'],
  [
    'another protocol from here on',
    socket =>
      pour(begin(socket, 'HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'), BLOCK),
    'malformed answer',
  ],
  [
    'two lengths',
    socket => socket.end(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`),
    'malformed answer',
  ],
  [
    'a length and chunks',
    socket => socket.end(`${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    'malformed answer',
  ],
  [
    'a negative length',
    socket => socket.end(`${OK}content-length: -1\r\n\r\n`),
    'malformed answer',
  ],
  [
    'more answers than asked for',
    socket => socket.end(`${OK}content-length: 0\r\n\r\n`.repeat(1000)),
    200,
  ],
]

suite('hostile receivers', () => {
  for (const [what, behave, expected] of HOSTILE) {
    test(`send, ${what}: a result by the deadline, the connection closed, little memory`, async t => {
      const closed: Promise<unknown>[] = []
      const url = await receiver(socket => {
        closed.push(new Promise(resolve => socket.once('close', resolve)))
        behave(socket)
      })
      // Once for what is compiled and loaded, then four at a time.
      const timeout_ms = expected === 'timeout' ? DEADLINE_MS : 5000
      await to(url, { timeout_ms })
      const memory = watchMemory()
      const results = await Promise.all(Array.from({ length: 4 }, () => to(url, { timeout_ms })))
      const grown = memory.stop()
      t.diagnostic(`${(grown / MiB).toFixed(1)} MiB`)
      for (const { status_code, error, answer, duration_ms } of results) {
        if (typeof expected === 'number') assert.equal(status_code, expected)
        else assert.deepEqual({ status_code, error }, { status_code: null, error: expected })
        assert.ok(duration_ms < timeout_ms + LATE_MS, `${duration_ms} ms`)
        assert.ok(Array.from(answer).length <= 1000 && answer.isWellFormed())
      }
      assert.ok(grown <= 20 * MiB, `${grown / MiB} MiB`)
      await Promise.all(closed)
      assert.equal(closed.length, 5)
    })
  }

  test('send, a receiver that reads nothing of a large body: cut at the deadline', async () => {
    const url = await receiver(socket => socket.pause())
    await assertCut(to(url, { body: 'x'.repeat(8 * MiB), timeout_ms: DEADLINE_MS }))
  })
})

/** `start` written, the socket for more. */
function begin(socket: Socket, start: string): Socket {
  socket.write(start)
  return socket
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** By how much this process, receivers and all, grows from now on, at most: bytes. */
function watchMemory() {
  collect()
  const start = process.memoryUsage.rss()
  let most = start
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 5)
  return {
    stop(): number {
      clearInterval(timer)
      look()
      return most - start
    },
  }
}

suite('TLS', () => {
  const NOW = Date.now()
  const DAY = 86_400_000
  const known = getCACertificates('default')
  after(() => setDefaultCACertificates(known))

  interface Offer {
    readonly name: string
    readonly until: number
    readonly trusted: boolean
  }

  /** A receiver with a certificate of its own; what it is asked for is kept. */
  async function offering({ name, until, trusted }: Offer) {
    const { key, cert } = selfSigned(name, NOW - 10 * DAY, until)
    if (trusted) setDefaultCACertificates([...getCACertificates('default'), cert])
    const asked: unknown[] = []
    const server = createTlsServer({ key, cert }, (socket: TLSSocket) => {
      socket.on('error', () => {})
      asked.push(socket.servername)
      socket.once('data', () => socket.end(`${OK}content-length: 2\r\n\r\nok`))
    })
    server.on('tlsClientError', () => {})
    return { port: await listen(server), asked }
  }
  const lookup = async () => ['127.0.0.1']

  test('send, a certificate that is trusted, for this name: sent, the name asked for', async () => {
    const { port, asked } = await offering({
      name: 'good.example',
      until: NOW + DAY,
      trusted: true,
    })
    for (const host of ['good.example', 'good.example.']) {
      const { status_code, error } = await to(`https://${host}:${port}/`, { lookup })
      assert.deepEqual({ status_code, error }, { status_code: 200, error: '' })
    }
    assert.deepEqual(asked, ['good.example', 'good.example'])
  })

  test('send, self-signed, expired or of another name: refused, nothing sent', async () => {
    const table: readonly (readonly [Offer, string, string])[] = [
      [
        { name: 'self.example', until: NOW + DAY, trusted: false },
        'self.example',
        'tls: depth zero self signed cert',
      ],
      [
        { name: 'old.example', until: NOW - DAY, trusted: true },
        'old.example',
        'tls: cert has expired',
      ],
      [
        { name: 'one.example', until: NOW + DAY, trusted: true },
        'two.example',
        'tls: cert altname invalid',
      ],
      [
        { name: 'name.example', until: NOW + DAY, trusted: true },
        '127.0.0.1',
        'tls: cert altname invalid',
      ],
    ]
    for (const [offer, host, expected] of table) {
      const { port } = await offering(offer)
      // Whoever turns verification off for the whole process does not do so here.
      for (const setting of ['1', '0']) {
        process.env.NODE_TLS_REJECT_UNAUTHORIZED = setting
        const { status_code, error } = await to(`https://${host}:${port}/`, { lookup })
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
        assert.deepEqual({ status_code, error }, { status_code: null, error: expected })
      }
    }
  })

  test('send, no TLS where TLS is expected: refused or cut, with the reason', async () => {
    const table: readonly (readonly [(socket: Socket) => void, string])[] = [
      [socket => pour(socket, BLOCK), 'tls: wrong version number'],
      [socket => socket.end(`${OK}\r\n`), 'tls: wrong version number'],
      [socket => socket.end(), 'connection reset'],
      [socket => socket.resetAndDestroy(), 'connection reset'],
      [() => {}, 'timeout'],
      // The header of a handshake record, its content one byte at a time.
      [socket => drip(socket, '\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb'), 'timeout'],
    ]
    for (const [behave, expected] of table) {
      const url = (await receiver(behave)).replace('http:', 'https:')
      const { status_code, error, duration_ms } = await to(url, { timeout_ms: DEADLINE_MS })
      assert.deepEqual({ status_code, error }, { status_code: null, error: expected })
      assert.ok(duration_ms < DEADLINE_MS + LATE_MS)
    }
  })
})

/** A certificate that signs itself, for one DNS name: X.509 (RFC 5280) in DER, by hand. */
function selfSigned(name: string, from_ms: number, until_ms: number) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
    const content = Buffer.concat(parts)
    const { length } = content
    const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
    return Buffer.concat([Buffer.from([tag, ...size]), content])
  }
  const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
  const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
  const time = (ms: number) => {
    const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')
    return der(0x17, Buffer.from(digits.slice(2)))
  }
  const subject = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
  const altName = sequence(oid('551d11'), der(0x04, sequence(der(0x82, Buffer.from(name)))))
  const authority = sequence(oid('551d13'), der(0x04, sequence(der(0x01, Buffer.from([255])))))
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    subject,
    sequence(time(from_ms), time(until_ms)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName, authority)),
  )
  const signature = createSign('sha256').update(signed).sign(privateKey)
  const certificate = sequence(signed, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
