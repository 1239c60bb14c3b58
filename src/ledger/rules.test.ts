// The book's rules for random quotes: each journal of a payout sums to zero, a return gives back
// exactly the debit, and any change of a journal changes its hash.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bookWith, refusalOf } from '../../test/support/given/in-memory.ts'
import {
  failurePostings,
  payoutPostings,
  receiptPostings,
  reversalPostings,
  settlementPostings,
} from '../payouts/postings.ts'
import type { Quote } from '../quotes/quote.ts'
import { totalDebit } from '../quotes/rules.ts'
import { MAX_AMOUNT } from '../values/money/decimal.ts'
import {
  assertBalanced,
  bookOf,
  checkCovers,
  EMPTY_HASH,
  hashJournal,
  type Journal,
  type JournalLine,
  type LedgerCode,
  mirrored,
  type Posting,
  postJournal,
} from './rules.ts'

const CURRENCIES = ['USD', 'EUR', 'HKD', 'JPY'] as const
const NOW = '2026-01-31T09:30:00.123456Z'
const RUNS = { numRuns: 1_000 }

const currency = fc.constantFrom(...CURRENCIES)
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 1_000_000n }),
  fc.bigInt({ min: 1n, max: MAX_AMOUNT }),
)
const fee = fc.oneof(fc.constant(0n), amount)

/** Quotes with random amounts, which need not agree with the rates. */
const quotes: fc.Arbitrary<Quote> = fc
  .record({
    holding_currency: currency,
    payout_currency: currency,
    destination_currency: currency,
    holding_amount: amount,
    payout_amount: amount,
    destination_amount: amount,
    fixed_fee_holding: fee,
    variable_fee_holding: fee,
    fx_income_holding: fee,
    fx_income_destination: fee,
  })
  .map(figures => {
    // Without a conversion, both sides have the same amount.
    const { holding_currency, payout_currency, destination_currency } = figures
    const payout_amount =
      holding_currency === payout_currency ? figures.holding_amount : figures.payout_amount
    const destination_amount =
      payout_currency === destination_currency ? payout_amount : figures.destination_amount
    return {
      ...figures,
      payout_amount,
      destination_amount,
      account_id: 'acc_1',
      id: 'poq_1',
      made_by: 'key_1',
      payout_type: 'local',
      destination_country: '',
      holding_to_payout: { digits: 1n, scale: 0 },
      payout_to_destination: { digits: 1n, scale: 0 },
      fixed_fee_payout: 0n,
      variable_fee_payout: 0n,
      basis: { spread_bps: 0 },
      fund_transfer_network: '',
      payment_network: '',
      wallet_type: '',
      wallet_network: '',
      charge_type: '',
      entity_id: '',
      status: 'active',
      valid_until: NOW,
      expected_at: null,
      created_at: NOW,
      updated_at: NOW,
    }
  })

/** Sums by position and currency, without zeros. */
function totals(...lists: readonly (readonly Posting[])[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {}
  for (const { code, currency, amount } of lists.flat()) {
    sums[`${code} ${currency}`] = (sums[`${code} ${currency}`] ?? 0n) + amount
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0n))
}

function sumsByCurrency(postings: readonly Posting[]): bigint[] {
  return CURRENCIES.map(code =>
    postings.filter(p => p.currency === code).reduce((sum, p) => sum + p.amount, 0n),
  )
}

test('payout journals, random quotes: postings sum to zero in each currency', () => {
  fc.assert(
    fc.property(quotes, fc.boolean(), (quote, toAccount) => {
      const creation = payoutPostings(quote, toAccount)
      const all = [
        creation,
        receiptPostings(quote),
        settlementPostings(quote, toAccount),
        failurePostings(creation),
        reversalPostings(creation),
      ]
      for (const postings of all) {
        assert.deepEqual(sumsByCurrency(postings), [0n, 0n, 0n, 0n])
        assertBalanced(postings)
      }
    }),
    RUNS,
  )
})

