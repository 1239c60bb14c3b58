// Pricing policy: which scope decides, what the command line says and refuses, typing mistakes among
// it, and what the database keeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FEE_COLUMNS } from '../../src/prices/fee/load.ts'
import { assertRefused } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import type { Client } from '../support/service/service.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const { service, cli, rows } = await openWithCli({}, { CORRIDOR_USER: 'Mary' })
await service.setRates({ 'USD/HKD': '8', 'USD/EUR': '0.5' })
await service.setFees([{}])
await service.setRoutes([{}])
const options = { currencies: ['USD', 'HKD'], sandbox: false }
const mine = await service.openAccount(options)
const theirs = await service.openAccount(options)

async function quoted(account: Client, from: string, to: string) {
  const { json, text } = await account.post('/v3/payout/quote', {
    payout_info: { currency: to, amount: 80_000 },
    holding_info: { currency: from },
  })
  const { exchange_rates, valid_until, created_at } = json
  assert.ok(exchange_rates, text)
  const seconds = (Date.parse(valid_until) - Date.parse(created_at)) / 1_000
  return [exchange_rates.holding_to_payout, seconds]
}

type Quoted = readonly [rate: number, seconds: number]
interface Step {
  /** `acc` stands for the account that is `mine`. */
  readonly command: string
  readonly says: RegExp
  readonly mine: Quoted
  readonly theirs: Quoted
  /** The other way round, for the account that is `mine`. */
  readonly back?: number
}

/** Each step goes on from the one before. */
const STEPS: readonly Step[] = [
  {
    command: 'list',
    says: /^number +for +name +value +from +state\n +the installation +spread_bps +0 +default\n/,
    mine: [8, 1_800],
    theirs: [8, 1_800],
    back: 0.125,
  },
  {
    command: 'set --spread-bps 100 --quote-validity-s 600',
    says: /^spread_bps for the installation: 100 from now on; until then 0, the default\nquote_validity_s for the installation: 600 from now on; until then 1800, the default\n$/,
    mine: [7.92, 600],
    theirs: [7.92, 600],
    back: 0.12375,
  },
  {
    command: 'set --spread-bps 50 --account acc',
    says: /^spread_bps for account acc_\w+: 50 from now on; until then 100, as set for the installation\n$/,
    mine: [7.96, 600],
    theirs: [7.92, 600],
  },
  {
    command: 'set --spread-bps 200 --from-currency usd --to-currency hkd',
    says: /^spread_bps for pair USD\/HKD: 200 from now on; until then 100, as set for the installation\n$/,
    mine: [7.84, 600],
    theirs: [7.84, 600],
    back: 0.124375,
  },
  {
    command:
      'set --spread-bps 25 --quote-validity-s 60 --account acc --from-currency USD --to-currency HKD',
    says: /^spread_bps for account acc_\w+, pair USD\/HKD: 25 from now on; until then 200, as set for pair USD\/HKD\n/,
    mine: [7.98, 60],
    theirs: [7.84, 600],
  },
  {
    command:
      'set --spread-bps 10 --account acc --from-currency USD --to-currency HKD --from 2999-12-01T00:00:00Z',
    says: /: 10 from 2999-12-01T00:00:00.000000Z; until then 25\n$/,
    mine: [7.98, 60],
    theirs: [7.84, 600],
  },
  {
    command: 'remove 5',
    says: /^spread_bps for account acc_\w+, pair USD\/HKD: 200, as set for pair USD\/HKD from now on; until then 25\n$/,
    mine: [7.84, 60],
    theirs: [7.84, 600],
  },
  {
    command: 'remove 7',
    says: /^spread_bps for account acc_\w+, pair USD\/HKD: 10 from 2999-12-01T00:00:00.000000Z: taken back\n$/,
    mine: [7.84, 60],
    theirs: [7.84, 600],
  },
  {
    command: 'remove 4',
    says: /^spread_bps for pair USD\/HKD: 100, as set for the installation from now on; until then 200\n$/,
    mine: [7.96, 60],
    theirs: [7.92, 600],
  },
]

