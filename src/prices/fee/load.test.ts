// Fee files as tables: the row of each valid line, and the message of each invalid one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeeVocabulary } from './asked-fee.ts'
import { FEE_COLUMNS, feeCells, loadDefaultFees, parseFeesCsv } from './load.ts'
import { selectFee } from './rules.ts'

const WORDS: FeeVocabulary = {
  payout_types: ['swift', 'local', 'local_payment_network', 'wallet', 'service_account'],
  charge_types: { swift: ['shared', 'ours'] },
  countryFault: (_, code) => (['HK', 'DE'].includes(code) ? undefined : `unknown country ${code}`),
  networkName: (type, name) =>
    type === 'local' && name.toLowerCase() === 'chats' ? 'chats' : undefined,
}
const HEADER = `${FEE_COLUMNS.join(',')}\n`
const ANY = {
  payout_currency: null,
  destination_country: null,
  network: null,
  charge_type: null,
  fixed_amount: 0n,
  variable_bps: 0,
  minimum_amount: null,
  maximum_amount: null,
  sample: false,
}

const GOOD: readonly [line: string, fee: object][] = [
  [
    'local,HKD,HK,CHATS,,1.00,USD,10,0.5,25',
    {
      payout_type: 'local',
      payout_currency: 'HKD',
      destination_country: 'HK',
      network: 'chats',
      charge_type: null,
      fixed_amount: 100n,
      fee_currency: 'USD',
      variable_bps: 10,
      minimum_amount: 50n,
      maximum_amount: 2500n,
      sample: false,
    },
  ],
  ['wallet,,,,,0,usd,,,', { ...ANY, payout_type: 'wallet', fee_currency: 'USD' }],
  [
    'Swift,eur,de,,OURS,30,KWD,10000,1.234,1.234',
    {
      ...ANY,
      payout_type: 'swift',
      payout_currency: 'EUR',
      destination_country: 'DE',
      charge_type: 'ours',
      fixed_amount: 30_000n,
      fee_currency: 'KWD',
      variable_bps: 10_000,
      minimum_amount: 1234n,
      maximum_amount: 1234n,
    },
  ],
  [
    'local,,,,,90071992547409.91,USD,,,0',
    {
      ...ANY,
      payout_type: 'local',
      fee_currency: 'USD',
      fixed_amount: 9_007_199_254_740_991n,
      maximum_amount: 0n,
    },
  ],
]
for (const [line, fee] of GOOD) {
  test(`fees CSV, line ${line}: accepted`, () => {
    const { lines, problems } = parseFeesCsv(`# a\n${HEADER}${line}\n`, WORDS)
    assert.deepEqual(problems, [])
    assert.deepEqual(lines, [{ line: 3, value: fee }])
  })
}

const TYPES = `the types are ${WORDS.payout_types.join(', ')}`
const BPS = 'is not an integer from 0 to 10000'
const FREE = 'neither fixed_amount nor variable_bps is given; fixed_amount 0 makes it free'
const amount = (column: string, text: string) =>
  `${column} "${text}" is not an amount in USD, at most 2 digits after the point`

const BAD_LINES: readonly [line: string, ...messages: string[]][] = [
  [',,,,,1,USD,,,', `payout_type is missing; ${TYPES}`],
  ['card,,,,,1,USD,,,', `unknown payout_type card; ${TYPES}`],
  ['local,XXX,,,,1,USD,,,', 'unknown currency XXX'],
  ['local,,ZZ,,,1,USD,,,', 'unknown country ZZ'],
  ['local,,,sepia,,1,USD,,,', 'no local payout names network sepia'],
  ['swift,,,chats,,1,USD,,,', 'no swift payout names network chats'],
  ['swift,,,,theirs,1,USD,,,', 'unknown charge_type theirs; it is shared or ours'],
  ['local,,,,ours,1,USD,,,', 'a local payout has no charge_type'],
  ['local,,,,,1,,,,', 'fee_currency is missing'],
  ['local,,,,,1,XXX,,,', 'unknown currency XXX'],
  ['local,,,,,1.001,USD,,,', amount('fixed_amount', '1.001')],
  ['local,,,,,-1,USD,,,', amount('fixed_amount', '-1')],
  ['local,,,,,1e2,USD,,,', amount('fixed_amount', '1e2')],
  ['local,,,,,90071992547409.92,USD,,,', amount('fixed_amount', '90071992547409.92')],
  ['local,,,,,,USD,-1,,', `variable_bps "-1" ${BPS}`],
  ['local,,,,,,USD,1.5,,', `variable_bps "1.5" ${BPS}`],
  ['local,,,,,,USD,10001,,', `variable_bps "10001" ${BPS}`],
  ['local,,,,,,USD,,x,', amount('minimum_amount', 'x')],
  ['local,,,,,1,USD,,,x', amount('maximum_amount', 'x')],
  ['local,,,,,,USD,,,5', FREE],
  ['local,,,,,,USD,,,', FREE],
  ['local,,,,,,USD,,2,1.99', 'minimum_amount is more than maximum_amount'],
  ['local', '1 columns where the header has 10'],
  [
    'local,,ZZ,,,x,USD,y,,',
    'unknown country ZZ',
    amount('fixed_amount', 'x'),
    `variable_bps "y" ${BPS}`,
  ],
]
for (const [line, ...messages] of BAD_LINES) {
  test(`fees CSV, line ${line}: ${messages.join('; ')}`, () => {
    const { problems } = parseFeesCsv(`${HEADER}swift,,,,,1,USD,,,\n${line}\n`, WORDS)
    assert.deepEqual(
      problems,
      messages.map(message => ({ line: 3, message })),
    )
  })
}

test('fees CSV, two rows for the same payouts: the second row is named', () => {
  const text = `${HEADER}swift,EUR,,,ours,1,USD,,,\nswift,eur,,,OURS,2,USD,,,\n`
  assert.deepEqual(parseFeesCsv(text, WORDS).problems, [
    { line: 3, message: 'swift, payout_currency EUR, charge_type ours is on line 2 already' },
  ])
})

test('fees CSV, only the required columns: the others are wildcards or absent', () => {
  const { lines } = parseFeesCsv('fee_currency,payout_type,fixed_amount\nUSD,local,0\n', WORDS)
  assert.deepEqual(lines[0]?.value, { ...ANY, payout_type: 'local', fee_currency: 'USD' })
})

test('fees CSV, row printed as cells and parsed again: equal', () => {
  for (const [line] of GOOD) {
    const [first] = parseFeesCsv(`${HEADER}${line}\n`, WORDS).lines
    assert.ok(first)
    const cells = feeCells(first.value)
    const again = FEE_COLUMNS.map(column => cells[column]).join(',')
    assert.deepEqual(parseFeesCsv(`${HEADER}${again}\n`, WORDS).lines, [first])
  }
})

test('default fees: a row for every payout type; charge type ours costs more', async () => {
  const fees = await loadDefaultFees(WORDS)
  const subject = { payout_currency: 'EUR', destination_country: '', network: '' }
  const fixed = (payout_type: string, charge_type = '') =>
    selectFee(fees, { ...subject, payout_type, charge_type })?.fixed_amount
  assert.deepEqual(
    WORDS.payout_types.map(type => fixed(type)),
    [1500n, 100n, 50n, 0n, 0n],
  )
  assert.equal(fixed('swift', 'shared'), 1500n)
  assert.equal(fixed('swift', 'ours'), 3000n)
})
