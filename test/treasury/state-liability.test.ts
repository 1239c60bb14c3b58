// The liability by state of the US: what accounts were owed at the end of each day of a quarter, in
// the state that each account had then, against a model that adds up every day by itself.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { MAX_ROWS, readReport } from '../../src/treasury/report.ts'
import { listRequirements } from '../../src/treasury/safeguarding-store.ts'
import { firstDayOf, quarterOf } from '../../src/treasury/state-liability.ts'
import { plusDays } from '../../src/values/calendar/day.ts'
import { divideHalfUp } from '../../src/values/money/decimal.ts'
import { US_STATE_CODES } from '../../src/values/us-state.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { bookUsd } from '../support/service/operate.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

let service: TestService
let owner: Sql
let cli: Cli
let account: Client

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  account = await service.openAccount({ currencies: ['USD'], sandbox: false })
})
after(async () => {
  await cli.close()
  await service.close()
})

type Row = Readonly<Record<string, string>>

const QUARTER = { name: '2026Q2', first: '2026-04-01', last: '2026-06-30', days: 91 }
const daysFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, number) => plusDays(first, number))
const DAYS = daysFrom(QUARTER.first, QUARTER.days)

const run = (...words: string[]) => succeed(cli, ...words)
const report = async (quarter: string): Promise<Row[]> =>
  JSON.parse(await run('report', 'state-liability', '--quarter', quarter, '--json')).rows
const rowsOf = async (figure: string, columns: readonly string[]) =>
  (await report(QUARTER.name))
    .filter(row => row.figure === figure)
    .map(row => columns.map(column => row[column] ?? ''))

interface Moved {
  readonly account_id: string
  readonly currency: string
  readonly day: string
  readonly amount: bigint
}

/** What was said of an account: its state, or its pool. */
type Said = { readonly account_id: string; readonly at: string } & (
  | { readonly us_state: string }
  | { readonly pool: string }
)

/** Writes sums of days as the derivation does; the parts may have either code. */
const giveDays = (rows: readonly Moved[]) => owner`
  insert into account_days (day, account_id, currency, code, amount, postings, number)
  select day, account_id, currency, code, sum(amount), 1, 1
  from jsonb_to_recordset(${JSON.stringify(
    rows.map(({ amount, ...row }, number) => ({
      ...{ ...row, amount: String(amount) },
      code: number % 2 === 0 ? 'available' : 'in_transit',
    })),
  )}::text::jsonb) as r (day date, account_id text, currency text, code text, amount numeric)
  group by 1, 2, 3, 4`

/** Writes changes as the triggers write them, at times of the past. */
async function giveSaid(changes: readonly Said[]): Promise<void> {
  const last = new Map<string, object>()
  for (const { at, ...after } of changes) {
    const table = 'pool' in after ? 'account_pools' : 'accounts'
    const key = `${table} ${after.account_id}`
    await owner`
      insert into audit_log (table_name, changed_at, changed_by, before, after)
      values (${table}, ${at}::timestamptz, 'ada',
        ${JSON.stringify(last.get(key) ?? null)}::text::jsonb,
        ${JSON.stringify(after)}::text::jsonb)`
    last.set(key, after)
  }
}

/** Where an account counts at the end of the day; '' in the pool `none`. */
function placeOf(account_id: string, day: string, said: readonly Said[]): string {
  const own = said.filter(one => one.account_id === account_id && one.at.slice(0, 10) <= day)
  const pool = own.flatMap(one => ('pool' in one ? one.pool : [])).at(-1)
  const us_state = own.flatMap(one => ('us_state' in one ? one.us_state : [])).at(-1)
  return pool === 'none' ? '' : (us_state ?? 'none')
}

