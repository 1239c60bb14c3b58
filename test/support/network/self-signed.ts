// Makes a self-signed certificate for one DNS name.
import { createSign, generateKeyPairSync } from 'node:crypto'

/** A self-signed X.509 certificate (RFC 5280) for one DNS name, with its key, both as PEM. */
export function selfSigned(name: string, from_ms: number, until_ms: number) {
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
