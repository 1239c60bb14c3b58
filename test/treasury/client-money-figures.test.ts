// The figures of client money, one case a currency: what counts as owed and as held, now and at the
// midnight before.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { measureTreasury } from '../../src/app/worker/derive-items.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { takeHouseTurn } from '../../src/treasury/house.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { listNostros } from '../../src/treasury/nostro-store.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { until } from '../support/service/process.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { giveLines } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let cli: Cli
let account: Client
const DAY_MS = 86_400_000
const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
const OPENED = ['--opening-on', '2026-01-01']
const FORWARD = ['--value-on', '2098-01-04']

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  account = await service.openAccount({
    currencies: ['EUR', 'GBP', 'CHF', 'USD', 'SEK', 'NOK', 'DKK'],
    sandbox: false,
  })
})
after(async () => {
  await cli.close()
  await service.close()
})

const run = (...words: string[]) => succeed(cli, ...words)

/** A nostro of the pool for clients’ money, or one of the house's own. */
async function add(name: string, currency: string, whose: 'payments' | 'own', opening = '0') {
  const purpose = whose === 'own' ? ['--purpose', 'own'] : ['--pool', whose]
  await run('nostro', 'add', name, currency, opening, ...purpose, ...OPENED)
  return { name, currency }
}

const derive = async () => {
  while ((await deriveSome(service.deps)).journals > 0n);
}

async function book(
  verb: 'fund' | 'withdraw',
  currency: string,
  amount: string,
  ...more: string[]
) {
  const reference = ['--reference', `${verb}-${currency}-${amount}`]
  await run(verb, account.account.account_id, currency, amount, ...reference, ...more)
  await derive()
}

async function figures(currency: string) {
  const days = JSON.parse(await run('safeguarding', 'show', '--json'))
  const day = days.find((one: { currency: string }) => one.currency === currency)
  const { requirement, resource, d1_requirement, d1_resource, earned, state } = day
  const [now, d1] = [`${requirement} of ${resource}`, `${d1_requirement} of ${d1_resource}`]
  return { now, d1, earned, state }
}

// First, while no nostro has a pool.
test('client with money, no nostro of a pool: no figure and no shortfall; with one, its opening is of the midnight before', async () => {
  await book('fund', 'DKK', '500.00')
  const shown = async () => JSON.parse(await run('safeguarding', 'show', '--json'))
  assert.deepEqual(await shown(), [])
  await measureTreasury(service.deps)
  const { values } = await service.deps.metrics.safeguardingShortfalls.get()
  assert.equal(values[0]?.value, 0)
  await run('nostro', 'add', 'dkk_clients', 'DKK', '500.00', '--pool', 'payments')
  assert.equal((await figures('DKK')).d1, '0 of 50000')
  assert.deepEqual((await shown()).length, 1)
})

test('credit of yesterday, credited and matched this morning: owed and held at midnight', async () => {
  const nostro = await add('eur_clients', 'EUR', 'payments')
  const [id] = await giveLines(owner, nostro, [{ amount: 10_000n, day: yesterday, text: 'whose' }])
  const open = await figures('EUR')
  assert.deepEqual([open.now, open.d1], ['10000 of 10000', '10000 of 10000'])
  const { account_id } = account.account
  await run('nostro', 'credit', `line_${id}`, account_id, '--reason', 'Invoice 118, by mail')
  await derive()
  const found = (await listNostros(owner)).find(({ name }) => name === nostro.name)
  await matchNostro(service.deps.sql, found ?? assert.fail())
  const after = await figures('EUR')
  assert.deepEqual([after.now, after.d1], ['10000 of 10000', '10000 of 10000'])
})

test('credit of yesterday, paid back at the bank today: owed and held at midnight, not now', async () => {
  const nostro = { name: 'eur_clients', currency: 'EUR' }
  const before = await figures('EUR')
  const given = await giveLines(owner, nostro, [
    { amount: 300n, day: yesterday, text: 'a mistake' },
    { amount: -300n, text: 'sent back' },
  ])
  const lines = given.map(id => `line_${id}`).join(',')
  await run('nostro', 'match', '--lines', lines, '--note', 'Sent back to the payer')
  const after = await figures('EUR')
  assert.deepEqual([after.now, after.d1], [before.now, '10300 of 10300'])
})

test('top-up and deal with a later value date: held from that day on, also when reversed', async () => {
  await add('gbp_clients', 'GBP', 'payments')
  await add('gbp_own', 'GBP', 'own', '1000.00')
  await add('usd_own', 'USD', 'own', '1000.00')
  await book('fund', 'GBP', '50.00')
  const met = await figures('GBP')
  const topup = ['house', 'topup', 'GBP', '7.00', '--from', 'gbp_own', '--to', 'gbp_clients']
  await run(...topup, ...FORWARD)
  const sold = ['--from', 'usd_own', '--sell-currency', 'USD', '--sell-amount', '100.00']
  const bought = ['--to', 'gbp_clients', '--buy-currency', 'GBP', '--buy-amount', '80.00']
  const { id } = JSON.parse(await run('house', 'deal', ...sold, ...bought, ...FORWARD, '--json'))
  assert.deepEqual(await figures('GBP'), met)
  await run('house', 'reverse', id, '--reason', 'The bank has cancelled it')
  assert.deepEqual(await figures('GBP'), met)
  await run(...topup)
  assert.equal((await figures('GBP')).now, '5000 of 5700')
})