/** `state currency` to minor units, at the end of the day. */
function modelOf(day: string, moved: readonly Moved[], said: readonly Said[]) {
  const sums = new Map<string, bigint>()
  for (const { account_id, currency, amount, ...row } of moved) {
    const key = `${account_id} ${currency}`
    if (row.day <= day) sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  const owed = new Map<string, bigint>()
  for (const [key, sum] of sums) {
    const [account_id = '', currency = ''] = key.split(' ')
    const state = `${placeOf(account_id, day, said)} ${currency}`
    if (sum > 0n) owed.set(state, (owed.get(state) ?? 0n) + sum)
  }
  return owed
}

const major = (minor: bigint) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`

// First, while no other account has a day.
const SEED = pickSeed()
test(`random books and states, seed ${SEED}: each day's liability and the averages are those of the model, without the house’s own money`, async () => {
  await run('nostro', 'add', 'usd_clients', 'USD', '0', '--pool', 'payments')
  const random = seeded(SEED)
  const upTo = (most: number) => Math.floor(random() * most)
  const own = (await service.openAccount({ currencies: ['USD'], sandbox: false })).account
  const accounts = Array.from({ length: 8 }, (_, number) => `acc_0000000${number}`)
  const some = <T>(from: readonly T[]) => from[upTo(from.length)] as T
  const anyDay = () => plusDays('2026-03-01', upTo(140))
  const moved = Array.from({ length: 140 }, () => ({
    ...{ account_id: some([...accounts, own.account_id]), currency: some(['USD', 'EUR']) },
    ...{ day: anyDay(), amount: BigInt(upTo(100_000) - 40_000) || 1n },
  }))
  const atAnyTime = () => `${anyDay()}T${some(['00:00:00', '12:00:00', '23:59:59.999999'])}Z`
  const said: readonly Said[] = [
    ...Array.from({ length: 30 }, () => ({
      ...{ account_id: some(accounts), at: atAnyTime() },
      us_state: some(['CA', 'NY', 'PR', 'none']),
    })),
    ...Array.from({ length: 12 }, () => ({
      ...{ account_id: some(accounts.slice(4)), at: atAnyTime() },
      pool: some(['none', 'payments']),
    })),
    // The house’s own account, whose pool is `none` on every day.
    { account_id: own.account_id, at: '2026-02-01T00:00:00Z', pool: 'none' },
  ].sort((a, b) => (a.at < b.at ? -1 : 1))
  await run('safeguarding', 'pool', own.account_id, 'none')
  await giveDays(moved)
  await giveSaid(said)

  const models = DAYS.map(day => {
    const all = [...modelOf(day, moved, said)]
    return { day, owed: new Map(all.filter(([key]) => !key.startsWith(' '))) }
  })
  const expected = models.flatMap(({ day, owed }) =>
    [...owed].map(([key, amount]) => [...key.split(' '), day, major(amount)].join(' ')),
  )
  const found = await rowsOf('liability', ['us_state', 'currency', 'day', 'amount'])
  assert.deepEqual(found.map(row => row.join(' ')).sort(), expected.sort())

  const sums = new Map<string, bigint>()
  for (const { owed } of models) {
    for (const [key, amount] of owed) sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  const averages = [...sums].map(([key, sum]) => `${key} 91 ${major(divideHalfUp(sum, 91n))}`)
  const average = ['us_state', 'currency', 'days', 'amount']
  const shown = await rowsOf('average_daily_liability', average)
  assert.deepEqual(shown.map(row => row.join(' ')).sort(), averages.sort())

  // The figures of a midnight go by the pools of now: of these accounts, the own one alone has one.
  const clients = moved.filter(({ account_id }) => account_id !== own.account_id)
  for (const day of DAYS.filter((_, number) => number % 13 === 0)) {
    const owed = [...modelOf(day, clients, [])]
    const midnight = await listRequirements(owner, `${plusDays(day, 1)}T00:00:00Z`)
    assert.deepEqual(
      midnight.filter(one => one.owed > 0n).map(one => [`none ${one.currency}`, one.owed]),
      owed.sort(([a], [b]) => (a < b ? -1 : 1)),
      day,
    )
  }
})

