// The rules of conversions in memory: the terms of a request, its price and validity, and the two
// journals that a conversion writes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  account,
  bookWith,
  countingIds,
  feeRow,
  lineId,
  NOW,
  pricing,
  refusalOf,
} from '../../test/support/given/in-memory.ts'
import { anyRule } from '../../test/support/service/approvals.ts'
import { indexRules } from '../controls/approval/approval.ts'
import type { Book } from '../ledger/rules.ts'
import { plusMilliseconds } from '../values/instant.ts'
import type { ConversionQuote } from './conversion.ts'
import type { ConversionQuoteRequest } from './request.ts'
import {
  type ConversionState,
  conversionTerms,
  decideConversion,
  quoteConversion,
} from './rules.ts'

const { account_id } = account
const fee = feeRow({ payout_type: 'conversion', fixed_amount: 25n, variable_bps: 100 })
const PRICES = pricing({ 'EUR/USD': '1.25' }, [fee], { spread_bps: 100 })
const IDENTITY = { account_id, id: 'coq_1', made_by: 'key_1' }
const TIMES = { now: NOW, at: NOW }

const asked = (part: Partial<ConversionQuoteRequest> = {}): ConversionQuoteRequest => ({
  holding_info: { currency: 'USD' },
  destination_info: { currency: 'EUR', amount: 792 },
  ...part,
})

const quoted = (request = asked(), prices = PRICES) =>
  quoteConversion(IDENTITY, request, account, prices, TIMES)

const WRONG: readonly [what: string, request: ConversionQuoteRequest, refused: string[]][] = [
  [
    'no amount',
    asked({ destination_info: { currency: 'EUR' } }),
    [
      'invalid_field at destination_info.amount: Send destination_info.amount, or total_debit in its place.',
    ],
  ],
  [
    'two amounts',
    asked({ total_debit: 1 }),
    ['invalid_field at total_debit: Send either destination_info.amount or total_debit.'],
  ],
  [
    'one currency twice',
    asked({ holding_info: { currency: 'EUR' } }),
    [
      'invalid_field at destination_info.currency: A conversion is between two different currencies.',
    ],
  ],
  [
    'currencies that the account does not hold',
    { holding_info: { currency: 'GBP' }, destination_info: { currency: 'JPY', amount: 1 } },
    [
      'holding_currency_not_found at holding_info.currency: The account holds no GBP balance; it holds USD, EUR.',
      'holding_currency_not_found at destination_info.currency: The account holds no JPY balance; it holds USD, EUR.',
    ],
  ],
]
for (const [what, request, refused] of WRONG) {
  test(`conversionTerms, ${what}: refused, naming the member`, () => {
    assert.deepEqual(
      refusalOf(() => conversionTerms(request, account)),
      refused,
    )
  })
}

test('conversionTerms: both currencies, and nothing of a payout', () => {
  assert.deepEqual(conversionTerms(asked(), account), {
    payout_type: 'conversion',
    holding_currency: 'USD',
    payout_currency: 'EUR',
    payout_amount: 0n,
    destination_currency: 'EUR',
    destination_country: '',
    fund_transfer_network: '',
    payment_network: '',
    wallet_type: '',
    wallet_network: '',
    charge_type: '',
    entity_id: '',
  })
})

test('quoteConversion, amount beyond every bound: refused at the amount that was sent', () => {
  const most = Number.MAX_SAFE_INTEGER
  const far = asked({ destination_info: { currency: 'EUR', amount: most } })
  assert.match(
    refusalOf(() => quoted(far)).join(),
    /^amount_out_of_range at destination_info\.amount: /,
  )
  const little = asked({ destination_info: { currency: 'EUR' }, total_debit: 1 })
  assert.match(refusalOf(() => quoted(little)).join(), /^amount_out_of_range at total_debit: /)
})

test('quoteConversion, by what arrives and by what leaves: the same price, for two minutes', () => {
  const quote = quoted()
  const { holding_amount, fixed_fee_holding, variable_fee_holding, fx_income_holding } = quote
  assert.deepEqual(
    [holding_amount, fixed_fee_holding, variable_fee_holding, fx_income_holding],
    [1_000n, 25n, 10n, 10n],
  )
  assert.deepEqual([quote.payout_amount, quote.destination_amount], [792n, 792n])
  assert.deepEqual([quote.status, quote.valid_until], ['active', plusMilliseconds(NOW, 120_000)])
  const within = asked({ destination_info: { currency: 'EUR' }, total_debit: 1_035 })
  assert.deepEqual(quoted(within), quote)
})

