// The terms of quote requests, as tables: every default (§quote.holding, §quote.destination,
// §quote.detail), and every problem of a field, all of them at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { account, refusalOf, terms } from '../../test/support/given/in-memory.ts'
import { chainFault } from '../values/network/chain.ts'
import { paymentNetworkFault } from '../values/network/payment.ts'
import type { QuoteTerms } from './quote.ts'
import type { QuoteRequest } from './request.ts'
import { checkCurrency, checkHolding, checkNetwork, networkName, quoteTerms } from './terms.ts'

const payout_info = { currency: 'USD', amount: 10_000 }
/** The account holds USD and EUR; its primary currency is USD. */
const termsOf = (part: Partial<QuoteRequest>) => quoteTerms({ payout_info, ...part }, account)

const tether = { currency: 'USDT', amount: 10_000 }
const toWallet = {
  payout_type: 'wallet',
  payout_currency: 'USDT',
  destination_currency: 'USDT',
} as const

const TERMS: readonly (readonly [
  what: string,
  request: Partial<QuoteRequest>,
  part: Partial<QuoteTerms>,
])[] = [
  ['currency and amount only', {}, {}],
  [
    'a payout currency held',
    { payout_info: { currency: 'EUR', amount: 1 } },
    {
      payout_currency: 'EUR',
      payout_amount: 1n,
      holding_currency: 'EUR',
      destination_currency: 'EUR',
    },
  ],
  [
    'a payout currency not held',
    { payout_info: { currency: 'HKD', amount: 9_007_199_254_740_991 } },
    {
      payout_currency: 'HKD',
      payout_amount: 9_007_199_254_740_991n,
      holding_currency: 'USD',
      destination_currency: 'HKD',
      // All networks of the currency are in Hong Kong.
      destination_country: 'HK',
    },
  ],
  ['a holding currency', { holding_info: { currency: 'EUR' } }, { holding_currency: 'EUR' }],
  [
    'a destination',
    { destination_info: { currency: 'HKD', country: 'HK' } },
    { destination_currency: 'HKD', destination_country: 'HK' },
  ],
  ['an entity', { entity_id: 'ent_1' }, { entity_id: 'ent_1' }],
  [
    'a network of the destination currency, in any case',
    {
      payout_type: 'local',
      destination_info: { currency: 'HKD', country: 'HK' },
      local: { fund_transfer_network: 'CHATS' },
    },
    { destination_currency: 'HKD', destination_country: 'HK', fund_transfer_network: 'chats' },
  ],
  ['empty details', { local: {} }, {}],
  [
    'a payment network',
    {
      payout_type: 'local_payment_network',
      payout_info: { currency: 'BRL', amount: 10_000 },
      local_payment_network: { type: 'PIX' },
    },
    {
      payout_type: 'local_payment_network',
      payout_currency: 'BRL',
      destination_currency: 'BRL',
      destination_country: 'BR',
      payment_network: 'pix',
    },
  ],
  [
    'no payment network: the country shared by all in this currency',
    { payout_type: 'local_payment_network', local_payment_network: {} },
    { payout_type: 'local_payment_network', destination_country: 'US' },
  ],
  [
    'a wallet on a known chain',
    { payout_type: 'wallet', payout_info: tether, wallet: { type: 'Tron' } },
    { ...toWallet, wallet_type: 'tron', wallet_network: 'TRC20' },
  ],
  [
    'a wallet, chain given as network',
    { payout_type: 'wallet', payout_info: tether, wallet: { type: 'trc20' } },
    { ...toWallet, wallet_type: 'tron', wallet_network: 'TRC20' },
  ],
  [
    'a wallet in the converted currency, without a country',
    { payout_type: 'wallet', destination_info: { currency: 'USDT', country: 'HK' } },
    { payout_type: 'wallet', destination_currency: 'USDT' },
  ],
  ['an empty wallet', { payout_type: 'wallet', payout_info: tether, wallet: {} }, toWallet],
  [
    "a territory with another country's IBANs",
    { payout_type: 'swift', destination_info: { currency: 'GBP', country: 'JE' } },
    { payout_type: 'swift', destination_currency: 'GBP', destination_country: 'GB' },
  ],
  [
    'a territory whose routing numbers are those of another country',
    { destination_info: { currency: 'USD', country: 'PR' } },
    { destination_currency: 'USD', destination_country: 'US' },
  ],
  [
    'a network of one country',
    { local: { fund_transfer_network: 'usd_chats' } },
    { destination_country: 'HK', fund_transfer_network: 'usd_chats' },
  ],
  [
    'a network in one country and its territories',
    { local: { fund_transfer_network: 'ach' } },
    { destination_country: 'US', fund_transfer_network: 'ach' },
  ],
  [
    'charges',
    { payout_type: 'swift', swift: { charge_type: 'ours' } },
    { payout_type: 'swift', charge_type: 'ours' },
  ],
  ['no charges', { payout_type: 'swift', swift: {} }, { payout_type: 'swift' }],
  ['another account', { payout_type: 'service_account' }, { payout_type: 'service_account' }],
]

for (const [what, request, part] of TERMS) {
  test(`quoteTerms, ${what}: values of the request, defaults for the rest`, () => {
    assert.deepEqual(termsOf(request), { ...terms, ...part })
  })
}

const detail = (name: string, type: string) =>
  `type_mismatch at ${name}: ${name} does not belong to a payout of type ${type}.`
const unknownCode = (path: string) => `currency at ${path}: ${path} is not a known currency code.`
const notHeld =
  'holding_currency_not_found at holding_info.currency: ' +
  'The account holds no HKD balance; it holds USD, EUR.'
const noCountry =
  'invalid_field at destination_info.country: ' +
  'destination_info.country is not an ISO 3166-1 alpha-2 country code.'