test('payout journal, random quotes: the debit is the holding amount plus both fees', () => {
  fc.assert(
    fc.property(quotes, quote => {
      const sums = totals(payoutPostings(quote, false).filter(p => p.code === 'available'))
      const { holding_amount, fixed_fee_holding, variable_fee_holding } = quote
      const debit = holding_amount + fixed_fee_holding + variable_fee_holding
      assert.deepEqual(sums, { [`available ${quote.holding_currency}`]: -debit })
      assert.equal(totalDebit(quote), debit)
    }),
    RUNS,
  )
})

test('journals of failed and reversed payouts, random quotes: every position is zero again', () => {
  fc.assert(
    fc.property(quotes, quote => {
      const creation = payoutPostings(quote, false)
      const settlement = settlementPostings(quote, false)
      assert.deepEqual(totals(creation, failurePostings(creation)), {})
      assert.deepEqual(totals(creation, settlement, reversalPostings(creation)), {})
      const settled = totals(creation, settlement)
      assert.equal(settled[`in_transit ${quote.destination_currency}`], undefined)
      assert.equal(settled[`settled ${quote.destination_currency}`], quote.destination_amount)
    }),
    RUNS,
  )
})

test('journals of a payout to another account, random quotes: inter_account is zero over both books', () => {
  fc.assert(
    fc.property(quotes, quote => {
      const { destination_currency: currency, destination_amount } = quote
      const receipt = receiptPostings(quote)
      const both = totals(payoutPostings(quote, true), receipt)
      assert.equal(both[`inter_account ${currency}`], undefined)
      assert.equal(totals(receipt)[`available ${currency}`], destination_amount)
    }),
    RUNS,
  )
})

const CODES: readonly LedgerCode[] = [
  'available',
  'fees',
  'funding',
  'fx',
  'in_transit',
  'inter_account',
  'settled',
]
const posting: fc.Arbitrary<Posting> = fc.record(
  {
    code: fc.constantFrom(...CODES),
    currency,
    amount: fc.bigInt({ min: -MAX_AMOUNT, max: MAX_AMOUNT }).filter(a => a !== 0n),
  },
  // Plain objects, so that deepEqual compares content alone.
  { noNullPrototype: true },
)
const hash = fc.stringMatching(/^[0-9a-f]{64}$/)
const journals: fc.Arbitrary<Omit<Journal, 'hash'>> = fc.record({
  account_id: fc.stringMatching(/^acc_[0-9a-z]{1,20}$/),
  number: fc.bigInt({ min: 1n, max: 1_000_000n }),
  kind: fc.constantFrom('funding', 'payout', 'receipt', 'settlement', 'failure', 'reversal'),
  source: fc.stringMatching(/^[a-z]{3}_[0-9a-z]{1,20}$/),
  created_at: fc.constantFrom(NOW, '2026-01-31T09:30:00.123457Z'),
  postings: fc.array(posting, { minLength: 2, maxLength: 6 }),
  line: fc.option(
    fc.record(
      {
        currency,
        amount,
        fixed_fee: fee,
        variable_fee: fee,
        balance_after: amount,
        undoes: fc.option(fc.constant('btr_1')),
        fx_conversions: fc.option(fc.constant('[{}]')),
        metadata: fc.option(fc.constant('{"by":"Ann"}')),
      },
      { noNullPrototype: true },
    ),
  ),
})

const LINE: JournalLine = {
  currency: 'USD',
  amount: 1n,
  fixed_fee: 0n,
  variable_fee: 0n,
  balance_after: 1n,
  undoes: null,
  fx_conversions: null,
  metadata: null,
}

