// Tests signatures by the library of the specification's authors, as receivers verify them.
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { anyCharacters } from '../../test/support/given/any-characters.ts'
import { newSecret, signatures, webhookHeaders } from './sign.ts'

const nowSeconds = () => Math.floor(Date.now() / 1000)
const ID = 'evt_01j00000000000000000'

const verifies = (secret: string, body: string, headers: Record<string, string>) =>
  new Webhook(secret).verify(body, headers, { jsonParse: false })

const refused = (
  secret: string,
  body: string,
  headers: Record<string, string>,
  message = 'No matching signature found',
) =>
  assert.throws(
    () => verifies(secret, body, headers),
    error => error instanceof WebhookVerificationError && error.message === message,
  )

test('webhookHeaders, 1,000 random bodies: signature valid; one bit flipped: refused', t => {
  const seed = randomInt(2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const inputs = fc.record({
    // Well-formed Unicode of all planes: JSON bodies hold nothing else.
    text: anyCharacters(300),
    bytes: fc.uint8Array({ minLength: 24, maxLength: 64 }),
    flip: fc.nat(),
  })
  fc.assert(
    fc.property(inputs, ({ text, bytes, flip }) => {
      const body = JSON.stringify({ text })
      const secret = newSecret(bytes)
      const headers = webhookHeaders([secret], ID, nowSeconds(), body)
      assert.deepEqual(new Webhook(secret).verify(body, headers), { text })

      const flipped = Buffer.from(body)
      const bit = flip % (flipped.length * 8)
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      refused(secret, flipped.toString(), headers)

      const other = Buffer.from(bytes)
      other.writeUInt8(other.readUInt8(flip % other.length) ^ 1, flip % other.length)
      refused(newSecret(other), body, headers)
    }),
    { seed, numRuns: 1000 },
  )
})

test('webhookHeaders, id, time or signature changed in transit: refused', () => {
  const secret = newSecret(randomBytes(32))
  const now = nowSeconds()
  const headers = webhookHeaders([secret], ID, now, '{}')
  verifies(secret, '{}', headers)
  refused(secret, '{}', { ...headers, 'webhook-id': `${ID}1` })
  refused(secret, '{}', { ...headers, 'webhook-timestamp': String(now + 1) })
  const { 'webhook-signature': signature = '' } = headers
  const last = signature.at(4) === 'A' ? 'B' : 'A'
  refused(secret, '{}', {
    ...headers,
    'webhook-signature': `v1,${signature.slice(3, 4)}${last}${signature.slice(5)}`,
  })
  refused(secret, '{}', { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') })
})

test('webhookHeaders, received more than five minutes early or late: refused', () => {
  const secret = newSecret(randomBytes(32))
  const at = (seconds: number) => webhookHeaders([secret], ID, nowSeconds() + seconds, '{}')
  verifies(secret, '{}', at(-290))
  refused(secret, '{}', at(-310), 'Message timestamp too old')
  refused(secret, '{}', at(310), 'Message timestamp too new')
})

test('webhookHeaders, two secrets during a rotation: valid with both, not with a third', () => {
  const secrets = [newSecret(randomBytes(32)), newSecret(randomBytes(32))]
  const headers = webhookHeaders(secrets, ID, nowSeconds(), '{"a":"ü"}')
  assert.match(headers['webhook-signature'] ?? '', /^v1,[\w+/]{43}= v1,[\w+/]{43}=$/)
  for (const secret of secrets) verifies(secret, '{"a":"ü"}', headers)
  refused(newSecret(randomBytes(32)), '{"a":"ü"}', headers)
})

test("webhook signature, known example: equal to the library's", () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const at = new Date(1_614_265_330_000)
  const body = '{"test": 2432232314}'
  assert.equal(
    signatures([secret], ID, 1_614_265_330, body),
    new Webhook(secret).sign(ID, at, body),
  )
})

test('newSecret, 24 to 64 bytes: whsec_ and base64; other lengths refused', () => {
  assert.match(newSecret(randomBytes(32)), /^whsec_[\w+/]{43}=$/)
  for (const length of [24, 64]) assert.ok(newSecret(randomBytes(length)))
  for (const length of [0, 23, 65]) assert.throws(() => newSecret(randomBytes(length)), RangeError)
})

test('webhook signature, secret without whsec_: throws, signs nothing', () => {
  assert.throws(() => signatures(['c2VjcmV0'], ID, nowSeconds(), '{}'), TypeError)
})