const noNetwork = (currency: string, hint: string) =>
  `invalid_field at local.fund_transfer_network: No such local network for ${currency}; ${hint}.`

const REFUSED: readonly (readonly [
  what: string,
  request: Partial<QuoteRequest>,
  refusals: readonly string[],
])[] = [
  [
    'an unknown payout currency',
    { payout_info: { currency: 'XXX', amount: 1 } },
    [unknownCode('payout_info.currency')],
  ],
  [
    'an unknown destination currency',
    { destination_info: { currency: 'XXX', country: 'HK' } },
    [unknownCode('destination_info.currency')],
  ],
  ['an unknown country', { destination_info: { currency: 'HKD', country: 'XX' } }, [noCountry]],
  [
    'an unknown holding currency',
    { holding_info: { currency: 'XXX' } },
    [unknownCode('holding_info.currency')],
  ],
  ['a holding currency not held', { holding_info: { currency: 'HKD' } }, [notHeld]],
  ['charges of a local payout', { swift: {} }, [detail('swift', 'local')]],
  ['a network of a swift payout', { payout_type: 'swift', local: {} }, [detail('local', 'swift')]],
  [
    'a payment network of a wallet payout',
    { payout_type: 'wallet', payout_info: tether, local_payment_network: {} },
    [detail('local_payment_network', 'wallet')],
  ],
  [
    'any detail of a payout to another account',
    { payout_type: 'service_account', swift: {}, local: {}, local_payment_network: {}, wallet: {} },
    ['swift', 'local', 'local_payment_network', 'wallet'].map(n => detail(n, 'service_account')),
  ],
  [
    'a network of another currency',
    { local: { fund_transfer_network: 'chats' } },
    [noNetwork('USD', 'known ones are ach, fednow, fedwire, rtp, usd_chats')],
  ],
  [
    'a network, others known',
    {
      destination_info: { currency: 'ARS', country: 'AR' },
      local: { fund_transfer_network: 'chats' },
    },
    [noNetwork('ARS', 'known ones are coelsa')],
  ],
  [
    'a network, none known',
    {
      destination_info: { currency: 'KPW', country: 'KP' },
      local: { fund_transfer_network: 'chats' },
    },
    [noNetwork('KPW', 'none is known')],
  ],
  [
    'a country that the network does not serve',
    {
      destination_info: { currency: 'HKD', country: 'CN' },
      local: { fund_transfer_network: 'fps' },
    },
    ['invalid_field at destination_info.country: CN is not served by fps.'],
  ],
  [
    'an unknown payment network',
    { payout_type: 'local_payment_network', local_payment_network: { type: 'pigeon' } },
    [`invalid_field at local_payment_network.type: ${paymentNetworkFault('', 'pigeon')}`],
  ],
  [
    'a payment network of another currency',
    { payout_type: 'local_payment_network', local_payment_network: { type: 'pix' } },
    ['invalid_field at local_payment_network.type: pix pays in BRL, not in USD.'],
  ],
  [
    'a payment network of another country',
    {
      payout_type: 'local_payment_network',
      destination_info: { currency: 'BRL', country: 'PT' },
      local_payment_network: { type: 'pix' },
    },
    ['invalid_field at destination_info.country: PT is not served by pix.'],
  ],
  [
    'an unknown chain',
    { payout_type: 'wallet', payout_info: tether, wallet: { type: 'own' } },
    [`invalid_field at wallet.type: ${chainFault('own')}`],
  ],
  [
    'a chain that does not carry the token',
    { payout_type: 'wallet', payout_info: tether, wallet: { type: 'base' } },
    ['invalid_field at payout_info.currency: Base carries USDC, not USDT.'],
  ],
  [
    'a wallet of fiat money',
    { payout_type: 'wallet', destination_info: { currency: 'EUR', country: 'DE' } },
    ['invalid_field at destination_info.currency: A wallet receives USDC or USDT, never EUR.'],
  ],
  [
    'every fault at once',
    {
      payout_info: { currency: 'XXX', amount: 1 },
      destination_info: { currency: 'HKD', country: 'XX' },
      holding_info: { currency: 'HKD' },
      wallet: {},
      local: { fund_transfer_network: 'pix' },
    },
    [
      unknownCode('payout_info.currency'),
      noCountry,
      notHeld,
      detail('wallet', 'local'),
      noNetwork('HKD', 'known ones are chats, fps'),
    ],
  ],
]

for (const [what, request, refusals] of REFUSED) {
  test(`quoteTerms, ${what}: refused with ${refusals.length} faults`, () => {
    assert.deepEqual(
      refusalOf(() => termsOf(request)),
      refusals,
    )
  })
}

test('checkCurrency, currency absent or known: no fault', () => {
  for (const code of [undefined, 'USD', 'USDC']) assert.deepEqual(checkCurrency(code, 'x'), [])
})

test('checkHolding, currency absent or held: no fault', () => {
  for (const code of [undefined, 'USD', 'EUR']) {
    assert.deepEqual(checkHolding(code, account, 'x'), [])
  }
})

test('checkNetwork, network absent, or its currency already refused: no fault', () => {
  assert.deepEqual(checkNetwork(undefined, 'USD'), [])
  assert.deepEqual(checkNetwork('', 'USD'), [])
  assert.deepEqual(checkNetwork('chats', 'XXX'), [])
  assert.deepEqual(checkNetwork('CHATS', 'HKD'), [])
})

test('networkName: the spelling of the network table; no network: empty', () => {
  assert.equal(networkName('Chats', 'HKD'), 'chats')
  assert.equal(networkName('chats', 'USD'), '')
  assert.equal(networkName(undefined, 'HKD'), '')
})
