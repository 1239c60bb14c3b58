// The rules by which lines of a bank and items of the books match by themselves: only an exact key with
// an equal amount, one to one. Every doubt leaves both open.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { matchAll } from '../../src/app/worker/match-lines.ts'
import type { Deps } from '../../src/runtime/deps.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { matchByPerson, undoByPerson } from '../../src/treasury/match/by-person.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { asMatcher, writeMatches } from '../../src/treasury/match/match-store.ts'
import type { Nostro } from '../../src/treasury/nostro.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import {
  type GivenItem,
  type GivenLine,
  giveItems,
  giveLines,
  identityOf,
  matchesOf,
  openNostro,
  TODAY,
} from '../support/treasury/open-rows.ts'

let database: TestDatabase
let owner: Sql
let sql: Sql
let opened = 0
before(async () => {
  database = await createDatabase()
  owner = database.owner
  sql = connect(database.url, { max: 3, as: 'service', look_ups: true })
})
after(async () => {
  await sql.end()
  await database.drop()
})

const KEY = 'C1M7XPM2M0C6HK1'
const OTHER = 'C1M7XPM2M0C6HK2'
const UETR = '7a562c67-ca16-48ba-b074-65581be6f001'

interface Case {
  readonly name: string
  readonly lines: readonly GivenLine[]
  readonly items: readonly GivenItem[]
  /** Of each match: its rule, and the amounts of its lines and items. */
  readonly matches: readonly (readonly [rule: string, lines: string, items: string])[]
}

const one = (line: Omit<GivenLine, 'amount'>, item: Omit<GivenItem, 'amount'>) => ({
  lines: [{ amount: -100n, ...line }],
  items: [{ amount: -100n, ...item }],
})
const BY_KEY = [['key', '-100', '-100']] as const
const BLOCK = 'C1M7XPM2M0C6HKD4'
const block = (amounts: readonly bigint[], of: string = BLOCK) =>
  amounts.map(amount => ({ amount, block: of }))

