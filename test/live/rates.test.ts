// What protects a live account from a wrong rate: an old one, one of the wrong direction, one that an
// import would move, a second direction of a pair. Each judgement: src/prices/rate/guard.test.ts.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { networksOf } from '../../src/values/network/local.ts'
import type { Client } from '../support/service/service.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const PATH = '/v3/payout/quote'
const ECB_SOURCE = 'ECB euro foreign exchange reference rates'

const { service, cli } = await openWithCli({}, {})
const currencies = ['USD', 'EUR', 'AED', 'USDC']
const live = await service.openAccount({ sandbox: false, currencies })
const sandbox = await service.openAccount({ currencies })
await service.setRoutes([{}])
// A price is what is tested here, and a fee of nothing is a decision.
await service.setFees(['local', 'wallet'].map(payout_type => ({ payout_type })))

function rows() {
  return service.database.owner`select * from rates order by base, quote`
}

/** `{ 'EUR/USD': '1.25' }` as the ECB would have published it then. */
async function publish(rates: Readonly<Record<string, string>>, as_of: Temporal.Instant) {
  await service.setRates(rates, as_of.toString())
  await service.database.owner`update rates set source = ${ECB_SOURCE} where source = 'test'`
  await service.deps.reference.refresh()
}

function quote(account: Client, from: string, to: string, amount = 10_000) {
  // A token goes to wallets alone, and no local network carries some currencies.
  const toBank = networksOf(to).length > 0 ? 'local' : 'swift'
  const payout_type = to.startsWith('USD') && to !== 'USD' ? 'wallet' : toBank
  const sides = { payout_info: { currency: to, amount }, holding_info: { currency: from } }
  return account.post(PATH, { payout_type, ...sides })
}

/** Publications of the ECB around now, by its calendar: 16:00 in Frankfurt on open days. */
async function publications(): Promise<{ last: Temporal.Instant; before: Temporal.Instant }> {
  const { isTargetDay, publicationOn } = await import('../../src/prices/rate/calendar.ts')
  const now = Temporal.Now.instant()
  const found: Temporal.Instant[] = []
  let day = now.toZonedDateTimeISO('Europe/Berlin').toPlainDate()
  for (; found.length < 3; day = day.subtract({ days: 1 })) {
    const at = publicationOn(day)
    if (isTargetDay(day) && Temporal.Instant.compare(at, now) <= 0) found.push(at)
  }
  const [last, , before] = found
  assert.ok(last && before)
  return { last, before }
}

test('POST quote, live account, latest publication: priced; an older one: 503 rate_stale, naming the time the next was due', async () => {
  const { last, before: old } = await publications()
  await publish({ 'EUR/USD': '1.25', 'EUR/HKD': '10' }, last)
  assert.equal((await quote(live, 'USD', 'HKD')).status, 200)
  // One of two rows is enough, and it is the one that is named.
  await publish({ 'EUR/HKD': '10' }, old)
  const count = await service.database.owner`select count(*) from quotes`
  const stale = await quote(live, 'USD', 'HKD')
  assert.equal(stale.status, 503)
  const [{ reason, message }] = stale.json.errors
  assert.equal(reason, 'rate_stale')
  assert.match(message, new RegExp(`^The rate EUR/HKD of \\S+ \\(${ECB_SOURCE}\\) is too old`))
  assert.match(message, /the next one was due at \S+Z, and it was good until \S+Z\.$/)
  assert.deepEqual(await service.database.owner`select count(*) from quotes`, count)
  assert.equal((await quote(sandbox, 'USD', 'HKD')).status, 200)
})

