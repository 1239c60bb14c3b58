// The judgement of new rates: tables of mistakes, of pegs, and of complete publications.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal, rateBook } from '../../../test/support/given/in-memory.ts'
import { checkPeg, decideFeed, judgeRates } from './guard.ts'
import { type Rate, RateBook } from './rules.ts'

const THEN = '2026-10-06T14:00:00.000000Z'
const LATER = '2026-10-07T14:00:00.000000Z'

/** The pivot is EUR. */
const book = rateBook(
  {
    'EUR/USD': '1.25',
    'EUR/HKD': '10',
    'USD/JPY': '150',
    'USD/AED peg': '3.6725',
    'USD/USDC peg': '1',
  },
  { 'EUR/USD': THEN, 'EUR/HKD': THEN, 'USD/JPY': THEN, 'USD/AED peg': THEN, 'USD/USDC peg': THEN },
)

function rate(pair: string, mid: string, as_of = LATER): Rate {
  const [base = '', quote = '', peg] = pair.split(/[/ ]/)
  return {
    base,
    quote,
    mid: decimal(mid),
    source: 'test',
    as_of,
    pegged: peg !== undefined,
    sample: false,
  }
}

function judge(pair: string, mid: string, as_of = LATER) {
  const [judged] = judgeRates([{ line: 1, value: rate(pair, mid, as_of) }], book)
  return judged?.problem && `${judged.problem.kind}: ${judged.problem.message}`
}

const CASES: readonly (readonly [
  what: string,
  pair: string,
  mid: string,
  problem: string | undefined,
])[] = [
  ['unchanged', 'EUR/USD', '1.25', undefined],
  ['ten percent more', 'EUR/USD', '1.375', undefined],
  ['ten percent less', 'EUR/USD', '1.125', undefined],
  [
    'slightly more than ten percent',
    'EUR/USD',
    '1.375000000000000000001',
    'moved: EUR/USD 1.375000000000000000001 is 10 % above the present 1.25',
  ],
  ['a digit too many', 'EUR/USD', '12.5', 'moved: EUR/USD 12.5 is 900 % above the present 1.25'],
  ['the inverse direction', 'EUR/USD', '0.8', 'moved: EUR/USD 0.8 is 36 % below the present 1.25'],
  [
    'the inverse pair with the stored mid',
    'JPY/USD',
    '150',
    'moved: JPY/USD 150 is 2249900 % above the present 0.00666666666666',
  ],
  [
    'the inverse pair with the inverse mid',
    'JPY/USD',
    '0.0067',
    'inverse: the pair has a row already, USD/JPY 150',
  ],
  [
    'a new pair, far from its crossed rate',
    'USD/HKD',
    '0.128',
    'moved: USD/HKD 0.128 is 98.4 % below the present 8',
  ],
  ['a new pair, near its crossed rate', 'USD/HKD', '7.81', undefined],
  ['a new pair without any comparison', 'EUR/CHF', '1000000', undefined],
  ['a peg, by a market rate', 'USD/AED', '3.6725', 'pegged: AED is pegged to USD at 3.6725'],
  ['a peg, by its inverse', 'AED/USD', '0.27', 'pegged: AED is pegged to USD at 3.6725'],
  ['a peg, moved as a peg', 'USD/AED peg', '3.7', undefined],
  ['a peg, moved far', 'USD/AED peg', '5', 'moved: USD/AED 5 is 36.1 % above the present 3.6725'],
  [
    'a pegged currency to another than its anchor',
    'EUR/AED',
    '4.6',
    'pegged: AED is pegged to USD at 3.6725',
  ],
  [
    'a pegged currency to another than its anchor, far off',
    'EUR/AED',
    '3.6725',
    'pegged: AED is pegged to USD at 3.6725; EUR/AED 3.6725 is 20 % below the present 4.590625',
  ],
]

for (const [what, pair, mid, problem] of CASES) {
  test(`judgeRates, ${what}: ${problem ?? 'accepted'}`, () =>
    assert.equal(judge(pair, mid), problem))
}

test('judgeRates, older than the stored row: refused, naming both times; equally old: accepted', () => {
  assert.equal(
    judge('EUR/USD', '1.25', '2026-10-06T13:59:59.999999Z'),
    `older: EUR/USD of 2026-10-06T13:59:59.999999Z is older than the stored ${THEN}`,
  )
  assert.equal(judge('EUR/USD', '1.26', THEN), undefined)
})

const PEGS: readonly (readonly [pair: string, why: string | undefined])[] = [
  ['USD/AED', undefined],
  ['EUR/AED', undefined],
  ['USD/AED peg', undefined],
  ['USD/SAR peg', undefined],
  ['EUR/AED peg', 'AED is pegged to USD already; remove USD/AED first'],
  ['AED/SAR peg', 'AED is pegged itself, to USD; peg SAR to that'],
  ['EUR/USD peg', 'USD is the anchor of AED and cannot be pegged'],
  ['JPY/CNY peg', undefined],
  ['HKD/EUR peg', 'EUR/HKD has a row of its own; remove it first'],
]

