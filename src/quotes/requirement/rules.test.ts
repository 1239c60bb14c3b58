// For every type, currency, country and network, each alternative's example is a valid destination.
// Without any one of its required members, the problem names that member.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf } from '../../../test/support/given/in-memory.ts'
import type { BeneficiaryRequest } from '../../parties/beneficiary/request.ts'
import { checkDetails } from '../../parties/beneficiary/rules.ts'
import { CHAINS } from '../../values/network/chain.ts'
import { COUNTRIES } from '../../values/network/country.ts'
import { NETWORKS } from '../../values/network/local.ts'
import { PAYMENT_NETWORKS } from '../../values/network/payment.ts'
import { alternativesOf } from './alternatives.ts'
import { exampleOf, presentRequirements, readSubject } from './discovery.ts'
import type { RequirementsQuery } from './request.ts'
import { destinationFaults, type Payment } from './rules.ts'

/** Every possible query. */
const QUERIES: readonly RequirementsQuery[] = [
  { type: 'swift' },
  { type: 'service_account' },
  { type: 'wallet' },
  { type: 'local_payment_network' },
  ...[...COUNTRIES].map(country => ({ type: 'swift' as const, country })),
  ...[...new Set(NETWORKS.map(network => network.currency))].map(currency => ({ currency })),
  ...NETWORKS.flatMap(({ currency, name: network, countries }) => [
    { currency, network },
    ...countries.map(country => ({ currency, network, country })),
  ]),
  ...PAYMENT_NETWORKS.map(({ currency, name: network }) => ({
    ...{ type: 'local_payment_network' as const, currency, network },
  })),
  ...CHAINS.flatMap(({ type: network, currencies }) =>
    currencies.map(currency => ({ type: 'wallet' as const, currency, network })),
  ),
]

function faultsOf(details: object, payment: Payment): string[] {
  const request = details as BeneficiaryRequest
  const known = checkDetails(request, '').map(({ remarks }) => remarks)
  return [...new Set([...known, ...destinationFaults(request, payment).map(({ path }) => path)])]
}

/** The details with an empty bank, if the test has removed its only member. */
function withBank(details: object) {
  const { destination_details } = details as { destination_details: { type?: string } }
  const bank = destination_details.type === 'bank' ? { bank: {} } : {}
  return { ...details, destination_details: { ...bank, ...destination_details } }
}

test('requirements, every alternative: its example is accepted, and refused without any one required member', () => {
  let tried = 0
  for (const query of QUERIES) {
    const subject = readSubject(query)
    for (const alternative of alternativesOf(subject)) {
      const label = `${JSON.stringify(query)} ${alternative.name}`
      const { type, network } = subject
      const token = alternative.optional.find(({ path }) =>
        path.endsWith('wallet.currency'),
      )?.example
      const paid = PAYMENT_NETWORKS.find(
        ({ name, countries }) =>
          name === alternative.networks[0] && countries[0] === alternative.countries[0],
      )?.currency
      const currency = subject.currency || (token ?? paid ?? 'USD')
      const over = network || (alternative.networks[0] ?? '')
      const payment = { type, currency, network: type === 'local' ? over : '' }
      const fields = alternative.needs.map(({ field }) => field)
      assert.deepEqual(faultsOf(exampleOf(fields), payment), [], label)
      for (const field of fields) {
        assert.match(field.example, new RegExp(field.pattern), `${label} ${field.path}`)
        // The schema reports these members itself.
        if (/^(name|type|destination_details\.type)$/.test(field.path)) continue
        if (/(_network\.type|deposit_address)$/.test(field.path)) continue
        const without = withBank(exampleOf(fields.filter(other => other !== field)))
        assert.deepEqual(faultsOf(without, payment), [field.path], `${label} without`)
        tried += 1
      }
    }
  }
  assert.ok(tried > 2_000, `${tried}`)
})

const hongKong = {
  name: 'A',
  type: 'business' as const,
  destination_details: {
    type: 'bank' as const,
    bank: { account_number: '123456789012', country: 'HK', bank_codes: { bank_code: '004' } },
  },
}
const inBank = (bank: object) => ({
  ...hongKong,
  destination_details: { type: 'bank' as const, bank },
})
const GB = { account_number: '31926819', country: 'GB', bank_codes: { sort_code: '60-16-13' } }
const B = 'destination_details.bank'

