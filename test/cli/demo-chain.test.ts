// corridor demo --chain against a service of its own: a wallet paid on a node of this machine, once by
// the chain's own transfers.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ChainDemoStep } from '../../src/cli/demo-chain.ts'
import { upsertFees } from '../../src/prices/fee/store.ts'
import { createDatabase } from '../support/database/database.ts'
import { openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'

const database = await createDatabase()
const VARIABLES = { CORRIDOR_TEST_CHAINS: '31337' }
const service = await startListening({ DATABASE_URL: database.url, ...VARIABLES })
const cli = await openCli(database.url, VARIABLES)
after(async () => {
  await service.close()
  await cli.close()
  await database.drop()
})

/** A fee of the first start, which prices sandboxes alone. */
const SAMPLE = {
  ...{ payout_type: 'wallet', payout_currency: null, destination_country: null, network: null },
  ...{ charge_type: null, fixed_amount: 0n, fee_currency: 'USD', variable_bps: 25 },
  ...{ minimum_amount: 100n, maximum_amount: null, sample: true },
}

test('corridor demo --chain --json, fees of the first start: sent, mined, final, succeeded, and one transfer on the chain', async () => {
  await upsertFees(database.owner, [SAMPLE])
  // Kinds of rails read it, and have no settings of the service.
  Object.assign(process.env, VARIABLES)
  const args = ['demo', '--url', service.address, '--json', '--chain']
  const { code, json, stderr } = await cli.run(...args)
  assert.deepEqual([code, stderr], [0, ''])
  const steps = json as ChainDemoStep[]
  const seen = steps.flatMap(one => (one.step === 'seen' ? [one.code] : []))
  assert.deepEqual(seen, ['sent', 'mined', 'final'])
  const statuses = steps.flatMap(s => (s.step === 'status' ? [s.response.body.data.status] : []))
  assert.deepEqual(statuses, ['succeeded'])
  const last = steps.at(-1)
  assert.ok(last?.step === 'paid' && last.times === 1 && last.units === '25000000')
  const balance = steps.flatMap(s => (s.step === 'balance' ? [s] : []))[0]
  assert.equal(balance?.response.body.data.available[0].amount, String(1_000_000_000 - 25_000_000))
  const rows = await database.owner<{ paused_reason: string }[]>`
    select paused_reason from rails where kind = 'evm'`
  assert.deepEqual(
    rows.map(({ paused_reason }) => paused_reason),
    ['the demonstration is over'],
  )
  assert.deepEqual([...(await database.owner`select rail from routes`)], [])
})

test('corridor demo --chain without CORRIDOR_TEST_CHAINS: refused with the variable to set, nothing booked', async t => {
  const other = await openCli(database.url)
  t.after(other.close)
  const { code, stderr } = await other.run('demo', '--url', service.address, '--chain')
  assert.equal(code, 1)
  assert.match(stderr, /CORRIDOR_TEST_CHAINS=31337/)
})