test('quoteConversion, validity of the pair shorter: that validity', () => {
  const prices = pricing({ 'EUR/USD': '1.25' }, [fee], { spread_bps: 100, quote_validity_s: 30 })
  assert.equal(quoted(asked(), prices).valid_until, plusMilliseconds(NOW, 30_000))
})

function stateWith(book: Book, part: Partial<ConversionState> = {}): ConversionState {
  const quote = quoted()
  return {
    now: NOW,
    books: new Map([[account_id, book]]),
    quotes: new Map([[`${account_id}/coq_1`, quote]]),
    pricing: () => PRICES,
    rules: new Map(),
    keys: new Map(),
    bookId: countingIds(),
    ...part,
  }
}

const ASKED = { account, quote_id: 'coq_1', maker: 'key_1', key_id: 'key_1' }

test('decideConversion: two journals, each zero in its currency; the quote is used, and each line names the other', () => {
  const book = bookWith({ USD: 1_035n, EUR: 8n })
  const state = stateWith(book)
  const { conversion, entries, events } = decideConversion(state, ASKED)
  assert.deepEqual(
    entries.map(({ journal }) => [journal.kind, journal.source, journal.postings]),
    [
      [
        'conversion_out',
        conversion.id,
        [
          { code: 'available', currency: 'USD', amount: -1_035n },
          { code: 'fees', currency: 'USD', amount: 35n },
          { code: 'fx', currency: 'USD', amount: 990n },
          { code: 'fx_income', currency: 'USD', amount: 10n },
        ],
      ],
      [
        'conversion_in',
        conversion.id.replace('cnv', 'cni'),
        [
          { code: 'fx', currency: 'EUR', amount: -792n },
          { code: 'available', currency: 'EUR', amount: 792n },
        ],
      ],
    ],
  )
  assert.deepEqual(
    [...book.balances],
    [
      ['USD', 0n],
      ['EUR', 800n],
    ],
  )
  const [sold, bought] = entries.map(({ line }) => line)
  assert.deepEqual(
    [sold, bought].map(line => [line?.source, line?.description, line?.metadata]),
    [
      [conversion.id, conversion.id, { counterpart: lineId(2) }],
      [conversion.id, conversion.id, { counterpart: lineId(1) }],
    ],
  )
  assert.deepEqual([sold?.amount, sold?.fixed_fee, sold?.variable_fee], [-1_000n, -25n, -10n])
  assert.deepEqual([bought?.amount, bought?.fixed_fee, bought?.variable_fee], [792n, 0n, 0n])
  assert.deepEqual(sold?.fx_conversions, bought?.fx_conversions)
  assert.equal(sold?.fx_conversions.length, 1)
  assert.deepEqual(
    events.map(({ type, object_id }) => [type, object_id]),
    [
      ['conversion.completed', conversion.id],
      ['balance_transaction.created', lineId(1)],
      ['balance_transaction.created', lineId(2)],
    ],
  )
  const { quote, id, ...rest } = conversion
  assert.deepEqual(rest, {
    account_id,
    quote_id: 'coq_1',
    number: 1n,
    holding_currency: 'USD',
    destination_currency: 'EUR',
    made_by: 'key_1',
    created_at: NOW,
  })
  assert.equal(id, 'cnv_1')
  assert.deepEqual(quote, { ...quoted(), status: 'used', updated_at: NOW })
  assert.equal(state.quotes.get(`${account_id}/coq_1`), quote)
  assert.match(refusalOf(() => decideConversion(state, ASKED)).join(), /^quote_used at quote/)
})

const active = (part: Partial<ConversionQuote>) =>
  new Map([[`${account_id}/coq_1`, { ...quoted(), ...part }]])
const RULES = (part: object) => indexRules([{ ...anyRule, account_id, ...part }])

