// Certificates and the lack of them: nothing is sent to who cannot show that he is who was meant.
import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync } from 'node:crypto'
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
