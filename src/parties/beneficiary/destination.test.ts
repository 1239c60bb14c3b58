// Tests the codes of a destination: the member that a problem names, and the stored form of valid
// codes. The rules of each standard have a test file of their own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalDestination, checkCodes } from './destination.ts'
import type { DestinationDetails } from './request.ts'

const IBAN = 'DE89370400440532013000'
const BITCOIN = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'

const toBank = (bank: object): DestinationDetails => ({
  type: 'bank',
  bank: { ...('iban' in bank ? {} : { account_number: '1' }), ...bank },
})
const toWallet = (deposit_address: string, type?: string, currency = 'USDT') =>
  ({ type: 'wallet', wallet: { deposit_address, type, currency } }) as DestinationDetails
const toKey = (local_payment_network: object) =>
  ({ type: 'local_payment_network', local_payment_network }) as DestinationDetails

const WRONG: readonly (readonly [what: string, details: DestinationDetails, ...at: string[]])[] = [
  ['an IBAN with one wrong digit', toBank({ iban: 'DE89370400440532013001' }), 'bank.iban'],
  ['an IBAN as account number', toBank({ account_number: IBAN }), 'bank.account_number'],
  ['an IBAN of another country', toBank({ iban: IBAN, country: 'FR' }), 'bank.country'],
  [
    'a BIC of an unknown country',
    toBank({ bank_codes: { bic: 'DEUTZZFF' } }),
    'bank.bank_codes.bic',
  ],
  [
    'a BIC of another country than the IBAN',
    toBank({ iban: IBAN, bank_codes: { swift_code: 'CHASUS33' } }),
    'bank.bank_codes.swift_code',
  ],
  [
    'a BIC of another country than stated',
    toBank({ country: 'US', bank_codes: { bic: 'HSBCHKHH' } }),
    'bank.country',
  ],
  [
    'several codes',
    toBank({ iban: 'DE000', country: 'HK', bank_codes: { aba: '1', sort_code: '1', own: '1' } }),
    ...['iban', 'bank_codes.aba', 'bank_codes.sort_code', 'bank_codes.own'].map(at => `bank.${at}`),
  ],
  ['an address of no known chain', toWallet('not an address', 'tron'), 'wallet.deposit_address'],
  ['the contract of a token', toWallet(USDC_ON_BASE, 'base', 'USDC'), 'wallet.deposit_address'],
  ['the contract of a token elsewhere', toWallet(USDC_ON_BASE, 'bsc'), 'wallet.deposit_address'],
  ['an address of another chain', toWallet(TRON, 'Ethereum'), 'wallet.deposit_address'],
  ['no chain', toWallet(TRON), 'wallet.type'],
  ['a blank chain', toWallet(TRON, ' '), 'wallet.type'],
  ['an unknown chain', toWallet(TRON, 'custodial'), 'wallet.type'],
  ['a chain without any of our tokens', toWallet(BITCOIN, 'bitcoin'), 'wallet.type'],
  ['fiat money', toWallet(EVM, 'ethereum', 'USD'), 'wallet.currency'],
  ['a token that the chain does not carry', toWallet(TRON, 'tron', 'USDC'), 'wallet.currency'],
  ['an unknown network', toKey({ type: 'pigeon' }), 'local_payment_network.type'],
  [
    'a key that is both CPF and telephone number, without its type',
    toKey({ type: 'pix', deposit_key: '11900005123' }),
    'local_payment_network.deposit_key_type',
  ],
  [
    'a CPF with a wrong digit',
    toKey({ type: 'pix', deposit_key_type: 'cpf', deposit_key: '529.982.247-26' }),
    'local_payment_network.deposit_key',
  ],
  [
    'a CNPJ with a wrong digit',
    toKey({ type: 'pix_brl', deposit_key: '12.345.678/0001-96' }),
    'local_payment_network.deposit_key',
  ],
  [
    'a network with another currency in its name',
    toKey({ type: 'pix_usd', deposit_key: 'a@b.example' }),
    'local_payment_network.type',
  ],
  [
    "another network's type of key",
    toKey({ type: 'pix', deposit_key_type: 'vpa', deposit_key: 'a@b' }),
    'local_payment_network.deposit_key_type',
  ],
  ['no key', toKey({ type: 'gopay' }), 'local_payment_network.deposit_key'],
  [
    'a malformed key',
    toKey({ type: 'pix', deposit_key_type: 'cpf', deposit_key: 'a@b.example' }),
    'local_payment_network.deposit_key',
  ],
]

