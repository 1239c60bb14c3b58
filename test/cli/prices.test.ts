// corridor rates and corridor fees: what is written, what is refused, and that a refusal writes nothing.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { after, test } from 'node:test'
import { VOCABULARY } from '../../src/operator/fee-vocabulary.ts'
import { FEE_COLUMNS, loadDefaultFees } from '../../src/prices/fee/load.ts'
import { createDatabase } from '../support/database/database.ts'
import { openCli } from '../support/service/cli.ts'

const database = await createDatabase()
const cli = await openCli(database.url)
after(async () => {
  await cli.close()
  await database.drop()
})

function stored() {
  return database.owner`
    select base || '/' || quote as pair, mid::text as mid, source, as_of from rates
    where not pegged order by base, quote`
}

test('corridor rates set, then list: the rate with source and age', async () => {
  const set = await cli.run('rates', 'set', 'usd', 'HKD', '7.8100', '--json')
  assert.deepEqual([set.code, set.stderr], [0, ''])
  const { as_of, ...rest } = set.json
  assert.deepEqual(rest, {
    base: 'USD',
    quote: 'HKD',
    mid: '7.81',
    source: 'operator',
    pegged: false,
    sample: false,
    previous: null,
    replaced_inverse: null,
    gaps: [],
  })
  const list = await cli.run('rates', 'list', '--json')
  assert.equal(list.code, 0)
  const { age_s, good_until, ...row } = list.json.find((r: { quote: string }) => r.quote === 'HKD')
  const { previous, replaced_inverse, gaps, ...expected } = set.json
  assert.deepEqual(row, { ...expected, gap: null })
  assert.ok(age_s >= 0 && age_s < 60)
  assert.equal(Date.parse(good_until) - Date.parse(as_of), 86_400_000)
  const words = await cli.run('rates', 'list')
  assert.match(words.stdout, /^base +quote +mid +source +as of +age +good until +for\n/)
  assert.match(
    words.stdout,
    /\nUSD +AED +3\.6725 +Central Bank of the UAE\S* .* pegged +all accounts\n/,
  )
  assert.match(words.stdout, /\nUSD +HKD +7\.81 +operator +\S+ \S+ +\d+s +\S+ \S+Z +all accounts\n/)
  assert.match(words.stdout, /\nUSD +USDC +1 +Circle.* pegged, 2026-10-07 14:00:00Z, stale/)
})

test('corridor rates set, older than the stored rate: exit code 1; with --force: replaced', async () => {
  await cli.run('rates', 'set', 'EUR', 'USD', '1.1', '--as-of', '2026-10-06T14:00:00Z')
  const before = await stored()
  const older = ['rates', 'set', 'EUR', 'USD', '1.2', '--as-of', '2026-10-06T13:59:59Z']
  const refused = await cli.run(...older)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^corridor: EUR\/USD of 2026-10-06T13:59:59\S* is older than .*\n$/)
  assert.deepEqual(await stored(), before)
  const forced = await cli.run(...older, '--force', '--source', 'desk', '--json')
  assert.equal(forced.code, 0)
  assert.equal(forced.json.previous.mid, '1.1')
  const row = (await stored()).find(({ pair }) => pair === 'EUR/USD')
  assert.deepEqual([row?.mid, row?.source], ['1.2', 'desk'])
})

test('corridor rates set, blank source: refused at the option, no row changes', async () => {
  const before = await stored()
  const { code, stderr } = await cli.run('rates', 'set', 'USD', 'HKD', '7.8', '--source', '  ')
  assert.equal(code, 2)
  assert.match(stderr, /^corridor: --source: source must not be blank\n/)
  assert.deepEqual(await stored(), before)
})

