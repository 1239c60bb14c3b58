// The figures that each regime asks for: the month of the United Kingdom, the shares of institutions
// in the European Union, and the liability by state in the United States.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { measureTreasury } from '../../src/app/worker/derive-items.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { type MostShare, sharesOf } from '../../src/treasury/institutions.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

let service: TestService
let owner: Sql
let cli: Cli

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
})
after(async () => {
  await cli.close()
  await service.close()
})

type Row = Readonly<Record<string, string>>

const run = (...words: string[]) => succeed(cli, ...words)
const report = async (...words: string[]): Promise<Row[]> =>
  JSON.parse(await run('report', ...words, '--json')).rows

/** A nostro of the pool for clients’ money at an institution. */
const add = (name: string, currency: string, institution: string, opening = '0') =>
  run(
    ...['nostro', 'add', name, currency, opening, '--pool', 'payments'],
    ...['--institution', institution, '--opening-on', '2026-04-01'],
  )

interface Signed {
  readonly day: string
  readonly number?: number
  readonly owed: number
  readonly held: number
  readonly entered?: number
  readonly state: string
  readonly action?: string
  readonly external?: readonly object[]
}

const sign = ({ day, number = 1, owed, held, entered = 0, action = '', ...rest }: Signed) => owner`
  insert into safeguarding_days (day, pool, currency, number, as_of, requirement, resource,
    entered, d1_requirement, d1_resource, earned, external, state, action, by)
  values (${day}::date, 'payments', 'GBP', ${number}, now(), ${owed}, ${held}, ${entered}, ${owed},
    ${owed}, 0, ${JSON.stringify(rest.external ?? [])}::text::jsonb, ${rest.state}, ${action},
    'ada')`

/** Writes what was said as the triggers write it, at times of the past. */
async function giveSaid(table: string, at: string, after: object): Promise<void> {
  await owner`
    insert into audit_log (table_name, changed_at, changed_by, after)
    values (${table}, ${at}::timestamptz, 'ada', ${JSON.stringify(after)}::text::jsonb)`
}

const giveNostro = (at: string, name: string, currency: string, change: object = {}) =>
  giveSaid('nostros', at, { name, currency, pool: 'payments', closed_at: null, ...change })

/** The days of April 2026 that nobody has signed, as `pool currency day`. */
const notSigned = async () =>
  (await report('safeguarding', '--month', '2026-04'))
    .filter(({ state }) => state === 'not_signed')
    .map(({ pool, currency, day }) => `${pool} ${currency} ${day?.slice(8)}`)

const at = (nostro: string, institution: string, bank: string, book: string) => ({
  ...{ nostro, institution, bank, book, open_lines: '0', open_items: '0', proved: true },
})

test('month of client money: each day, highest and lowest, each discrepancy, and what each institution held', async () => {
  await giveNostro('2026-04-01T09:00:00Z', 'gbp_one', 'GBP')
  const { institution: _, ...unsaid } = at('gbp_one', '', '10000', '10000')
  await sign({ day: '2026-04-01', owed: 10_000, held: 10_000, state: 'met', external: [unsaid] })
  const action = 'Paid in 50.00 at 10:15'
  await sign({ day: '2026-04-02', owed: 30_000, held: 25_000, state: 'shortfall', action })
  await sign({ day: '2026-04-02', number: 2, owed: 30_000, held: 30_000, state: 'met' })
  const external = [
    at('gbp_one', 'Bank One', '3000', '4000'),
    at('gbp_two', 'bank  one ', '1000', '1000'),
    at('gbp_three', 'Bank Three', '1', '1'),
  ]
  const last = { owed: 4_000, held: 5_001, entered: 1_000, state: 'excess', external }
  await sign({ day: '2026-04-07', ...last })
  const rows = await report('safeguarding', '--month', '2026-04')
  const of = (figure: string) => rows.filter(row => row.figure === figure)
  const signed = of('day').filter(({ state }) => state !== 'not_signed')
  assert.deepEqual(
    signed.map(row => [row.day, row.number, row.requirement, row.difference, row.state]),
    [
      ['2026-04-01', '1', '100.00', '0.00', 'met'],
      ['2026-04-02', '2', '300.00', '0.00', 'met'],
      ['2026-04-07', '1', '40.00', '20.01', 'excess'],
    ],
  )
  const extreme = (figure: string) => of(figure).map(({ day }) => day)
  assert.deepEqual(extreme('highest_requirement'), ['2026-04-02'])
  assert.deepEqual(extreme('lowest_requirement'), ['2026-04-07'])
  assert.deepEqual(extreme('highest_resource'), ['2026-04-02'])
  assert.deepEqual(extreme('lowest_resource'), ['2026-04-07'])
  assert.deepEqual(
    of('discrepancy').map(row => [row.day, row.state, row.difference, row.action, row.signed_by]),
    [
      ['2026-04-02', 'shortfall', '-50.00', action, 'ada'],
      ['2026-04-07', 'excess', '20.01', '', 'ada'],
    ],
  )
  assert.deepEqual(
    of('institution').map(row => [row.day, row.institution, row.resource, row.bank]),
    [
      ['2026-04-07', 'Bank One', '50.00', '40.00'],
      ['2026-04-07', 'Bank Three', '0.01', '0.01'],
    ],
  )
  const csv = await run('report', 'safeguarding', '--month', '2026-04', '--csv')
  assert.match(csv, /^figure,day,pool,currency,number,institution,requirement,resource,entered,/)
  assert.match(csv, /\r\ndiscrepancy,2026-04-02,payments,GBP,1,,300\.00,250\.00,0\.00,-50\.00,/)
})