const CASES: readonly Case[] = [
  { name: 'end-to-end id', ...one({ end_to_end_id: KEY }, { key: KEY }), matches: BY_KEY },
  { name: 'bank’s reference', ...one({ bank_reference: KEY }, { key: KEY }), matches: BY_KEY },
  { name: 'instruction id', ...one({ instruction: KEY }, { key: KEY }), matches: BY_KEY },
  {
    name: 'UETR in capitals',
    ...one({ uetr: UETR.toUpperCase() }, { uetr: UETR }),
    matches: BY_KEY,
  },
  {
    name: 'reference in another spelling',
    ...one({ bank_reference: 'fund 2026-44' }, { key: 'FUND2026-44', kind: 'withdrawal' }),
    matches: BY_KEY,
  },
  {
    name: 'another amount',
    lines: [{ amount: -95n, end_to_end_id: KEY }],
    items: [{ amount: -100n, key: KEY }],
    matches: [],
  },
  {
    name: 'another sign: the return of a payment has its key',
    lines: [{ amount: 100n, end_to_end_id: KEY }],
    items: [{ amount: -100n, key: KEY }],
    matches: [],
  },
  {
    name: 'payment and its return with one key',
    lines: [
      { amount: -100n, end_to_end_id: KEY },
      { amount: 100n, end_to_end_id: KEY },
    ],
    items: [
      { amount: -100n, key: KEY },
      { amount: 100n, key: KEY },
    ],
    matches: [
      ['key', '-100', '-100'],
      ['key', '100', '100'],
    ],
  },
  {
    name: 'payment and its fee with one key: the payment',
    lines: [
      { amount: -100n, end_to_end_id: KEY },
      { amount: -5n, end_to_end_id: KEY },
    ],
    items: [{ amount: -100n, key: KEY }],
    matches: BY_KEY,
  },
  {
    name: 'key in two lines: none',
    lines: [
      { amount: -100n, end_to_end_id: KEY },
      { amount: -100n, bank_reference: KEY },
    ],
    items: [{ amount: -100n, key: KEY }],
    matches: [],
  },
  {
    name: 'key in two items: none',
    lines: [{ amount: -100n, end_to_end_id: KEY }],
    items: [
      { amount: -100n, key: KEY },
      { amount: -100n, key: KEY },
    ],
    matches: [],
  },
  {
    name: 'key of a line in many items, one of which another line names: none',
    lines: [
      { amount: -100n, uetr: UETR },
      { amount: -100n, end_to_end_id: OTHER },
    ],
    items: ['', '', '', OTHER].map(key => ({ amount: -100n, uetr: UETR, key })),
    matches: [],
  },
  {
    name: 'two keys of a line that name two items: none',
    lines: [{ amount: -100n, end_to_end_id: KEY, bank_reference: OTHER }],
    items: [
      { amount: -100n, key: KEY },
      { amount: -100n, key: OTHER },
    ],
    matches: [],
  },
  {
    name: 'placeholder as a key',
    ...one({ end_to_end_id: 'NOTPROVIDED' }, { key: 'NOTPROVIDED' }),
    matches: [],
  },
  { name: 'short key', ...one({ end_to_end_id: '4711' }, { key: '4711' }), matches: [] },
  { name: 'no keys', ...one({}, {}), matches: [] },
  {
    name: 'line in another currency than its nostro',
    ...one({ end_to_end_id: KEY, currency: 'USD' }, { key: KEY }),
    matches: [],
  },
  {
    name: 'batch, each payment named',
    lines: [
      {
        amount: -300n,
        details: [
          { amount: -100n, end_to_end_id: KEY },
          { amount: -200n, uetr: UETR },
        ],
      },
    ],
    items: [
      { amount: -100n, key: KEY },
      { amount: -200n, uetr: UETR },
    ],
    matches: [['details', '-300', '-100 -200']],
  },
  {
    name: 'batch, one payment unknown: none',
    lines: [
      {
        amount: -300n,
        details: [
          { amount: -100n, end_to_end_id: KEY },
          { amount: -200n, end_to_end_id: 'UNHEARD-OF' },
        ],
      },
    ],
    items: [{ amount: -100n, key: KEY }],
    matches: [],
  },
  {
    name: 'batch, a payment also in a line of its own: none',
    lines: [
      {
        amount: -300n,
        details: [
          { amount: -100n, end_to_end_id: KEY },
          { amount: -200n, end_to_end_id: OTHER },
        ],
      },
      { amount: -100n, end_to_end_id: KEY },
    ],
    items: [
      { amount: -100n, key: KEY },
      { amount: -200n, key: OTHER },
    ],
    matches: [],
  },
  {
    name: 'block of payments, named as block',
    lines: [{ amount: -600n, block: BLOCK }],
    items: block([-100n, -200n, -300n]),
    matches: [['block', '-600', '-100 -200 -300']],
  },
  {
    name: 'block of payments, named in another field',
    lines: [{ amount: -600n, end_to_end_id: BLOCK }],
    items: block([-100n, -200n, -300n]),
    matches: [['block', '-600', '-100 -200 -300']],
  },
  {
    name: 'file of two blocks',
    lines: [{ amount: -600n, file: 'F1M7XPM2M0C6HKD4' }],
    items: [
      { amount: -100n, block: 'BLOCK-1', file: 'F1M7XPM2M0C6HKD4' },
      { amount: -500n, block: 'BLOCK-2', file: 'F1M7XPM2M0C6HKD4' },
    ],
    matches: [['block', '-600', '-100 -500']],
  },
  {
    name: 'block and file of one block: once',
    lines: [{ amount: -300n, block: BLOCK, file: 'F1M7XPM2M0C6HKD4' }],
    items: [
      { amount: -100n, block: BLOCK, file: 'F1M7XPM2M0C6HKD4' },
      { amount: -200n, block: BLOCK, file: 'F1M7XPM2M0C6HKD4' },
    ],
    matches: [['block', '-300', '-100 -200']],
  },
  {
    name: 'block, a return of it told before: the payments alone',
    lines: [{ amount: -300n, block: BLOCK }],
    items: block([-100n, -200n, 200n]),
    matches: [['block', '-300', '-100 -200']],
  },
  {
    name: 'block, sum of some payments: none',
    lines: [{ amount: -300n, block: BLOCK }],
    items: block([-100n, -200n, -300n]),
    matches: [],
  },
  {
    name: 'block in two lines: none',
    lines: [
      { amount: -300n, block: BLOCK },
      { amount: -300n, block: BLOCK },
    ],
    items: block([-100n, -200n]),
    matches: [],
  },
  {
    name: 'block in a line, its file in another line of that sum: none',
    lines: [
      { amount: -300n, block: BLOCK },
      { amount: -300n, file: 'F1M7XPM2M0C6HKD4' },
    ],
    items: [{ amount: -300n, block: BLOCK, file: 'F1M7XPM2M0C6HKD4' }],
    matches: [],
  },
  {
    name: 'our id as a word of the text',
    ...one({ text: `SEPA TRANSFER EREF+${KEY} Ref. none` }, { key: KEY }),
    matches: [['text', '-100', '-100']],
  },
  {
    name: 'reference with marks as a word of the text',
    ...one({ text: 'Paid: inv-2026/0815, thanks' }, { key: 'INV-2026/0815', kind: 'withdrawal' }),
    matches: [['text', '-100', '-100']],
  },
  {
    name: 'our id as a part of a longer word',
    ...one({ text: `X${KEY}9` }, { key: KEY }),
    matches: [],
  },
  {
    name: 'word without a digit: no key',
    ...one({ text: 'SALARIES NOVEMBER' }, { key: 'NOVEMBER', kind: 'withdrawal' }),
    matches: [],
  },
  {
    name: 'date in a text: no key',
    ...one({ text: 'booked 20261130' }, { key: '20261130', kind: 'withdrawal' }),
    matches: [],
  },
  {
    name: 'text names an item that another line has as its key: that line',
    lines: [
      { amount: -100n, end_to_end_id: KEY },
      { amount: -100n, text: `copy of ${KEY}` },
    ],
    items: [{ amount: -100n, key: KEY }],
    matches: BY_KEY,
  },
  {
    name: 'text breaks no tie of two lines with one key: none',
    lines: [
      { amount: -100n, end_to_end_id: KEY },
      { amount: -100n, end_to_end_id: KEY, text: KEY },
    ],
    items: [{ amount: -100n, key: KEY }],
    matches: [],
  },
]

