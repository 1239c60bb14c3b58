// Tests the country of a destination, however it is written, and the problems when members
// disagree.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bankingCountry,
  checkCountries,
  destinationCountry,
  mayBeIn,
  namedCountries,
} from './country.ts'
import type { DestinationDetails } from './request.ts'

type Bank = NonNullable<DestinationDetails['bank']>

const GB = 'GB82 WEST 1234 5698 7654 32'
const FR = 'FR14 2004 1010 0505 0001 3M02 606'
const MC = 'MC58 1122 2000 0101 2345 6789 030'
const IE = 'IE29 AIBK 9311 5212 3456 78'

const COUNTRIES: readonly (readonly [what: string, bank: Bank, country: string])[] = [
  ['nothing', {}, ''],
  ['stated', { country: 'HK' }, 'HK'],
  ['an IBAN', { iban: 'DE89370400440532013000' }, 'DE'],
  ['an IBAN with spaces, lower case', { iban: 'de89 3704 0044 0532 0130 00' }, 'DE'],
  ['a BIC', { account_number: '1', bank_codes: { swift_code: 'HSBCHKHH' } }, 'HK'],
  ['a BIC in lower case', { account_number: '1', bank_codes: { bic: ' hsbc hkhh ' } }, 'HK'],
  [
    "a BIC and another stated country: the BIC's",
    { country: 'PR', bank_codes: { bic: 'CHASUS33' } },
    'US',
  ],
  ['a malformed BIC', { country: 'HK', bank_codes: { swift_code: 'unknown' } }, 'HK'],
  ['a Kosovar IBAN', { iban: 'XK051212012345678906' }, 'XK'],
  ["an IBAN and a stated territory: the IBAN's", { iban: GB, country: 'JE' }, 'GB'],
  [
    "an IBAN and a territory's BIC: the IBAN's",
    { iban: FR, bank_codes: { bic: 'BNPARERX' } },
    'FR',
  ],
  ['a stated territory', { country: 'GP' }, 'FR'],
  ["a territory's BIC", { bank_codes: { swift_code: 'BPPRPRSX' } }, 'US'],
  ['Monaco at a French bank', { iban: MC, bank_codes: { bic: 'SOGEFRPP' } }, 'MC'],
]

for (const [what, bank, country] of COUNTRIES) {
  test(`destinationCountry, bank account, ${what}: ${country || 'not known'}`, () => {
    assert.equal(destinationCountry({ type: 'bank', bank }), country)
  })
}

test("destinationCountry, payment network: the network's country, if it has one; wallet or account: none", () => {
  const pays = (type: string, currency?: string) =>
    destinationCountry({ type: 'local_payment_network', local_payment_network: { type } }, currency)
  assert.equal(pays('Pix'), 'BR')
  // M-PESA is in two countries, in each with a currency of its own.
  assert.equal(pays('mpesa'), '')
  assert.equal(pays('mpesa', 'KES'), 'KE')
  assert.equal(pays('mpesa', 'TZS'), 'TZ')
  assert.equal(pays('mpesa', 'EUR'), '')
  assert.equal(pays('none'), '')
  assert.equal(destinationCountry({ type: 'wallet', wallet: { deposit_address: 'a' } }), '')
  const internal = { type: 'service_account', service_account: { deposit_address: 'a' } } as const
  assert.equal(destinationCountry(internal), '')
})

test('mayBeIn: countries of the destination; any country if the destination states none', () => {
  const momo = { type: 'mtn_momo', deposit_key: '+233241234567' }
  const network: DestinationDetails = { type: 'local_payment_network', local_payment_network: momo }
  const german: DestinationDetails = { type: 'bank', bank: { iban: 'DE89370400440532013000' } }
  const unstated: DestinationDetails = { type: 'bank', bank: { account_number: '12345678' } }
  const wallet: DestinationDetails = { type: 'wallet', wallet: { deposit_address: 'a' } }
  const internal: DestinationDetails = {
    type: 'service_account',
    service_account: { deposit_address: 'a' },
  }
  const results = [german, unstated, network, wallet, internal].map(to =>
    ['DE', 'GH'].map(country => mayBeIn(country, to)),
  )
  assert.deepEqual(results, [
    [true, false],
    [true, true],
    [false, true],
    [true, true],
    [false, false],
  ])
})

test('bankingCountry, territory: the country of its IBANs or routing numbers', () => {
  const pairs = ['GG GB', 'IM GB', 'JE GB', 'AX FI', 'NC FR', 'RE FR', 'GU US', 'HK HK', 'MC MC']
  for (const pair of pairs) {
    const [territory = '', country] = pair.split(' ')
    assert.equal(bankingCountry(territory), country)
  }
})

test('namedCountries of a bank account: each country named by IBAN, BIC or country, once', () => {
  const bank = { iban: GB, country: 'JE', bank_codes: { swift_code: 'BARCGB22', bic: 'HSBCJESX' } }
  assert.deepEqual(namedCountries(bank), ['GB', 'JE'])
  assert.deepEqual(namedCountries({}), [])
})

const AGREE: readonly Bank[] = [
  { country: 'HK', bank_codes: { swift_code: 'HSBCHKHH' } },
  { iban: GB, country: 'IM', bank_codes: { bic: 'MIDLGGS1' } },
  { iban: FR, country: 'NC', bank_codes: { bic: 'BCPFNCNN' } },
  { iban: MC, bank_codes: { bic: 'SOGEFRPP' } },
  { iban: IE, bank_codes: { bic: 'BARCGB22' } },
  // A bank of Lithuania opens accounts in Spain.
  { iban: 'ES9121000418450200051332', bank_codes: { bic: 'REVOLT21' } },
  { country: 'PR', bank_codes: { bic: 'CHASUS33' } },
  { country: 'HK', bank_codes: { swift_code: 'unknown' } },
]

test('bank account, countries of IBAN, BIC and country agree: no fault', () => {
  for (const bank of AGREE) assert.deepEqual(checkCountries(bank, 'bank'), [])
})

const DISAGREE: readonly (readonly [bank: Bank, path: string, message: string])[] = [
  [{ iban: FR, country: 'DE' }, 'country', 'The IBAN is of FR, the country is DE.'],
  [
    { iban: FR, bank_codes: { swift_code: 'CHASUS33' } },
    'bank_codes.swift_code',
    'The IBAN is of FR, the BIC is of US.',
  ],
  [
    { iban: GB, bank_codes: { bic: 'HSBCHKHH' } },
    'bank_codes.bic',
    'The IBAN is of GB, the BIC is of HK.',
  ],
  [
    { country: 'US', bank_codes: { bic: 'HSBCHKHH' } },
    'country',
    'The BIC in bic is of HK, the country is US.',
  ],
  [
    { country: 'HK', bank_codes: { swift_code: 'HSBCHKHH', bic: 'CHASUS33' } },
    'bank_codes.bic',
    'The BIC in swift_code is of HK, that in bic of US.',
  ],
]

for (const [bank, path, message] of DISAGREE) {
  test(`bank account, countries of IBAN, BIC and country disagree: ${message}`, () => {
    assert.deepEqual(checkCountries(bank, 'bank'), [
      { reason: 'invalid_field', remarks: `bank.${path}`, message },
    ])
  })
}