test('state of an account: set by a command, shown, kept with its time; every other text is refused', async () => {
  const { account_id } = account.account
  await giveDays([{ account_id, currency: 'GBP', day: '2026-05-05', amount: 500n }])
  const before = await report(QUARTER.name)
  const set = (us_state: string) => cli.run('account', 'set', account_id, '--us-state', us_state)
  assert.match((await set('CA')).stdout, /US state was none, is CA/)
  const [shown] = JSON.parse(await run('account', 'list', '--json')).filter(
    (one: { account_id: string }) => one.account_id === account_id,
  )
  assert.equal(shown.us_state, 'CA')
  assert.match(await run('account', 'show', account_id), /US state +CA/)
  for (const wrong of ['ZZ', 'ca', 'US-CA', 'California', '']) {
    const { code, stderr } = await set(wrong)
    assert.equal(code, 2, wrong)
    assert.match(stderr, /us_state|--us-state/)
  }
  await assert.rejects(owner`update accounts set us_state = 'ZZ'`, {
    constraint_name: 'known_us_state',
  })
  for (const us_state of US_STATE_CODES) {
    assert.equal((await set(us_state)).code, 0, us_state)
  }
  assert.deepEqual(await report(QUARTER.name), before, 'no day of the past has changed')
})

test('journal of a day that is over and is not derived: the report is refused; once it is, the day has it', async () => {
  const day = plusDays(new Date().toISOString().slice(0, 10), -1)
  const asked = ['report', 'state-liability', '--quarter', quarterOf(day)]
  const { account_id } = account.account
  const owed = async () => {
    const found = (await report(quarterOf(day))).find(
      row => row.day === day && row.us_state === 'none' && row.currency === 'USD',
    )
    return BigInt((found?.amount ?? '0').replace('.', ''))
  }
  await bookUsd(service, account, 'funding', 100_000n, 'F-1')
  // A journal of today is of no day that is over.
  const before = await owed()
  await owner.begin(async tx => {
    await tx`alter table journals disable trigger user`
    await tx`update journals set created_at = created_at - interval '1 day'
      where account_id = ${account_id}`
    await tx`alter table journals enable trigger user`
  })
  const { code, stderr } = await cli.run(...asked)
  assert.notEqual(code, 0)
  assert.match(stderr, new RegExp(`1 account has journals up to ${day} that are not in the house`))
  while ((await deriveSome(service.deps)).journals > 0n);
  assert.equal((await owed()) - before, 100_000n)
})

test('state of an account by a form of the console: saved, and shown by its name', async () => {
  const { account_id } = account.account
  await addPerson(service, { user: 'olga', role: 'operator' })
  const headers = await logIn(service, 'olga')
  const place = `/console/installation/accounts/${account_id}`
  const sent = await sendForm(service, headers, `${place}/us-state`, { us_state: 'PR' })
  assert.equal(sent.status, 303, sent.text)
  const { text } = await service.inject({ url: place, headers })
  assert.match(text, /State of the US[\s\S]*Puerto Rico/)
  const wrong = await sendForm(service, headers, `${place}/us-state`, { us_state: 'ZZ' })
  assert.match(wrong.text, /class="problem"/)
  const opened = await run(
    ...['account', 'create', '--name', 'Bay', '--currencies', 'USD', '--primary-currency', 'USD'],
    ...['--us-state', 'NV', '--json'],
  )
  assert.equal(JSON.parse(opened).us_state, 'NV')
})

