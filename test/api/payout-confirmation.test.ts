// GET /v3/payout/{id}/confirmation: one page for the payee, of paid payouts alone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { readPdf } from '../support/read/pdf.ts'
import { operatorSets, pay } from '../support/service/payouts.ts'
import {
  addPerson,
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'
import { settleAll } from '../support/service/settling.ts'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setFees([{ fixed_amount: 100n }])
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
})
after(() => service.close())

const payTo = (name: string, reference_id: string) =>
  pay(account, {
    amount: 123_456,
    reference_id,
    beneficiary_details: { ...localPayout.beneficiary_details, name },
  })

const ask = async (id: string, query = '', client = account) => {
  const authorization = basic(client.key_id, client.secret)
  const url = `/v3/payout/${id}/confirmation${query}`
  const answer = await service.app.inject({ url, headers: { authorization } })
  return { ...answer, status: answer.statusCode, bytes: answer.rawPayload }
}

test('GET /v3/payout/{id}/confirmation, paid: one page with payer, payee, account, amount and references, without fees', async () => {
  const { id } = await payTo('Łukasz Müller 張', 'INV-7')
  await settleAll(service)
  const { status, headers, bytes } = await ask(id, '?zone=Asia/Hong_Kong')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'application/pdf')
  assert.equal(headers['content-disposition'], `attachment; filename="confirmation-${id}.pdf"`)
  const { pages, texts } = readPdf(bytes)
  assert.equal(pages, 1)
  const words = texts.join('|')
  for (const part of [
    'Payment confirmation|',
    'Sandbox: this payment is a test',
    '|1,234.56 USD|',
    '|To|Łukasz Müller □|',
    '|Account number|123456789012|',
    '|Bank|Harbour Bank, HSBCHKHH|',
    '|Description|Invoice 2041|',
    '|Reference of the payer|INV-7|',
    `|Payment|${id}|`,
    'U+5F35',
    'in Asia/Hong_Kong (',
  ]) {
    assert.ok(words.includes(part), `${part}: ${words}`)
  }
  assert.doesNotMatch(words, /1,235\.56|fee/i)
})

test('GET /v3/payout/{id}/confirmation, not paid, unknown, of another account, or a zone that is none: refused', async () => {
  const { id } = await payTo('Anna Schmidt', 'INV-8')
  const json = async (...asked: Parameters<typeof ask>) => {
    const { status, headers, payload: text } = await ask(...asked)
    return { status, headers, text, json: JSON.parse(text) }
  }
  assertRefused(await json(id), 409, 'payout_not_paid')
  await settleAll(service)
  assert.equal((await ask(id)).status, 200)
  assertRefused(await json(id, '?zone=Mars'), 400, 'invalid_query_parameter', 'zone')
  const other = await service.openAccount({ currencies: ['USD'] })
  assertRefused(await json(id, '', other), 404, 'not_found')
  assertRefused(await json(`pot_${'0'.repeat(20)}`), 404, 'not_found')
  await operatorSets(service, account, id, 'reversed')
  assertRefused(await json(id), 409, 'payout_not_paid')
})

test('payout page, paid: leads to the confirmation; without a role on the account: 403', async () => {
  const { id } = await payTo('Anna Schmidt', 'INV-9')
  const { account_id } = account.account
  await addPerson(service, { user: 'reader', roles: [[account_id, 'viewer']] })
  await addPerson(service, { user: 'stranger', role: 'operator', roles: [] })
  const look = async (user: string, path: string) =>
    service.inject({
      url: `/console/${account_id}/payouts/${path}`,
      headers: await logIn(service, user),
    })
  assert.doesNotMatch((await look('reader', id)).text, /Payment confirmation/)
  assert.equal((await look('reader', `${id}/confirmation`)).status, 409)
  await settleAll(service)
  assert.match((await look('reader', id)).text, new RegExp(`${id}/confirmation" download`))
  const file = await look('reader', `${id}/confirmation`)
  assert.deepEqual([file.status, file.headers['content-type']], [200, 'application/pdf'])
  assert.equal((await look('stranger', `${id}/confirmation`)).status, 403)
})