test('hash chain, any field changed: another hash', () => {
  fc.assert(
    fc.property(hash, journals, (previous, journal) => {
      const before = hashJournal(previous, journal)
      const [first, second, ...rest] = journal.postings as [Posting, Posting, ...Posting[]]
      const withFirst = (change: Partial<Posting>) => ({
        ...journal,
        postings: [{ ...first, ...change }, second, ...rest],
      })
      const flipped = previous.startsWith('0') ? '1' : '0'
      const changed: [field: string, hash: string][] = [
        ['previous', hashJournal(flipped + previous.slice(1), journal)],
        ['account_id', hashJournal(previous, { ...journal, account_id: `${journal.account_id}x` })],
        ['number', hashJournal(previous, { ...journal, number: journal.number + 1n })],
        [
          'kind',
          hashJournal(previous, {
            ...journal,
            kind: journal.kind === 'payout' ? 'receipt' : 'payout',
          }),
        ],
        ['source', hashJournal(previous, { ...journal, source: `${journal.source}x` })],
        [
          'created_at',
          hashJournal(previous, { ...journal, created_at: '2026-01-31T09:30:00.123458Z' }),
        ],
        ['code', hashJournal(previous, withFirst({ code: first.code === 'fx' ? 'fees' : 'fx' }))],
        ['currency', hashJournal(previous, withFirst({ currency: 'GBP' }))],
        ['amount', hashJournal(previous, withFirst({ amount: first.amount + 1n }))],
        ['a posting less', hashJournal(previous, { ...journal, postings: [first, ...rest] })],
        [
          'a posting more',
          hashJournal(previous, { ...journal, postings: [...journal.postings, first] }),
        ],
      ]
      const { line } = journal
      const withLine = (change: Partial<JournalLine>) =>
        hashJournal(previous, { ...journal, line: { ...LINE, ...line, ...change } })
      if (line === null) changed.push(['a line', withLine({})])
      else {
        changed.push(['no line', hashJournal(previous, { ...journal, line: null })])
        for (const name of ['amount', 'fixed_fee', 'variable_fee', 'balance_after'] as const) {
          changed.push([name, withLine({ [name]: line[name] + 1n })])
        }
        for (const name of ['currency', 'undoes', 'fx_conversions', 'metadata'] as const) {
          changed.push([name, withLine({ [name]: `${line[name] ?? ''}x` })])
        }
        changed.push(['a fee moved', withLine({ fixed_fee: 0n, amount: 0n, variable_fee: -1n })])
      }
      for (const [field, after] of changed) assert.notEqual(after, before, field)
      assert.equal(hashJournal(previous, structuredClone(journal)), before)
    }),
    RUNS,
  )
})

test('hash chain, a stored example journal: hash unchanged from earlier versions', () => {
  const journal = {
    account_id: 'acc_1',
    number: 1n,
    kind: 'funding' as const,
    source: 'esc_1',
    created_at: NOW,
    postings: [
      { code: 'funding' as const, currency: 'USD', amount: -100n },
      { code: 'available' as const, currency: 'USD', amount: 100n },
    ],
    line: null,
  }
  assert.equal(
    hashJournal(EMPTY_HASH, journal),
    'a54c89958b1cec2fee538bf2a2288459d8db857bb738e720e3ba499c155a1943',
  )
  const line = { ...LINE, amount: 100n, balance_after: 100n, metadata: '{"by":"Ann"}' }
  assert.equal(
    hashJournal(EMPTY_HASH, { ...journal, line }),
    '151acbbbd6a5e3f89dd99c22fb9e9cd366c72dc4c29cca89bdb392410fa49f6b',
  )
})

test('postJournal, balanced journal: numbered, chained, applied to the balance', () => {
  const book = bookWith({ USD: 0n })
  const draft = { kind: 'funding', source: 'esc_1' } as const
  const fund = (amount: bigint): Posting[] => [
    { code: 'funding', currency: 'USD', amount: -amount },
    { code: 'available', currency: 'USD', amount },
    { code: 'fees', currency: 'USD', amount: 0n },
  ]
  const first = postJournal(book, { ...draft, postings: fund(70n) })
  const second = postJournal(book, { ...draft, source: 'esc_2', postings: fund(30n) })
  assert.deepEqual([first.number, second.number, book.journal_count], [1n, 2n, 2n])
  assert.equal(first.hash, hashJournal(EMPTY_HASH, first))
  assert.equal(second.hash, hashJournal(first.hash, second))
  assert.equal(book.head_hash, second.hash)
  assert.equal(book.balances.get('USD'), 100n)
  assert.deepEqual([...book.changed], ['USD'])
  assert.equal(first.postings.length, 2, 'postings of zero are left out')
})

