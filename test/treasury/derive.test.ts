// The house's books: derived from the journals of live accounts, each exactly once, whatever dies
// and however many work at once; and named by verify when somebody changes them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import type { Tag } from '../../src/sql/sql.ts'
import { listPositions, trialBalance } from '../../src/treasury/balance-store.ts'
import { assignAll, deriveSome } from '../../src/treasury/derive.ts'
import { bookHouse, movedOn, reverseHouse } from '../../src/treasury/house.ts'
import { hasItemToCome } from '../../src/treasury/match/return-store.ts'
import { actForTheHouse } from '../../src/treasury/nostro-store.ts'
import { newId } from '../../src/values/id.ts'
import { verify } from '../../src/verify/run.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { bookUsd, reverse } from '../support/service/operate.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { giveLines } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let cli: Cli
before(async () => {
  service = await startTestService()
  owner = service.database.owner
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ payout_type: 'local', fixed_amount: 100n }])
  await service.setRoutes([{}])
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
})
after(async () => {
  await cli.close()
  await service.close()
})

const run = (...words: string[]) => succeed(cli, ...words)

const open = () => service.openAccount({ currencies: ['USD'], sandbox: false })

/** Makes a payout and pays it by hand with this reference of the bank. */
async function payByHand(account: Client, reference: string): Promise<string> {
  const { status, json } = await account.post('/v3/payout', localPayout)
  assert.equal(status, 200, JSON.stringify(json))
  const { id } = json.data
  await run('payout', 'take', id)
  await run('payout', 'transition', id, 'succeeded', '--reference', reference)
  return id
}

/** Derives until nothing is behind. Returns the journals. */
async function deriveAll(most?: bigint): Promise<bigint> {
  for (let sum = 0n; ; ) {
    const { journals } = await deriveSome(service.deps, most)
    if (journals === 0n) return sum
    sum += journals
  }
}

const itemsOf = ({ account }: Client) => owner<Record<string, unknown>[]>`
  select kind, currency, amount, nostro, key, payout_id, value_on::text
  from nostro_items where account_id = ${account.account_id} order by number`

const positionOf = async (name: string) => {
  const found = (await listPositions(owner)).find(({ nostro }) => nostro === name)
  return found ?? assert.fail(`no nostro ${name}`)
}

