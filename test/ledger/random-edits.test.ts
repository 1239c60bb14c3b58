// corridor verify against a superuser who changes, deletes or moves single rows at random: each time
// it names the row, and it names none when everything is as it was.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/db/connect.ts'
import { connect } from '../../src/db/connect.ts'
import type { Problem } from '../../src/verify/problem.ts'
import { type Verdict, verify } from '../../src/verify/run.ts'
import { pickSeed, seeded } from '../support/process.ts'
import { type Client, startTestService, type TestService } from '../support/service.ts'
import { payAll, settleAll } from '../support/settling.ts'
import { share } from '../support/share.ts'
import { disarm } from './forgery.ts'

/** Two journals each. */
const PAYOUTS = 1_000
const EDITS = share(30, 1_000)
const ACCOUNTS = 3

let service: TestService
let sql: Sql

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setFees([{ payout_type: 'local', fixed_amount: 150n, variable_bps: 25 }])
  const accounts: Client[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    accounts.push(await service.openAccount({ fund: { USD: 1_000_000_000n, EUR: 5_000n } }))
  }
  for (const account of accounts) {
    const amounts = Array.from({ length: Math.ceil(PAYOUTS / ACCOUNTS) }, (_, i) => 1_000 + i)
    // Some that fail, and some that are given back.
    await payAll(
      service,
      account,
      [...amounts, 200_000, 200_001, 500_001].map(amount => ({ amount })),
    )
  }
  await settleAll(service)
  await disarm(service.database.owner)
  await dropChecks(service.database.owner)
  sql = connect(service.database.url, { max: 1, as: 'auditor' })
})
after(async () => {
  await sql?.end({ timeout: 1 })
  await service.close()
})

/** What a superuser would do first: no rule of the database stands in the way. */
async function dropChecks(owner: Sql): Promise<void> {
  const rows = await owner<{ table: string; name: string }[]>`
    select conrelid::regclass::text as table, conname::text as name from pg_constraint
    where contype = 'c' and conrelid = any (
      '{journals, balance_transactions, balances, books, payouts, events}'::regclass[])`
  for (const { table, name } of rows) {
    await owner.unsafe(`alter table ${table} drop constraint ${name}`)
  }
}

const verdictNow = (): Promise<Verdict> => verify(sql, { account_id: null })

/** A row as PostgreSQL writes it, and what finds it. */
interface Picked {
  readonly table: string
  readonly row: string
  readonly key: Readonly<Record<string, string>>
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  journals: ['account_id', 'number'],
  balance_transactions: ['account_id', 'id', 'journal_number'],
  balances: ['account_id', 'currency'],
  books: ['account_id'],
  events: ['account_id', 'sequence'],
}

/** Columns that are changed, each to something it was not. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  journals: {
    kind: `case kind when 'payout' then 'failure' else 'payout' end`,
    source: `overlay(source placing 'zz' from 6)`,
    codes: `codes[2:] || codes[1]`,
    currencies: `array_append(currencies[2:], 'JPY')`,
    amounts: `array_append(amounts[2:], amounts[1] + 1)`,
    created_at: `created_at + interval '1 microsecond'`,
    hash: 'sha256(hash)',
    number: 'number + 1000000',
  },
  balance_transactions: {
    journal_number: 'journal_number + 1000000',
    type: `case type when 'payout' then 'escrow' else 'payout' end`,
    operation_type: `case operation_type when 'debit' then 'credit' else 'debit' end`,
    currency: `case currency when 'USD' then 'EUR' else 'USD' end`,
    amount: 'amount + 1',
    fixed_fee: 'fixed_fee - 1',
    variable_fee: 'variable_fee + 1',
    net_amount: '-net_amount',
    balance_after: 'balance_after + 1',
    source: `overlay(source placing 'zz' from 6)`,
    created_at: `created_at - interval '1 microsecond'`,
  },
  balances: { available: 'available + 1' },
  books: {
    journal_count: 'journal_count - 1',
    head_hash: 'sha256(head_hash)',
    event_count: 'event_count + 1',
  },
  events: { sequence: 'sequence + 1000000' },
}

const TABLES = Object.keys(CHANGES)

async function pick(owner: Sql, random: () => number): Promise<Picked> {
  const table = TABLES[Math.floor(random() * TABLES.length)] as string
  const columns = KEYS[table] as readonly string[]
  // Not the last of a book, whose line is named when it is gone: it has no successor to be missed.
  const middle =
    table === 'journals'
      ? 'where number < (select journal_count from books b where b.account_id = t.account_id)'
      : ''
  const [count] = await owner.unsafe<{ n: number }[]>(
    `select count(*)::int as n from ${table} t ${middle}`,
  )
  const offset = Math.floor(random() * Number(count?.n))
  const [found] = await owner.unsafe<{ row: string; key: Record<string, string> }[]>(
    `select t::text as row, json_build_object(${columns.map(c => `'${c}', ${c}::text`).join(', ')}) as key
      from ${table} t ${middle} order by ${columns.join(', ')} offset ${offset} limit 1`,
  )
  if (found === undefined) throw new Error(`${table} is empty`)
  return { table, ...found }
}

const where = ({ key }: Picked) =>
  Object.entries(key)
    .map(([column, value]) => `${column}::text = '${value}'`)
    .join(' and ')

/** Does it to the row; answers in words what was done, and how it is undone. */
async function edit(owner: Sql, random: () => number, picked: Picked) {
  const { table } = picked
  const restore = () =>
    owner.unsafe(`insert into ${table} select (r::${table}).* from unnest($1::text[]) as r`, [
      [picked.row],
    ])
  const columns = Object.entries(CHANGES[table] ?? {})
  const choice = Math.floor(random() * (columns.length + 1))
  const chosen = columns[choice]
  if (chosen === undefined) {
    await owner.unsafe(`delete from ${table} where ${where(picked)}`)
    return { words: `${table} deleted`, undo: restore }
  }
  const [column, value] = chosen
  const [changed] = await owner.unsafe<{ row: string }[]>(
    `update ${table} t set ${column} = ${value} where ${where(picked)} returning t::text as row`,
  )
  const undo = async () => {
    await owner.unsafe(`delete from ${table} t where t::text = $1`, [changed?.row ?? ''])
    await restore()
  }
  return { words: `${table}.${column}`, undo }
}

