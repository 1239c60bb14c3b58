// When a payout is like an earlier one (docs/decisions/creating-payouts.md), as tables: which
// members count, which do not, and for how long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOW, refusalOf } from '../../../test/support/given/in-memory.ts'
import type { BeneficiaryRequest, DestinationDetails } from '../../parties/beneficiary/request.ts'
import { hashJson } from '../../values/digest.ts'
import type { Fingerprints } from '../payout.ts'
import { fingerprintOf, refuseDuplicate } from './duplicate.ts'

type Whom = Pick<BeneficiaryRequest, 'name' | 'destination_details'>
type Bank = NonNullable<DestinationDetails['bank']>

const bank: Bank = {
  account_number: '123456789',
  bank_name: 'Harbour Bank',
  country: 'HK',
  currency: 'HKD',
  bank_codes: { swift_code: 'HSBCHKHH' },
}
const toBank = (part: Partial<Bank> = {}, name = 'Harbour Trading'): Whom => ({
  name,
  destination_details: { type: 'bank', bank: { ...bank, ...part } },
})
const toWallet = (part: object = {}): Whom => ({
  name: 'Harbour Trading',
  destination_details: { type: 'wallet', wallet: { deposit_address: 'TAddress', ...part } },
})
const payment = { amount: 10_000, currency: 'USD', reference_id: 'r' }

test('payout fingerprint, example payout: bytes equal to those stored by earlier versions', () => {
  const content = {
    to: {
      name: 'harbour trading',
      destination: {
        type: 'bank',
        bank: {
          account_number: '123456789',
          country: 'HK',
          currency: 'HKD',
          bank_codes: { swift_code: 'HSBCHKHH' },
        },
      },
    },
    amount: '10000',
    currency: 'USD',
    reference_id: 'r',
  }
  assert.equal(fingerprintOf(toBank(), payment), hashJson(content))
})

const SAME: readonly (readonly [what: string, whom: Whom])[] = [
  ['the name in another case, surrounded by spaces', toBank({}, '  HARBOUR trading ')],
  ['the account number in groups', toBank({ account_number: '1234-567 89' })],
  [
    'the account number with punctuation and leading zeros',
    toBank({ account_number: '/0123.456+789' }),
  ],
  ['another bank name', toBank({ bank_name: 'HB Ltd' })],
  ['a bank code in groups, lower case', toBank({ bank_codes: { swift_code: 'hsbc hkhh' } })],
  ['an empty bank code', toBank({ bank_codes: { swift_code: 'HSBCHKHH', bic: '' } })],
  ['an empty member', toBank({ iban: '' })],
]

for (const [what, whom] of SAME) {
  test(`payout fingerprint, ${what}: equal fingerprints`, () => {
    assert.equal(fingerprintOf(whom, payment), fingerprintOf(toBank(), payment))
  })
}

test('payout fingerprint, wallet address in another case, chain that ignores case: equal fingerprints', () => {
  for (const address of [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
  ]) {
    const [one, other] = [address, address.toLowerCase()].map(deposit_address =>
      fingerprintOf(toWallet({ deposit_address }), payment),
    )
    assert.equal(one, other)
  }
})

test('payout fingerprint, amount as bigint or as number: equal fingerprints', () => {
  assert.equal(
    fingerprintOf(toBank(), { ...payment, amount: 10_000n }),
    fingerprintOf(toBank(), payment),
  )
})

test('payout fingerprint, bank codes empty or absent: equal fingerprints', () => {
  const { bank_codes: _, ...plain } = bank
  const without: Whom = {
    name: 'Harbour Trading',
    destination_details: { type: 'bank', bank: plain },
  }
  assert.equal(fingerprintOf(toBank({ bank_codes: {} }), payment), fingerprintOf(without, payment))
  assert.equal(
    fingerprintOf(toBank({ bank_codes: { bic: '' } }), payment),
    fingerprintOf(without, payment),
  )
})