const REFUSED: readonly [what: string, part: Partial<ConversionState>, refused: RegExp][] = [
  [
    'quote unknown',
    { quotes: new Map() },
    /^not_found at quote: No quote coq_1 in this account\.$/,
  ],
  ['quote expired', { quotes: active({ valid_until: NOW }) }, /^quote_expired at quote: /],
  ['quote used', { quotes: active({ status: 'used' }) }, /^quote_used at quote: /],
  [
    'a rule for any payout',
    { rules: RULES({}) },
    /^approval_needed at quote: People approve payments of this amount \(rule apr_1\), /,
  ],
  [
    'a rule from this amount on',
    { rules: RULES({ at_least: 792n, at_least_currency: 'EUR' }) },
    /^approval_needed at quote: /,
  ],
  ['a rule for its key', { rules: RULES({ key_id: 'key_1' }) }, /^approval_needed at quote: /],
  ['a rule for its currency', { rules: RULES({ currency: 'EUR' }) }, /^approval_needed at quote: /],
  [
    'a key whose payouts all need an approval',
    { keys: new Map([['key_1', { owner: null, makes_only: true, made_by: '' }]]) },
    /^approval_needed at quote: People approve payments of this key, /,
  ],
]
for (const [what, part, refused] of REFUSED) {
  test(`decideConversion, ${what}: refused, book unchanged`, () => {
    const book = bookWith({ USD: 5_000n, EUR: 0n })
    assert.match(refusalOf(() => decideConversion(stateWith(book, part), ASKED)).join(), refused)
    assert.deepEqual(book, bookWith({ USD: 5_000n, EUR: 0n }))
  })
}

/** The quote has a spread of 1 %, or none; the mid has moved since. */
for (const [spread_bps, moved, refused] of [
  [100, '1.2625', false],
  [100, '1.27', true],
  [100, '1.2', false],
  [0, '1.25', false],
  [0, '1.2501', true],
  [0, '1.2499', false],
] as const) {
  const what = refused ? 'refused, book unchanged' : 'converts'
  test(`decideConversion, spread of ${spread_bps} bps, EUR/USD from 1.25 to ${moved}: ${what}`, () => {
    const before = pricing({ 'EUR/USD': '1.25' }, [fee], { spread_bps })
    const quote = quoted(asked({ destination_info: { currency: 'EUR', amount: 79_200 } }), before)
    const book = bookWith({ USD: 500_000n, EUR: 0n })
    const quotes = new Map([[`${account_id}/coq_1`, quote]])
    const now = pricing({ 'EUR/USD': moved }, [fee], { spread_bps })
    const convert = () => decideConversion(stateWith(book, { quotes, pricing: () => now }), ASKED)
    if (refused)
      assert.match(refusalOf(convert).join(), /^quote_expired at quote: The rate has moved/)
    else convert()
    assert.equal(book.balances.get('EUR'), refused ? 0n : 79_200n)
  })
}

const NO_MATTER: readonly [what: string, rule: object][] = [
  ['above the amount', { at_least: 793n, at_least_currency: 'EUR' }],
  ['of another currency', { currency: 'USD' }],
  ['of a payout type', { payout_type: 'local' }],
  ['of a network', { network: 'sepa' }],
  ['of a country', { country: 'DE' }],
  ['of new payees', { new_payee: true }],
  ['of another key', { key_id: 'key_2' }],
  ['of beneficiaries', { subject: 'beneficiary' }],
]
for (const [what, rule] of NO_MATTER) {
  test(`decideConversion, rule of approvals ${what}: converts`, () => {
    const book = bookWith({ USD: 5_000n, EUR: 0n })
    decideConversion(stateWith(book, { rules: RULES(rule) }), ASKED)
    assert.equal(book.balances.get('EUR'), 792n)
  })
}

test('decideConversion, one unit less than the total debit, or no room in the other balance: refused at quote', () => {
  const poor = stateWith(bookWith({ USD: 1_034n, EUR: 0n }))
  assert.deepEqual(
    refusalOf(() => decideConversion(poor, ASKED)),
    [
      'insufficient_balance at quote: The conversion needs 1035 USD minor units including fees ' +
        '(10.35) and 1034 are available (10.34).',
    ],
  )
  const full = stateWith(bookWith({ USD: 1_035n, EUR: 2n ** 62n - 791n }))
  assert.match(
    refusalOf(() => decideConversion(full, ASKED)).join(),
    /^balance_limit_exceeded at quote/,
  )
})
