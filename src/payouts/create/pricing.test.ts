// A payout request's fields, its terms without a quote, and its terms compared with its quote, as
// tables (§payout.request, §payout.quoted).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bankBeneficiary } from '../../../test/support/given/bodies.ts'
import {
  account,
  feeRow,
  quoteOf,
  refusalOf,
  request,
  terms,
} from '../../../test/support/given/in-memory.ts'
import type { DestinationDetails } from '../../parties/beneficiary/request.ts'
import type { Fee } from '../../prices/fee/rules.ts'
import type { Quote, QuoteTerms } from '../../quotes/quote.ts'
import type { PayoutRequest } from '../request.ts'
import { checkRequest } from './fields.ts'
import { checkMatches, checkSameFee, termsWithoutQuote } from './pricing.ts'

type Part = { readonly [M in keyof PayoutRequest]?: PayoutRequest[M] | undefined }

/** The request of the tests with other members; undefined removes a member. */
function requestWith(part: Part): PayoutRequest {
  const members = Object.entries({ ...request, ...part }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members) as PayoutRequest
}

function detailsWith(bank: object): NonNullable<PayoutRequest['beneficiary_details']> {
  const { destination_details } = bankBeneficiary
  return {
    ...bankBeneficiary,
    destination_details: { type: 'bank', bank: { ...destination_details.bank, ...bank } },
  } as NonNullable<PayoutRequest['beneficiary_details']>
}

const onlyKnown = { beneficiary: 'bnf_1', beneficiary_details: undefined }
const chats = { fund_transfer_network: 'Chats' }

const PASSES: readonly (readonly [what: string, part: Part])[] = [
  ['inline details', {}],
  ['a stored beneficiary', onlyKnown],
  ['a currency that the account holds', { holding_currency: 'EUR' }],
  ['no type, so local', { type: undefined, local: {} }],
  ['charges of a swift payout', { type: 'swift', charge_type: 'ours' }],
  ['a network of the payout currency', { currency: 'HKD', local: chats }],
  [
    "a network of the bank account's currency",
    { beneficiary_details: detailsWith({ currency: 'HKD' }), local: chats },
  ],
  // These are checked later, once the beneficiary or the quote is read.
  ['a network with a stored beneficiary', { ...onlyKnown, local: chats }],
  ['details of another type, with a quote', { quote: 'poq_1', type: 'swift', local: chats }],
  ['charges of a local payout, with a quote', { quote: 'poq_1', charge_type: 'ours' }],
]

for (const [what, part] of PASSES) {
  test(`checkRequest, ${what}: accepted`, () => {
    checkRequest(requestWith(part), account)
  })
}

const one =
  'beneficiary_missing at beneficiary: Send exactly one of beneficiary and beneficiary_details.'
const detail = (name: string, type: string) =>
  `type_mismatch at ${name}: ${name} does not belong to a payout of type ${type}.`
const unknownCode = (path: string) => `currency at ${path}: ${path} is not a known currency code.`
const notHeld =
  'holding_currency_not_found at holding_currency: ' +
  'The account holds no HKD balance; it holds USD, EUR.'
const noNetwork = (currency: string, known: string) =>
  'invalid_field at local.fund_transfer_network: ' +
  `No such local network for ${currency}; known ones are ${known}.`
const noCountry =
  'invalid_field at beneficiary_details.destination_details.bank.country: ' +
  'beneficiary_details.destination_details.bank.country ' +
  'is not an ISO 3166-1 alpha-2 country code.'

const notCarried =
  'invalid_field at beneficiary_details.destination_details.bank.country: ' +
  'No local network carries GBP to HK; send a payout of type swift.'

