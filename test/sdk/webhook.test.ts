// The verifiers of webhooks of both clients: what the service sends and what others sign is taken,
// anything else is refused with the reason that helps.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  type AccountEvent,
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
} from '../../packages/sdk/src/index.ts'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { newSecret } from '../../src/webhooks/sign.ts'
import { bankBeneficiary } from '../support/given/bodies.ts'
import {
  addEndpoint,
  type Received,
  type Receiver,
  startReceiver,
} from '../support/network/receiver.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { noPython, PYTHON_CLIENT, python } from './python.ts'

let service: TestService
let receiver: Receiver
let delivery: Received
let secret: string
before(async () => {
  service = await startTestService({ webhook_allow_private: true })
  receiver = await startReceiver()
  const account = await service.openAccount()
  ;({ secret } = await addEndpoint(service.database, account.account.account_id, receiver.url))
  await account.post('/v3/beneficiary', bankBeneficiary)
  await deliverDue(service.deps, service.deps.sql)
  delivery = receiver.received[0] ?? assert.fail('nothing was delivered')
})
after(async () => {
  await receiver.close()
  await service.close()
})

const OTHER = newSecret(new Uint8Array(32))

interface Sent {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly secrets: readonly string[]
  readonly now_ms?: number
}

/** Each mistake of a receiver or of an attacker, with what is said of it. */
function refusals(): [name: string, sent: Sent, reason: string, more?: object][] {
  const { body, event } = delivery
  const headers = delivery.headers as Record<string, string>
  const signed_s = Number(headers['webhook-timestamp'])
  const secrets = [secret]
  const right = { body, headers, secrets }
  const reordered = JSON.stringify(Object.fromEntries(Object.entries(event).toReversed()))
  const spaced = JSON.stringify(event, null, 2)
  const later = { ...headers, 'webhook-timestamp': String(signed_s + 1) }
  const without = (name: string) => ({ ...headers, [name]: undefined })
  return [
    ['another secret', { ...right, secrets: [OTHER] }, 'signature_mismatch'],
    ['forged body', { ...right, body: body.replace('created', 'updated') }, 'signature_mismatch'],
    ['members in another order', { ...right, body: reordered }, 'signature_mismatch'],
    ['parsed and written again', { ...right, body: spaced }, 'body_not_raw'],
    ['an object', { ...right, body: event }, 'body_not_raw'],
    ['another time', { ...right, headers: later }, 'signature_mismatch'],
    [
      'another id',
      { ...right, headers: { ...headers, 'webhook-id': 'evt_1' } },
      'signature_mismatch',
    ],
    ['late', { ...right, now_ms: (signed_s + 301) * 1000 }, 'too_old', { off_by_s: 301 }],
    ['early', { ...right, now_ms: (signed_s - 301) * 1000 }, 'too_new', { off_by_s: -301 }],
    ['no secret', { ...right, secrets: ['hunter2'] }, 'invalid_secret'],
    ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
      (header): [string, Sent, string, object] => {
        return [
          `no ${header}`,
          { ...right, headers: without(header) },
          'missing_header',
          { header },
        ]
      },
    ),
  ]
}

test('SDK, verifyWebhook: accepts deliveries of the service and of another signer, with several secrets', async () => {
  const { body, headers } = delivery
  const event = await verifyWebhook(body, headers, [OTHER, secret])
  assert.deepEqual(event, delivery.event)
  const bytes = new TextEncoder().encode(body)
  assert.deepEqual(await verifyWebhook(bytes, new Headers(headers as never), secret), event)
  const text = '{"type":"payout.failed","name":"Zoë"}'
  const id = 'msg_1'
  const signature = `v1,AAAA v2,x ${new Webhook(secret).sign(id, new Date(), text)}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const theirs = {
    'Webhook-Id': id,
    'Webhook-Timestamp': timestamp,
    'Webhook-Signature': signature,
  }
  assert.equal((await verifyWebhook(text, theirs, secret)).type, 'payout.failed')
})

/** Compiles as the type of an event says what its object is. */
function wordsOf(event: AccountEvent): string {
  switch (event.type) {
    case 'payout.failed':
      return `${event.data.failure?.code} ${event.previous_attributes.status} ${event.change.by}`
    case 'balance_transaction.created':
      return event.data.net.currency
    case 'entity.updated':
      return event.data.approval_status
    case 'beneficiary.created':
      return event.data.name
    default:
      return event.data.id
  }
}

test("SDK, verifyWebhook: the event's type narrows the type of its object", async () => {
  const event = await verifyWebhook(delivery.body, delivery.headers, secret)
  assert.equal(wordsOf(event), bankBeneficiary.name)
})

test('delivery, checked by two other libraries: accepted; forged: refused', t => {
  const { body } = delivery
  const headers = delivery.headers as Record<string, string>
  const forged = body.replace('created', 'updated')
  assert.deepEqual(new Webhook(secret).verify(body, headers), delivery.event)
  assert.throws(() => new Webhook(secret).verify(forged, headers), /No matching signature/)
  if (noPython !== false) return t.diagnostic(noPython)
  const script = `
import base64, hashlib, hmac, json, sys
sent = json.load(sys.stdin)
head, key = sent["headers"], base64.b64decode(sent["secret"].removeprefix("whsec_"))
for body in sent["bodies"]:
    signed = ".".join([head["webhook-id"], head["webhook-timestamp"], body]).encode()
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    print(any(hmac.compare_digest(one, right) for one in head["webhook-signature"].split()))`
  const input = JSON.stringify({ headers, secret, bodies: [body, forged] })
  const { stdout, stderr } = spawnSync(python, ['-c', script], { input })
  assert.deepEqual(String(stdout).trim().split('\n'), ['True', 'False'], String(stderr))
})

test('SDK, verifyWebhook, each kind of bad delivery: refused with its reason', async () => {
  for (const [name, { body, headers, secrets, now_ms }, reason, more = {}] of refusals()) {
    const options = now_ms === undefined ? {} : { now_ms }
    const call = verifyWebhook(body as string, headers as WebhookHeaders, secrets, options)
    const error = await call.catch((thrown: unknown) => thrown)
    assert.ok(error instanceof WebhookError, `${name}: ${error}`)
    assert.equal(error.reason, reason, name)
    assert.deepEqual({ ...error, ...more }, { ...error }, name)
  }
})

test('Python, verify_webhook: same events and reasons as the SDK', { skip: noPython }, () => {
  const { body, headers } = delivery
  const right: Sent = { body, headers: headers as Record<string, string>, secrets: [OTHER, secret] }
  const cases = [right, ...refusals().map(([, sent]) => sent)]
  const script = `
import json, sys
from corridor import WebhookError, verify_webhook
for case in json.load(sys.stdin):
    now_s = case["now_ms"] / 1000 if "now_ms" in case else None
    try:
        print(verify_webhook(case["body"], case["headers"], case["secrets"], now_s=now_s)["type"])
    except WebhookError as error:
        print(error.reason)`
  const input = JSON.stringify(cases)
  const { stdout, stderr } = spawnSync(python, ['-c', script], { cwd: PYTHON_CLIENT, input })
  const expected = [delivery.event.type, ...refusals().map(([, , reason]) => reason)]
  assert.deepEqual(String(stdout).trim().split('\n'), expected, String(stderr))
})
