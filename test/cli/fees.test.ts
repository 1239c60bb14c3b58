// corridor fees: what is written, what is refused, and that a refusal writes nothing.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { VOCABULARY } from '../../src/operator/fees.ts'
import { FEE_COLUMNS, loadDefaultFees } from '../../src/price/fee/load.ts'
import { createDatabase } from '../support/database/database.ts'
import { openCli } from '../support/service/cli.ts'

const database = await createDatabase()
const cli = await openCli(database.url)
after(async () => {
  await cli.close()
  await database.drop()
})

const HEADER = `${FEE_COLUMNS.join(',')}\n`

async function stored() {
  const rows = await database.owner`
    select payout_type, network, charge_type, fixed_amount::text as fixed from fees
    order by payout_type, network nulls first, charge_type nulls first`
  return rows.map(({ payout_type, network, charge_type, fixed }) =>
    [payout_type, network, charge_type, fixed].filter(cell => cell !== null).join(' '),
  )
}

test('fees set, twice for the same payouts: added, then replaced; list shows the second', async () => {
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

test('fees import, without --replace: rows added or replaced, others kept', async () => {
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
  assert.deepEqual(await stored(), ['local 300', 'swift ours 400', 'wallet tron 200'])
})

test('fees import --replace: the file is the whole schedule; --dry-run writes nothing', async () => {
  await database.owner`delete from fees`
  await cli.pipe(`${HEADER}local,,,,,1,USD,,,\nwallet,,,,,2,USD,,,\n`, 'fees', 'import', '-')
  const path = await cli.file('new.csv', `${HEADER}swift,,,,,5,USD,,,\n`)
  const dry = await cli.run('fees', 'import', path, '--replace', '--dry-run')
  assert.equal(dry.code, 0)
  assert.match(dry.stdout, /1 rows from new\.csv would be loaded as the whole schedule\n$/)
  assert.deepEqual(await stored(), ['local 100', 'wallet 200'])
  assert.equal((await cli.run('fees', 'import', path, '--replace')).code, 0)
  assert.deepEqual(await stored(), ['swift 500'])
})

const LOCAL = ['--payout-type', 'local', '--fee-currency', 'USD']

test('fees set: says what such payouts cost before and after', async () => {
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

test('fees set, no price said: refused, and nothing is free by omission', async () => {
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
  assert.deepEqual(await stored(), [])
})

test('fees remove: the row for exactly this, and what such payouts cost from now on', async () => {
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
  assert.deepEqual(await stored(), [])
})

test('fees history: who, before and after; a file that changes one row is one change', async () => {
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

test('fees import, bad lines: all problems with their lines, nothing written', async () => {
  const before = await stored()
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
  assert.deepEqual(await stored(), before)
})

test('default fees, in the words of the service: valid', async () => {
  assert.equal((await loadDefaultFees(VOCABULARY)).length, 7)
})