for (const [pair, why] of PEGS) {
  test(`checkPeg, ${pair}: ${why ?? 'accepted'}`, () => {
    assert.equal(checkPeg(rate(pair, '1'), book), why)
  })
}

/** Decides a publication of EUR against these currencies, by their mids. */
function publish(mids: Readonly<Record<string, string>>, as_of = LATER, force = false) {
  const lines = Object.entries(mids).map(([quote, mid], i) => ({
    line: i + 1,
    value: rate(`EUR/${quote}`, mid, as_of),
  }))
  const { taken, passed, refused } = decideFeed(judgeRates(lines, book), force)
  const names = (some: typeof taken) => some.map(one => one.rate.quote)
  return { taken: names(taken), passed, refused: names(refused) }
}

const MANY = Object.fromEntries(
  ['CHF', 'CZK', 'DKK', 'GBP', 'HUF', 'NOK', 'PLN', 'SEK'].map(code => [code, '1']),
)

test('decideFeed, a newer publication: its rates are stored', () => {
  const all = publish({ USD: '1.26', HKD: '10', CHF: '0.9' })
  assert.deepEqual(all, { taken: ['USD', 'HKD', 'CHF'], passed: 0, refused: [] })
})

test('decideFeed, the same or an older publication: no change, no fault', () => {
  const older = '2026-10-05T14:00:00.000000Z'
  const none = { taken: [], passed: 2, refused: [] }
  assert.deepEqual(publish({ USD: '1.25', HKD: '10' }, THEN), none)
  assert.deepEqual(publish({ USD: '12.5', HKD: '100' }, older), none)
  const corrected = publish({ USD: '1.26', HKD: '10' }, THEN)
  assert.deepEqual(corrected, { taken: ['USD'], passed: 1, refused: [] })
})

test('decideFeed, one of ten rates moved too far: left out; two of ten: no rate stored', () => {
  const one = publish({ ...MANY, USD: '12.5', HKD: '10.1' })
  assert.deepEqual([one.taken.length, one.refused], [9, ['USD']])
  const two = publish({ ...MANY, USD: '12.5', HKD: '101' })
  assert.deepEqual([two.taken.length, two.refused.length], [0, 10])
})

test('decideFeed, stored sample: replaced by a rate of any age, also by an equal rate', () => {
  const sample = { ...rate('EUR/USD', '1.25', LATER), sample: true }
  const known = new RateBook('EUR', [sample])
  const lines = [THEN, LATER].map((as_of, i) => ({
    line: i + 1,
    value: rate('EUR/USD', '1.25', as_of),
  }))
  const { taken } = decideFeed(judgeRates(lines, known), false)
  assert.deepEqual(
    taken.map(({ line }) => line),
    [1, 2],
  )
})

test('decideFeed, equal rate from another source: stored', () => {
  const value = { ...rate('EUR/USD', '1.25', THEN), source: 'another' }
  const { taken } = decideFeed(judgeRates([{ line: 1, value }], book), false)
  assert.equal(taken.length, 1)
})

test('judgeRates, inverse of a stored sample: accepted, the sample named as removed', () => {
  const sample = { ...rate('EUR/USD', '1.25'), sample: true }
  const lines = [{ line: 1, value: rate('USD/EUR', '0.8') }]
  const [judged] = judgeRates(lines, new RateBook('EUR', [sample]))
  assert.deepEqual([judged?.problem, judged?.inverse], [undefined, sample])
})

test('judgeRates, pair that the book can cross: compared with the book; other pairs: with the guide rates', () => {
  const guide = rateBook({ 'EUR/CHF': '0.9', 'EUR/USD': '2' })
  const kinds = [rate('CHF/EUR', '0.9'), rate('CHF/EUR', '1.11'), rate('EUR/USD', '1.25')].map(
    value => judgeRates([{ line: 1, value }], book, guide)[0]?.problem?.kind,
  )
  assert.deepEqual(kinds, ['moved', undefined, undefined])
})

test('decideFeed, pair stored in the inverse direction: refused; forced: stored', () => {
  const lines = [
    { line: 1, value: rate('JPY/USD', '0.0067') },
    { line: 2, value: rate('EUR/USD', '1.26') },
  ]
  const judged = judgeRates(lines, book)
  const { taken, refused } = decideFeed(judged, false)
  assert.deepEqual([taken, refused], [judged.slice(1), judged.slice(0, 1)])
  assert.deepEqual(decideFeed(judged, true).taken, judged)
})

test('decideFeed, forced: large moves stored, older rates refused', () => {
  assert.deepEqual(publish({ USD: '12.5', HKD: '101' }, LATER, true).taken, ['USD', 'HKD'])
  assert.deepEqual(publish({ USD: '12.5' }, '2026-10-05T14:00:00.000000Z', true).taken, [])
})

test('decideFeed, pegged pair: unchanged', () => {
  const lines = [
    { line: 1, value: rate('USD/AED', '3.9') },
    { line: 2, value: rate('USD/JPY', '151') },
  ]
  for (const force of [false, true]) {
    const { taken, passed } = decideFeed(judgeRates(lines, book), force)
    assert.deepEqual([taken.map(({ line }) => line), passed], [[2], 1])
  }
})