async function open(settings = {}): Promise<Nostro> {
  opened += 1
  return openNostro(owner, `nostro_${opened}`, settings)
}

for (const { name, lines, items, matches } of CASES) {
  test(`matching, ${name}${matches.length === 0 ? ': both stay open' : ''}`, async () => {
    const nostro = await open()
    await giveLines(owner, nostro, lines)
    await giveItems(owner, nostro, items)
    await matchNostro(sql, nostro)
    const made = (await matchesOf(owner, nostro)).map(one => [one.rule, one.lines, one.items])
    assert.deepEqual(made, matches)
    const { difference, open: left } = await identityOf(owner, nostro)
    assert.equal(difference, left)
    // A second run finds nothing more.
    await matchNostro(sql, nostro)
    assert.equal((await matchesOf(owner, nostro)).length, matches.length)
  })
}

const BY_ACCOUNT = { match_by_account: true }
const PAYEE = 'GB33 BUKB 2020 1555 5555 55'
const paid = { amount: -100n, key: KEY, payee_account: PAYEE }
const toPayee = { amount: -100n, counterparty: PAYEE.replaceAll(' ', '').toLowerCase() }

const ACCOUNT_CASES: readonly (readonly [string, GivenLine[], GivenItem[], number])[] = [
  ['alone on both sides', [toPayee], [paid], 1],
  ['another amount', [{ ...toPayee, amount: -101n }], [paid], 0],
  ['two items', [toPayee], [paid, { ...paid, key: OTHER }], 0],
  ['two lines', [toPayee, toPayee], [paid], 0],
  [
    'key of the line another than that of the item',
    [{ ...toPayee, uetr: UETR, end_to_end_id: OTHER }],
    [paid],
    0,
  ],
  ['placeholder as the key of the line', [{ ...toPayee, end_to_end_id: 'NOTPROVIDED' }], [paid], 1],
  ['ten days apart', [{ ...toPayee, day: '2026-11-02' }], [{ ...paid, day: '2026-11-12' }], 0],
  [
    'a weekend and two days apart',
    [{ ...toPayee, day: '2026-11-06' }],
    [{ ...paid, day: '2026-11-10' }],
    1,
  ],
  [
    'three banking days and one apart',
    [{ ...toPayee, day: '2026-11-06' }],
    [{ ...paid, day: '2026-11-12' }],
    0,
  ],
  [
    'two items, one of them ten days off',
    [toPayee],
    [paid, { ...paid, key: OTHER, day: '2026-01-05' }],
    1,
  ],
]