const problems = async () => {
  const verdict = await verify(owner, { account_id: null, all: true })
  return verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`)
}

const today = () => new Date().toISOString().slice(0, 10)

test('a live account that is funded, pays, is paid back and withdraws: one item each, with the bank’s key', async () => {
  await run('nostro', 'add', 'usd_main', 'USD', '0', '--opening-on', today())
  await run('nostro', 'add', 'usd_pay', 'USD', '1000.00', '--purpose', 'own', '--rails', 'manual')
  const account = await open()
  await bookUsd(service, account, 'funding', 50_000_000n, 'in 2026 1')
  const id = await payByHand(account, 'HK-77 a')
  const mistaken = await bookUsd(service, account, 'withdrawal', -700n, 'out-1')
  await reverse(service, account, mistaken.entries[0].line.id)
  await run('payout', 'transition', id, 'reversed', '--reason', 'account closed')
  await deriveAll()
  const payout = { currency: 'USD', nostro: 'usd_pay', key: 'HK-77A', payout_id: id }
  const booking = { currency: 'USD', nostro: 'usd_main', payout_id: '' }
  const items = await itemsOf(account)
  const amount = items[1]?.amount as bigint
  assert.ok(amount < 0n)
  assert.deepEqual(
    items.map(item => ({ ...item, value_on: undefined })),
    [
      { kind: 'funding', amount: 50_000_000n, key: 'IN20261', ...booking },
      { kind: 'payout', amount, ...payout },
      { kind: 'withdrawal', amount: -700n, key: 'OUT-1', ...booking },
      { kind: 'withdrawal_reversal', amount: 700n, key: 'OUT-1', ...booking },
      { kind: 'payout_return', amount: -amount, ...payout },
    ].map(item => ({ ...item, value_on: undefined })),
  )
  assert.equal((await positionOf('usd_main')).book, 50_000_000n)
  assert.equal((await positionOf('usd_pay')).book, 100_000n)
  assert.deepEqual(await problems(), [])
})

test('many accounts, steps of three journals, four workers at once: each journal counts once', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, open))
  for (const account of accounts) {
    for (let n = 0; n < 5; n += 1) await bookUsd(service, account, 'funding', 1_000n)
  }
  const rounds = await Promise.all(Array.from({ length: 4 }, () => deriveAll(3n)))
  await deriveAll(3n)
  assert.ok(rounds.some(journals => journals > 0n))
  for (const account of accounts) {
    const items = await itemsOf(account)
    assert.deepEqual(
      items.map(({ amount }) => amount),
      Array.from({ length: 5 }, () => 1_000n),
    )
  }
  assert.deepEqual(await problems(), [])
})

test('first account busy for ever: the next one has its turn', async () => {
  const [a, b] = [await open(), await open()].sort((one, other) =>
    one.account.account_id < other.account.account_id ? -1 : 1,
  )
  await deriveAll()
  let after = a?.account.account_id.slice(0, -1) ?? ''
  for (let turn = 0; turn < 2; turn += 1) {
    await bookUsd(service, a ?? assert.fail(), 'funding', 100n)
    if (turn === 0) await bookUsd(service, b ?? assert.fail(), 'funding', 100n)
    after = (await deriveSome(service.deps, 1n, after)).last
  }
  assert.equal((await itemsOf(b ?? assert.fail())).length, 1)
  await deriveAll()
})

test('sandbox with money: no item, no sum', async () => {
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000n } })
  await deriveAll()
  assert.deepEqual(await itemsOf(account), [])
})

test('nostro added after the journals: items of its days get it, earlier ones stay in its opening balance', async () => {
  const account = await service.openAccount({ currencies: ['EUR'], sandbox: false })
  const { account_id } = account.account
  for (const reference of ['E-1', 'E-2']) {
    await run('fund', account_id, 'EUR', '10.00', '--reference', newId('req') + reference)
  }
  await deriveAll()
  await owner.unsafe('alter table nostro_items disable trigger user')
  await owner`update nostro_items set value_on = value_on - 3
    where account_id = ${account_id} and number = 1`
  await owner.unsafe('alter table nostro_items enable trigger user')
  assert.deepEqual(
    (await itemsOf(account)).map(({ nostro }) => nostro),
    ['', ''],
  )
  await run('nostro', 'add', 'eur_main', 'EUR', '10.00', '--opening-on', today())
  assert.equal(await assignAll(service.deps.sql), 1)
  assert.deepEqual(
    (await itemsOf(account)).map(({ nostro }) => nostro),
    ['', 'eur_main'],
  )
  const { bank, book, open_items } = await positionOf('eur_main')
  assert.deepEqual([bank, book, open_items], [1_000n, 2_000n, 1_000n])
  await owner.unsafe('alter table nostro_items disable trigger user')
  await owner`update nostro_items set value_on = value_on + 3
    where account_id = ${account_id} and number = 1`
  await owner.unsafe('alter table nostro_items enable trigger user')
})

test('two nostros for one rail: the item has none until a person says which', async () => {
  await run('nostro', 'add', 'gbp_one', 'GBP', '0')
  await run('nostro', 'add', 'gbp_two', 'GBP', '0')
  const account = await service.openAccount({ currencies: ['GBP'], sandbox: false })
  await run('fund', account.account.account_id, 'GBP', '5.00', '--reference', 'G-1')
  await deriveAll()
  assert.deepEqual(
    (await itemsOf(account)).map(({ nostro }) => nostro),
    [''],
  )
  const named = [
    'fund',
    account.account.account_id,
    'GBP',
    '6.00',
    '--reference',
    'G-2',
    '--nostro',
  ]
  await run(...named, 'gbp_two')
  await deriveAll()
  assert.equal((await itemsOf(account))[1]?.nostro, 'gbp_two')
  for (const [nostro, says] of [
    ['usd_main', /--nostro: usd_main is in USD, not in GBP/],
    ['gbp_none', /there is no nostro gbp_none/],
  ] as const) {
    const { code, stderr } = await cli.run(...named, nostro)
    assert.notEqual(code, 0)
    assert.match(stderr, says)
  }
})

test('journal of the house and its reversal: items on its nostros, and the trial balance sums to zero', async () => {
  const before = await positionOf('usd_main')
  const nostro = { name: 'usd_main', currency: 'USD' }
  const words = { value_on: today(), reference: 'fee', note: 'monthly', by: 'olga' }
  const number = await service.deps.sql.begin(async tx => {
    void actForTheHouse(tx)
    const postings = movedOn(nostro, -1_250n, 'costs')
    return bookHouse(tx, { kind: 'cost', postings, ...words })
  })
  assert.equal((await positionOf('usd_main')).book, before.book - 1_250n)
  const now = () => new Date(Date.now() + 60_000).toISOString()
  const sums = await trialBalance(owner, now())
  assert.equal(sums.find(({ code }) => code === 'costs')?.amount, -1_250n)
  for (const currency of new Set(sums.map(sum => sum.currency))) {
    const own = sums.filter(sum => sum.currency === currency)
    assert.equal(
      own.reduce((sum, { amount }) => sum + amount, 0n),
      0n,
    )
  }
  await service.deps.sql.begin(async tx => {
    void actForTheHouse(tx)
    await reverseHouse(tx, number, { value_on: today(), note: 'wrong', by: 'olga' })
  })
  assert.equal((await positionOf('usd_main')).book, before.book)
  await assert.rejects(
    service.deps.sql.begin(async tx => {
      void actForTheHouse(tx)
      await reverseHouse(tx, number, { value_on: today(), note: 'again', by: 'olga' })
    }),
    /house_journals_undoes_key/,
  )
  assert.deepEqual(await problems(), [])
})

test('trial balance of an instant: the journals before it, and no later one', async () => {
  const account = await open()
  await bookUsd(service, account, 'funding', 111n)
  const [first] = await owner<{ at: string }[]>`
    select max(created_at) as at from journals where account_id = ${account.account.account_id}`
  await bookUsd(service, account, 'funding', 222n)
  await deriveAll()
  const at = first?.at ?? ''
  const [direct] = await owner<{ amount: bigint }[]>`
    select sum(p.amount)::bigint as amount from journals j join accounts a using (account_id)
    cross join unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '), j.amounts)
      as p (code, currency, amount)
    where not a.sandbox and j.created_at < ${at} and p.code = 'available' and p.currency = 'USD'`
  const sums = await trialBalance(owner, at)
  const found = sums.find(({ code, currency }) => code === 'available' && currency === 'USD')
  assert.equal(found?.amount, direct?.amount)
})

const GUARDED = [
  ...['nostro_items', 'account_cursors', 'account_days'],
  ...['nostro_totals', 'nostros', 'house_journals', 'open_days'],
]

/** Each changes one row, as somebody with SQL could, and is undone by the rollback. */
const FAULTS: Readonly<Record<string, { readonly change: string; readonly named: RegExp }>> = {
  'item deleted': {
    change: 'delete from nostro_items where number = 1',
    named: /^nostro_items item of journal 1/,
  },
  'item of another amount': {
    change: 'update nostro_items set amount = amount + 1 where number = 1',
    named: /^nostro_items item of journal 1/,
  },
  'item with the instruction of another payment': {
    change: `update nostro_items set instruction = 'another' where number = 1`,
    named: /^nostro_items item of journal 1/,
  },
  'item on a nostro of another currency': {
    change: `update nostro_items set nostro = 'gbp_one' where number = 1 and currency = 'USD'`,
    named: /^nostro_items item \d+/,
  },
  'cursor set back': {
    change: 'update account_cursors set number = number - 1',
    named: /^account_days /,
  },
  'cursor set on': {
    change: 'update account_cursors set number = number + 1',
    named: /^account_cursors /,
  },
  'sum of a day changed': {
    change: 'update account_days set amount = amount + 1',
    named: /^account_days /,
  },
  'journal of the house changed': {
    change: `update house_journals set note = 'another' where number = 1`,
    named: /^house_journals journal 1/,
  },
  'total of a nostro changed': {
    change: 'update nostro_totals set amount = amount + 1',
    named: /^nostro_totals /,
  },
  'sum of open items of a day changed': {
    change: 'update open_days set count = count + 1',
    named: /^open_days /,
  },
  'opening balance changed': {
    change: `update nostros set opening_balance = 5 where name = 'usd_main'`,
    named: /^nostros .*usd_main/,
  },
}

for (const [name, { change, named }] of Object.entries(FAULTS)) {
  test(`${name} by SQL: verify names the row`, async () => {
    const found = await undone(owner, async tx => {
      for (const table of GUARDED) await tx.unsafe(`alter table ${table} disable trigger user`)
      await tx.unsafe(change)
      const verdict = await verdictIn(tx, true)
      return verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`)
    })
    assert.ok(
      found.some(problem => named.test(problem)),
      found.join('; ') || 'nothing is named',
    )
  })
}