/** Two journals of a book in each other's place. */
async function swap(owner: Sql, { key }: Picked, random: () => number) {
  const a = BigInt(key.number ?? 0)
  const b = a === 1n ? 2n : 1n + BigInt(Math.floor(random() * Number(a - 1n)))
  const exchange = async () => {
    for (const [from, to] of [
      [a, 0n],
      [b, a],
      [0n, b],
    ] as const) {
      await owner`
        update journals set number = ${to}
        where account_id = ${key.account_id ?? ''} and number = ${from}`
    }
  }
  await exchange()
  return { words: 'journals swapped', undo: exchange, first: a < b ? a : b }
}

/** Is the row that was touched the one that is named, or the one that lacks it? */
function isNamed({ table, account_id, key }: Problem, picked: Picked, first?: bigint): boolean {
  if (account_id !== picked.key.account_id) return false
  const { number, id, journal_number, currency, sequence } = picked.key
  switch (picked.table) {
    case 'journals':
      return table === 'journals' && key === `number ${first ?? number}`
    case 'balance_transactions':
      if (table === picked.table) return key === id
      // What is gone is missed by its journal.
      return table === 'journals' && key === `number ${journal_number}`
    case 'balances':
      return table === 'balances' && key === currency
    case 'events':
      return table === 'events' && key === `sequence ${sequence}`
    default:
      // A count too high makes the row after the last one missing.
      return table === 'books' || table === 'events'
  }
}

test(`corridor verify, ${EDITS} single rows changed at random: every one named`, async t => {
  const seed = pickSeed()
  const random = seeded(seed)
  const { owner } = service.database
  const clean = await verdictNow()
  assert.ok(clean.ok, JSON.stringify(clean.problem))
  assert.ok(clean.checked.journals > 2 * PAYOUTS, `${clean.checked.journals} journals`)
  const done: Record<string, number> = {}
  for (let i = 0; i < EDITS; i++) {
    const picked = await pick(owner, random)
    const swapping = picked.table === 'journals' && random() < 0.2
    const made: { words: string; undo: () => Promise<unknown>; first?: bigint } = swapping
      ? await swap(owner, picked, random)
      : await edit(owner, random, picked)
    const verdict = await verdictNow()
    const what = `SEED=${seed} edit ${i}, ${made.words} ${JSON.stringify(picked.key)}`
    assert.ok(!verdict.ok, `${what}: nothing was found`)
    const said = JSON.stringify(verdict.problem)
    assert.ok(isNamed(verdict.problem, picked, made.first), `${what}: named ${said}`)
    await made.undo()
    done[made.words] = (done[made.words] ?? 0) + 1
  }
  const again = await verdictNow()
  assert.ok(again.ok, `SEED=${seed} ${JSON.stringify(again.problem)}`)
  t.diagnostic(
    `SEED=${seed} ${EDITS} of ${EDITS} named among ${clean.checked.journals} journals: ` +
      JSON.stringify(done),
  )
})