for (const [what, details, ...at] of WRONG) {
  test(`checkCodes, ${what}: faults at ${at.join(', ')}`, () => {
    assert.deepEqual(
      checkCodes(details, 'x').map(({ reason, remarks }) => `${reason} ${remarks}`),
      at.map(place => `invalid_field x.${place}`),
    )
  })
}

test('checkCodes, members of a wrong type: ignored, as the schema refuses them', () => {
  const wallet = { deposit_address: 'x' }
  assert.deepEqual(checkCodes({ ...toBank({}), wallet } as DestinationDetails, 'x'), [])
})

const KEPT: readonly (readonly [sent: DestinationDetails, kept: object])[] = [
  [
    toBank({
      iban: 'de89 3704 0044 0532 0130 00',
      bank_codes: { bic: 'deut de ff', sort_code: '60-16-13', bank_code: ' as - it was ' },
    }),
    {
      iban: IBAN,
      bank_codes: { bic: 'DEUTDEFF', sort_code: '601613', bank_code: ' as - it was ' },
    },
  ],
  [
    toBank({ iban: 'RU03 0445 2522 5408 1781 0538 0913 1041 9' }),
    { iban: 'RU0304452522540817810538091310419' },
  ],
  [
    toKey({ type: 'pix', deposit_key_type: 'cpf', deposit_key: ' 529.982.247-25 ' }),
    { type: 'pix', deposit_key_type: 'cpf', deposit_key: '52998224725' },
  ],
  [
    toKey({ type: 'pix_brl', deposit_key: '12.345.678/0001-95' }),
    { type: 'pix_brl', deposit_key: '12345678000195' },
  ],
  [
    toKey({
      type: 'pix',
      deposit_key_type: 'random',
      deposit_key: '123e4567-e89b-42d3-a456-426655440000',
    }),
    {
      type: 'pix',
      deposit_key_type: 'random',
      deposit_key: '123e4567-e89b-42d3-a456-426655440000',
    },
  ],
  [
    toKey({ type: 'shopeepay_idr', deposit_key: '+62 812-3456-7890' }),
    { type: 'shopeepay_idr', deposit_key: '+6281234567890' },
  ],
  [
    toBank({ bank_codes: { bic_code: 'hsbc hkhh', aba_code: '021000021', ach_code: '011000015' } }),
    {
      account_number: '1',
      bank_codes: { bic_code: 'HSBCHKHH', aba_code: '021000021', ach_code: '011000015' },
    },
  ],
  [toWallet(` ${EVM}\n`, 'Ethereum'), { deposit_address: EVM, type: 'Ethereum', currency: 'USDT' }],
]

for (const [sent, kept] of KEPT) {
  test(`canonicalDestination, ${JSON.stringify(kept)}: codes in their standard form`, () => {
    assert.deepEqual(checkCodes(sent, 'x'), [])
    assert.deepEqual(canonicalDestination(sent), { type: sent.type, [sent.type]: kept })
  })
}

test('checkCodes, unknown kind of bank code: a fault that suggests the nearest known kind', () => {
  const [problem] = checkCodes(toBank({ bank_codes: { sortcode: '601613' } }), 'x')
  assert.equal(problem?.remarks, 'x.bank.bank_codes.sortcode')
  assert.equal(problem?.message, 'Not a known bank code; did you mean sort_code?')
})