test('withdrawal of which no one knows the nostro: leaves what is owed and what is held', async () => {
  await add('chf_clients', 'CHF', 'payments')
  await book('fund', 'CHF', '50.00')
  await add('chf_second', 'CHF', 'payments')
  await book('withdraw', 'CHF', '10.00', '--reason', 'Test')
  const [item] = await owner`select nostro from nostro_items where amount = -1000`
  assert.equal(item?.nostro, '')
  const after = await figures('CHF')
  assert.deepEqual([after.now, after.state], ['4000 of 4000', 'met'])
})

test('fee that the bank has debited: held no longer; a debit with the sum of an open item is one of them', async () => {
  await add('usd_clients', 'USD', 'payments')
  await book('fund', 'USD', '50.00')
  await book('withdraw', 'USD', '10.00', '--reason', 'Test')
  const nostro = { name: 'usd_clients', currency: 'USD' }
  await giveLines(owner, nostro, [{ amount: -1_000n, text: 'which one' }])
  assert.equal((await figures('USD')).now, '4000 of 4000')
  await giveLines(owner, nostro, [{ amount: -1_000n, text: 'and this' }])
  assert.equal((await figures('USD')).now, '4000 of 3000')
  await giveLines(owner, nostro, [{ amount: -45n, text: 'account fee' }])
  const short = await figures('USD')
  assert.deepEqual([short.now, short.state], ['4000 of 2955', 'shortfall'])
})

test('transfer out of a nostro that is closed since: not earned any more', async () => {
  await add('sek_clients', 'SEK', 'payments', '30.00')
  await add('sek_second', 'SEK', 'payments')
  await add('sek_own', 'SEK', 'own')
  const before = BigInt((await figures('SEK')).earned)
  await owner`insert into account_days (day, account_id, currency, code, amount, postings, number)
    values (current_date - 9, ${account.account.account_id}, 'SEK', 'fees', 3000, 1, 1)`
  assert.equal(BigInt((await figures('SEK')).earned) - before, 3_000n)
  const taken = ['--from', 'sek_clients', '--to', 'sek_own']
  await run('house', 'transfer', 'SEK', '30.00', ...taken)
  assert.equal(BigInt((await figures('SEK')).earned), before)
  const [item] = await owner<{ id: bigint }[]>`
    select id from nostro_items where nostro = 'sek_clients' and match is null`
  const [line] = await giveLines(owner, { name: 'sek_clients', currency: 'SEK' }, [
    { amount: -3_000n },
  ])
  const pair = ['--lines', `line_${line}`, '--items', `item_${item?.id}`, '--note', 'Taken out']
  await run('nostro', 'match', ...pair)
  await run('nostro', 'close', 'sek_clients')
  assert.equal(BigInt((await figures('SEK')).earned), before)
})

test('transfer from clients’ money to an own account: at most what is earned, also two at once, or a reversal', async () => {
  await add('nok_clients', 'NOK', 'payments', '500.00')
  await add('nok_own', 'NOK', 'own', '500.00')
  await owner`insert into account_days (day, account_id, currency, code, amount, postings, number)
    values (current_date - 9, ${account.account.account_id}, 'NOK', 'fees', 3000, 1, 1)`
  const way = (from: string, to: string) => ['--from', from, '--to', to]
  const take = (amount: string) =>
    cli.run('house', 'transfer', 'NOK', amount, ...way('nok_clients', 'nok_own'))
  const over = await take('30.01')
  assert.match(over.stderr, /at most NOK 30.00 may leave payments: what the house has earned/)
  const both = await owner.begin(async tx => {
    await takeHouseTurn(tx)
    const taking = Promise.all([take('20.00'), take('20.00')])
    await until('both wait for their turn', async () => (await untilBlocked(owner)).length > 1)
    return () => taking
  })
  assert.deepEqual((await both()).map(({ code }) => code).sort(), [0, 2])
  const lent = ['house', 'transfer', 'NOK', '5.00', ...way('nok_own', 'nok_clients'), '--json']
  const { id } = JSON.parse(await run(...lent))
  assert.equal((await take('15.00')).code, 0)
  const back = await cli.run('house', 'reverse', id, '--reason', 'Not sent')
  assert.match(back.stderr, /at most NOK 0.00 may leave payments/)
  assert.equal((await figures('NOK')).earned, '0')
})