test('postJournal, debit of the whole balance: zero left, journal and book agree', () => {
  const book = { ...bookWith({ USD: 5n, EUR: 7n }), journal_count: 41n, head_hash: 'f'.repeat(64) }
  const postings: Posting[] = [
    { code: 'available', currency: 'USD', amount: -5n },
    { code: 'in_transit', currency: 'USD', amount: 5n },
  ]
  const draft = { kind: 'payout', source: 'pot_1', postings } as const
  const hash = hashJournal('f'.repeat(64), {
    ...draft,
    account_id: 'acc_1',
    number: 42n,
    line: null,
    created_at: NOW,
  })
  assert.deepEqual(postJournal(book, draft), {
    account_id: 'acc_1',
    number: 42n,
    kind: 'payout',
    source: 'pot_1',
    postings,
    line: null,
    created_at: NOW,
    hash,
  })
  const after = { ...bookWith({ USD: 0n, EUR: 7n }), journal_count: 42n, head_hash: hash }
  assert.deepEqual(book, { ...after, changed: new Set(['USD']) })
})

test('postJournal, journal unbalanced, above the balance or in a currency not held: throws, book unchanged', () => {
  const refuse = (postings: Posting[], words: RegExp) => {
    const book = bookWith({ USD: 5n })
    const draft = { kind: 'payout', source: 'pot_1', postings } as const
    assert.throws(() => postJournal(book, draft), words)
    assert.deepEqual(book, bookWith({ USD: 5n }))
  }
  const pay = (currency: string, amount: bigint): Posting[] => [
    { code: 'available', currency, amount: -amount },
    { code: 'in_transit', currency, amount },
  ]
  refuse([], /^Error: a journal without postings$/)
  refuse([{ code: 'available', currency: 'USD', amount: 0n }], /without postings$/)
  const fee: Posting = { code: 'fees', currency: 'EUR', amount: 1n }
  refuse([...pay('USD', 1n), fee], /^Error: a journal that is off by 1 in EUR$/)
  refuse(pay('USD', 6n), /^Error: book acc_1 would be overdrawn in USD$/)
  refuse(pay('GBP', 1n), /^Error: book acc_1 holds no GBP$/)
})

test('checkCovers, balance exactly enough: passes; one unit less, or no such balance: refused with both figures', () => {
  checkCovers(bookWith({ USD: 1_035n }), 'The payout', 'USD', 1_035n, 'amount')
  const refused = (balances: Record<string, bigint>) =>
    refusalOf(() => checkCovers(bookWith(balances), 'The payout', 'USD', 1_035n, 'amount'))
  assert.deepEqual(refused({ USD: 1_034n }), [
    'insufficient_balance at amount: The payout needs 1035 USD minor units including fees ' +
      '(10.35) and 1034 are available (10.34).',
  ])
  assert.deepEqual(refused({}), [
    'insufficient_balance at amount: The payout needs 1035 USD minor units including fees ' +
      '(10.35) and 0 are available (0.00).',
  ])
})

test('bookOf, several accounts: the book of the named account; unknown account: throws', () => {
  const [first, second] = [bookWith(), { ...bookWith(), account_id: 'acc_2' }]
  const books = new Map([
    ['acc_1', first],
    ['acc_2', second],
  ])
  assert.equal(bookOf(books, 'acc_2'), second)
  assert.throws(() => bookOf(books, 'acc_3'), /^Error: account acc_3 has no book$/)
})

test('mirrored, applied twice: the original postings', () => {
  fc.assert(
    fc.property(fc.array(posting), postings => {
      assert.deepEqual(mirrored(mirrored(postings)), postings)
    }),
    RUNS,
  )
})
