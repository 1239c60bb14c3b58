// The keys by which a later run recognises the payouts of a file. Keys are stored for ever, so
// their recipe may not change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FileKeys } from './paid-once.ts'

const row = {
  amount: 100,
  currency: 'EUR',
  purpose: 'refund',
  transaction_description: 'Order 1',
  beneficiary: 'bnf_00000000000000000000',
} as const

const payee = {
  name: 'Anna',
  type: 'individual',
  destination_details: { type: 'bank', bank: { iban: 'DE89370400440532013000' } },
} as const

const keysOf = (name: string, ...rows: Parameters<FileKeys['next']>[0][]) => {
  const keys = new FileKeys(name)
  return rows.map(request => keys.next(request))
}

test('import keys of a payout row: equal to the keys stored by earlier versions', () => {
  const [one, two] = keysOf('a.csv', row, row)
  assert.deepEqual(one, {
    row: 'f9c99d8440ec2d4f647cafb3035d7eac281d1f1908b6bbee65e173891b5298d5',
    payment: 'f9c99d8440ec2d4f0f26f3ac9110ed10ac4e4e4f6c2e8f7e11e2900fbdc52c3f',
    previous_payment: null,
  })
  assert.equal(two?.previous_payment, one?.payment)
  const { beneficiary: _, ...without_beneficiary } = row
  assert.deepEqual(keysOf('a.csv', { ...without_beneficiary, beneficiary_details: payee }), [
    {
      row: 'f9c99d8440ec2d4faffbfeddbb292c5a2d59a43323b795dc8a207262fef8a364',
      payment: 'f9c99d8440ec2d4fec8536154198d537e3b93eba2c2adb12b2a44b4aefc59e0a',
      previous_payment: null,
    },
  ])
})

test('import keys of a payout row, text changed: another row key, the same payment key', () => {
  const [one, two] = keysOf('a', row, { ...row, transaction_description: 'Order one' })
  const [alone] = keysOf('a', { ...row, transaction_description: 'Order one' })
  assert.notEqual(two?.row, one?.row)
  assert.equal(two?.previous_payment, one?.payment)
  assert.equal(alone?.payment, one?.payment)
})

test('import keys of a payout row, allow_duplicate added: the same row key', () => {
  const [one] = keysOf('a', row)
  const [two] = keysOf('a', { ...row, allow_duplicate: true })
  assert.equal(two?.row, one?.row)
})

test('import keys of a payout row, money or file name changed: another payment key', () => {
  const [one] = keysOf('a', row)
  for (const [name, change] of [
    ['a', { amount: 101 }],
    ['a', { currency: 'USD' }],
    ['a', { reference_id: 'x' }],
    ['a', { beneficiary: 'bnf_00000000000000000001' }],
    ['b', {}],
  ] as const) {
    const [other] = keysOf(name, { ...row, ...change })
    assert.notEqual(other?.payment, one?.payment)
    assert.notEqual(other?.row, one?.row)
  }
})