const OTHERS: readonly (readonly [
  what: string,
  whom: Whom,
  payment: Parameters<typeof fingerprintOf>[1],
])[] = [
  ['another name', toBank({}, 'Harbour Trade'), payment],
  ['another account number', toBank({ account_number: '123456780' }), payment],
  ['another country', toBank({ country: 'SG' }), payment],
  ['another bank code', toBank({ bank_codes: { swift_code: 'HSBCSGSG' } }), payment],
  ['a wallet', toWallet(), payment],
  ['another wallet', toWallet({ deposit_address: 'TAddresz' }), payment],
  ['a wallet on a chain', toWallet({ type: 'tron' }), payment],
  ['another amount', toBank(), { ...payment, amount: 10_001 }],
  ['another currency', toBank(), { ...payment, currency: 'EUR' }],
  ['another reference', toBank(), { ...payment, reference_id: 's' }],
  ['no reference', toBank(), { ...payment, reference_id: '' }],
]

test('payout fingerprint, each compared member changed: all fingerprints differ', () => {
  const hashes = OTHERS.map(([, whom, how]) => fingerprintOf(whom, how))
  const all = new Set([fingerprintOf(toBank(), payment), ...hashes])
  assert.equal(all.size, OTHERS.length + 1, JSON.stringify(OTHERS.map(([what]) => what)))
})

test('payout fingerprint, payout to an IBAN: account number ignored', () => {
  const iban = 'DE89370400440532013000'
  const whom: Whom = { name: 'A', destination_details: { type: 'bank', bank: { iban } } }
  const to = { name: 'a', destination: { type: 'bank', bank: { iban } } }
  const content = { to, amount: '10000', currency: 'USD', reference_id: 'r' }
  assert.equal(fingerprintOf(whom, payment), hashJson(content))
})

test('payout fingerprint, IBAN with and without spaces: equal; same digits as an account number: different', () => {
  const to = (part: Bank): Whom => ({
    name: 'A',
    destination_details: { type: 'bank', bank: part },
  })
  const iban = fingerprintOf(to({ iban: 'DE89370400440532013000' }), payment)
  assert.equal(fingerprintOf(to({ iban: 'de89 3704 0044 0532 0130 00' }), payment), iban)
  assert.notEqual(fingerprintOf(to({ account_number: 'DE89370400440532013000' }), payment), iban)
})

const guarded = { account_id: 'acc_1', duplicate_window_s: 600 }
const fingerprints: Fingerprints = new Map([
  ['acc_1/abc', { account_id: 'acc_1', fingerprint: 'abc', created_at: NOW, payout_id: 'pot_7' }],
])

test('refuseDuplicate, another fingerprint or account: accepted', () => {
  refuseDuplicate(fingerprints, guarded, 'abd', NOW)
  refuseDuplicate(fingerprints, { ...guarded, account_id: 'acc_2' }, 'abc', NOW)
})

test('refuseDuplicate, equal payout within the window: refused, naming that payout and its age', () => {
  for (const [now, age_s] of [
    [NOW, 0],
    ['2026-01-31T09:39:59.123456Z', 599],
    ['2026-01-31T09:40:00.123455Z', 599],
  ] as const) {
    const message =
      `Payout pot_7, made ${age_s} s ago, has the same beneficiary, amount, currency and ` +
      'reference_id. If this is another payment, send allow_duplicate.'
    assert.deepEqual(
      refusalOf(() => refuseDuplicate(fingerprints, guarded, 'abc', now)),
      [`possible_duplicate_payout at allow_duplicate: ${message}`],
    )
  }
})

test('refuseDuplicate, equal payout after the window, or account without a window: accepted', () => {
  refuseDuplicate(fingerprints, guarded, 'abc', '2026-01-31T09:40:00.123456Z')
  refuseDuplicate(fingerprints, { ...guarded, duplicate_window_s: 0 }, 'abc', NOW)
})
