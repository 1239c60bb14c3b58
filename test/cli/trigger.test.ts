// corridor trigger: each type that it names happens, by requests of the API.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startFront } from '../support/network/front.ts'
import { openCli } from '../support/service/cli.ts'
import { startTestService } from '../support/service/service.ts'

const service = await startTestService()
const account = await service.openAccount({ currencies: ['HKD'], fund: { HKD: 10_000_000n } })
const front = await startFront(service.app)
const cli = await openCli(service.database.url)
after(async () => {
  front.close()
  await cli.close()
  await service.close()
})

const trigger = (type: string, key = `${account.key_id}:${account.secret}`) =>
  cli.run('trigger', type, '--key', key, '--url', front.address, '--json')

test('trigger: every type that its help names happens to the object that it prints', async () => {
  const { stdout } = await cli.run('trigger', '--help')
  const types = [...stdout.matchAll(/^ {2}(\w+\.\w+)$/gm)].map(([, type]) => type as string)
  assert.ok(types.length > 10 && types.includes('payout.failed'), stdout)
  for (const type of types) {
    const { code, json, stderr } = await trigger(type)
    assert.equal(code, 0, `${type}: ${stderr}`)
    const { results } = (await account.get(`/v3/event?type=${type}&limit=1`)).json.data
    const [event] = results
    assert.ok(event, type)
    if (!type.startsWith('balance_')) assert.equal(event.object_id, json.object_id, type)
  }
})

test('trigger, a type that it cannot make, a wrong key: says so, and what was meant', async () => {
  const unknown = await trigger('payout.sent')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /payout\.sent: it takes an operator, a person or a bank/)
  const mistyped = await trigger('payout.fialed')
  assert.equal(mistyped.code, 2)
  assert.match(mistyped.stderr, /did you mean payout\.failed\?/)
  const wrong = await trigger('payout.failed', `${account.key_id}:wrong`)
  assert.equal(wrong.code, 1)
})

test('trigger, an account whose balance of the payout currency is empty: pays from one that holds enough', async () => {
  await service.setRates({ 'USD/HKD': '8', 'JPY/HKD': '0.05' })
  const currencies = ['HKD', 'JPY', 'USD']
  // JPY 15000 is less than USD 140.00, and more in minor units.
  for (const fund of [{ USD: 10_000_000n }, { JPY: 15_000n, USD: 14_000n }]) {
    const poor = await service.openAccount({ currencies, fund })
    const { code, stderr, json } = await trigger('payout.failed', `${poor.key_id}:${poor.secret}`)
    assert.equal(code, 0, stderr)
    const { status, holding_currency } = (await poor.get(`/v3/payout/${json.object_id}`)).json.data
    assert.deepEqual([status, holding_currency], ['failed', 'USD'])
  }
})

test('trigger, an account without enough in any currency: the refusal of the payout currency', async () => {
  await service.setRates({ 'USD/HKD': '8' })
  const poor = await service.openAccount({ currencies: ['HKD', 'USD'], fund: { USD: 100n } })
  const { code, stderr } = await trigger('payout.failed', `${poor.key_id}:${poor.secret}`)
  assert.equal(code, 1)
  assert.match(stderr, /needs \d+ HKD minor units .* and 0 are available/)
})

test('trigger, a key of a live account: refused before anything is sent, no payout', async () => {
  const fund = { HKD: 10_000_000n }
  const live = await service.openAccount({ currencies: ['HKD'], fund, sandbox: false })
  await service.setRoutes([{}])
  await service.setFees([{}])
  const { code, stderr } = await trigger('payout.created', `${live.key_id}:${live.secret}`)
  assert.equal(code, 1)
  assert.match(stderr, /is no sandbox: nothing was made/)
  assert.deepEqual((await live.get('/v3/payout')).json.data.results, [])
})
