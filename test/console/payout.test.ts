// The page of a payout: what webhooks were told stands in its timeline, and a maker answers what the
// payout requires, with documents, once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../src/id.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

const HOSTILE = `</code><script>alert(1)</script>"'>`

let service: TestService
let account: Client
let id: string
before(async () => {
  service = await startTestService()
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  id = account.account.account_id
})
after(() => service.close())

let people = 0

async function person(role: 'maker' | 'viewer') {
  people += 1
  const user = `payer-${people}`
  await addPerson(service, { user, roles: [[id, role]] })
  return logIn(service, user)
}

async function payoutThatAsks(): Promise<string> {
  const { json } = await account.post('/v3/payout', localPayout)
  const payout = json.data.id
  const asked = await account.post(`/v3/sandbox/payout/${payout}/transition`, {
    status: 'requires_action',
    description: 'Send the invoice.',
  })
  assert.equal(asked.status, 200, asked.text)
  return payout
}

test('a payout that requires an answer: a maker sends documents, two clicks send one', async () => {
  const payout = await payoutThatAsks()
  const [maker, viewer] = [await person('maker'), await person('viewer')]
  const url = `/console/${id}/payouts/${payout}`
  const send = (headers: Record<string, string>, form: Record<string, string>) =>
    sendForm(service, headers, `${url}/answer`, form)
  assert.match((await service.inject({ url, headers: maker })).text, /Send the answer/)
  assert.equal(
    (await service.inject({ url, headers: viewer })).text.includes('Send the answer'),
    false,
  )
  const form = {
    key: 'one answer',
    'document:0:type': 'invoice',
    'document:0:url': `https://files.example/${HOSTILE}`,
    'document:2:file_name': 'contract.pdf',
    'beneficiary_details.registration_number': '2041-7',
    note: HOSTILE,
  }
  assert.equal((await send(viewer, form)).status, 403)
  const empty = await send(maker, { key: 'nothing' })
  assert.equal(empty.status, 400)
  assert.match(empty.text, /Send at least one of/)
  for (let click = 0; click < 2; click += 1) {
    const sent = await send(maker, form)
    assert.equal(sent.headers.location, `${url}?done=answered`, sent.text)
  }
  const { json } = await account.get(`/v3/payout/${payout}`)
  assert.deepEqual(json.data.documents, [
    { type: 'invoice', url: form['document:0:url'] },
    { file_name: 'contract.pdf' },
  ])
  assert.equal(json.data.beneficiary_details.registration_number, '2041-7')
  const page = await service.inject({ url, headers: maker })
  assert.equal(/<script>|href="https:\/\/files/.test(page.text), false)
})

test('what an endpoint was told of a payout: in its timeline, with the way to the delivery', async () => {
  const payout = await payoutThatAsks()
  const { json } = await account.get(`/v3/event?object_id=${payout}`)
  const event = json.data.results.at(-1)
  const [delivery, endpoint] = [newId('whd'), newId('whe')]
  const { owner } = service.database
  await owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, created_at, updated_at, status, attempts)
    values (${id}, ${endpoint}, 1, ${delivery}, ${event.id}, ${event.sequence}, ${event.type},
      ${payout}, now(), now(), 'dead', 1)`
  await owner`
    insert into webhook_attempts (account_id, delivery_id, number, created_at, duration_ms,
      status_code, error, answer)
    values (${id}, ${delivery}, 1, now(), 7, 500, '', ${HOSTILE})`
  const page = await service.inject({
    url: `/console/${id}/payouts/${payout}`,
    headers: await person('viewer'),
  })
  assert.equal(page.status, 200)
  assert.match(page.text, /webhook not delivered<\/span> <code>payout\.created<\/code>/)
  assert.ok(page.text.includes(`/webhooks/${endpoint}/deliveries/${delivery}">7 ms</a>`))
})