test('corridor rates set, every value wrong: each fault named, exit code 2', async () => {
  const before = await stored()
  const { code, stderr } = await cli.run('rates', 'set', 'USD', 'USD', '0', '--as-of', 'noon')
  assert.equal(code, 2)
  const words = /^corridor: base and quote are both USD; mid "0" is not .*; as_of "noon" is not /
  assert.match(stderr, words)
  const unknown = await cli.run('rates', 'set', 'QQQ', 'USD', '1', '--as-of', 'noon')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /^corridor: unknown currency QQQ/)
  assert.deepEqual(await stored(), before)
})

test('corridor rates import, CSV with one bad line: all faults named by line, nothing written', async () => {
  const before = await stored()
  const text = 'base,quote,mid\nGBP,USD,1.3\nGBP,QQQ,1\nGBP,USD,x\n'
  const { code, stdout, stderr } = await cli.run('rates', 'import', await cli.file('bad.csv', text))
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(
    stderr,
    'corridor: bad.csv has 2 problems; nothing was written\n' +
      '  line 3: unknown currency QQQ\n' +
      '  line 4: mid "x" is not a positive decimal such as 1.1269\n',
  )
  assert.deepEqual(await stored(), before)
})

test('corridor rates import, only a header: refused, nothing written', async () => {
  const path = await cli.file('none.csv', 'base,quote,mid\n')
  const { code, stderr } = await cli.run('rates', 'import', path)
  assert.deepEqual([code, stderr], [1, 'corridor: none.csv has no rows; nothing was written\n'])
})

test('corridor rates import, ECB file, --dry-run: prints the changes; without it: writes them', async () => {
  const text = await readFile('test/fixtures/eurofxref-daily.xml', 'utf8')
  const path = await cli.file('eurofxref-daily.xml', text)
  await database.owner`delete from rates`
  const dry = await cli.run('rates', 'import', path, '--dry-run', '--json')
  assert.equal(dry.code, 0)
  assert.deepEqual([dry.json.dry_run, dry.json.format], [true, 'ecb'])
  assert.equal((await stored()).length, 0)
  const real = await cli.run('rates', 'import', path, '--json')
  assert.equal(real.code, 0)
  const count = text.match(/currency=/g)?.length
  assert.deepEqual([real.json.added, real.json.replaced, real.json.rates.length], [count, 0, count])
  const [first] = await database.owner`select * from rates where quote = 'USD'`
  assert.deepEqual(
    [first?.base, first?.mid, first?.source, first?.as_of],
    ['EUR', '1.1269', 'ECB euro foreign exchange reference rates', '2026-10-06T14:00:00.000000Z'],
  )
  const words = await cli.run('rates', 'import', path)
  assert.equal(words.code, 0)
  assert.match(words.stdout, new RegExp(`\n${count} rates from eurofxref-daily.xml loaded, 0 of `))
})

test('corridor rates import, some rates older than stored: refused, named by line; with --force: loaded', async () => {
  await database.owner`delete from rates`
  await cli.run('rates', 'set', 'USD', 'HKD', '7.81', '--as-of', '2026-10-06T14:00:00Z')
  const text =
    'base,quote,mid,source,as_of\n' +
    'USD,JPY,150,desk,2026-10-01T00:00:00Z\nUSD,HKD,7.80,desk,2026-10-01T00:00:00Z\n'
  const refused = await cli.pipe(text, 'rates', 'import', '-')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^corridor: stdin has one problem; nothing was written; --force /)
  assert.match(refused.stderr, /\n {2}line 3: USD\/HKD of 2026-10-01\S+ is older than /)
  assert.equal((await stored()).length, 1)
  const forced = await cli.pipe(text, 'rates', 'import', '-', '--force')
  assert.equal(forced.code, 0)
  assert.deepEqual(
    (await stored()).map(({ pair, mid }) => [pair, mid]),
    [
      ['USD/HKD', '7.8'],
      ['USD/JPY', '150'],
    ],
  )
})

