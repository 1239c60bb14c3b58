// Tests certificates: nothing is sent to a receiver that cannot prove its name.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
} from 'node:tls'
import {
  BLOCK,
  DEADLINE_MS,
  drip,
  LATE_MS,
  listen,
  OK,
  pour,
  receiver,
  to,
} from '../../test/support/network/raw-receiver.ts'
import { selfSigned } from '../../test/support/network/self-signed.ts'

suite('send, TLS', () => {
  const NOW = Date.now()
  const DAY = 86_400_000
  const known = getCACertificates('default')
  after(() => setDefaultCACertificates(known))

  interface Offer {
    readonly name: string
    readonly until: number
    readonly trusted: boolean
  }

  /** Starts a receiver with its own certificate. `asked` gets the server names of its clients. */
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

  test('send, trusted certificate for this host name: sent, with SNI', async () => {
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

  test('send, certificate self-signed, expired or for another name: refused, nothing sent', async () => {
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
      // The environment can turn verification off for the process, but not for webhooks.
      for (const setting of ['1', '0']) {
        process.env.NODE_TLS_REJECT_UNAUTHORIZED = setting
        const { status_code, error } = await to(`https://${host}:${port}/`, { lookup })
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
        assert.deepEqual({ status_code, error }, { status_code: null, error: expected })
      }
    }
  })

  test('send, https URL, receiver without TLS: refused or aborted, with the reason', async () => {
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
