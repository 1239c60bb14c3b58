// corridor demo against a service with the rates and fees of a first start: the whole way of a payout
// over HTTP, adding up. cli-quick-start.test.ts has the first start itself.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { DemoStep } from '../../src/cli/demo.ts'
import { jsonLines } from '../../src/cli/table.ts'
import { VOCABULARY } from '../../src/operator/fee-vocabulary.ts'
import { loadDefaultFees } from '../../src/prices/fee/load.ts'
import { upsertFees } from '../../src/prices/fee/store.ts'
import { loadDefaultRates } from '../../src/prices/rate/load.ts'
import { upsertRates } from '../../src/prices/rate/store.ts'
import { createDatabase } from '../support/database/database.ts'
import { freePort } from '../support/network/port.ts'
import { openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'

const database = await createDatabase()
await upsertRates(database.owner, await loadDefaultRates())
await upsertFees(database.owner, await loadDefaultFees(VOCABULARY))
const service = await startListening({
  DATABASE_URL: database.url,
  CORRIDOR_SIMULATOR_DELAY_MS: '300',
})
const cli = await openCli(database.url)
after(async () => {
  await service.close()
  await cli.close()
  await database.drop()
})

test('corridor demo --json: every step in order, payout settled, sums correct', async () => {
  const { code, json, stderr } = await cli.run('demo', '--url', service.address, '--json')
  assert.deepEqual([code, stderr], [0, ''])
  const steps = json as DemoStep[]
  assert.deepEqual(
    steps.map(({ step }) => step),
    [
      'account',
      'opening_balance',
      'quote',
      'payout',
      'settlement',
      'closing_balance',
      'balance_transaction',
      'ledger',
      'arithmetic',
    ],
  )
  for (const step of steps) if ('response' in step) assert.equal(step.response.status, 200)
  const settled = steps.flatMap(s => (s.step === 'settlement' ? [s] : []))[0]
  assert.equal(settled?.response.body.data.status, 'succeeded')
  const ledger = steps.flatMap(s => (s.step === 'ledger' ? s.journals : []))
  assert.deepEqual(
    ledger.map(({ kind }) => kind),
    ['funding', 'payout', 'settlement'],
  )
  const sums = steps.flatMap(s => (s.step === 'arithmetic' ? [s] : []))[0]
  assert.ok(sums?.adds_up)
  const { opening_balance, holding_amount, fixed_fee, variable_fee, closing_balance } = sums
  assert.equal(opening_balance, 1_000_000)
  assert.equal(opening_balance - holding_amount - fixed_fee - variable_fee, closing_balance)
  assert.ok(fixed_fee > 0 && variable_fee > 0)
})

test('corridor demo: plain text in 80 columns, journals that sum to zero, no secret', async () => {
  const { code, stdout, stderr } = await cli.run('demo', '--url', `${service.address}/`)
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(
    stdout.split('\n').filter(line => line.length > 80),
    [],
  )
  assert.ok(!stdout.includes('\u001b'))
  assert.doesNotMatch(stdout, /secret|[Bb]asic /)
  const sums = [...stdout.matchAll(/^ +sum +[A-Z]{3} +(\S+)$/gm)].map(([, sum]) => sum)
  assert.deepEqual(sums, ['0.00', '0.00', '0.00', '0.00'])
  assert.match(stdout, /10000\.00 HKD ÷ 7\.\d+ = 12\d\d\.\d\d USD/)
  assert.match(stdout, /It adds up, to the last cent\.\n$/m)
})

test('corridor demo, no service at the URL: exit code 1, one line naming the start command, no account made', async () => {
  const count = () => database.owner`select count(*)::int as n from accounts`
  const before = await count()
  const url = `http://127.0.0.1:${await freePort()}`
  const { code, stdout, stderr } = await cli.run('demo', '--url', url)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^corridor: no service answers at .* \(ECONNREFUSED\); start it: .*\n$/)
  assert.deepEqual(await count(), before)
})

test('corridor demo, service on another database: exit code 1, one line with the cause', async () => {
  const other = await createDatabase()
  const lost = await openCli(other.url)
  try {
    const { code, stderr } = await lost.run('demo', '--url', service.address)
    assert.equal(code, 1)
    assert.match(stderr, /^corridor: the service at .* has another database\n$/)
  } finally {
    await lost.close()
    await other.drop()
  }
})

const LAYOUTS: readonly [value: unknown, width: number, lines: readonly string[]][] = [
  [{ a: 1, b: [] }, 20, ['{ "a": 1, "b": [] }']],
  [{ a: 1, b: [] }, 18, ['{', '  "a": 1,', '  "b": []', '}']],
  [[{ a: 'x' }, {}], 10, ['[', '  {', '    "a": "x"', '  },', '  {}', ']']],
  ['a long text is never broken', 5, ['"a long text is never broken"']],
  [null, 1, ['null']],
]
for (const [value, width, lines] of LAYOUTS) {
  test(`JSON printed in ${width} columns, ${JSON.stringify(value)}: ${lines.length} lines`, () => {
    assert.deepEqual(jsonLines(value, width), lines)
  })
}