test('corridor rates history: person, old and new rate, newest first; numbers exact', async () => {
  const mid = '1.000000000000000000000000000001'
  await cli.run('rates', 'set', 'GBP', 'USD', '1.3')
  await cli.run('rates', 'set', 'GBP', 'USD', mid, '--force')
  const { code, json } = await cli.run('rates', 'history', 'gbp/usd', '--json')
  assert.equal(code, 0)
  const mids = json.map((change: { before: { mid: string } | null; after: { mid: string } }) => [
    change.before?.mid,
    change.after.mid,
  ])
  assert.deepEqual(mids, [
    ['1.3', mid],
    [undefined, '1.3'],
  ])
  assert.equal(json[0].changed_by, userInfo().username)
  const words = await cli.run('rates', 'history', 'GBP/USD', '--limit', '1')
  assert.match(
    words.stdout,
    /^when +who +what +before +after\n\S+ \S+ +\S+ +GBP\/USD +1\.3 \(operator/,
  )
  const wrong = await cli.run('rates', 'history', 'GBP')
  assert.deepEqual([wrong.code, wrong.stderr], [2, 'corridor: a pair is like EUR/USD, not "GBP"\n'])
  await assert.rejects(
    database.owner`update audit_log set changed_by = 'somebody else'`,
    /audit_log is append-only/,
  )
})

const HEADER = `${FEE_COLUMNS.join(',')}\n`

async function storedFees() {
  const rows = await database.owner`
    select payout_type, network, charge_type, fixed_amount::text as fixed from fees
    order by payout_type, network nulls first, charge_type nulls first`
  return rows.map(({ payout_type, network, charge_type, fixed }) =>
    [payout_type, network, charge_type, fixed].filter(cell => cell !== null).join(' '),
  )
}

test('corridor fees set, twice for the same payouts: added, then replaced; list shows the second', async () => {
  const args = ['--payout-type', 'local', '--payout-currency', 'hkd', '--network', 'CHATS']
  const set = (...more: string[]) =>
    cli.run('fees', 'set', ...args, '--fee-currency', 'USD', ...more, '--json')
  const first = await set('--fixed-amount', '1.00', '--variable-bps', '10')
  assert.deepEqual([first.code, first.stderr], [0, ''])
  const row = {
    payout_type: 'local',
    payout_currency: 'HKD',
    destination_country: null,
    network: 'chats',
    charge_type: null,
    fixed_amount: 100,
    fee_currency: 'USD',
    variable_bps: 10,
    minimum_amount: null,
    maximum_amount: null,
    sample: false,
  }
  assert.deepEqual(first.json, { ...row, replaced: false, previous: null })
  const second = await set('--fixed-amount', '0.5', '--maximum-amount', '25')
  const after = { ...row, fixed_amount: 50, variable_bps: 0, maximum_amount: 2500 }
  assert.deepEqual(second.json, { ...after, replaced: true, previous: row })
  const list = await cli.run('fees', 'list', '--json')
  assert.deepEqual(list.json, [after])
  const words = await cli.run('fees', 'list')
  assert.match(
    words.stdout,
    /^type +currency .*\nlocal +HKD +any +chats +any +0\.50 +USD +0 +25\.00/,
  )
})

test('corridor fees import without --replace: rows added or replaced, others kept', async () => {
  await database.owner`delete from fees`
  const one = `${HEADER}local,,,,,1,USD,,,\nwallet,,,tron,,2,USD,,,\n`
  assert.equal((await cli.run('fees', 'import', await cli.file('one.csv', one))).code, 0)
  const two = `${HEADER}local,,,,,3,USD,,,\nswift,,,,ours,4,USD,,,\n`
  // The one that proves that a process reads what is piped to it.
  const { code, json } = await cli.spawn(two, 'fees', 'import', '-', '--json')
  assert.equal(code, 0)
  assert.deepEqual(
    [json.file, json.replace, json.dry_run, json.fees.length],
    ['stdin', false, false, 2],
  )
  assert.deepEqual(await storedFees(), ['local 300', 'swift ours 400', 'wallet tron 200'])
})

test('corridor fees import --replace: the file becomes the whole schedule; --dry-run writes nothing', async () => {
  await database.owner`delete from fees`
  await cli.pipe(`${HEADER}local,,,,,1,USD,,,\nwallet,,,,,2,USD,,,\n`, 'fees', 'import', '-')
  const path = await cli.file('new.csv', `${HEADER}swift,,,,,5,USD,,,\n`)
  const dry = await cli.run('fees', 'import', path, '--replace', '--dry-run')
  assert.equal(dry.code, 0)
  assert.match(dry.stdout, /1 rows from new\.csv would be loaded as the whole schedule\n$/)
  assert.deepEqual(await storedFees(), ['local 100', 'wallet 200'])
  assert.equal((await cli.run('fees', 'import', path, '--replace')).code, 0)
  assert.deepEqual(await storedFees(), ['swift 500'])
})

const LOCAL = ['--payout-type', 'local', '--fee-currency', 'USD']

test('corridor fees set: prints the old and new cost of payouts that the row prices', async () => {
  await database.owner`delete from fees`
  const set = async (...args: string[]) => (await cli.run('fees', 'set', ...LOCAL, ...args)).stdout
  assert.equal(
    await set('--fixed-amount', '1', '--variable-bps', '10', '--maximum-amount', '25'),
    'local: 1.00 USD + 10 bps, at most 25.00 USD; a new row; until now refused to live accounts\n',
  )
  assert.equal(
    await set('--payout-currency', 'HKD', '--minimum-amount', '2'),
    'local, payout_currency HKD: 0 bps, at least 2.00 USD; a new row; until now by local: ' +
      '1.00 USD + 10 bps, at most 25.00 USD\n',
  )
  assert.equal(
    await set('--fixed-amount', '0'),
    'local: free; was 1.00 USD + 10 bps, at most 25.00 USD\n',
  )
  assert.equal(await set('--fixed-amount', '0'), 'local: free; as before\n')
})

test('corridor fees set, no price given: refused, as an omission must not make payouts free', async () => {
  await database.owner`delete from fees`
  const { code, stderr } = await cli.run('fees', 'set', ...LOCAL, '--maximum-amount', '5')
  assert.equal(code, 2)
  assert.match(
    stderr,
    /neither fixed_amount nor variable_bps is given; fixed_amount 0 makes it free/,
  )
  const file = await cli.pipe(`${HEADER}local,,,,,,USD,,,\n`, 'fees', 'import', '-')
  assert.equal(file.code, 1)
  assert.match(file.stderr, /line 2: neither fixed_amount nor variable_bps is given/)
  assert.deepEqual(await storedFees(), [])
})

test('corridor fees remove: removes exactly this row, prints the new cost of payouts that it priced', async () => {
  await database.owner`delete from fees`
  await cli.run('fees', 'set', ...LOCAL, '--fixed-amount', '1')
  await cli.run('fees', 'set', ...LOCAL, '--payout-currency', 'HKD', '--fixed-amount', '2')
  const remove = (...args: string[]) => cli.run('fees', 'remove', '--payout-type', 'local', ...args)
  const missing = await remove('--payout-currency', 'EUR')
  assert.equal(missing.code, 1)
  assert.match(
    missing.stderr,
    /no row is for exactly local, payout_currency EUR; corridor fees list/,
  )
  const one = await remove('--payout-currency', 'hkd')
  assert.equal(
    one.stdout,
    'local, payout_currency HKD: 2.00 USD: removed; from now on by local: 1.00 USD\n',
  )
  const last = await remove()
  assert.equal(last.stdout, 'local: 1.00 USD: removed; from now on refused to live accounts\n')
  assert.deepEqual(await storedFees(), [])
})

test('corridor fees history: person, old and new row; one entry for an import that changes one row', async () => {
  await database.owner`delete from fees`
  const file = (one: number) => `${HEADER}local,,,,,${one},USD,,,\nswift,,,,,5,USD,,,\n`
  await cli.pipe(file(1), 'fees', 'import', '-', '--replace')
  const before = (await cli.run('fees', 'history', '--json')).json.length
  const again = await cli.pipe(file(2), 'fees', 'import', '-', '--replace')
  assert.match(again.stdout, /^local: 2\.00 USD; was 1\.00 USD\nswift: 5\.00 USD; as before\n/)
  const { json } = await cli.run('fees', 'history', '--json')
  assert.equal(json.length, before + 1)
  const [newest] = json
  assert.deepEqual([newest.before.fixed_amount, newest.after.fixed_amount], ['100', '200'])
  const { stdout } = await cli.run('fees', 'history', 'local', '--limit', '1')
  assert.match(
    stdout,
    /^when +who +what +before +after\n\S+ \S+ +\S+ +local +1\.00 USD +2\.00 USD\n$/,
  )
  assert.equal((await cli.run('fees', 'history', 'locals')).code, 2)
  const gone = await cli.pipe(`${HEADER}swift,,,,,5,USD,,,\n`, 'fees', 'import', '-', '--replace')
  assert.match(gone.stdout, /^swift: 5\.00 USD; as before\nlocal: 2\.00 USD: removed\n/)
})

test('corridor fees import, bad lines: all faults named by line, nothing written', async () => {
  const before = await storedFees()
  const text = `${HEADER}local,,,,,1,USD,,,\n# \nlocal,,,,,1.001,USD,,,\nlocal,,ZZ,,,,USD,,2,1\n`
  const path = await cli.file('bad.csv', text)
  const { code, stdout, stderr } = await cli.run('fees', 'import', path, '--replace')
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(
    stderr,
    'corridor: bad.csv has 3 problems; nothing was written\n' +
      '  line 4: fixed_amount "1.001" is not an amount in USD, at most 2 digits after the point\n' +
      '  line 5: unknown country ZZ\n' +
      '  line 5: minimum_amount is more than maximum_amount\n',
  )
  assert.deepEqual(await storedFees(), before)
})

test('default fees, loaded by the service: valid', async () => {
  assert.equal((await loadDefaultFees(VOCABULARY)).length, 7)
})

test('corridor rates set, rate deviates from the crossed rates: reported; by more than three percent: refused', async () => {
  await database.owner`delete from rates`
  for (const [quote = '', mid = ''] of [
    ['USD', '1.2'],
    ['GBP', '0.8'],
  ]) {
    assert.equal((await cli.run('rates', 'set', 'EUR', quote, mid)).code, 0)
  }
  const told = await cli.run('rates', 'set', 'GBP', 'USD', '1.53')
  assert.equal(told.code, 0)
  const gap = /gap: GBP\/USD 1.53 is 2 % above 1.5, which EUR\/GBP and EUR\/USD make; accounts get/
  assert.match(told.stdout, gap)
  assert.match((await cli.run('rates', 'list')).stdout, gap)
  const wide = ['rates', 'set', 'GBP', 'USD', '1.56']
  const refused = await cli.run(...wide)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^corridor: GBP\/USD 1.56 is 4 % above 1.5, .*--force sets it/)
  const forced = await cli.run(...wide, '--force', '--json')
  assert.deepEqual([forced.code, forced.json.gaps.length], [0, 1])
  // The ratio may move on beside an old gap.
  const moved = await cli.run('rates', 'set', 'EUR', 'USD', '1.21', '--json')
  assert.deepEqual([moved.code, moved.json.gaps.length], [0, 1])
  const text = 'base,quote,mid\nEUR,GBP,0.74\n'
  await cli.run('rates', 'set', 'GBP', 'USD', '1.5125', '--force')
  const other = await cli.pipe(text, 'rates', 'import', '-')
  assert.equal(other.code, 1)
  assert.match(other.stderr, /line 2: GBP\/USD 1.5125 is 7.5 % below 1.63513513513/)
  await database.owner`delete from rates`
})