const JUDGED: readonly (readonly [
  what: string,
  details: object,
  payment: Payment,
  at: string[],
])[] = [
  ['a bank code', hongKong, { type: 'local', currency: 'HKD', network: 'fps' }, []],
  [
    'SWIFT: bank, town and country',
    hongKong,
    { type: 'swift', currency: 'HKD', network: '' },
    [`${B}.bank_codes.swift_code`, 'address.city', 'address.country'],
  ],
  [
    'SWIFT: an address in one line',
    {
      ...inBank({ iban: 'DE89370400440532013000', bank_codes: { bic: 'COBADEFF' } }),
      address: { line1: '1 Street, Berlin, Germany', city: ' ' },
    },
    { type: 'swift', currency: 'EUR', network: '' },
    ['address.city', 'address.country'],
  ],
  [
    'SWIFT: a number where IBANs are used',
    inBank({ account_number: '532013000', bank_codes: { bic: 'COBADEFF' } }),
    { type: 'swift', currency: 'EUR', network: '' },
    [`${B}.iban`],
  ],
  ['a sort code', inBank(GB), { type: 'local', currency: 'GBP', network: '' }, []],
  [
    'a sort code with a number of another country',
    inBank({ ...GB, account_number: '1234567' }),
    { type: 'local', currency: 'GBP', network: 'bacs' },
    [`${B}.account_number`],
  ],
  [
    'a territory that the network serves',
    inBank({ ...GB, country: 'JE' }),
    { type: 'local', currency: 'GBP', network: 'bacs' },
    [],
  ],
  [
    'a country that the network does not serve',
    inBank({ ...GB, country: 'HK' }),
    { type: 'local', currency: 'GBP', network: 'bacs' },
    [`${B}.country`],
  ],
  [
    'a territory of France without SEPA',
    inBank({ iban: 'FR1420041010050500013M02606', country: 'NC' }),
    { type: 'local', currency: 'EUR', network: 'sepa' },
    [`${B}.country`],
  ],
  [
    'US dollars to Nigeria by BIC',
    inBank({ account_number: '0123456789', bank_codes: { swift_code: 'ABNGNGLA' } }),
    { type: 'local', currency: 'USD', network: '' },
    [`${B}.bank_codes`],
  ],
  [
    'euros to an IBAN outside of SEPA',
    inBank({ iban: 'TR330006100519786457841326' }),
    { type: 'local', currency: 'EUR', network: '' },
    [`${B}.iban`],
  ],
  [
    'T2 without a BIC',
    inBank({ iban: 'DE89370400440532013000' }),
    { type: 'local', currency: 'EUR', network: 'target2' },
    [`${B}.bank_codes.swift_code`],
  ],
  [
    'no network: the least demanding one',
    inBank({ iban: 'DE89370400440532013000' }),
    { type: 'local', currency: 'EUR', network: '' },
    [],
  ],
  [
    'no country',
    inBank({ account_number: '123456789' }),
    { type: 'local', currency: 'USD', network: '' },
    [`${B}.country`],
  ],
  [
    'a CLABE with a wrong digit',
    inBank({ account_number: '032180000118359718', country: 'MX' }),
    { type: 'local', currency: 'MXN', network: 'spei' },
    [`${B}.account_number`],
  ],
  [
    'no tax number in Brazil',
    inBank({
      account_number: '1',
      country: 'BR',
      bank_codes: { ispb: '60701190', branch_code: '1' },
    }),
    { type: 'local', currency: 'BRL', network: 'pix' },
    ['tax_id'],
  ],
  [
    'fiat money to a wallet',
    {
      ...hongKong,
      destination_details: { type: 'wallet', wallet: { deposit_address: 'a', type: 'tron' } },
    },
    { type: 'wallet', currency: 'USD', network: '' },
    ['destination_details.wallet.currency'],
  ],
  [
    'a payment network of another currency',
    {
      ...hongKong,
      destination_details: {
        type: 'local_payment_network',
        local_payment_network: { type: 'gopay', deposit_key: '+6281234567890' },
      },
    },
    { type: 'local_payment_network', currency: 'THB', network: '' },
    ['destination_details.local_payment_network.type'],
  ],
  [
    "a key in another country than the network's",
    {
      ...hongKong,
      destination_details: {
        type: 'local_payment_network',
        local_payment_network: { type: 'mpesa', deposit_key: '+254712345678' },
      },
    },
    { type: 'local_payment_network', currency: 'TZS', network: '' },
    ['destination_details.local_payment_network.deposit_key'],
  ],
  ['another type of destination', hongKong, { type: 'wallet', currency: 'USDC', network: '' }, []],
]

for (const [what, details, payment, at] of JUDGED) {
  test(`destination of a ${payment.type} payout, ${what}: faults at ${at.join(', ') || 'no member'}`, () => {
    const faults = destinationFaults(details as BeneficiaryRequest, payment)
    assert.deepEqual(
      faults.map(({ path }) => path),
      at,
    )
  })
}

test('requirements, local payout without a network, none possible: refused, suggesting swift', () => {
  const message = (where: string) =>
    `invalid_query_parameter at ${where}; send a payout of type swift.`
  const asked = (query: RequirementsQuery) => refusalOf(() => readSubject(query))
  assert.deepEqual(asked({ currency: 'AFN' }), [message('currency: No local network carries AFN')])
  for (const country of ['NG', 'KE', 'KP', 'IR']) {
    assert.deepEqual(asked({ currency: 'USD', country }), [
      message(`country: No local network carries USD to ${country}`),
    ])
  }
})

test("requirements of Faster Payments: by IBAN or by sort code, with the network's limit", () => {
  const query = { currency: 'GBP', country: 'JE', network: 'Faster_Payments' }
  const { alternatives, networks, country, network } = presentRequirements(readSubject(query))
  assert.deepEqual([country, network], ['GB', 'faster_payments'])
  assert.deepEqual(
    alternatives.map(({ name, fields }) => [
      name,
      fields.filter(f => f.required).map(f => f.path.split('.').at(-1)),
    ]),
    [
      ['iban', ['name', 'type', 'type', 'iban']],
      ['account_number', ['name', 'type', 'type', 'account_number', 'sort_code', 'country']],
    ],
  )
  assert.deepEqual(
    networks.map(shown => [shown.name, shown.minimum_amount, shown.maximum_amount]),
    [['faster_payments', null, 100_000_000]],
  )
})
