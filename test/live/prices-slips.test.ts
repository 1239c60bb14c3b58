// Slips of the finger in prices: what pricing set, fees set and fees import refuse until a person
// says --force. One row a point; each goes on from the rows before it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FEE_COLUMNS } from '../../src/price/fee/load.ts'
import { rowVersions } from '../support/assert/check.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { type Cli, openCli } from '../support/service/cli.ts'

let database: TestDatabase
let cli: Cli
let rows: () => Promise<Record<string, string>>
before(async () => {
  database = await createDatabase()
  cli = await openCli(database.url)
  rows = () => rowVersions(database.owner)
})
after(async () => {
  await cli.close()
  await database.drop()
})

const LOCAL = 'fees set --payout-type local --fee-currency USD'

/** The sentence of a refusal; undefined of what is no slip. */
const POINTS: readonly (readonly [command: string, slip?: string])[] = [
  ['pricing set --spread-bps 501', 'spread_bps 501 is more than 500'],
  ['pricing set --spread-bps 5000', 'spread_bps 5000 is more than 500'],
  ['pricing set --spread-bps 50'],
  ['pricing set --spread-bps 500', 'spread_bps 500 is more than three times the present 50'],
  ['pricing set --spread-bps 151', 'spread_bps 151 is more than three times the present 50'],
  [
    'pricing set --spread-bps 151 --pair USD/HKD',
    'spread_bps 151 is more than three times the present 50',
  ],
  ['pricing set --spread-bps 150'],
  ['pricing set --spread-bps 0'],
  ['pricing set --spread-bps 500'],
  ['pricing set --max-age-s 604801', 'max_age_s 604801 is more than 604800, seven days'],
  ['pricing set --max-age-s 31536000', 'max_age_s 31536000 is more than 604800, seven days'],
  ['pricing set --max-age-s 604800'],
  ['pricing set --max-age-s calendar'],
  [
    'pricing set --quote-validity-s 86401 --spread-bps 900',
    'spread_bps 900 is more than 500; quote_validity_s 86401 is more than 86400, a day',
  ],
  ['pricing set --quote-validity-s 86400'],
  [`${LOCAL} --variable-bps 1001`, 'local: variable_bps 1001 is more than 1000'],
  [`${LOCAL} --fixed-amount 1.00 --variable-bps 10 --minimum-amount 2.00 --maximum-amount 25`],
  [
    `${LOCAL} --fixed-amount 10 --variable-bps 100 --minimum-amount 2.00 --maximum-amount 250`,
    'local: fixed_amount 10.00 is ten times the present 1.00 or more; local: variable_bps 100 is ' +
      'ten times the present 10 or more; local: maximum_amount 250.00 is ten times the present ' +
      '25.00 or more',
  ],
  [
    `${LOCAL} --fixed-amount 0.10 --variable-bps 1`,
    'local: fixed_amount 0.10 is a tenth of the present 1.00 or less; local: variable_bps 1 is a ' +
      'tenth of the present 10 or less',
  ],
  [
    'fees set --payout-type local --fee-currency JPY --fixed-amount 1',
    'local: fee_currency JPY was USD',
  ],
  [`${LOCAL} --fixed-amount 9.99 --variable-bps 99 --minimum-amount 19.99`],
  [`${LOCAL} --fixed-amount 0`],
  [`${LOCAL} --fixed-amount 1000 --variable-bps 1000`],
]

for (const [command, slip] of POINTS) {
  test(`${command}: ${slip === undefined ? 'set' : 'refused, no row changes'}`, async () => {
    const before = await rows()
    const ran = await cli.run(...command.split(' '))
    if (slip === undefined) return assert.equal(ran.code, 0, ran.stderr)
    const said = `corridor: ${slip}; --force sets it all the same\n`
    assert.deepEqual([ran.code, ran.stdout, ran.stderr], [1, '', said])
    assert.deepEqual(await rows(), before)
  })
}

test('fees import, a slip in one line: the whole file refused, a dry run too; taken with --force', async () => {
  await database.owner`update fees set fixed_amount = 100, variable_bps = 0`
  const lines = ['local,,,,,10,USD,,,', 'wallet,,,,,1,USD,,,']
  const file = await cli.file('fees.csv', `${FEE_COLUMNS.join(',')}\n${lines.join('\n')}\n`)
  const before = await rows()
  for (const options of [[], ['--replace'], ['--dry-run']]) {
    const ran = await cli.run('fees', 'import', file, ...options)
    assert.deepEqual([ran.code, ran.stdout], [1, ''])
    assert.match(ran.stderr, /local: fixed_amount 10\.00 is ten times the present 1\.00 or more;/)
  }
  assert.deepEqual(await rows(), before)
  assert.equal((await cli.run('fees', 'import', file, '--force')).code, 0)
})

test('a sample is a figure that nobody has decided on: no fee is ten times that', async () => {
  await database.owner`update fees set fixed_amount = 1, sample = true`
  assert.equal((await cli.run(...`${LOCAL} --fixed-amount 5`.split(' '))).code, 0)
})

test('--force sets what is likely a slip', async () => {
  for (const command of ['pricing set --spread-bps 5000', `${LOCAL} --variable-bps 1001`]) {
    const ran = await cli.run(...command.split(' '), '--force')
    assert.equal(ran.code, 0, ran.stderr)
  }
})
