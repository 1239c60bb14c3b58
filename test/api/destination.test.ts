// Destinations of inline details: the field that a wrong code is in, all of them at once, and codes
// kept as their standards write them. The standards themselves are tested beside the code.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localPayout } from '../support/given/bodies.ts'
import { assertProblems } from '../support/assert/check.ts'
import { type BadRequest, makeRefuser } from '../support/assert/refuses.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/payout'
const AT = 'beneficiary_details.destination_details'
const IBAN = 'DE89370400440532013000'
const BITCOIN = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'

const paying = (destination_details: object) => ({
  ...localPayout,
  beneficiary_details: { ...localPayout.beneficiary_details, destination_details },
})
const toBank = (bank: object) =>
  paying({ type: 'bank', bank: { ...('iban' in bank ? {} : { account_number: '1' }), ...bank } })
const toWallet = (deposit_address: string, type?: string, currency = 'USDT') => ({
  ...paying({ type: 'wallet', wallet: { deposit_address, type, currency } }),
  type: 'wallet',
})
const toKey = (local_payment_network: object) => ({
  ...paying({ type: 'local_payment_network', local_payment_network }),
  type: 'local_payment_network',
})

const { refuses } = makeRefuser()

const FIELDS: readonly (readonly [what: string, body: object, field: string])[] = [
  ['IBAN with one digit wrong', toBank({ iban: 'DE89370400440532013001' }), 'bank.iban'],
  ['IBAN too short', toBank({ iban: 'DE8937040044053201300' }), 'bank.iban'],
  ['IBAN of a country without IBANs', toBank({ iban: 'US89370400440532013000' }), 'bank.iban'],
  ['IBAN with dashes', toBank({ iban: 'DE89-3704-0044-0532-0130-00' }), 'bank.iban'],
  ['IBAN of another country', toBank({ iban: IBAN, country: 'FR' }), 'bank.country'],
  ['IBAN of a country that is none', toBank({ iban: IBAN, country: 'ZZ' }), 'bank.country'],
  ['BIC of no country', toBank({ bank_codes: { bic: 'DEUTZZFF' } }), 'bank.bank_codes.bic'],
  [
    'SWIFT code of 7',
    toBank({ bank_codes: { swift_code: 'HSBCHKH' } }),
    'bank.bank_codes.swift_code',
  ],
  ['ABA with one digit wrong', toBank({ bank_codes: { aba: '021000022' } }), 'bank.bank_codes.aba'],
  [
    'bank code of Hong Kong with 4 digits',
    toBank({ country: 'HK', bank_codes: { bank_code: '0040' } }),
    'bank.bank_codes.bank_code',
  ],
  [
    'EIP-55 with one letter in the other case',
    toWallet('0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'ethereum'),
    'wallet.deposit_address',
  ],
  [
    'address of another chain than the type names',
    toWallet(TRON, 'Ethereum'),
    'wallet.deposit_address',
  ],
  ['address of no chain', toWallet('not an address', 'tron'), 'wallet.deposit_address'],
  ['address with no chain', toWallet(TRON), 'wallet.type'],
  ['address with a blank chain', toWallet(TRON, ' '), 'wallet.type'],
  ['address with an unknown chain', toWallet(TRON, 'custodial'), 'wallet.type'],
  ['address with a chain that carries none of ours', toWallet(BITCOIN, 'bitcoin'), 'wallet.type'],
  ['wallet of fiat money', toWallet(EVM, 'ethereum', 'USD'), 'wallet.currency'],
  ['token that the chain does not carry', toWallet(TRON, 'tron', 'USDC'), 'wallet.currency'],
  ['IBAN as account number', toBank({ account_number: IBAN }), 'bank.account_number'],
  [
    'BIC of another country than the IBAN',
    toBank({ iban: IBAN, bank_codes: { swift_code: 'BNPAFRPP' } }),
    'bank.bank_codes.swift_code',
  ],
  [
    'BIC of another country than stated',
    toBank({ country: 'US', bank_codes: { bic: 'HSBCHKHH' } }),
    'bank.country',
  ],
  ['unknown payment network', toKey({ type: 'pigeon' }), 'local_payment_network.type'],
  [
    'payment network without a type of key',
    toKey({ type: 'pix', deposit_key: 'a@b.example' }),
    'local_payment_network.deposit_key_type',
  ],
  [
    'payment network with a type of key of another',
    toKey({ type: 'pix', deposit_key_type: 'vpa', deposit_key: 'a@b' }),
    'local_payment_network.deposit_key_type',
  ],
  ['payment network without a key', toKey({ type: 'gopay' }), 'local_payment_network.deposit_key'],
  [
    'payment network with a key of another form',
    toKey({ type: 'pix', deposit_key_type: 'cpf', deposit_key: 'a@b.example' }),
    'local_payment_network.deposit_key',
  ],
]
for (const [what, body, field] of FIELDS) {
  refuses([what, PATH, body, 'invalid_field', `${AT}.${field}`] satisfies BadRequest)
}

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000_000n } })
  await service.setRates({ 'USD/USDT': '1' })
})
after(() => service.close())

