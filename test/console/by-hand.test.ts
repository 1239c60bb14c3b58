// The page of a payout that people pay: all that the form of a bank asks, to copy, and how the payout
// came to them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localPayout, overChats } from '../support/given/bodies.ts'
import { addPerson, startTestService } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

const PAYEE = {
  name: 'Harbour Trading Ltd',
  type: 'business',
  destination_details: {
    type: 'bank',
    bank: { account_number: '123456789012', country: 'HK', bank_codes: { bank_code: '004' } },
  },
}

test('payout by hand, page of the operator: all that the form of a bank asks, a button that copies each, and why people pay it', async () => {
  const service = await startTestService()
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  await service.setRoutes([{ currency: 'HKD' }])
  const live = await service.openAccount({
    currencies: ['USD'],
    fund: { USD: 1_000_000n },
    sandbox: false,
  })
  const details = {
    ...PAYEE,
    address: { line1: '1 Harbour Street', city: 'Hong Kong', country: 'HK' },
  }
  const body = { ...localPayout, ...overChats, amount: 123_450, beneficiary_details: details }
  const made = await live.post('/v3/payout', body)
  assert.equal(made.status, 200, made.text)
  await addPerson(service, { user: 'ada', role: 'operator' })
  const url = `/console/installation/payouts/${made.json.data.id}`
  const { text } = await service.inject({ url, headers: await logIn(service, 'ada') })
  const asked: Readonly<Record<string, string>> = {
    Amount: '1234.50',
    Currency: 'HKD',
    Name: 'Harbour Trading Ltd',
    'Account number': '123456789012',
    'Bank code': '004',
    'Street and number': '1 Harbour Street',
    'Description for the payee': 'Invoice 2041',
    Purpose: 'supplier payment',
  }
  for (const [label, value] of Object.entries(asked)) {
    const row = `<th scope="row">${label}</th><td>${value}</td>`
    assert.ok(text.includes(row), `${row}: ${text}`)
    assert.ok(text.includes(`data-copy="${value}" data-name="Copy" data-label="Copy: ${label}"`))
  }
  assert.match(text, /People pay this payout\. Of the routes that fit, the one for/)
  assert.match(text, /<h2>What happened<\/h2><ol class="timeline">/)
  await service.close()
})
