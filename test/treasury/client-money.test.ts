// Client money and closed months: what is owed against what is held, signed by people; a month that
// closes once everything of it is explained; and the reports of both.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { safeguardingOf, stateOfDay } from '../../src/treasury/safeguarding.ts'
import { listRequirements } from '../../src/treasury/safeguarding-store.ts'
import { undone } from '../support/database/undone.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { bookUsd } from '../support/service/operate.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { giveLines } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let cli: Cli
let account: Client
const CLIENTS = { name: 'usd_clients', currency: 'USD' }
const month = new Date().toISOString().slice(0, 7)
const today = new Date().toISOString().slice(0, 10)
const LAST_MONTH = '2026-01'

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  const opening = ['--opening-on', `${LAST_MONTH}-01`]
  await run('nostro', 'add', 'usd_clients', 'USD', '0', '--pool', 'payments', ...opening)
  await run('nostro', 'add', 'usd_own', 'USD', '1000.00', '--purpose', 'own', ...opening)
  account = await service.openAccount({ currencies: ['USD'], sandbox: false })
  await bookUsd(service, account, 'funding', 100_000n, 'F-1')
  await derive()
})
after(async () => {
  await cli.close()
  await service.close()
})

const derive = async () => {
  while ((await deriveSome(service.deps)).journals > 0n);
}

const run = (...words: string[]) => succeed(cli, ...words)

async function refused(...words: string[]): Promise<string> {
  const { code, stderr } = await cli.run(...words)
  assert.ok(code === 1 || code === 2)
  return stderr
}

const shown = async () => {
  const [day] = JSON.parse(await run('safeguarding', 'show', '--json'))
  const { requirement, resource, state, d1_requirement, d1_resource } = day
  return { requirement, resource, state, d1_requirement, d1_resource }
}

const D1 = { d1_requirement: '0', d1_resource: '0' }

test('client funded with 1,000.00: owed and held are equal', async () => {
  const met = { requirement: '100000', resource: '100000', state: 'met', ...D1 }
  assert.deepEqual(await shown(), met)
})

test('house gives a client 5.00: a shortfall, which is signed only with an action', async () => {
  await bookUsd(service, account, 'adjustment', 500n, 'A-1')
  await derive()
  assert.equal((await shown()).state, 'shortfall')
  const words = ['safeguarding', 'sign', 'payments', 'USD']
  assert.match(await refused(...words), /--action: a shortfall is signed with what was done/)
  const signed = JSON.parse(await run(...words, '--action', 'Topped up at 10:00', '--json'))
  assert.deepEqual([signed.state, signed.number, signed.by], ['shortfall', 1, 'olga'])
  await run('house', 'topup', 'USD', '5.00', '--from', 'usd_own', '--to', 'usd_clients')
  assert.equal((await shown()).state, 'met')
  const corrected = JSON.parse(await run(...words, '--json'))
  assert.deepEqual([corrected.state, corrected.number], ['met', 2])
  const listed = JSON.parse(await run('safeguarding', 'list', '--month', month, '--json'))
  assert.deepEqual(
    listed.map(({ state }: { state: string }) => state),
    ['shortfall', 'met'],
  )
})

test('entered insurance covers a shortfall: signed as met or excess', async () => {
  await bookUsd(service, account, 'adjustment', 100n, 'A-2')
  await derive()
  const words = ['safeguarding', 'sign', 'payments', 'USD', '--entered', '1.00', '--json']
  assert.equal(JSON.parse(await run(...words)).state, 'met')
  await run('house', 'topup', 'USD', '1.00', '--from', 'usd_own', '--to', 'usd_clients')
})