const REFUSED: readonly (readonly [what: string, part: Part, refusals: readonly string[]])[] = [
  ['an unknown currency', { currency: 'XXX' }, [unknownCode('currency')]],
  ['an unknown holding currency', { holding_currency: 'XXX' }, [unknownCode('holding_currency')]],
  ['a currency that the account does not hold', { holding_currency: 'HKD' }, [notHeld]],
  ['no beneficiary', { beneficiary_details: undefined }, [one]],
  ['two beneficiaries', { beneficiary: 'bnf_1' }, [one]],
  ['a fault in the details', { beneficiary_details: detailsWith({ country: 'XX' }) }, [noCountry]],
  ['a local beneficiary by SWIFT', { type: 'swift', local: {} }, [detail('local', 'swift')]],
  ['charges of a local payout', { charge_type: 'shared' }, [detail('charge_type', 'local')]],
  [
    'charges without a payout type',
    { type: undefined, charge_type: 'shared' },
    [detail('charge_type', 'local')],
  ],
  [
    'a local beneficiary by SWIFT, stored',
    { ...onlyKnown, type: 'swift', local: {} },
    [detail('local', 'swift')],
  ],
  [
    'a network of another currency',
    { local: chats },
    [noNetwork('USD', 'ach, fednow, fedwire, rtp, usd_chats')],
  ],
  [
    'a network of the payout currency, account in another currency',
    { currency: 'HKD', local: chats, beneficiary_details: detailsWith({ currency: 'GBP' }) },
    [noNetwork('GBP', 'bacs, chaps, faster_payments'), notCarried],
  ],
  [
    'every fault at once',
    {
      type: 'wallet',
      currency: 'JPY',
      holding_currency: 'HKD',
      beneficiary: 'bnf_1',
      beneficiary_details: detailsWith({ country: 'XX', currency: 'GBP' }),
      local: chats,
      charge_type: 'ours',
    },
    [notHeld, one, noCountry, detail('local', 'wallet'), detail('charge_type', 'wallet')],
  ],
]

for (const [what, part, refusals] of REFUSED) {
  test(`checkRequest, ${what}: refused with ${refusals.length} faults`, () => {
    assert.deepEqual(
      refusalOf(() => checkRequest(requestWith(part), account)),
      refusals,
    )
  })
}

const bankIn = (bank: object): DestinationDetails => ({
  type: 'bank',
  bank: { account_number: '1', ...bank },
})

const TERMS: readonly (readonly [
  what: string,
  request: Part,
  destination: DestinationDetails,
  part: Partial<QuoteTerms>,
])[] = [
  ['currency and amount only', { type: undefined }, bankIn({}), {}],
  [
    'a currency not held',
    { currency: 'HKD' },
    bankIn({}),
    { payout_currency: 'HKD', destination_currency: 'HKD' },
  ],
  [
    'a currency held',
    { currency: 'EUR' },
    bankIn({}),
    { payout_currency: 'EUR', destination_currency: 'EUR', holding_currency: 'EUR' },
  ],
  ['a holding currency', { holding_currency: 'EUR' }, bankIn({}), { holding_currency: 'EUR' }],
  [
    'a bank account in another currency and country',
    {},
    bankIn({ currency: 'HKD', country: 'HK' }),
    { destination_currency: 'HKD', destination_country: 'HK' },
  ],
  [
    'a network of the destination currency',
    { local: chats },
    bankIn({ currency: 'HKD' }),
    { destination_currency: 'HKD', fund_transfer_network: 'chats' },
  ],
  [
    'charges',
    { type: 'swift', charge_type: 'ours' },
    bankIn({}),
    { payout_type: 'swift', charge_type: 'ours' },
  ],
  ['an entity', { on_behalf_of: 'ent_1' }, bankIn({}), { entity_id: 'ent_1' }],
  [
    'a wallet in its currency on a known chain',
    { type: 'wallet' },
    { type: 'wallet', wallet: { deposit_address: 'a', type: 'Tron', currency: 'USDT' } },
    {
      payout_type: 'wallet',
      destination_currency: 'USDT',
      wallet_type: 'tron',
      wallet_network: 'TRC20',
    },
  ],
  [
    'a wallet with only an address',
    { type: 'wallet' },
    { type: 'wallet', wallet: { deposit_address: 'a' } },
    { payout_type: 'wallet' },
  ],
  [
    'a wallet on another chain',
    { type: 'wallet' },
    { type: 'wallet', wallet: { deposit_address: 'a', type: 'own' } },
    { payout_type: 'wallet', wallet_type: 'own' },
  ],
  [
    'a payment network of several countries',
    { type: 'local_payment_network', currency: 'KES' },
    { type: 'local_payment_network', local_payment_network: { type: 'mpesa' } },
    {
      payout_type: 'local_payment_network',
      payout_currency: 'KES',
      destination_currency: 'KES',
      payment_network: 'mpesa',
      destination_country: 'KE',
    },
  ],
  [
    'an IBAN only',
    {},
    bankIn({ iban: 'DE89 3704 0044 0532 0130 00' }),
    { destination_country: 'DE' },
  ],
]