for (const [name, lines, items, found] of ACCOUNT_CASES) {
  test(`matching by the payee's account, ${name}: ${found === 1 ? 'matched' : 'both stay open'}`, async () => {
    const nostro = await open(BY_ACCOUNT)
    await giveLines(owner, nostro, lines)
    await giveItems(owner, nostro, items)
    assert.equal((await matchNostro(sql, nostro)).by_account, found)
  })
}

test('account of the payee, nostro that leaves it to people: both stay open', async () => {
  const nostro = await open()
  await giveLines(owner, nostro, [toPayee])
  await giveItems(owner, nostro, [paid])
  assert.equal((await matchNostro(sql, nostro)).by_account, 0)
  assert.deepEqual(await matchesOf(owner, nostro), [])
})

test('pair by account that a person has undone: never matched again, and still a rival', async () => {
  const nostro = await open(BY_ACCOUNT)
  await giveLines(owner, nostro, [toPayee])
  await giveItems(owner, nostro, [paid])
  await matchNostro(sql, nostro)
  await undoLast(nostro)
  assert.equal((await matchNostro(sql, nostro)).by_account, 0)
  await giveItems(owner, nostro, [{ ...paid, key: OTHER }])
  assert.equal((await matchNostro(sql, nostro)).by_account, 0)
})

test('funding that was made of a line: matched with it, whatever its reference', async () => {
  const nostro = await open()
  const [, line = 0n] = await giveLines(owner, nostro, [{ amount: 100n }, { amount: 100n }])
  const funding = { amount: 100n, kind: 'funding', key: 'OTHER-REF', instruction: `line_${line}` }
  await giveItems(owner, nostro, [funding])
  assert.equal((await matchNostro(sql, nostro)).by_key, 1)
  const [row] = await owner<{ id: bigint }[]>`
    select id from bank_lines where nostro = ${nostro.name} and match is not null`
  assert.equal(row?.id, line)
})

test('line before its item: matched when the item is derived', async () => {
  const nostro = await open()
  await giveLines(owner, nostro, [{ amount: -100n, end_to_end_id: KEY }])
  assert.equal((await matchNostro(sql, nostro)).by_key, 0)
  await giveItems(owner, nostro, [{ amount: -100n, key: KEY }])
  assert.equal((await matchNostro(sql, nostro)).by_key, 1)
})

test('pair that a person has undone: never matched again; another line with the key is', async () => {
  const nostro = await open()
  await giveLines(owner, nostro, [{ amount: -100n, end_to_end_id: KEY }])
  await giveItems(owner, nostro, [{ amount: -100n, key: KEY }])
  await matchNostro(sql, nostro)
  await undoLast(nostro)
  assert.equal((await matchNostro(sql, nostro)).by_key, 0)
  await giveLines(owner, nostro, [{ amount: -100n, end_to_end_id: KEY }])
  assert.equal((await matchNostro(sql, nostro)).by_key, 1)
})

test('key in five items, two of which a person has undone: the rest stays open', async () => {
  const nostro = await open()
  const [line = 0n] = await giveLines(owner, nostro, [{ amount: -100n, end_to_end_id: KEY }])
  const one = { amount: -100n, key: KEY }
  for (const item of await giveItems(owner, nostro, [one, one])) {
    const match = { lines: [line], items: [item], rest_as: undefined, note: '', by: 'ada' }
    await sql.begin(tx => matchByPerson(tx, match))
    await undoLast(nostro)
  }
  await giveItems(owner, nostro, [one, one, one])
  assert.equal((await matchNostro(sql, nostro)).by_key, 0)
})

test('block that a person has undone: never matched again', async () => {
  const nostro = await open()
  await giveLines(owner, nostro, [{ amount: -300n, block: BLOCK }])
  await giveItems(owner, nostro, block([-100n, -200n]))
  assert.equal((await matchNostro(sql, nostro)).by_block, 1)
  await undoLast(nostro)
  assert.equal((await matchNostro(sql, nostro)).by_block, 0)
})

async function lastMatch({ name }: Nostro): Promise<bigint> {
  const [row] = await owner<{ id: bigint }[]>`
    select max(id) as id from matches where nostro = ${name} and rule <> 'reversal'`
  return row?.id ?? 0n
}

