// corridor rates list, set, import: what is written, what is refused, and that a refusal writes
// nothing.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { after, test } from 'node:test'
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

test('rates set, then list: the row, its source and its age', async () => {
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
  })
  const list = await cli.run('rates', 'list', '--json')
  assert.equal(list.code, 0)
  const { age_s, good_until, ...row } = list.json.find((r: { quote: string }) => r.quote === 'HKD')
  const { previous, replaced_inverse, ...expected } = set.json
  assert.deepEqual(row, expected)
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

test('rates set, older than the stored row: refused with 1, replaced with --force', async () => {
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

test('rates set, nothing right: every mistake named, exit code 2', async () => {
  const before = await stored()
  const { code, stderr } = await cli.run('rates', 'set', 'QQQ', 'USD', '0', '--as-of', 'noon')
  assert.equal(code, 2)
  assert.match(stderr, /^corridor: unknown currency QQQ; mid "0" is not .*; as_of "noon" is not /)
  assert.deepEqual(await stored(), before)
})

test('rates import, CSV with one bad line: all problems with their lines, nothing written', async () => {
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

test('rates import, header only: refused, nothing written', async () => {
  const path = await cli.file('none.csv', 'base,quote,mid\n')
  const { code, stderr } = await cli.run('rates', 'import', path)
  assert.deepEqual([code, stderr], [1, 'corridor: none.csv has no rows; nothing was written\n'])
})

test('rates import, the ECB file with --dry-run, then without: shown, then written', async () => {
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

test('rates import, some pairs older than stored: refused by line, --force loads them', async () => {
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

test('rates history: who changed a rate, before and after, newest first; numbers stay exact', async () => {
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
