// Tests `send` with hostile receivers: it gives a result by the deadline, in bounded memory.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import {
  assertCut,
  BLOCK,
  DEADLINE_MS,
  drip,
  GiB,
  LATE_MS,
  MiB,
  OK,
  pour,
  receiver,
  to,
} from '../../test/support/network/raw-receiver.ts'

const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const BOMB = gzipSync(Buffer.alloc(64 * MiB))

/** What a receiver does, and the result of sending to it: a status, or an error. */
type Hostile = readonly [what: string, behave: (socket: Socket) => void, result: number | string]

const SHORT: readonly Hostile[] = [
  ['says nothing', () => {}, 'timeout'],
  ['drips a header', socket => drip(socket, `${OK}a: `), 'timeout'],
  ['drips a body', socket => drip(socket, `${OK}content-length: 9999\r\n\r\n`), 'timeout'],
  ['drips a chunked body', socket => drip(socket, `${CHUNKED}fff\r\n`), 'timeout'],
  ['never ends its body', socket => socket.write(`${OK}content-length: 9\r\n\r\n1`), 'timeout'],
  ['resets', socket => socket.resetAndDestroy(), 'connection reset'],
  ['closes', socket => socket.end(), 'connection reset'],
  ['closes in a header', socket => socket.end(`${OK}a: b`), 'connection reset'],
  ['closes in a body', socket => socket.end(`${OK}content-length: 9\r\n\r\n1`), 'connection reset'],
  ['closes between chunks', socket => socket.end(`${CHUNKED}1\r\nx\r\n`), 'connection reset'],
  ['another protocol', socket => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), 'malformed answer'],
  ['HTTP/0.9', socket => socket.end('<html>'), 'malformed answer'],
  ['no digits', socket => socket.end('HTTP/1.1 OK\r\n\r\n'), 'malformed answer'],
  ['status 000', socket => socket.end('HTTP/1.1 000 A\r\n\r\n'), 'malformed answer'],
  ['status 099', socket => socket.end('HTTP/1.1 099 A\r\n\r\n'), 'malformed answer'],
  ['status 600', socket => socket.end('HTTP/1.1 600 A\r\n\r\n'), 'malformed answer'],
  ['status 999', socket => socket.end('HTTP/1.1 999 A\r\n\r\n'), 'malformed answer'],
  ['status 2000', socket => socket.end('HTTP/1.1 2000 A\r\n\r\n'), 'malformed answer'],
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
]

/** Whoever kept what these send would need much memory. */
const LARGE: readonly Hostile[] = [
  [
    'endless 103 hints',
    socket => pour(socket, 'HTTP/1.1 103 Hints\r\n\r\n'.repeat(2000)),
    'malformed answer',
  ],
  [
    'endless 100 continues',
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
  ['garbage', socket => pour(socket, BLOCK), 'malformed answer'],
  [
    'a switch to another protocol',
    socket =>
      pour(begin(socket, 'HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'), BLOCK),
    'malformed answer',
  ],
  [
    'more answers than requests',
    socket => socket.end(`${OK}content-length: 0\r\n\r\n`.repeat(1000)),
    200,
  ],
]

suite('send, hostile receivers', () => {
  for (const [what, behave, expected] of SHORT) {
    test(`send, ${what}: ends by the deadline, connection closed`, async () => {
      await assertEnds(behave, expected, 1)
    })
  }

  for (const [what, behave, expected] of LARGE) {
    test(`send, ${what}: ends by the deadline, connection closed, little memory`, async t => {
      // The first request loads and compiles code, which must not count as memory of the others.
      await assertEnds(behave, expected, 1)
      const memory = watchMemory()
      await assertEnds(behave, expected, 4)
      const growth = memory.stop()
      t.diagnostic(`${(growth / MiB).toFixed(1)} MiB`)
      assert.ok(growth <= 20 * MiB, `${growth / MiB} MiB`)
    })
  }

  test('send, receiver that does not read a large body: aborted at the deadline', async () => {
    const url = await receiver(socket => socket.pause())
    await assertCut(to(url, { body: 'x'.repeat(8 * MiB), timeout_ms: DEADLINE_MS }))
  })
})

/** So many requests to the receiver at once. */
async function assertEnds(behave: Hostile[1], expected: Hostile[2], count: number): Promise<void> {
  const closed: Promise<unknown>[] = []
  const url = await receiver(socket => {
    closed.push(new Promise(resolve => socket.once('close', resolve)))
    behave(socket)
  })
  const timeout_ms = expected === 'timeout' ? DEADLINE_MS : 5000
  const results = await Promise.all(Array.from({ length: count }, () => to(url, { timeout_ms })))
  for (const { status_code, error, answer, duration_ms } of results) {
    if (typeof expected === 'number') assert.equal(status_code, expected)
    else assert.deepEqual({ status_code, error }, { status_code: null, error: expected })
    assert.ok(duration_ms < timeout_ms + LATE_MS, `${duration_ms} ms`)
    assert.ok(Array.from(answer).length <= 1000 && answer.isWellFormed())
  }
  await Promise.all(closed)
  assert.equal(closed.length, count)
}

/** Writes `start`, and returns the socket. */
function begin(socket: Socket, start: string): Socket {
  socket.write(start)
  return socket
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** From now on measures the memory of this process, receivers included: `stop` gives its growth. */
function watchMemory() {
  collect()
  const start = process.memoryUsage.rss()
  let peak = start
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(sample, 5)
  return {
    stop(): number {
      clearInterval(timer)
      sample()
      return peak - start
    },
  }
}