for (const [what, part, destination, wanted] of TERMS) {
  test(`termsWithoutQuote, ${what}: values of the request, defaults for the rest`, () => {
    assert.deepEqual(termsWithoutQuote(requestWith(part), account, destination), {
      ...terms,
      ...wanted,
    })
  })
}

test('termsWithoutQuote, a network that does not serve the beneficiary’s currency: refused', () => {
  assert.deepEqual(
    refusalOf(() => termsWithoutQuote(requestWith({ local: chats }), account, bankIn({}))),
    [noNetwork('USD', 'ach, fednow, fedwire, rtp, usd_chats')],
  )
})

/** 80.00 HKD by CHATS, for an entity, from USD. */
const quoted = {
  payout_currency: 'HKD',
  payout_amount: 8_000n,
  destination_currency: 'HKD',
  fund_transfer_network: 'chats',
  entity_id: 'ent_1',
} as const
const asQuoted = { amount: 8_000, currency: 'HKD', quote: 'poq_1' }
const differs = (path: string, sent: string, was: string) =>
  `quote_mismatch at ${path}: ${path} is ${sent} but the quote's is ${was}.`

const MATCHES: readonly (readonly [
  what: string,
  quote: Partial<Quote>,
  part: Part,
  refusals: readonly string[],
])[] = [
  ['the same amount and currency', {}, {}, []],
  [
    'every member of the quote',
    {},
    { holding_currency: 'USD', local: chats, on_behalf_of: 'ent_1' },
    [],
  ],
  ['no type', {}, { type: undefined }, []],
  [
    'members that the quote left open',
    { fund_transfer_network: '', entity_id: '' },
    { local: chats, on_behalf_of: 'ent_2' },
    [],
  ],
  [
    'charges that the quote left open',
    { payout_type: 'swift', fund_transfer_network: '' },
    { type: 'swift', charge_type: 'ours' },
    [],
  ],
  [
    'charges of a swift quote, without a type',
    { payout_type: 'swift', fund_transfer_network: '', charge_type: 'ours' },
    { type: undefined, charge_type: 'ours' },
    [],
  ],
  ['another amount', {}, { amount: 8_001 }, [differs('amount', '8001', '8000')]],
  ['another currency', {}, { currency: 'USD' }, [differs('currency', 'USD', 'HKD')]],
  ['another type', {}, { type: 'wallet' }, [differs('type', 'wallet', 'local')]],
  [
    'another holding currency',
    {},
    { holding_currency: 'EUR' },
    [differs('holding_currency', 'EUR', 'USD')],
  ],
  [
    'other charges',
    { payout_type: 'swift', charge_type: 'ours' },
    { type: 'swift', charge_type: 'shared' },
    [differs('charge_type', 'shared', 'ours')],
  ],
  [
    'another network',
    {},
    { local: { fund_transfer_network: 'FPS' } },
    [differs('local.fund_transfer_network', 'fps', 'chats')],
  ],
  ['another entity', {}, { on_behalf_of: 'ent_2' }, [differs('on_behalf_of', 'ent_2', 'ent_1')]],
  [
    "a network that does not serve the quote's currency",
    { fund_transfer_network: '' },
    { local: { fund_transfer_network: 'pix' } },
    [noNetwork('HKD', 'chats, fps')],
  ],
  [
    'the same, with a stored beneficiary',
    { fund_transfer_network: '' },
    { ...onlyKnown, local: { fund_transfer_network: 'pix' } },
    [noNetwork('HKD', 'chats, fps')],
  ],
  [
    "details of another type than the quote's",
    {},
    { type: undefined, charge_type: 'ours' },
    [detail('charge_type', 'local')],
  ],
  [
    'every difference at once',
    { charge_type: 'ours' },
    {
      amount: 1,
      currency: 'USD',
      type: 'wallet',
      holding_currency: 'EUR',
      charge_type: 'shared',
      local: { fund_transfer_network: 'pix' },
      on_behalf_of: 'ent_2',
    },
    [
      differs('amount', '1', '8000'),
      differs('currency', 'USD', 'HKD'),
      differs('type', 'wallet', 'local'),
      differs('holding_currency', 'EUR', 'USD'),
      differs('charge_type', 'shared', 'ours'),
      differs('local.fund_transfer_network', 'pix', 'chats'),
      differs('on_behalf_of', 'ent_2', 'ent_1'),
      detail('local', 'wallet'),
      detail('charge_type', 'wallet'),
      noNetwork('HKD', 'chats, fps'),
    ],
  ],
]

