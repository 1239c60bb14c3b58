// The command line in a terminal of 80 columns: no line is wider, and nothing is cut that somebody acts
// on.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { widthOf } from '../../src/cli/terminal.ts'
import { localPayout } from '../support/given/bodies.ts'
import { IN_TERMINAL, openCli } from '../support/service/cli.ts'
import { startTestService } from '../support/service/service.ts'

const LONG = 'Harbour Trading and Shipping of the Far East and of the Islands Beyond It Limited'

const service = await startTestService()
const currencies = ['USD', 'EUR', 'GBP', 'HKD', 'JPY', 'KWD', 'AUD', 'CAD', 'CHF', 'SGD']
const live = await service.openAccount({
  sandbox: false,
  currencies,
  fund: { USD: 9_000_000_000_000n, EUR: 123_456_789n },
})
const cli = await openCli(service.database.url, { CORRIDOR_USER: 'anna' })
const terminal = await openCli(service.database.url, IN_TERMINAL)
const { account_id } = live.account
await service.setRoutes([{ rail: 'manual' }])
await service.setFees([{ payout_type: 'local' }])
for (const args of [
  ['account', 'set', account_id, '--name', LONG],
  ['key', 'create', account_id, '--scope', 'operator', '--name', LONG],
  ['pricing', 'set', '--max-age-s', '86400', '--account', account_id],
  ['route', 'set', '--rail', 'manual', '--account', account_id, '--type', 'wallet'],
  ['fees', 'set', '--payout-type', 'swift', '--fixed-amount', '15', '--fee-currency', 'USD'],
  ['rates', 'set', 'USD', 'HKD', '7.81', '--source', LONG, '--force'],
]) {
  const { code, stderr } = await cli.run(...args)
  assert.equal(code, 0, `${args.join(' ')}\n${stderr}`)
}
const { beneficiary_details } = localPayout
const paid = await live.post('/v3/payout', {
  ...localPayout,
  amount: 12_345_678,
  reference_id: `INV-${'7'.repeat(36)}`,
  beneficiary_details: { ...beneficiary_details, name: LONG },
})
assert.equal(paid.status, 200, paid.text)
const payout = paid.json.data.id
const taken = await cli.run('payout', 'take', payout)
assert.equal(taken.code, 0, taken.stderr)
const person = { type: 'business', name: '香港'.repeat(13), registration_number: '1' }
const made = await live.post('/v3/entity', {
  ...person,
  registration_address: { country: 'HK', line1: '1 Queen’s Road', city: 'Hong Kong' },
})
assert.equal(made.status, 200, made.text)
const entity = made.json.data.id
assert.equal((await live.post(`/v3/entity/${entity}/submit`, {})).status, 200)
after(async () => {
  await Promise.all([cli.close(), terminal.close()])
  await service.close()
})

const idOf = () => live.account.account_id

/** Every command that prints a table, and words that must stand in it whole. */
const TABLES: readonly (readonly [name: string, more: () => string[], whole: () => string[]])[] = [
  ['account list', () => [], () => [idOf(), 'active', 'live', 'EUR 1234567.89']],
  ['account show', () => [idOf()], () => [idOf(), live.key_id, 'operator', 'never']],
  ['key list', () => [idOf()], () => [live.key_id, 'operator', 'never']],
  [
    'payout list',
    () => [],
    () => [payout, idOf(), 'processing', 'manual', 'USD 123456.78', `INV-${'7'.repeat(36)}`],
  ],
  ['payout show', () => [payout], () => [payout, idOf(), 'processing']],
  ['entity list', () => [], () => [entity, idOf(), 'submitted', 'business']],
  ['entity show', () => [entity], () => [entity, idOf(), 'submitted']],
  ['rates list', () => [], () => ['USD', 'HKD', '7.81', 'all accounts']],
  ['rates history', () => [], () => ['USD/HKD', '7.81']],
  ['fees list', () => [], () => ['swift', '15.00', 'all accounts']],
  ['fees history', () => [], () => ['swift', '15.00 USD']],
  ['pricing list', () => [], () => ['max_age_s', '86400', 'in force']],
  ['pricing history', () => [], () => ['max_age_s', '86400']],
  ['route list', () => [], () => [idOf(), 'wallet', 'manual']],
  ['verify', () => [], () => ['journals']],
]

for (const [name, more, whole] of TABLES) {
  test(`corridor ${name}, in 80 columns: no line wider, nothing truncated`, async () => {
    const { code, stdout, stderr } = await terminal.run(...name.split(' '), ...more())
    assert.equal(code, 0, stderr)
    // Commands to copy stand on one line each, however long.
    const lines = stdout.split('\n').filter(line => !line.startsWith('  corridor '))
    for (const line of lines) assert.ok(widthOf(line) <= 80, line)
    for (const word of whole()) assert.ok(stdout.includes(word), `${word} is not in\n${stdout}`)
    assert.ok(!stdout.includes('…'), stdout)
  })
}