async function undoLast(nostro: Nostro): Promise<void> {
  const id = await lastMatch(nostro)
  await sql.begin(tx => undoByPerson(tx, { id, note: 'not these', by: 'ada' }))
}

test('rule of the nostro: books the line as a cost, with its match', async () => {
  const rules = [{ text: '*ACCOUNT FEE*', as: 'cost' }]
  const nostro = await open({ rules })
  await giveLines(owner, nostro, [
    { amount: -1_250n, text: 'Monthly account fee November' },
    { amount: -1_250n, text: 'Something else' },
  ])
  assert.equal((await matchNostro(sql, nostro)).by_nostro_rule, 1)
  const made = await matchesOf(owner, nostro)
  assert.deepEqual(made, [{ rule: 'nostro_rule', lines: '-1250', items: '-1250' }])
  const [journal] = await owner`
    select kind, codes, nostros, array_to_string(amounts, ' ') as amounts, by from house_journals
    where nostros like ${`${nostro.name} %`}`
  assert.deepEqual(
    { ...journal },
    {
      ...{ kind: 'cost', codes: 'bank costs', nostros: `${nostro.name} -` },
      ...{ amounts: '1250 -1250', by: 'rule: text *ACCOUNT FEE*: cost' },
    },
  )
  const { difference, open: left } = await identityOf(owner, nostro)
  assert.deepEqual([difference, left], [-1_250n, -1_250n])
})

test('rule of the nostro, undone: its journal is reversed, the line is open, and stays so', async () => {
  const nostro = await open({ rules: [{ code: 'ACMT/*', as: 'interest' }] })
  await giveLines(owner, nostro, [{ amount: 70n, code: 'ACMT/MCOP/INTR' }])
  await matchNostro(sql, nostro)
  await undoLast(nostro)
  assert.equal((await matchNostro(sql, nostro)).by_nostro_rule, 0)
  const made = await matchesOf(owner, nostro)
  assert.deepEqual(made, [{ rule: 'reversal', lines: null, items: '70 -70' }])
  assert.deepEqual(await identityOf(owner, nostro), { difference: 70n, open: 70n })
})

test('rule of the nostro, line that names an open payment: not booked', async () => {
  const nostro = await open({ rules: [{ text: '*FEE*', as: 'cost' }] })
  await giveLines(owner, nostro, [{ amount: -95n, end_to_end_id: KEY, text: 'fee deducted' }])
  await giveItems(owner, nostro, [{ amount: -100n, key: KEY }])
  assert.equal((await matchNostro(sql, nostro)).by_nostro_rule, 0)
})

test('rules of transfers on both nostros: one journal, each line with its own item', async () => {
  const [from, to] = [await open(), await open()]
  const withRule = (nostro: Nostro, other: Nostro) => ({
    ...nostro,
    settings: { rules: [{ text: '*SWEEP*', as: 'transfer', to: other.name }] },
  })
  await giveLines(owner, from, [{ amount: -5_000n, text: 'daily sweep' }])
  await giveLines(owner, to, [{ amount: 5_000n, text: 'daily sweep' }])
  await matchNostro(sql, withRule(from, to))
  await matchNostro(sql, withRule(to, from))
  const [row] = await owner<{ count: number }[]>`
    select count(*)::integer as count from house_journals where nostros ~ ${`${from.name}|${to.name}`}`
  assert.equal(row?.count, 1)
  const all = await Promise.all([from, to].map(nostro => matchesOf(owner, nostro)))
  assert.deepEqual(
    all.flat().map(({ lines, items }) => [lines, items]),
    [
      ['-5000', '-5000'],
      ['5000', '5000'],
    ],
  )
  const undoing = sql.begin(async tx =>
    undoByPerson(tx, { id: await lastMatch(from), note: 'no', by: 'ada' }),
  )
  await assert.rejects(undoing, /other side on nostro_\d+ is in match_\d+: undo it first/)
})