test('credit that nobody knows: owed and held, until a person decides', async () => {
  const before = await shown()
  await giveLines(owner, CLIENTS, [{ amount: 777n, text: 'whose' }])
  const after = await shown()
  assert.equal(BigInt(after.requirement) - BigInt(before.requirement), 777n)
  assert.equal(BigInt(after.resource) - BigInt(before.resource), 777n)
  const [row] = JSON.parse(await run('report', 'suspense', '--json')).rows
  assert.deepEqual([row.amount, row.text, row.nostro], ['7.77', 'whose', 'usd_clients'])
  assert.match(row.line, /^line_\d+$/, 'as `corridor nostro credit` takes it')
})

test('account that belongs to no pool: its money is not owed by one', async () => {
  const own = await service.openAccount({ currencies: ['USD'], sandbox: false })
  await run('safeguarding', 'pool', own.account.account_id, 'none')
  const before = await shown()
  await bookUsd(service, own, 'funding', 300n, 'F-2')
  await derive()
  const after = await shown()
  assert.equal(after.requirement, before.requirement)
  assert.equal(BigInt(after.resource) - BigInt(before.resource), 300n)
  assert.equal(after.state, 'excess')
})

test('negative client: offsets no other client’s money', () => {
  const [day] = safeguardingOf(
    { day: today, as_of: `${today}T00:00:00Z` },
    {
      requirements: [{ pool: 'payments', currency: 'USD', owed: 100n, negative: 1, income: 0n }],
      resources: [],
      unassigned: [],
    },
    { requirements: [], resources: [] },
  )
  assert.equal(day?.requirement, 100n)
  assert.equal(day?.negative, 1)
  assert.equal(day && stateOfDay(day), 'shortfall')
})

test('less than owed at the end of the day before: a shortfall, whatever is held now', async () => {
  const d1 = { d1_requirement: 100n, d1_resource: 60n }
  const day = { requirement: 100n, resource: 130n, ...d1 }
  assert.equal(stateOfDay(day), 'shortfall')
  assert.equal(stateOfDay(day, 39n), 'shortfall')
  assert.equal(stateOfDay(day, 40n), 'excess')
  assert.equal(stateOfDay({ ...day, resource: 100n, d1_resource: 100n }), 'met')
  const signed = (state: string, entered: number) =>
    undone(
      owner,
      tx => tx`insert into safeguarding_days (day, pool, currency, number, as_of, requirement,
        resource, entered, d1_requirement, d1_resource, earned, external, state, action, by)
        values (current_date, 'emoney', 'USD', 1, now(), 100, 130, ${entered}, 100, 60, 0, '[]',
          ${state}, 'none', 'olga')`,
    )
  await assert.rejects(signed('excess', 0), { constraint_name: 'state_is_the_sum' })
  await signed('shortfall', 0)
  await signed('excess', 40)
})

test('client owed nothing twice over: its negative sum offsets no other client’s', async () => {
  const other = await service.openAccount({ currencies: ['USD'], sandbox: false })
  const at = new Date(Date.now() + 60_000).toISOString()
  const owed = async (sql: Sql) =>
    (await listRequirements(sql, at)).find(({ currency }) => currency === 'USD')
  const before = await owed(owner)
  await undone(owner, async tx => {
    await tx`insert into account_days (day, account_id, currency, code, amount, postings, number)
      values (current_date - 9, ${other.account.account_id}, 'USD', 'available', -400, 1, 1)`
    const after = await owed(tx as unknown as Sql)
    assert.deepEqual([after?.owed, after?.negative], [before?.owed, 1])
  })
})

test('trial balance: each currency sums to zero; clients: what each is owed', async () => {
  const { rows } = JSON.parse(await run('report', 'trial-balance', '--json'))
  const sum = rows
    .filter((row: { currency: string }) => row.currency === 'USD')
    .reduce(
      (total: bigint, { amount }: { amount: string }) => total + BigInt(amount.replace('.', '')),
      0n,
    )
  assert.equal(sum, 0n)
  const clients = JSON.parse(await run('report', 'clients', '--json')).rows
  const mine = clients.find(
    (row: { account: string }) => row.account === account.account.account_id,
  )
  assert.equal(mine.owed, '1006.00')
  const csv = await run('report', 'clients', '--csv')
  assert.match(csv, /^account,currency,available,in_transit,owed\r\n/)
})

