// The end of a month: what stands against closing it, and what is kept of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { insertClose } from '../../src/treasury/close-store.ts'
import { bookHouse, type HouseJournal, movedOn } from '../../src/treasury/house.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { until } from '../support/service/process.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { giveItems, giveLines } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let cli: Cli
const NOSTRO = { name: 'usd_clients', currency: 'USD' }

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  await run('nostro', 'add', 'usd_clients', 'USD', '0', '--opening-on', '2026-01-01')
})
after(async () => {
  await cli.close()
  await service.close()
})

const run = (...words: string[]) => succeed(cli, ...words)

async function blockers(month: string): Promise<string[]> {
  const rows = JSON.parse(await run('month', 'check', month, '--json'))
  return rows.map(({ what, name }: Record<string, string>) => `${what} ${name}`)
}

/** A line with its item, so that nothing is open. */
async function settled(day: string) {
  const rows = [{ amount: 100n, day }]
  const [[line], [item]] = [
    await giveLines(owner, NOSTRO, rows),
    await giveItems(owner, NOSTRO, rows),
  ]
  const pair = ['--lines', `line_${line}`, '--items', `item_${item}`, '--note', 'Paid in']
  await run('nostro', 'match', ...pair)
}

test('last day without a statement, and a gap before the next one: the month waits until it is proved', async () => {
  await settled('2026-01-30')
  assert.deepEqual(await blockers('2026-01'), ['statement_missing usd_clients'])
  await settled('2026-02-01')
  const state = (state: string) =>
    owner`update bank_statements set state = ${state} where closed_on = '2026-02-01'`
  await state('gap')
  assert.deepEqual(await blockers('2026-01'), ['not_proved usd_clients 2026-02-01'])
  await state('proved')
  assert.deepEqual(await blockers('2026-01'), [])
})

test('item of which no one knows the nostro: the month waits for a note', async () => {
  const [id] = await giveItems(owner, { ...NOSTRO, name: '' }, [{ amount: -5n, day: '2026-01-20' }])
  assert.deepEqual(await blockers('2026-01'), [`item_without_note item_${id}`])
  await run('nostro', 'note', `item_${id}`, '--note', 'Two accounts for one rail')
  assert.deepEqual(await blockers('2026-01'), [])
})

test('journals of the house: in the trial balance of the month of their value date', async () => {
  await run('nostro', 'add', 'eur_main', 'EUR', '0', '--purpose', 'own', '--kind', 'cash')
  const words = ['house', 'deal', '--from', 'usd_clients', '--sell-currency', 'USD']
  const bought = ['--to', 'eur_main', '--buy-currency', 'EUR', '--buy-amount']
  const deal = async (sold: string, eur: string, day: string) => {
    const amounts = ['--sell-amount', sold, ...bought, eur]
    await run(...words, ...amounts, '--value-on', day)
  }
  await deal('10.00', '9.00', '2026-01-31')
  await deal('20.00', '18.00', '2026-02-01')
  await owner`insert into case_notes (of, row_id, by, note)
    select 'item', id, 'olga', 'not at the bank yet' from nostro_items where kind = 'house'`
  await run('month', 'close', '2026-01')
  const [close] = await owner<{ fx: object[] }[]>`
    select jsonb_path_query_array(trial_balance, '$[*] ? (@.code == "fx")') as fx
    from closes where month = '2026-01'`
  assert.deepEqual(close?.fx, [
    { code: 'fx', amount: '900', currency: 'EUR' },
    { code: 'fx', amount: '-1000', currency: 'USD' },
  ])
})

const costs = (value_on: string, or_later?: true): HouseJournal => ({
  ...{ kind: 'cost', value_on, reference: '', note: 'Fee', by: 'olga' },
  ...(or_later ? { or_later } : {}),
  postings: movedOn(NOSTRO, -300n, 'costs'),
})

/** Whether the work waits for its turn; false once it has ended without waiting. */
async function waits(work: Promise<unknown>): Promise<boolean> {
  let ended = false
  const end = () => {
    ended = true
  }
  work.then(end, end)
  const waiting = () =>
    service.deps.sql`select from pg_locks where not granted and locktype = 'advisory'`
  let blocked = false
  await until('it waits or ends', async () => {
    blocked = (await waiting()).length > 0
    return blocked || ended
  })
  return blocked
}

test('month that closes while a journal of the house enters it: has the journal, or refuses it', async () => {
  await settled('2026-02-28')
  await owner`insert into case_notes (of, row_id, by, note)
    select 'item', id, 'olga', 'not at the bank yet' from nostro_items where match is null`
  const closing = await owner.begin(async tx => {
    await bookHouse(tx, costs('2026-02-10'))
    const closed = cli.run('month', 'close', '2026-02')
    assert.equal(await waits(closed), true)
    return () => closed
  })
  const { stderr } = await closing()
  assert.match(stderr, /item_\d+: an open item without a note/)
  await owner`insert into case_notes (of, row_id, by, note)
    select 'item', max(id), 'olga', 'a fee' from nostro_items`
  const [closed, behind] = await owner.begin(async tx => {
    await tx`lock table closes in exclusive mode`
    const closed = cli.run('month', 'close', '2026-02')
    const stops = () => service.deps.sql`
      select from pg_locks where not granted and relation = 'closes'::regclass`
    await until('the close has its turn', async () => (await stops()).length > 0)
    const behind = owner.begin(other => bookHouse(other, costs('2026-02-10')))
    assert.equal(await waits(behind), true)
    return [() => closed, () => behind] as const
  })
  await assert.rejects(behind(), { constraint_name: 'month_is_open' })
  assert.equal((await closed()).code, 0)
  const [late, moved] = await owner.begin(async tx => {
    await insertClose(tx, {
      month: '2026-03',
      by: 'olga',
      trial_balance: [],
      positions: [],
      cuts: '0'.repeat(64),
    })
    const book = (journal: HouseJournal) => owner.begin(other => bookHouse(other, journal))
    const [late, moved] = [book(costs('2026-03-10')), book(costs('2026-03-10', true))]
    late.catch(() => {})
    assert.equal(await waits(Promise.race([late, moved])), true)
    return [() => late, () => moved] as const
  })
  await assert.rejects(late(), { constraint_name: 'month_is_open' })
  const number = await moved()
  const [journal] = await owner<{ value_on: string }[]>`
    select value_on::text from house_journals where number = ${number}`
  assert.equal(journal?.value_on, '2026-04-01')
})
