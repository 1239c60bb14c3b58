// Tests `send` with honest and broken receivers. Whatever they answer, it gives a result.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import {
  answering,
  assertCut,
  DEADLINE_MS,
  listen,
  saying,
  to,
} from '../../test/support/network/raw-receiver.ts'
import type { OutgoingRequest } from './exchange.ts'

suite('send, requests', () => {
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

  test("send, body with characters outside ASCII: POST with its length in bytes, Corridor's headers last", async () => {
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

  test('send, two deliveries: two connections, neither kept open', async () => {
    requests.length = 0
    for (let i = 0; i < 2; i++) await to(`http://127.0.0.1:${port}/`)
    const sockets = requests.map(({ socket }) => socket)
    assert.equal(new Set(sockets).size, 2)
    for (const socket of sockets) if (!socket.closed) await once(socket, 'close')
  })

  test('send, receiver answers a redirect or another status: recorded, not followed', async () => {
    for (const status of [201, 204, 301, 302, 303, 304, 307, 308, 400, 410, 429, 500, 599]) {
      requests.length = 0
      const { status_code, error } = await to(`http://127.0.0.1:${port}/${status}`)
      assert.deepEqual({ status_code, error }, { status_code: status, error: '' })
      assert.equal(requests.length, 1)
    }
  })

  test('send, host name with several addresses: tried until one answers', async () => {
    const lookup = async () => ['::1', '127.0.0.1']
    const { status_code } = await to(`http://hooks.example:${port}/`, { lookup })
    assert.equal(status_code, 200)
  })

  test('send, proxy in the environment variables: not used', async () => {
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

suite('send, stored answers', () => {
  test('send, answers in many scripts or malformed: first 1,000 characters stored as plain text', async () => {
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

  test('send, Retry-After in seconds or any date form: read', async () => {
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

  test('send, body that ends with the connection, is chunked, or follows a 103: read completely', async () => {
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

suite('send, failures', () => {
  test('send, no listener, unknown host name, bad URL or headers: a short reason', async () => {
    const spare = createServer()
    const port = await listen(spare)
    spare.close()
    await once(spare, 'close')
    const unknown = Object.assign(new Error(), { code: 'ENOTFOUND' })
    const table: readonly (readonly [string, Partial<OutgoingRequest>, string])[] = [
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

  test('send, name server that never answers: aborted at the deadline', async () => {
    const lookup = () => new Promise<string[]>(() => {})
    await assertCut(to('http://slow.example/', { lookup, timeout_ms: DEADLINE_MS }))
  })
})
