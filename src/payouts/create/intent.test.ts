// What a request to pay amounts to: by itself, and with the quote and the beneficiary that it names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { account, beneficiary, quoteOf, request } from '../../../test/support/given/in-memory.ts'
import type { PayoutRequest } from '../request.ts'
import { fingerprintOf } from './duplicate.ts'
import { intentOf, withNamed } from './intent.ts'

const comparing = { ...account, duplicate_window_s: 600 }
const { type: _type, ...untyped } = request
const { beneficiary_details: _details, ...bare } = untyped
const asked = (part: Partial<PayoutRequest> = {}, payer = comparing) => ({
  account_id: 'acc_1',
  account: payer,
  maker: 'key_1',
  request: { ...untyped, ...part },
})
const toKnown = { ...asked(), request: { ...bare, beneficiary: 'bnf_known' } }
const known = (details = beneficiary.details) => ({
  quotes: new Map(),
  beneficiaries: new Map([['acc_1/bnf_known', { ...beneficiary, details }]]),
})

test('intentOf, no quote, no type: type local, on behalf of no entity', () => {
  const { type, on_behalf_of } = intentOf(asked())
  assert.deepEqual([type, on_behalf_of], ['local', ''])
})

test('intentOf, with a quote: type and entity of the quote, unless the request has its own', () => {
  const quote = quoteOf({ payout_type: 'swift', entity_id: 'ent_quoted' })
  const named = { quotes: new Map([['acc_1/poq_1', quote]]), beneficiaries: new Map() }
  const terms = (part: Partial<PayoutRequest>) => {
    const intent = withNamed(intentOf(asked({ quote: 'poq_1', ...part })), named)
    return [intent.type, intent.on_behalf_of]
  }
  assert.deepEqual(terms({}), ['swift', 'ent_quoted'])
  assert.deepEqual(terms({ type: 'local', on_behalf_of: 'ent_own' }), ['local', 'ent_own'])
})

test('intentOf, unknown beneficiary: no details, no fingerprint', () => {
  const { details, fingerprint } = intentOf(toKnown)
  assert.deepEqual([details, fingerprint], [undefined, null])
})

test('intentOf, beneficiary changed after the quote: compared by its current details', () => {
  const before = withNamed(intentOf(toKnown), known())
  const changed = { ...beneficiary.details, name: 'Another Company' }
  const after = withNamed(before, known(changed))
  const { amount, currency, reference_id = '' } = request
  const payment = { amount, currency, reference_id }
  assert.equal(before.fingerprint, fingerprintOf(beneficiary.details, payment))
  assert.equal(after.fingerprint, fingerprintOf(changed, payment))
})

test('intentOf, account without a duplicate window: no fingerprint', () => {
  assert.equal(intentOf(asked({}, account)).fingerprint, null)
})