test('day that was signed before institutions were kept: listed without one', async () => {
  const [day] = JSON.parse(await run('safeguarding', 'list', '--month', '2026-04', '--json'))
  assert.deepEqual(day.external, [at('gbp_one', '', '10000', '10000')])
})

test('month of client money, days that nobody signed: named, but for weekends and bank holidays', async () => {
  const missing = await notSigned()
  assert.equal(missing.length, 17)
  for (const free of ['03', '05', '06']) {
    assert.equal(missing.includes(`payments GBP ${free}`), false, free)
  }
  const before = await report('safeguarding', '--month', '2026-03')
  assert.deepEqual(before, [], 'before somebody said that the account at the bank is in the pool')
  const { code, stderr } = await cli.run('report', 'safeguarding', '--month', '2026-13')
  assert.equal(code, 2)
  assert.match(stderr, /2026-13 is no month, such as 2026-11/)
})

test('month that is over, accounts at banks are opened, closed and leave the pool later: its days stay', async () => {
  const before = await notSigned()
  await giveNostro('2026-04-08T23:59:59Z', 'usd_one', 'USD')
  await giveNostro('2026-04-13T00:00:00Z', 'usd_one', 'USD', { closed_at: '2026-04-13T00:00:00Z' })
  await giveNostro('2026-04-28T12:00:00Z', 'usd_two', 'USD')
  await giveNostro('2026-04-29T12:00:00Z', 'usd_two', 'USD', { pool: 'emoney' })
  const during = await notSigned()
  assert.deepEqual(during, [
    ...['emoney USD 29', 'emoney USD 30', ...before],
    ...['payments USD 08', 'payments USD 09', 'payments USD 10', 'payments USD 28'],
  ])
  await giveNostro('2026-05-01T00:00:00Z', 'usd_two', 'USD', { pool: 'none' })
  await giveNostro('2026-05-02T00:00:00Z', 'gbp_one', 'GBP', { closed_at: '2026-05-02T00:00:00Z' })
  await add('chf_of_now', 'CHF', 'Bank One')
  assert.deepEqual(await notSigned(), during)
})

test('clients’ money in a currency without an account at a bank: its days are named too', async () => {
  const before = await notSigned()
  const moves = [
    ['acc_00000001', 'CAD', '2026-04-10', 100],
    ['acc_00000001', 'CAD', '2026-04-14', -100],
    ['acc_00000002', 'JPY', '2026-04-08', 5],
  ] as const
  for (const [account_id, currency, day, amount] of moves) {
    await owner`
      insert into account_days (day, account_id, currency, code, amount, postings, number)
      values (${day}::date, ${account_id}, ${currency}, 'available', ${amount}, 1, 1)`
  }
  const pool = (day: string, pool: string) =>
    giveSaid('account_pools', `${day}T10:00:00Z`, { account_id: 'acc_00000002', pool })
  await pool('2026-04-09', 'emoney')
  await pool('2026-04-13', 'none')
  const added = (await notSigned()).filter(day => !before.includes(day))
  assert.deepEqual(added, [
    ...['emoney JPY 09', 'emoney JPY 10'],
    ...['payments CAD 10', 'payments CAD 13', 'payments JPY 08'],
  ])
})

const sharesNow = async (of: 'currency' | 'pool', currency: string) =>
  (await report('institutions'))
    .filter(row => row.of === of && row.currency === currency)
    .map(row => [row.institution, row.amount, row.share, row.most_share, row.state])

const concentrated = async () => {
  await measureTreasury(service.deps)
  const { values } = await service.deps.metrics.safeguardingConcentrated.get()
  return values[0]?.value
}

test('shares of institutions: by currency, and of all money together in the pivot; one that holds all is named', async () => {
  await service.setRates({ 'EUR/USD': '2' })
  await add('eur_first', 'EUR', 'First Bank', '600.00')
  assert.deepEqual(await sharesNow('currency', 'EUR'), [
    ['First Bank', '600.00', '100.00', '', 'only_one'],
  ])
  await add('eur_second', 'EUR', 'Second Bank', '300.00')
  await add('eur_third', 'EUR', ' first  BANK', '100.00')
  await add('eur_short', 'EUR', 'Third Bank', '-5.00')
  await add('usd_first', 'USD', 'Second Bank', '1000.00')
  assert.deepEqual(await sharesNow('currency', 'EUR'), [
    ['First Bank', '700.00', '70.00', '', ''],
    ['Second Bank', '300.00', '30.00', '', ''],
  ])
  assert.deepEqual(await sharesNow('pool', 'EUR'), [
    ['Second Bank', '800.00', '53.33', '', ''],
    ['First Bank', '700.00', '46.66', '', ''],
  ])
})