for (const [what, quote, part, refusals] of MATCHES) {
  const verdict = refusals.length === 0 ? 'passes' : `refused naming ${refusals.length} problems`
  test(`checkMatches (payout against its quote), ${what}: ${verdict}`, () => {
    const act = () =>
      checkMatches(
        quoteOf({ ...quoted, ...quote }),
        requestWith({ ...asQuoted, ...part }),
        bankIn({}),
      )
    if (refusals.length === 0) act()
    else assert.deepEqual(refusalOf(act), refusals)
  })
}

const INTO = 'beneficiary_details.destination_details.'

/** The destination that a quote fixes, a payout's destination, and the difference. */
const RECEIVING: readonly (readonly [
  what: string,
  quote: Partial<Quote>,
  destination: DestinationDetails,
  different: string | undefined,
])[] = [
  ['the same currency', {}, bankIn({ currency: 'HKD' }), undefined],
  ['another currency', {}, bankIn({ currency: 'GBP' }), 'bank.currency is GBP but the quote'],
  ['the same country', { destination_country: 'HK' }, bankIn({ country: 'HK' }), undefined],
  ['a territory', { destination_country: 'US' }, bankIn({ country: 'PR' }), undefined],
  ['no country', { destination_country: 'HK' }, bankIn({}), undefined],
  ['no country in the quote', {}, bankIn({ country: 'GB' }), undefined],
  [
    'another country',
    { destination_country: 'HK' },
    bankIn({ country: 'GB' }),
    'bank.country is GB but the quote',
  ],
  [
    'another chain',
    { wallet_type: 'tron' },
    { type: 'wallet', wallet: { deposit_address: 'a', type: 'Ethereum' } },
    'wallet.type is ethereum but the quote',
  ],
  [
    'the same chain in upper case',
    { wallet_type: 'Tron' },
    { type: 'wallet', wallet: { deposit_address: 'a', type: 'TRON' } },
    undefined,
  ],
  [
    'another token',
    { wallet_type: 'tron', destination_currency: 'USDC' },
    { type: 'wallet', wallet: { deposit_address: 'a', type: 'tron', currency: 'USDT' } },
    'wallet.currency is USDT but the quote',
  ],
  [
    'another payment network',
    { payment_network: 'shopeepay' },
    { type: 'local_payment_network', local_payment_network: { type: 'gopay' } },
    'local_payment_network.type is gopay but the quote',
  ],
]

for (const [what, quote, destination, different] of RECEIVING) {
  test(`checkMatches (payout against its quote), paid to ${what}: ${different === undefined ? 'accepted' : 'refused'}`, () => {
    const plain = asQuoted
    const act = (part: Part) => () =>
      checkMatches(
        quoteOf({ ...quoted, ...quote }),
        requestWith({ ...plain, ...part }),
        destination,
      )
    if (different === undefined) return act({})()
    const [inline = ''] = refusalOf(act({}))
    assert.ok(
      inline.startsWith(`quote_mismatch at ${INTO}${different.split(' ')[0]}: ${INTO}${different}`),
      inline,
    )
    const [known = ''] = refusalOf(act(onlyKnown))
    assert.ok(known.startsWith('quote_mismatch at beneficiary: destination_details.'), known)
  })
}