test('POST quote, live account, pegged currency: by the peg; stablecoin: 503 until its peg is confirmed, then for a day', async () => {
  const aed = await quote(live, 'USD', 'AED', 36_725)
  assert.deepEqual([aed.status, aed.json.holding_info.amount], [200, 10_000])
  const stale = await quote(live, 'USD', 'USDC', 1_000_000)
  assert.deepEqual([stale.status, stale.json.errors[0].reason], [503, 'rate_stale'])
  assert.match(stale.json.errors[0].message, /^The rate USD\/USDC of \S+ \(Circle: /)
  assert.equal((await quote(sandbox, 'USD', 'USDC', 1_000_000)).status, 200)
  assert.equal((await cli.run('rates', 'set', 'USD', 'USDC', '1', '--peg')).code, 0)
  await service.deps.reference.refresh()
  assert.equal((await quote(live, 'USD', 'USDC', 1_000_000)).status, 200)
})

test('corridor rates import, ECB file: changes no pegged currency', async () => {
  const pegged = ['AED', 'SAR', 'QAR', 'BHD', 'OMR', 'JOD', 'USDC', 'USDT']
  const rates = async () => {
    await service.deps.reference.refresh()
    const answers = await Promise.all(
      pegged.map(currency => quote(sandbox, 'USD', currency, 1_000_000)),
    )
    return answers.map(({ json }) => json.exchange_rates.holding_to_payout)
  }
  const before = await rates()
  assert.deepEqual(before, [3.6725, 3.75, 3.64, 0.376, 0.384497, 0.709, 1, 1])
  await service.database.owner`delete from rates where not pegged`
  const text = await readFile('test/fixtures/eurofxref-daily.xml', 'utf8')
  const moved = text.replace('1.1269', '1.2')
  assert.equal((await cli.pipe(moved, 'rates', 'import', '-')).code, 0)
  assert.deepEqual(await rates(), before)
  // 1 EUR = 1.2 USD = 4.407 AED.
  const eur = await quote(sandbox, 'EUR', 'AED', 10_000)
  assert.equal(eur.json.exchange_rates.holding_to_payout, 4.407)
})

/** Pegs, and these: with the usual ones USD/HKD is crossed to 7.37. */
async function knownRates(
  rates: Readonly<Record<string, string>> = { 'EUR/USD': '1.2', 'EUR/HKD': '8.844' },
): Promise<void> {
  await service.database.owner`delete from rates where not pegged`
  await service.setRates(rates)
}

const MISTAKES: readonly (readonly [what: string, args: readonly string[], stderr: RegExp])[] = [
  [
    'the other direction',
    ['set', 'HKD', 'USD', '7.37'],
    /HKD\/USD 7\.37 is .* % above the present/,
  ],
  [
    'an inverse close to the row',
    ['set', 'USD', 'EUR', '0.84'],
    /^corridor: the pair has a row already, EUR\/USD 1\.2; set that one; --force sets it all the same\n$/,
  ],
  [
    'a market rate over a peg',
    ['set', 'USD', 'AED', '3.6726'],
    /^corridor: AED is pegged to USD at 3\.6725; say peg to change the peg, or .* ordinary one; --f/,
  ],
  [
    'a second anchor, forced',
    ['set', 'EUR', 'AED', '4.4', '--peg', '--force'],
    /^corridor: --peg: AED is pegged to USD already; remove USD\/AED first\n$/,
  ],
  ['an unknown pair', ['remove', 'USD', 'HKD'], /^corridor: USD\/HKD has no row of its own/],
  ['an unknown currency', ['remove', 'USD', 'QQQ'], /^corridor: unknown currency QQQ\n$/],
]

for (const [what, args, stderr] of MISTAKES) {
  test(`corridor rates ${args.join(' ')}, ${what}: refused, no row changes`, async () => {
    await knownRates()
    const before = await rows()
    const refused = await cli.run('rates', ...args)
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, stderr)
    assert.deepEqual(await rows(), before)
  })
}

test('corridor rates set, first rate of a pair: plausible or not comparable: set; likely inverted: refused', async () => {
  await knownRates({})
  const set = (...pair: readonly string[]) => cli.run('rates', 'set', ...pair)
  const wrong = await set('USD', 'EUR', '1.1269')
  assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
  assert.match(wrong.stderr, /^corridor: USD\/EUR 1\.1269 is 26\.9 % above the present 0\.887/)
  for (const pair of [
    ['USD', 'EUR', '0.8874'],
    ['EUR', 'VND', '29000'],
  ] as const) {
    const taken = await set(...pair)
    assert.match(taken.stdout, /; a new pair\n$/, taken.stderr)
  }
})