test(`POST ${PATH}, several codes wrong: each one named`, async () => {
  const bank_codes = { aba: '1', sort_code: '1', own: '1' }
  const answer = await account.post(PATH, toBank({ iban: 'DE000', country: 'HK', bank_codes }))
  assertProblems(
    answer,
    400,
    ['iban', 'bank_codes.aba', 'bank_codes.sort_code'].map(
      name => ['invalid_field', `${AT}.bank.${name}`] as const,
    ),
  )
})

test(`POST ${PATH}, members beside the one of the type: refused, their codes not judged`, async () => {
  const bank = { iban: 'DE000' }
  const wallet = { deposit_address: 'x' }
  const own = [
    { type: 'bank', bank: { account_number: '1' }, wallet },
    { type: 'wallet', wallet: { deposit_address: EVM, type: 'ethereum' }, bank },
    {
      type: 'local_payment_network',
      local_payment_network: { type: 'upi', deposit_key: 'harbour@okbank' },
      wallet,
    },
  ]
  for (const [i, foreign] of ['wallet', 'bank', 'wallet'].entries()) {
    const answer = await account.post(PATH, paying(own[i] ?? {}))
    assertProblems(answer, 400, [['type_mismatch', `${AT}.${foreign}`]])
  }
})

async function kept(body: object) {
  const answer = await account.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  const { id, beneficiary, beneficiary_details } = answer.json.data
  const read = await account.get(`${PATH}/${id}`)
  assert.deepEqual(read.json.data.beneficiary_details, beneficiary_details)
  const again = await account.post(PATH, {
    ...body,
    beneficiary_details: undefined,
    beneficiary,
  })
  assert.deepEqual(again.json.data.beneficiary_details, beneficiary_details, again.text)
  return beneficiary_details.destination_details
}

test(`POST ${PATH}, codes as people copy them: kept and shown as their standards write them`, async () => {
  const bank_codes = { bic: 'deut de ff', sort_code: '60-16-13', own: ' as - it was ' }
  assert.deepEqual(
    await kept(toBank({ iban: 'de89 3704 0044 0532 0130 00', country: 'DE', bank_codes })),
    {
      type: 'bank',
      bank: {
        iban: IBAN,
        country: 'DE',
        bank_codes: { bic: 'DEUTDEFF', sort_code: '601613', own: ' as - it was ' },
      },
    },
  )
})

test(`POST ${PATH}, the longest IBAN there is, in print form: kept in electronic form`, async () => {
  const sent = 'RU03 0445 2522 5408 1781 0538 0913 1041 9'
  const { bank } = await kept(toBank({ iban: sent }))
  assert.equal(bank.iban, 'RU0304452522540817810538091310419')
})

test(`POST ${PATH}, IBAN of France for a bank in its territory: accepted`, async () => {
  const { bank } = await kept(toBank({ iban: 'FR1420041010050500013M02606', country: 'RE' }))
  assert.equal(bank.country, 'RE')
})

test(`POST ${PATH}, address with spaces around it: kept without them, in its own case`, async () => {
  const { wallet } = await kept(toWallet(` ${EVM}\n`, 'Ethereum'))
  assert.deepEqual(wallet, { deposit_address: EVM, type: 'Ethereum', currency: 'USDT' })
})