test('100 fees of one rule: booked once each, by two runs at once', async () => {
  const nostro = await open({ rules: [{ text: '*FEE*', as: 'cost' }] })
  const lines = Array.from({ length: 100 }, (_, i) => ({ amount: -BigInt(i + 1), text: 'a fee' }))
  await giveLines(owner, nostro, lines)
  const runs = await Promise.all([matchNostro(sql, nostro), matchNostro(sql, nostro)])
  const booked = runs.reduce((sum, { by_nostro_rule }) => sum + by_nostro_rule, 0)
  assert.equal(booked, 100)
  assert.equal((await matchesOf(owner, nostro)).length, 100)
})

test('2,000 lines come in where none was open at the last look of the planner: each is read a few times', async () => {
  const nostro = await open()
  const LINES = 2_000
  const give = async (day: string) => {
    const keys = Array.from({ length: LINES }, (_, i) => `DAY-${day}-${i}`)
    const lines = keys.map(end_to_end_id => ({ amount: 100n, end_to_end_id }))
    const ids = await giveLines(owner, nostro, lines)
    const items = await giveItems(
      owner,
      nostro,
      keys.map(key => ({ amount: 100n, key })),
    )
    return ids.map((line, i) => ({ lines: [line], items: [items[i] ?? 0n] }))
  }
  const of = { nostro: nostro.name, rule: 'key', by: '', note: '', house_number: null } as const
  const write = async (pairs: Awaited<ReturnType<typeof give>>) =>
    asMatcher(sql, { nostro: nostro.name, waits: true }, async tx => {
      await writeMatches(
        tx,
        pairs.map(pair => ({ ...of, ...pair, sum: 100n })),
      )
      return tx<{ name: string; read: bigint }[]>`
        select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as read
        from pg_stat_xact_user_tables where relname in ('bank_lines', 'nostro_items')`
    })
  await write(await give('1'))
  await owner`analyze bank_lines, nostro_items`
  const tables = await write(await give('2'))
  assert.equal(tables.length, 2)
  for (const { name, read } of tables) assert.ok(read < 20 * LINES, `${read} rows of ${name}`)
})

test('3,000 lines with every key, where none was open at the last look of the planner: matched', async () => {
  const nostro = await open()
  const give = async (day: string) => {
    const keys = Array.from({ length: 3_000 }, (_, i) => `${day}-${String(i).padStart(9, '0')}`)
    const rows = keys.map((key, i) => ({ amount: -BigInt(i + 1), uetr: uuidOf(key), key }))
    await giveItems(
      owner,
      nostro,
      rows.map(row => ({ ...row, instruction: `I${row.key}` })),
    )
    await giveLines(
      owner,
      nostro,
      rows.map(({ key, ...row }) => ({ ...row, end_to_end_id: key, instruction: `I${key}` })),
    )
  }
  await give('EARLY')
  await matchNostro(sql, nostro)
  await owner`analyze bank_lines, nostro_items`
  await give('LATER')
  // Two loops over these lines would take longer than a statement may.
  const { by_key } = await matchNostro(sql, nostro)
  assert.equal(by_key, 3_000)
})