test('corridor rates import, one inverted rate: whole file refused, naming the line', async () => {
  await knownRates()
  const before = await rows()
  const text = 'base,quote,mid\nEUR,GBP,0.85\nUSD,EUR,1.2\nUSD,SAR,3.75\n'
  const refused = await cli.pipe(text, 'rates', 'import', '-')
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^corridor: stdin has 2 problems; nothing was written; --force /)
  assert.match(
    refused.stderr,
    /\n {2}line 3: USD\/EUR 1\.2 is 44 % above the present 0\.833333333333\n/,
  )
  assert.match(refused.stderr, /\n {2}line 4: SAR is pegged to USD at 3\.75\n/)
  assert.deepEqual(await rows(), before)
})

test('corridor rates import, ECB file over an inverse rate set by hand: refused, naming the line; with --force: one row', async () => {
  await knownRates({ 'USD/EUR': '0.90' })
  const before = await rows()
  const text = await readFile('test/fixtures/eurofxref-daily.xml', 'utf8')
  const refused = await cli.pipe(text, 'rates', 'import', '-')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /line \d+: the pair has a row already, USD\/EUR 0\.9\n/)
  assert.deepEqual(await rows(), before)
  const forced = await cli.pipe(text, 'rates', 'import', '-', '--force')
  assert.match(forced.stdout, /\nEUR +USD +1\.1269 .* USD\/EUR 0\.9\n/)
  const [{ count } = { count: 0 }] = await service.database.owner<{ count: number }[]>`
    select count(*)::int as count from rates where 'USD' in (base, quote) and 'EUR' in (base, quote)`
  assert.equal(count, 1)
})

test('POST quote there and back, either direction set with --force: no gain', async () => {
  await knownRates({ 'EUR/USD': '1.1269' })
  const costOf = async (amount: number, to: string, from: string): Promise<number> => {
    const { status, json, text } = await quote(live, from, to, amount)
    assert.equal(status, 200, text)
    return json.holding_info.amount
  }
  const forced = await cli.run('rates', 'set', 'USD', 'EUR', '0.90', '--force')
  assert.match(forced.stdout, /^USD\/EUR 0\.9 \(operator, \S+\); was EUR\/USD 1\.1269\n$/)
  await service.deps.reference.refresh()
  const dollars = await costOf(100_000, 'EUR', 'USD')
  assert.ok((await costOf(dollars, 'USD', 'EUR')) >= 100_000)
  const { json } = await cli.run('rates', 'history', 'EUR/USD', '--json')
  assert.equal(json[0].before.mid, '1.1269')
  assert.equal(json[0].after, null)
})

test('corridor rates set --force, set --peg, remove: print the previous value and keep it in the history', async () => {
  await knownRates()
  const forced = await cli.run('rates', 'set', 'EUR', 'USD', '2', '--force')
  assert.match(forced.stdout, /^EUR\/USD 2 \(operator, \S+\); was 1\.2\n$/)
  const peg = await cli.run('rates', 'set', 'USD', 'AED', '3.7', '--peg')
  assert.match(peg.stdout, /^USD\/AED 3\.7 \(operator, \S+, pegged\); was 3\.6725, pegged\n$/)
  const removed = await cli.run('rates', 'remove', 'usd', 'AED')
  assert.match(removed.stdout, /^removed USD\/AED 3\.7 \(operator, \S+, pegged\)\n$/)
  const { json } = await cli.run('rates', 'history', 'USD/AED', '--json')
  const mids = json.map((c: { before: { mid: string } | null; after: { mid: string } | null }) => [
    c.before?.mid,
    c.after?.mid,
  ])
  assert.deepEqual(mids, [
    ['3.7', undefined],
    ['3.6725', '3.7'],
    [undefined, '3.6725'],
  ])
  await service.deps.reference.refresh()
  assert.equal((await quote(sandbox, 'USD', 'AED')).json.errors[0].reason, 'rate_unavailable')
})

