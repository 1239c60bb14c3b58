// The payee's identity: the same account, wallet or key in any spelling is one payee.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DestinationDetails } from './beneficiary/request.ts'
import { payeeOf } from './payee.ts'

const bank = (details: object): DestinationDetails => ({ type: 'bank', bank: details })
const wallet = (deposit_address: string): DestinationDetails => ({
  type: 'wallet',
  wallet: { deposit_address, type: 'ethereum' },
})
const key = (details: object): DestinationDetails => ({
  type: 'local_payment_network',
  local_payment_network: { type: 'PIX', ...details },
})

const SAME: readonly (readonly [
  what: string,
  one: DestinationDetails,
  other: DestinationDetails,
])[] = [
  [
    'an account number with hyphens, another bank name and code',
    bank({ account_number: '123-456 789', country: 'HK' }),
    bank({ account_number: '123456789', bank_name: 'Harbour', bank_codes: { bank_code: '004' } }),
  ],
  [
    'an account number with SWIFT punctuation and leading zeros',
    bank({ account_number: "/00123.456'(789)+" }),
    bank({ account_number: '123456789' }),
  ],
  [
    'an IBAN in groups',
    bank({ iban: 'de89 3704 0044 0532 0130 00' }),
    bank({ iban: 'DE89370400440532013000', country: 'DE' }),
  ],
  [
    'an address whose letter case is a checksum',
    wallet('0x52908400098527886E0F7030069857D2E4169EE7'),
    wallet('0x52908400098527886e0f7030069857d2e4169ee7'),
  ],
  [
    'a Bech32 address in upper case',
    wallet('BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'),
    wallet('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'),
  ],
  [
    'a key with spaces and upper case',
    key({ deposit_key: 'Ana@Example.com ' }),
    key({ type: 'pix', deposit_key: 'ana@example.com' }),
  ],
]

for (const [what, one, other] of SAME) {
  test(`payeeOf, ${what}: the same payee`, () => {
    assert.equal(payeeOf(one), payeeOf(other))
    assert.match(payeeOf(one), /^[0-9a-f]{32}$/)
  })
}

test('payeeOf, other account, wallet, key or transfer: another payee', () => {
  const all = [
    bank({ account_number: '1' }),
    bank({ account_number: '2' }),
    bank({ account_number: '0' }),
    bank({ account_number: '10' }),
    wallet('1'),
    wallet('So1'),
    wallet('so1'),
    key({ deposit_key: '1' }),
    key({ deposit_key: '2' }),
    { type: 'service_account', service_account: { deposit_address: '1' } } as const,
    { type: 'service_account', service_account: { deposit_address: '2' } } as const,
  ]
  assert.equal(new Set(all.map(payeeOf)).size, all.length)
})

test('payeeOf, destination without number, key or address: one payee per type and network', () => {
  const incomplete = [
    bank({ bank_codes: { swift_code: 'HSBCHKHH' } }),
    key({}),
    key({ type: 'upi' }),
    { type: 'service_account' } as const,
  ]
  assert.equal(new Set(incomplete.map(payeeOf)).size, incomplete.length)
})

test('payeeOf, account number with letters: case-insensitive', () => {
  assert.equal(payeeOf(bank({ account_number: 'ab-1' })), payeeOf(bank({ account_number: 'AB1' })))
})