test('share above the one that is set: named in the report, the metric and the console; at the share: not', async () => {
  assert.equal(await concentrated(), 0)
  await run('safeguarding', 'share', 'payments', '70', '--currency', 'EUR')
  assert.equal(await concentrated(), 0, 'exactly the share')
  await run('safeguarding', 'share', 'payments', '69', '--currency', 'EUR')
  assert.deepEqual((await sharesNow('currency', 'EUR'))[0], [
    ...['First Bank', '700.00', '70.00', '69', 'above'],
  ])
  assert.equal(await concentrated(), 1)
  await addPerson(service, { user: 'olga', role: 'operator' })
  const headers = await logIn(service, 'olga')
  const look = async (path: string) => {
    const { text } = await service.inject({ url: `/console/installation${path}`, headers })
    return text
  }
  assert.match(await look(''), /client-money#institutions">1<\/a> institution holds more/)
  assert.match(await look('/client-money?month=2026-13'), /2026-13 is no month, such as 2026-11/)
  assert.match(await look('/client-money'), /First Bank[\s\S]*70\.00 %[\s\S]*69 %[\s\S]*above/)
  const action = '/console/installation/client-money/share'
  const wrong = await sendForm(service, headers, action, { pool: 'payments', most_share: '101' })
  assert.match(wrong.text, /class="problem"/)
  const unknown = { pool: 'payments', most_share: '60', currency: 'ERU' }
  const refused = await sendForm(service, headers, action, unknown)
  assert.match(refused.text, /There is no currency ERU/)
  const form = { pool: 'payments', most_share: '53', currency: '' }
  assert.equal((await sendForm(service, headers, action, form)).status, 303)
  assert.equal(await concentrated(), 2, 'and 53.33 % of all money')
  const { stderr } = await cli.run('safeguarding', 'share', 'payments', '0')
  assert.match(stderr, /most_share/)
})

test('signed day, the institution of an account changes later: the day keeps the one of its time', async () => {
  const before = new Date().toISOString().slice(0, 7)
  await run('safeguarding', 'sign', 'payments', 'EUR', '--action', 'Test')
  await run('nostro', 'set', 'eur_first', '--institution', 'Another Bank')
  const rows = await report('safeguarding', '--month', before)
  const held = rows.filter(row => row.figure === 'institution' && row.currency === 'EUR')
  assert.deepEqual(
    held.map(row => [row.institution, row.resource]),
    [
      ['First Bank', '700.00'],
      ['Second Bank', '300.00'],
      ['Third Bank', '-5.00'],
    ],
  )
  assert.equal((await sharesNow('currency', 'EUR'))[0]?.[0], 'Another Bank')
})

test('institution with an overdrawn account: the account counts as nothing, in its currency and in all', () => {
  const pool = 'payments' as const
  const resources = [
    {
      ...{ pool, currency: 'EUR' },
      nostros: [
        ...[at('one', 'One', '0', '60'), at('short', ' one', '0', '-30')],
        at('two', 'Two', '0', '40'),
      ],
    },
    { pool, currency: 'GBP', nostros: [at('pounds', 'One', '0', '-5')] },
  ]
  const limits: MostShare[] = [{ pool, currency: '', most_share: 59 }]
  const shares = sharesOf(resources, limits, { currency: 'EUR', convert: amount => amount })
  assert.deepEqual(
    shares.map(row => [row.of, row.institution, row.amount, row.share, row.state]),
    [
      ['currency', 'One', 60n, '60.00', ''],
      ['currency', 'Two', 40n, '40.00', ''],
      ['pool', 'One', 60n, '60.00', 'above'],
      ['pool', 'Two', 40n, '40.00', ''],
    ],
  )
})

test('currency without a rate: all money is not added up, and its share holds for each currency without one', () => {
  const limits: MostShare[] = [
    { pool: 'payments', currency: '', most_share: 60 },
    { pool: 'payments', currency: 'GBP', most_share: 90 },
  ]
  const resources = ['EUR', 'GBP'].map(currency => ({
    ...{ pool: 'payments' as const, currency },
    nostros: [at('one', 'One', '0', '70'), at('two', 'Two', '0', '30')],
  }))
  const base = {
    currency: 'EUR',
    convert: (amount: bigint, from: string) => (from === 'EUR' ? amount : undefined),
  }
  const shares = sharesOf(resources, limits, base)
  assert.deepEqual(
    shares.map(row => [row.of, row.currency, row.institution, row.share, row.state]),
    [
      ['currency', 'EUR', 'One', '70.00', 'above'],
      ['currency', 'EUR', 'Two', '30.00', ''],
      ['currency', 'GBP', 'One', '70.00', ''],
      ['currency', 'GBP', 'Two', '30.00', ''],
    ],
  )
})