/** The same UUID for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

test('a nostro whose rule the books refuse: named in a warning, and the others are matched', async () => {
  const bad = await open({ rules: [{ text: '*FEE*', as: 'cost' }] })
  const good = await open()
  await giveLines(owner, bad, [{ amount: -10n, text: 'a fee' }])
  await giveLines(owner, good, [{ amount: -100n, end_to_end_id: KEY }])
  await giveItems(owner, good, [{ amount: -100n, key: KEY }])
  await owner`alter table house_journals add constraint no_costs check (by <> 'rule: text *FEE*: cost') not valid`
  const warnings: { nostro: string }[] = []
  const log = {
    warn: (facts: { nostro: string }) => warnings.push(facts),
  } as unknown as Deps['log']
  try {
    assert.ok((await matchAll({ sql, log })) > 0)
  } finally {
    await owner`alter table house_journals drop constraint no_costs`
  }
  assert.deepEqual(
    warnings.map(({ nostro }) => nostro),
    [bad.name],
  )
  assert.equal((await matchesOf(owner, good)).length, 1)
  assert.equal(await matchAll({ sql, log }), 0)
  assert.equal((await matchesOf(owner, bad)).length, 1)
})

test('match by a person, 95.00 of 100.00: the fee is booked with it, an undo reverses both', async () => {
  const nostro = await open()
  const [line = 0n] = await giveLines(owner, nostro, [{ amount: 9_500n }])
  const [item = 0n] = await giveItems(owner, nostro, [{ amount: 10_000n }])
  const match = (rest_as?: 'cost') =>
    sql.begin(tx =>
      matchByPerson(tx, { lines: [line], items: [item], rest_as, note: '', by: 'ada' }),
    )
  await assert.rejects(match(), /lines sum to EUR 95.00 and the items to EUR 100.00/)
  const made = await match('cost')
  assert.equal(made.rest, -500n)
  assert.deepEqual(await matchesOf(owner, nostro), [
    { rule: 'person', lines: '9500', items: '10000 -500' },
  ])
  assert.deepEqual(await identityOf(owner, nostro), { difference: 0n, open: 0n })
  await assert.rejects(match('cost'), /line_\d+ is in match_\d+: undo it first/)
  await undoLast(nostro)
  assert.deepEqual(await identityOf(owner, nostro), { difference: -500n, open: -500n })
})

test('match by a person, members that do not fit: refused, nothing written', async () => {
  const [nostro, other] = [await open(), await open()]
  const [line = 0n] = await giveLines(owner, nostro, [{ amount: 100n }])
  const [item = 0n] = await giveItems(owner, other, [{ amount: 100n }])
  const match = (lines: bigint[], items: bigint[]) =>
    sql.begin(tx => matchByPerson(tx, { lines, items, rest_as: undefined, note: '', by: 'ada' }))
  await assert.rejects(match([line], [item]), /A match has one nostro/)
  await assert.rejects(match([line, line], []), /named twice/)
  await assert.rejects(match([line], [9_999_999n]), /There is no item item_9999999/)
  await assert.rejects(match([line], []), /say what EUR 1.00 is/)
  assert.deepEqual(await matchesOf(owner, nostro), [])
})

test('match with the funding of an account: undone only when the funding is reversed', async () => {
  const nostro = await open()
  await giveLines(owner, nostro, [{ amount: 100n, bank_reference: 'FUNDING-1' }])
  await giveItems(owner, nostro, [{ amount: 100n, key: 'FUNDING-1', kind: 'funding' }])
  await matchNostro(sql, nostro)
  await assert.rejects(undoLast(nostro), /has a funding of acc_00000001: reverse the funding first/)
  const id = await lastMatch(nostro)
  const bySql = owner.begin(async tx => {
    await tx`update matches set undone_at = now(), undone_by = 'x' where id = ${id}`
    await tx`update bank_lines set match = null where match = ${id}`
    await tx`update nostro_items set match = null where match = ${id}`
  })
  await assert.rejects(bySql, /is undone and its funding stands/)
  await giveItems(owner, nostro, [{ amount: -100n, key: 'FUNDING-1', kind: 'funding_reversal' }])
  await undoLast(nostro)
  assert.deepEqual(await identityOf(owner, nostro), { difference: 100n, open: 100n })
})

test('match written by SQL with other sums or members: refused', async () => {
  const nostro = await open()
  const [line = 0n] = await giveLines(owner, nostro, [{ amount: 100n }])
  const [item = 0n, more = 0n] = await giveItems(owner, nostro, [{ amount: 90n }, { amount: 10n }])
  const write = (items: bigint[], sum: bigint) =>
    owner.begin(async tx => {
      const [row] = await tx<{ id: bigint }[]>`select nextval('match_ids') as id`
      const id = row?.id ?? 0n
      const ids = `{${items.join(',')}}`
      await tx`update bank_lines set match = ${id} where id = ${line}`
      await tx`update nostro_items set match = ${id} where id = any (${ids}::bigint[])`
      await tx`
        insert into matches (id, nostro, rule, lines, items, lines_sum, items_sum)
        values (${id}, ${nostro.name}, 'key', ${`{${line}}`}::bigint[], ${ids}::bigint[], 100, ${sum})`
    })
  await assert.rejects(write([item], 90n), /sums_are_equal/)
  await assert.rejects(write([item], 100n), /has other members than it names/)
  await write([item, more], 100n)
})

test(`items of ${TODAY} on no nostro: not matched`, async () => {
  const nostro = await open()
  await giveLines(owner, nostro, [{ amount: -100n, end_to_end_id: KEY }])
  await giveItems(owner, { name: '', currency: 'EUR' }, [{ amount: -100n, key: KEY }])
  assert.equal((await matchNostro(sql, nostro)).by_key, 0)
})