for (const { command, says, ...expected } of STEPS) {
  test(`corridor pricing ${command}: prints the change; quotes of both accounts follow`, async () => {
    const named = command.split(' ').map(word => (word === 'acc' ? mine.account.account_id : word))
    const { code, stdout, stderr } = await cli.run('pricing', ...named)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, says)
    assert.deepEqual(await quoted(mine, 'USD', 'HKD'), expected.mine)
    assert.deepEqual(await quoted(theirs, 'USD', 'HKD'), expected.theirs)
    if (expected.back === undefined) return
    assert.equal((await quoted(mine, 'HKD', 'USD'))[0], expected.back)
  })
}

test('schedule_s, live account: scheduled conversion refused until an operator allows it; sandbox: allowed', async () => {
  const fund = { USD: 1_000_000n }
  const [live, sandbox] = [
    await service.openAccount({ currencies: ['USD'], fund, sandbox: false }),
    await service.openAccount({ currencies: ['USD'], fund }),
  ]
  const scheduled = (account: Client, seconds: number, currency = 'HKD') => {
    const execute_at = new Date(Date.now() + seconds * 1_000).toISOString()
    const body = { ...localPayout, currency, holding_currency: 'USD', execute_at }
    return account.post('/v3/payout', body)
  }
  const refused = await scheduled(live, 60)
  assertRefused(refused, 400, 'invalid_field', 'execute_at')
  assert.match(refused.json.errors[0].message, /no rate from USD to HKD can be fixed ahead/)
  assert.equal((await scheduled(live, 60, 'USD')).status, 200)
  assert.equal((await scheduled(sandbox, 6 * 86_400)).status, 200)
  assert.equal((await scheduled(sandbox, 8 * 86_400)).status, 400)
  const list = (await cli.run('pricing', 'list')).stdout
  assert.match(
    list,
    /the installation +schedule_s +0 +default\n +sandboxes +schedule_s +604800 +def/,
  )
  const named = [
    '--account',
    live.account.account_id,
    '--from-currency',
    'USD',
    '--to-currency',
    'HKD',
  ]
  const allowed = await cli.run('pricing', 'set', '--schedule-s', '3600', ...named)
  assert.match(
    allowed.stdout,
    /: 3600 from now on; until then 0, the default \(604800 of sandboxes\)/,
  )
  assert.equal((await scheduled(live, 1_800)).status, 200)
  assert.equal((await scheduled(live, 4_000)).status, 400)
})

test('corridor pricing set and remove, invalid: exit code 2 with the fault, no row written', async () => {
  const before = await rows()
  for (const [command, words] of [
    ['set', /Say what to set: spread_bps, quote_validity_s, schedule_s, max_age_s, pivot/],
    ['set --spread-bps 0.5', /--spread-bps "0\.5" is not a whole number from 0 to 9999/],
    [
      'set --pivot USD --from-currency USD --to-currency HKD',
      /--pivot: The pivot is for the whole installation/,
    ],
    ['remove x', /policy "x" is not a whole number/],
  ] as const) {
    const { code, stdout, stderr } = await cli.run('pricing', ...command.split(' '))
    assert.deepEqual([code, stdout], [2, ''], command)
    assert.match(stderr, words)
  }
  assert.deepEqual(await rows(), before)
})

const LOCAL = ['fees', 'set', '--payout-type', 'local', '--fee-currency', 'USD']
const times = 'local: fixed_amount 10.00 is ten times the present 1.00 or more'