test('PostgreSQL, two pegs of one currency, or both directions of a pair: refused', async () => {
  await knownRates()
  const insert = (base: string, quote: string, pegged: boolean) =>
    service.database.owner`
      insert into rates (base, quote, mid, source, as_of, pegged)
      values (${base}, ${quote}, 4, 'test', now(), ${pegged})`
  await assert.rejects(insert('EUR', 'SAR', true), /rates_one_anchor/)
  await assert.rejects(insert('USD', 'EUR', false), /rates_one_direction/)
})

test('GET /metrics, rates: their number by state, seconds until the first is stale', async () => {
  await service.database.owner`delete from rates where not pegged`
  const minutes = (m: number) => Temporal.Now.instant().add({ minutes: m }).toString()
  await service.setRates({ 'EUR/USD': '1.2' }, minutes(-60))
  await service.setRates({ 'EUR/GBP': '0.8' }, minutes(-30))
  await service.setRates({ 'EUR/JPY': '160' }, '2020-01-01T00:00:00Z')
  const { text } = await service.inject({ method: 'GET', url: '/metrics' })
  const value = (series: string) => Number(text.split(`\n${series} `)[1]?.split('\n')[0])
  assert.equal(value('corridor_rates{state="good"}'), 2)
  assert.equal(value('corridor_rates{state="stale"}'), 1)
  // USDC was confirmed today; USDT was not.
  assert.equal(value('corridor_rates{state="pegged"}'), 8)
  assert.equal(value('corridor_rates{state="peg_stale"}'), 1)
  const age = value('corridor_rate_newest_age_seconds')
  assert.ok(age >= 1_800 && age < 3_600, `${age} s`)
  const left = value('corridor_rate_good_for_seconds')
  assert.ok(left > 22.5 * 3600 && left <= 23 * 3600, `${left} s`)
})

test('GET /metrics, pegs alone, as in a new installation after a day: no rate is good or stale', async () => {
  await service.database.owner`delete from rates where not pegged`
  await service.database.owner`update rates set as_of = '2026-01-01T00:00:00Z' where pegged`
  await service.deps.reference.refresh()
  const { text } = await service.inject({ method: 'GET', url: '/metrics' })
  for (const state of ['good', 'stale']) assert.match(text, new RegExp(`state="${state}"} 0\n`))
  assert.match(text, /^corridor_rates{state="peg_stale"} 2$/m)
  assert.doesNotMatch(text, /^corridor_rate_newest_age_seconds /m)
})

test('corridor pricing set --max-age-s: /metrics and rates list use this age, as quotes do', async () => {
  const as_of = Temporal.Now.instant().subtract({ minutes: 30 })
  await service.database.owner`delete from rates where not pegged or quote in ('USDC', 'USDT')`
  await service.setRates({ 'EUR/USD': '1.2', 'EUR/GBP': '0.8' }, as_of.toString())
  await service.setPricing({ max_age_s: 1_200 })
  const pair = { from_currency: 'EUR', to_currency: 'GBP' }
  await service.setPricing({ max_age_s: 3_600 }, pair)
  const { text } = await service.inject({ method: 'GET', url: '/metrics' })
  const value = (series: string) => Number(text.split(`\n${series} `)[1]?.split('\n')[0])
  assert.equal(value('corridor_rates{state="good"}'), 1)
  assert.equal(value('corridor_rates{state="stale"}'), 1)
  const left = value('corridor_rate_good_for_seconds')
  assert.ok(left > 1_700 && left <= 1_800, `${left} s`)
  const { json } = await cli.run('rates', 'list', '--json')
  const end = (quote: string) =>
    json.find((r: { base: string; quote: string }) => r.base === 'EUR' && r.quote === quote)
      .good_until
  assert.equal(Date.parse(end('USD')), as_of.add({ seconds: 1_200 }).epochMilliseconds)
  assert.equal(Date.parse(end('GBP')), as_of.add({ seconds: 3_600 }).epochMilliseconds)
  assert.equal(end('XAF'), null)
  assert.equal((await quote(live, 'EUR', 'USD')).json.errors[0].reason, 'rate_stale')
})