test('payouts of a quarter: counted in the state of their day, with their sum, and apart from those that came back', async () => {
  const account_id = 'acc_zzzzzzzz'
  const at = (day: string, us_state: string) => ({ account_id, at: `${day}T09:00:00Z`, us_state })
  const own = 'acc_zzzzzzzy'
  await giveSaid([
    ...[at('2026-05-10', 'WY'), at('2026-05-20', 'TX')],
    { account_id: own, at: '2026-05-10T09:00:00Z', pool: 'none' },
  ])
  const paid = [
    ...[
      ['2026-03-31T23:59:59.999999Z', -1],
      ['2026-04-01T00:00:00Z', -200],
      ['2026-05-10T08:00:00Z', -1_000],
    ],
    ...[
      ['2026-05-19T23:59:59.999999Z', -1_050],
      ['2026-05-20T00:00:00Z', -3_000],
      ['2026-06-30T23:59:59.999999Z', -5],
    ],
    ['2026-07-01T00:00:00Z', -7],
    ['2026-06-01T00:00:00Z', 3_000],
    // Of the house’s own account: clients’ money until it got its pool.
    ['2026-05-09T23:59:59.999999Z', -40, own],
    ['2026-05-10T00:00:00Z', -50, own],
  ] as const
  for (const [number, [booked_at, amount, of = account_id]] of paid.entries()) {
    await owner`
      insert into nostro_items (amount, booked_at, number, value_on, currency, kind, account_id,
        payout_id)
      values (${amount}, ${booked_at}::timestamptz, ${number + 1}, '2026-04-01', 'JPY',
        ${amount < 0 ? 'payout' : 'payout_return'}, ${of}, 'po_1')`
  }
  const columns = ['us_state', 'currency', 'number', 'amount']
  assert.deepEqual(await rowsOf('payouts', columns), [
    ['TX', 'JPY', '2', '3005'],
    ['WY', 'JPY', '2', '2050'],
    ['none', 'JPY', '2', '240'],
  ])
  assert.deepEqual(await rowsOf('payouts_returned', columns), [['TX', 'JPY', '1', '3000']])
})

test('quarter that goes on: averaged over the days that are over; a text that is none: refused', async () => {
  const day = plusDays(new Date().toISOString().slice(0, 10), -1)
  const { account_id } = account.account
  await giveDays([{ account_id, currency: 'CHF', day, amount: 1_000n }])
  const name = quarterOf(day)
  const days = daysFrom(firstDayOf(name), 92).filter(one => one <= day).length
  const rows = (await report(name)).filter(({ currency }) => currency === 'CHF')
  assert.deepEqual(
    rows.map(row => [row.figure, row.us_state, row.day, row.days, row.amount]),
    [
      [
        'average_daily_liability',
        'none',
        '',
        String(days),
        major(divideHalfUp(1_000n, BigInt(days))),
      ],
      ['liability', 'none', day, '', '10.00'],
    ],
  )
  for (const wrong of ['2026Q5', '2026-Q1', 'last']) {
    const { code, stderr } = await cli.run('report', 'state-liability', '--quarter', wrong)
    assert.equal(code, 2, wrong)
    assert.match(stderr, /quarter is a quarter of a year, such as 2026Q4/)
  }
  const unknown = await cli.run('report', 'nothing')
  assert.equal(unknown.code, 2)
  assert.match(
    unknown.stderr,
    /'nothing' is invalid for argument 'report'\. Allowed choices are trial/,
  )
  const unasked = await cli.run('report', 'ledger', '--quarter', '2026Q2')
  assert.match(unasked.stderr, /the report ledger does not ask for quarter/)
})

// Last, as its rows are of no account.
test('report of more rows than it may have: refused, not cut; one of fewer days has each row', async () => {
  await owner`
    insert into account_days (day, account_id, currency, code, amount, postings, number)
    select '2020-01-01'::date + n % 2, 'acc_' || n, 'SEK', 'available', 1, 1, 1
    from generate_series(0, ${MAX_ROWS}::integer) n`
  const at = new Date().toISOString()
  const times = { at, month: '2020-01', quarter: '2020Q1', today: at.slice(0, 10) }
  const ledger = (to: string) => readReport(owner, 'ledger', { ...times, from: '2020-01-01', to })
  await assert.rejects(ledger('2020-01-02'), /ledger has more than 100000 rows: ask for fewer days/)
  const { rows } = await ledger('2020-01-01')
  assert.equal(rows.length, MAX_ROWS / 2 + 1)
  const clients = readReport(owner, 'clients', { ...times, from: '', to: '' })
  await assert.rejects(clients, /clients has more than 100000 rows/)
})