test('line with an id of a payout that came back: an item is to come, by each id, until it is derived', async () => {
  const account = await open()
  await bookUsd(service, account, 'funding', 50_000_000n)
  const id = await payByHand(account, 'HK-78 b')
  await deriveAll()
  const sent = { end_to_end_id: 'A1B2C3D4E5F6G7H', instruction: 'I-0000000078' }
  const uetr = '7a562c67-ca16-48ba-b074-65581be6f078'
  const keys = [
    { end_to_end_id: 'hk-78B' },
    { bank_reference: sent.end_to_end_id.toLowerCase() },
    { instruction: sent.instruction },
    { uetr },
    { end_to_end_id: 'HK-79', instruction: 'I-0000000079' },
  ]
  const lines = await giveLines(
    owner,
    { name: 'usd_main', currency: 'USD' },
    keys.map(key => ({ amount: 100n, ...key })),
  )
  const toCome = async (sql: Tag) => {
    const found: boolean[] = []
    for (const line of lines) found.push(await hasItemToCome(sql, line))
    return found
  }
  assert.deepEqual(await toCome(owner), [false, false, false, false, false], 'nothing is back')
  await run('payout', 'transition', id, 'reversed', '--reason', 'account closed')
  assert.deepEqual(await toCome(owner), [true, false, false, false, false], 'paid by hand')
  const by_rail = await undone(owner, async tx => {
    const of = { account_id: account.account.account_id, payout_id: id }
    await tx`
      insert into payout_attempts (account_id, payout_id, number, rail, uetr, opened_at, asked_at,
        ended_at, ended_as)
      values (${of.account_id}, ${of.payout_id}, 1, 'first_bank', ${uetr}, now(), now(), now(),
        'returned')`
    await tx`
      insert into rail_items (account_id, payout_id, attempt, amount, currency, rail, uetr, payment,
        end_to_end_id, msg_id, payment_information_id, instruction_id, seal_at, closes_at,
        execution_date)
      values (${of.account_id}, ${of.payout_id}, 1, 100, 'USD', 'first_bank', ${uetr}, '{}',
        ${sent.end_to_end_id}, 'FILE000000000078', 'FILE000000000078-1', ${sent.instruction},
        now(), now() + interval '1 hour', current_date)`
    return toCome(tx)
  })
  assert.deepEqual(by_rail, [false, true, true, true, false], 'paid by a rail of files')
  await deriveAll()
  assert.deepEqual(await toCome(owner), [false, false, false, false, false], 'derived')
})