test('month with a line without a note, or a missing statement: refused; then closed, once and in order', async () => {
  await giveLines(owner, CLIENTS, [{ amount: -50n, day: `${LAST_MONTH}-15`, text: 'fee' }])
  const check = JSON.parse(await run('month', 'check', LAST_MONTH, '--json'))
  assert.deepEqual(
    [...new Set(check.map(({ what }: { what: string }) => what))],
    ['statement_missing', 'line_without_note'],
  )
  assert.match(await refused('month', 'close', LAST_MONTH), /usd_\w+: no statement covers/)
  for (const name of ['usd_own', 'usd_clients']) {
    const end = [{ amount: 1n, day: `${LAST_MONTH}-31` }]
    await giveLines(owner, { name, currency: 'USD' }, end)
  }
  assert.match(await refused('month', 'close', LAST_MONTH), /line_\d+: an open line without a note/)
  await owner`insert into case_notes (of, row_id, by, note)
    select 'line', id, 'olga', 'known' from bank_lines where booked_on <= ${`${LAST_MONTH}-31`}::date`
  const closed = JSON.parse(await run('month', 'close', LAST_MONTH, '--json'))
  assert.match(closed.sha256, /^[0-9a-f]{64}$/)
  const [own] = await owner<{ cuts: string }[]>`
    select encode(sha256(convert_to(string_agg(account_id || ' ' || number, E'\\n'
      order by account_id), 'UTF8')), 'hex') as cuts from account_cursors`
  assert.equal(closed.cuts, own?.cuts)
  assert.match(await refused('month', 'close', LAST_MONTH), /2026-01 is closed/)
  assert.match(await refused('month', 'close', '2025-12'), /Months close in order/)
  assert.match(await refused('month', 'close', month), /is not over/)
  for (const words of [
    'month check 0000-01',
    'month close x',
    'safeguarding list --month 0000-01',
  ]) {
    assert.match(await refused(...words.split(' ')), /is no month, such as 2026-11/)
  }
  const late = ['house', 'transfer', 'USD', '1.00', '--from', 'usd_own', '--to', 'usd_clients']
  assert.match(
    await refused(...late, '--value-on', `${LAST_MONTH}-20`),
    /--value-on: its month is closed/,
  )
  const [fee] = await owner<{ id: bigint }[]>`select id from bank_lines where text = 'fee'`
  await run('nostro', 'book', `line_${fee?.id}`, '--as', 'cost', '--note', 'Fee of January')
  const [journal] = JSON.parse(await run('house', 'list', '--json'))
  assert.equal(journal.value_on, '2026-02-01', 'a late line is of the first open day')
})

test('deal and its reversal: two nostros, the position of each currency, and zero after', async () => {
  await run('nostro', 'add', 'eur_main', 'EUR', '0')
  const deal = [
    'house',
    'deal',
    '--from',
    'usd_own',
    '--sell-currency',
    'USD',
    '--sell-amount',
    '100.00',
  ]
  const words = ['--to', 'eur_main', '--buy-currency', 'EUR', '--buy-amount', '92.13', '--json']
  const { id, postings } = JSON.parse(await run(...deal, ...words))
  assert.equal(postings.length, 4)
  const positions = async () => JSON.parse(await run('report', 'fx', '--json')).rows
  assert.deepEqual(
    (await positions()).map(({ currency, deals }: Record<string, string>) => [currency, deals]),
    [
      ['EUR', '92.13'],
      ['USD', '-100.00'],
    ],
  )
  await run('house', 'reverse', id, '--reason', 'Wrong day')
  assert.match(await refused('house', 'reverse', id, '--reason', 'Again'), /reversed already/)
  assert.ok((await positions()).every(({ open }: { open: string }) => Number(open) === 0))
})