const priced = (column: Partial<Fee>) => [feeRow({}), feeRow({ ...column, fixed_amount: 1n })]
const notNamed = (path: string, sent: string) => differs(path, sent, 'not named')

/** A member that the quote left open and the payout sets, with a row of the fee schedule for it. */
const FEES: readonly (readonly [
  what: string,
  refused: string,
  row: Partial<Fee>,
  quote: Partial<Quote>,
  request: Part,
  destination: DestinationDetails,
])[] = [
  [
    'country',
    notNamed(`${INTO}bank.country`, 'HK'),
    { destination_country: 'HK' },
    {},
    {},
    bankIn({ country: 'HK' }),
  ],
  [
    'network',
    notNamed('local.fund_transfer_network', 'chats'),
    { network: 'chats' },
    { destination_currency: 'HKD' },
    { local: chats },
    bankIn({}),
  ],
  [
    'payment network',
    notNamed(`${INTO}local_payment_network.type`, 'pix'),
    { payout_type: 'local_payment_network', network: 'pix' },
    { payout_type: 'local_payment_network' },
    {},
    { type: 'local_payment_network', local_payment_network: { type: 'pix' } },
  ],
  [
    'chain',
    notNamed(`${INTO}wallet.type`, 'tron'),
    { payout_type: 'wallet', network: 'tron' },
    { payout_type: 'wallet' },
    {},
    { type: 'wallet', wallet: { deposit_address: 'a', type: 'Tron' } },
  ],
  [
    'charges',
    notNamed('charge_type', 'ours'),
    { payout_type: 'swift', charge_type: 'ours' },
    { payout_type: 'swift' },
    { charge_type: 'ours' },
    bankIn({}),
  ],
]

/** The members that a quote can leave open, set. */
const FILLED: Partial<Quote> = {
  destination_country: 'HK',
  fund_transfer_network: '',
  payment_network: 'pix',
  wallet_type: 'Tron',
  charge_type: 'ours',
}

for (const [what, refused, row, quote, part, destination] of FEES) {
  test(`checkSameFee, ${what} missing in the quote, with another fee: refused`, () => {
    const sent = requestWith(part)
    assert.deepEqual(
      refusalOf(() => checkSameFee(quoteOf(quote), sent, destination, priced(row))),
      [refused],
    )
    checkSameFee(quoteOf(quote), sent, destination, [feeRow({})])
    checkSameFee(quoteOf(quote), sent, destination, [])
  })

  test(`checkSameFee, ${what} in the quote, omitted by the payout: accepted`, () => {
    const known = quoteOf({
      ...FILLED,
      ...(what === 'network' ? { fund_transfer_network: 'chats' } : {}),
      ...quote,
    })
    checkSameFee(known, requestWith({}), bankIn({}), priced(row))
  })
}

test('checkSameFee, country and charges differ, only one changes the fee: the refusal names this member', () => {
  const swift = quoteOf({ payout_type: 'swift' })
  const sent = requestWith({ charge_type: 'ours', beneficiary: 'bnf_1' })
  const into = bankIn({ country: 'HK' })
  assert.deepEqual(
    refusalOf(() =>
      checkSameFee(swift, sent, into, priced({ payout_type: 'swift', destination_country: 'HK' })),
    ),
    [
      'quote_mismatch at beneficiary: destination_details.bank.country of the beneficiary is HK ' +
        "but the quote's is not named.",
    ],
  )
})

test('checkSameFee, country and charges change the fee only together: the refusal names both', () => {
  const swift = quoteOf({ payout_type: 'swift' })
  const sent = requestWith({ charge_type: 'ours' })
  const into = bankIn({ country: 'HK' })
  const row = { payout_type: 'swift', destination_country: 'HK', charge_type: 'ours' }
  assert.deepEqual(
    refusalOf(() => checkSameFee(swift, sent, into, priced(row))),
    [notNamed('charge_type', 'ours'), notNamed(`${INTO}bank.country`, 'HK')],
  )
})