test('corridor pricing set --spread-bps 5000, fees set and import of such a fee: refused as a mistake, no row changes; with --force: set', async () => {
  const fee = await cli.run(...LOCAL, '--fixed-amount', '1')
  assert.equal(fee.code, 0, fee.stderr)
  const lines = ['local,,,,,10,USD,,,', 'wallet,,,,,1,USD,,,']
  const file = await cli.file('fees.csv', `${FEE_COLUMNS.join(',')}\n${lines.join('\n')}\n`)
  const spread = ['pricing', 'set', '--spread-bps', '5000', '--quote-validity-s', '86401']
  const before = await rows()
  for (const [args, mistake] of [
    [
      spread,
      'spread_bps 5000 is more than 500; quote_validity_s 86401 is more than 86400, a day; --force',
    ],
    [[...LOCAL, '--fixed-amount', '10'], `${times}; --force sets it all the same\n`],
    // One mistake refuses the whole file.
    [['fees', 'import', file], `${times};`],
    [['fees', 'import', file, '--replace'], `${times};`],
    [['fees', 'import', file, '--dry-run'], `${times};`],
  ] as const) {
    const { code, stdout, stderr } = await cli.run(...args)
    assert.deepEqual([code, stdout], [1, ''])
    assert.ok(stderr.includes(mistake), stderr)
  }
  assert.deepEqual(await rows(), before)
  for (const args of [spread, ['fees', 'import', file]]) {
    const forced = await cli.run(...args, '--force')
    assert.equal(forced.code, 0, forced.stderr)
  }
})

test('corridor pricing history: person, new and previous value', async () => {
  await service.setPricing({ max_age_s: 7 })
  assert.equal((await cli.run('pricing', 'set', '--max-age-s', 'calendar')).code, 0)
  const { json } = await cli.run('pricing', 'history', '--limit', '1', '--json')
  const [{ changed_by, before, after }] = json
  assert.deepEqual([changed_by, before.value, after.value], ['Mary', '7', 'calendar'])
  const { stdout } = await cli.run('pricing', 'history', '--limit', '1')
  assert.match(stdout, / Mary +max_age_s of the installation +7 from \S+ +calendar from \S+\n$/)
})

const BY_HAND: readonly (readonly [what: string, statement: string, words: RegExp])[] = [
  [
    'another spread in an old row',
    "update pricing_policies set value = '1'",
    /followed by another/,
  ],
  [
    'a row in force deleted',
    'delete from pricing_policies where policy_id = 1',
    /followed by another/,
  ],
  ['all rows at once', 'truncate pricing_policies', /append-only/],
  ['a spread of 100 %', insert("'spread_bps', '10000'"), /value_in_range/],
  ['a negative spread', insert("'spread_bps', '-1'"), /value_in_range/],
  ['a spread that is no number', insert("'spread_bps', 'calendar'"), /value_in_range/],
  ['a validity of zero', insert("'quote_validity_s', '0'"), /value_in_range/],
  ['an age of zero', insert("'max_age_s', '0'"), /value_in_range/],
  ['an unknown name', insert("'spread', '1'"), /name_check/],
]

function insert(values: string): string {
  return `insert into pricing_policies (name, value, effective_from, created_at)
    select ${values}, now, now from clock_timestamp() now`
}

for (const [what, statement, words] of BY_HAND) {
  test(`PostgreSQL, pricing_policies, ${what}: refused`, async () => {
    await assert.rejects(() => service.database.owner.unsafe(statement), words)
  })
}

test('max_age_s set for one live account: its rates are too old, those of other accounts are not', async () => {
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()
  await service.setRates({ 'USD/HKD': '8' }, anHourAgo)
  await service.setPricing({ max_age_s: 1_800 }, { account_id: mine.account.account_id })
  const ask = {
    payout_info: { currency: 'HKD', amount: 80_000 },
    holding_info: { currency: 'USD' },
  }
  const refused = await mine.post('/v3/payout/quote', ask)
  assert.deepEqual([refused.status, refused.json.errors[0].reason], [503, 'rate_stale'])
  assert.equal((await theirs.post('/v3/payout/quote', ask)).status, 200)
})
