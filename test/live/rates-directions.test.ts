// A pair of currencies has one rate, in one direction: whoever goes there and back never ends with
// more. A row for each way in which a second direction, or a market rate beside a peg, may come in.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import type { Sql } from '../../src/db/connect.ts'
import { openCli } from '../support/service/cli.ts'
import { startTestService } from '../support/service/service.ts'

const service = await startTestService()
const cli = await openCli(service.database.url)
const live = await service.openAccount({ sandbox: false, currencies: ['USD', 'EUR'] })
await service.setRoutes([{}])
await service.setFees([{ payout_type: 'local' }])
after(async () => {
  await cli.close()
  await service.close()
})

/** Pegs, which come with the schema, and these. */
async function known(rates: Readonly<Record<string, string>>): Promise<void> {
  await service.database.owner`delete from rates where not pegged`
  await service.setRates(rates)
}

function rows() {
  return service.database.owner`select * from rates order by base, quote`
}

/** What so much of one currency costs in the other. */
async function costOf(amount: number, to: string, from: string): Promise<number> {
  const body = { payout_info: { currency: to, amount }, holding_info: { currency: from } }
  const { status, json } = await live.post('/v3/payout/quote', body)
  assert.equal(status, 200, JSON.stringify(json))
  return json.holding_info.amount
}

const EUR_USD = { 'EUR/USD': '1.1269' }
const SAYS_FORCE = '--force'
const REFUSED: readonly (readonly [
  what: string,
  given: Readonly<Record<string, string>>,
  args: string,
  stderr: RegExp,
])[] = [
  [
    'the inverse of a row, near to it',
    EUR_USD,
    'set USD EUR 0.90',
    /^corridor: the pair has a row already, EUR\/USD 1\.1269; set that one, or --force replaces it\n$/,
  ],
  [
    'the inverse of a row, with its mid',
    EUR_USD,
    'set USD EUR 1.1269',
    /^corridor: USD\/EUR 1\.1269 is 26\.9 % above the present 0\.887/,
  ],
  [
    'a pegged currency to another than its anchor',
    EUR_USD,
    'set EUR AED 4.30',
    /^corridor: AED is pegged to USD at 3\.6725; --force sets it all the same\n$/,
  ],
  [
    'the same, far off',
    EUR_USD,
    'set EUR AED 43.0',
    /^corridor: AED is pegged to USD at 3\.6725; EUR\/AED 43 is 939 % above the present 4\.138/,
  ],
  [
    'the inverse of a peg',
    EUR_USD,
    'set AED USD 0.28',
    /^corridor: AED is pegged to USD at 3\.6725; --force sets it all the same\n$/,
  ],
  [
    'a first rate of the wrong direction, in a book without samples',
    {},
    'set USD EUR 1.1269',
    /^corridor: USD\/EUR 1\.1269 is 26\.9 % above the present 0\.887/,
  ],
  [
    'a first rate, far from the cross of those that come with the product',
    {},
    'set USD HKD 0.127',
    /^corridor: USD\/HKD 0\.127 is 98\.3 % below the present 7\.84/,
  ],
  [
    'a first rate of a pegged currency, slipped by a digit',
    {},
    'set EUR USDC 11.2',
    /^corridor: USDC is pegged to USD at 1; EUR\/USDC 11\.2 is 893\.8 % above the present 1\.1269/,
  ],
]

for (const [what, given, args, stderr] of REFUSED) {
  test(`rates ${args}, ${what}: refused, no row changed`, async () => {
    await known(given)
    const before = await rows()
    const refused = await cli.run('rates', ...args.split(' '))
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, stderr)
    assert.deepEqual(await rows(), before)
  })
}

const FIRST = [
  ['EUR', 'USD', '1.1269'],
  ['USD', 'EUR', '0.8874'],
  ['USD', 'HKD', '7.81'],
  ['EUR', 'VND', '29000'],
] as const

for (const pair of FIRST) {
  test(`rates set ${pair.join(' ')}, a first rate that is likely, or of which nothing is known: taken`, async () => {
    await known({})
    const set = await cli.run('rates', 'set', ...pair)
    assert.match(set.stdout, /; a new pair\n$/, set.stderr)
  })
}

const BOTH = 'base,quote,mid\nEUR,USD,1.1269\nEUR,GBP,0.85\nUSD,EUR,0.90\n'

for (const options of [[], [SAYS_FORCE], ['--dry-run']]) {
  test(`rates import ${options.join(' ')}, both directions of a pair: refused by line`, async () => {
    await known({})
    const before = await rows()
    const refused = await cli.pipe(BOTH, 'rates', 'import', '-', ...options)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, / {2}line 4: USD\/EUR is on line 2 already, the other way round\n/)
    assert.deepEqual(await rows(), before)
  })
}

test('rates import, the ECB’s file over an inverse set by hand: refused by line; forced: one row', async () => {
  await known({ 'USD/EUR': '0.90' })
  const before = await rows()
  const text = await readFile('test/fixtures/eurofxref-daily.xml', 'utf8')
  const refused = await cli.pipe(text, 'rates', 'import', '-')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /line \d+: the pair has a row already, USD\/EUR 0\.9\n/)
  assert.deepEqual(await rows(), before)
  const forced = await cli.pipe(text, 'rates', 'import', '-', SAYS_FORCE)
  assert.match(forced.stdout, /\nEUR +USD +1\.1269 .* USD\/EUR 0\.9\n/)
  const [{ count } = { count: 0 }] = await service.database.owner<{ count: number }[]>`
    select count(*)::int as count from rates where 'USD' in (base, quote) and 'EUR' in (base, quote)`
  assert.equal(count, 1)
})

test('there and back by quotes: never more, whichever direction was forced', async () => {
  await known(EUR_USD)
  const forced = await cli.run('rates', 'set', 'USD', 'EUR', '0.90', SAYS_FORCE)
  assert.match(forced.stdout, /^USD\/EUR 0\.9 \(operator, \S+\); was EUR\/USD 1\.1269\n$/)
  await service.deps.reference.refresh()
  const dollars = await costOf(100_000, 'EUR', 'USD')
  assert.ok((await costOf(dollars, 'USD', 'EUR')) >= 100_000)
  const { json } = await cli.run('rates', 'history', 'EUR/USD', '--json')
  assert.equal(json[0].before.mid, '1.1269')
  assert.equal(json[0].after, null)
})

function insert(owner: Sql, base: string, quote: string, rest: Readonly<Record<string, unknown>>) {
  const rate = { base, quote, mid: '1', source: 'test', as_of: '2026-10-01T00:00:00Z', ...rest }
  return owner`insert into rates ${owner(rate)}`
}

test('both directions of a pair: refused by the database', async () => {
  await known(EUR_USD)
  const { owner } = service.database
  await assert.rejects(insert(owner, 'USD', 'EUR', {}), /rates_one_direction/)
})
