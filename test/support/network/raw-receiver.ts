// Webhook receivers on raw TCP connections, whose behaviour a test chooses, and `send` with the
// usual arguments of such tests.
import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { after } from 'node:test'
import type { OutgoingRequest } from '../../../src/webhooks/exchange.ts'
import { type SendResult, send } from '../../../src/webhooks/send.ts'
import { listenOn } from './port.ts'

export const DEADLINE_MS = 400
/**
 * How much later than DEADLINE_MS a busy machine may see the time-out: only a hanging request takes
 * longer.
 */
export const LATE_MS = 120_000
export const MiB = 1024 * 1024
export const GiB = 1024 * MiB

const open: Server[] = []
after(() => {
  for (const server of open) server.close()
})

export async function listen(server: Server): Promise<number> {
  open.push(server)
  return listenOn(server)
}

export function to(url: string, more: Partial<OutgoingRequest> = {}): Promise<SendResult> {
  return send({
    url,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    timeout_ms: 10_000,
    allow_private: true,
    ...more,
  })
}

/**
 * Starts a receiver that calls `behave` once the first bytes of a request have come; returns its
 * URL.
 */
export async function receiver(behave: (socket: Socket) => void): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => behave(socket))
  })
  return `http://127.0.0.1:${await listen(server)}/`
}

/** Starts a receiver that answers with these bytes and closes. */
export const saying = (text: string | Buffer) => receiver(socket => socket.end(text))

export const answering = (headers: string, body: string | Buffer = '') =>
  saying(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
      ),
      Buffer.from(body),
    ]),
  )

/** Writes the block again and again as fast as the socket takes it, at most `limit` bytes. */
export function pour(socket: Socket, block: string | Buffer, limit = Number.POSITIVE_INFINITY) {
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

/** Writes `start`, then one character every 10 ms until the socket closes. */
export function drip(socket: Socket, start: string) {
  socket.write(start, 'latin1')
  const timer = setInterval(() => socket.write('x'), 10)
  socket.on('close', () => clearInterval(timer))
}

export async function assertCut(sent: Promise<SendResult>) {
  const { duration_ms, ...rest } = await sent
  assert.deepEqual(rest, { status_code: null, retry_after_s: null, error: 'timeout', answer: '' })
  assert.ok(
    duration_ms >= DEADLINE_MS - 20 && duration_ms < DEADLINE_MS + LATE_MS,
    `${duration_ms}`,
  )
}

export const OK = 'HTTP/1.1 200 OK\r\n'
export const BLOCK = Buffer.alloc(64 * 1024, 'x')
