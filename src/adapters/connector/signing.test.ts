// Signatures of requests, answers and webhooks: the accepted and the refused ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newSecret, webhookHeaders } from '../../webhooks/sign.ts'
import { answerProblem, requestHeaders, signatureProblem } from './signing.ts'

const secret = newSecret(new Uint8Array(32).fill(1))
const other = newSecret(new Uint8Array(32).fill(2))
const NOW_S = Math.floor(Date.now() / 1000)

const REQUEST = {
  id: 'msg_1',
  timestamp_s: NOW_S,
  method: 'PUT',
  path: '/payments/pot_1-1',
  body: '{"amount":"1"}',
} as const

test('connector request signature: as made by the Standard Webhooks library, over method, path and body', () => {
  const headers = requestHeaders([secret], REQUEST)
  const signed = (message: string) =>
    new Webhook(secret).sign('msg_1', new Date(NOW_S * 1000), message)
  assert.equal(headers['webhook-signature'], signed('PUT /payments/pot_1-1\n{"amount":"1"}'))
  assert.notEqual(headers['webhook-signature'], signed('PUT /payments/pot_2-1\n{"amount":"1"}'))
})

/** The headers of an answer as a connector signs it. */
function answered(status_code: number, body: string, by = secret, at_s = NOW_S, id = 'msg_1') {
  const headers = webhookHeaders([by], id, at_s, `${status_code}\n${body}`)
  return { status_code, headers, body }
}

const problem = (answer: Parameters<typeof answerProblem>[2], secrets = [secret]) =>
  answerProblem(secrets, 'msg_1', answer, NOW_S)

test('connector answer signature: valid only for its own request, within the time limit, with one of the secrets', () => {
  assert.equal(problem(answered(200, '{}')), '')
  assert.equal(problem(answered(200, '{}', other), [secret, other]), '')
  assert.equal(problem(answered(200, '{}', secret, NOW_S - 300)), '')
})

test('connector answer, unsigned or changed in transit: refused', () => {
  const right = answered(404, '{"code":"unknown_payment"}')
  assert.equal(problem({ ...right, headers: {} }), 'is not signed')
  assert.equal(problem({ ...right, status_code: 200 }), 'has a wrong signature')
  assert.equal(problem({ ...right, body: '{}' }), 'has a wrong signature')
  assert.equal(problem(answered(404, '{}', other)), 'has a wrong signature')
  assert.equal(
    problem(answered(404, '{}', secret, NOW_S, 'msg_2')),
    'is signed for another request',
  )
  assert.match(problem(answered(404, '{}', secret, NOW_S - 301)), /^is signed 301 s away/)
  assert.match(problem(answered(404, '{}', secret, NOW_S + 301)), /^is signed 301 s away/)
  const sent = { ...right.headers, 'webhook-timestamp': '1e9' }
  assert.equal(problem({ ...right, headers: sent }), 'has no time in its signature')
})

test('connector answer, no secret configured: refused, also with an empty signature', () => {
  const { headers } = answered(200, '{}')
  for (const signature of ['', ' ', headers['webhook-signature']]) {
    const sent = { ...headers, 'webhook-signature': signature }
    assert.equal(signatureProblem([], sent, '{}', NOW_S), 'has a wrong signature')
  }
})

test('connector request signature: invalid as a webhook signature; answer signature: invalid on another answer', () => {
  const headers = requestHeaders([secret], REQUEST)
  assert.equal(signatureProblem([secret], headers, REQUEST.body, NOW_S), 'has a wrong signature')
  const { headers: of_answer } = answered(200, '{}')
  assert.equal(signatureProblem([secret], of_answer, '{}', NOW_S), 'has a wrong signature')
})

test('connector answer with 300 signatures: the first ten checked, the rest ignored', () => {
  const { headers } = answered(200, '{}')
  const right = headers['webhook-signature'] ?? ''
  const with_right_at = (place: number) => {
    const all = Array.from({ length: 300 }, (_, i) => (i === place ? right : 'v1,AAAA'))
    return { ...headers, 'webhook-signature': all.join(' ') }
  }
  const answer = { status_code: 200, body: '{}' }
  assert.equal(problem({ ...answer, headers: with_right_at(9) }), '')
  assert.equal(problem({ ...answer, headers: with_right_at(10) }), 'has a wrong signature')
})
