// Random histories of a nostro: lines, items, runs of the rules, matches and undos of people, in any
// order. After each step the difference of bank and books is what is open; and the rules match what an
// oracle finds that compares each line with all items, no more and no less.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { listPositions } from '../../src/treasury/balance-store.ts'
import { matchByPerson, undoByPerson } from '../../src/treasury/match/by-person.ts'
import { foldOpenDays } from '../../src/treasury/match/exception-store.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import type { Nostro } from '../../src/treasury/nostro.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { expectedMatches, fold, type World } from '../support/oracle/matching.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { share } from '../support/share.ts'
import {
  type GivenItem,
  type GivenLine,
  giveItems,
  giveLines,
  identityOf,
  openNostro,
} from '../support/treasury/open-rows.ts'

const HISTORIES = share(8, 300)
const STEPS = 24
const SEED = pickSeed()

let database: TestDatabase
let owner: Sql
let sql: Sql
before(async () => {
  database = await createDatabase()
  owner = database.owner
  sql = connect(database.url, { max: 2, as: 'service', look_ups: true })
})
after(async () => {
  await sql.end()
  await database.drop()
})

type Random = () => number
const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T
const often = (random: Random, share: number) => random() < share

// So few that most meet another of their kind.
const KEYS = ['C1M7XPM2M0C6HK1', 'C1M7XPM2M0C6HK2', 'c1m7xpm2m0c6hk3', 'REF-2026-1', 'REF-2026-2']
const UETRS = ['7a562c67-ca16-48ba-b074-65581be6f001', '7a562c67-ca16-48ba-b074-65581be6f002']
const BLOCKS = ['BLOCK-A', 'BLOCK-B']
const FILES = ['FILE-AB', 'FILE-C']
const AMOUNTS = [-100n, -100n, -200n, -300n, 100n, 200n]
const orNone = (random: Random, share: number, values: readonly string[]) =>
  often(random, share) ? pick(random, values) : ''

function randomLine(random: Random): GivenLine {
  const amount = pick(random, AMOUNTS)
  const details =
    often(random, 0.15) && amount < -100n
      ? [
          { amount: amount + 100n, end_to_end_id: pick(random, KEYS) },
          { amount: -100n, uetr: orNone(random, 0.5, UETRS), end_to_end_id: pick(random, KEYS) },
        ]
      : []
  return {
    amount,
    details,
    end_to_end_id: orNone(random, 0.4, [...KEYS, ...BLOCKS, 'NOTPROVIDED']),
    bank_reference: orNone(random, 0.2, KEYS),
    uetr: orNone(random, 0.1, UETRS),
    block: orNone(random, 0.2, BLOCKS),
    file: orNone(random, 0.1, FILES),
    text: often(random, 0.3) ? `paid ${pick(random, KEYS)}, thanks` : '',
  }
}

function randomItem(random: Random): GivenItem {
  return {
    amount: pick(random, AMOUNTS),
    key: orNone(random, 0.6, KEYS),
    uetr: orNone(random, 0.2, UETRS),
    block: orNone(random, 0.4, BLOCKS),
    file: orNone(random, 0.3, FILES),
  }
}

const several = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: 1 + Math.floor(random() * most) }, make)

/** What is open, as the oracle sees it. */
async function readWorld({ name }: Nostro): Promise<World> {
  const [lines, items, undone] = await Promise.all([
    owner`select * from bank_lines where nostro = ${name} and match is null order by id`,
    owner`select * from nostro_items where nostro = ${name} and match is null order by id`,
    owner<{ pair: string }[]>`
      select l || ' ' || i as pair from matches m, unnest(m.lines) l, unnest(m.items) i
      where m.nostro = ${name} and m.undone_at is not null`,
  ])
  return {
    lines: lines.map(line => ({
      ...{ id: line.id, amount: line.amount, text: line.text },
      keys: [line.end_to_end_id, line.uetr, line.instruction, line.bank_reference],
      blocks: [line.block, line.file, line.end_to_end_id, line.instruction, line.bank_reference],
      details: line.details.map((detail: Record<string, string>) => ({
        amount: BigInt(detail.amount ?? 0),
        keys: [detail.end_to_end_id ?? '', detail.uetr ?? ''],
      })),
    })),
    items: items.map(({ id, amount, key, uetr, block, file }) => {
      return { id, amount, keys: [key, uetr], block, file }
    }),
    undone: new Set(undone.map(({ pair }) => pair)),
  }
}

/** What the rules have matched after this match, as the oracle says it. */
async function madeSince({ name }: Nostro, id: bigint): Promise<string[]> {
  const rows = await owner<{ words: string }[]>`
    select array_to_string(lines, ' ') || ': ' || array_to_string(array(
      select unnest(items) order by 1), ' ') as words
    from matches where nostro = ${name} and id > ${id} and by = '' order by lines[1]`
  return rows.map(({ words }) => words)
}

async function newest(): Promise<bigint> {
  const [row] = await owner<{ id: bigint }[]>`select coalesce(max(id), 0) as id from matches`
  return row?.id ?? 0n
}

async function runRules(nostro: Nostro): Promise<void> {
  const [world, before] = [await readWorld(nostro), await newest()]
  await matchNostro(sql, nostro)
  assert.deepEqual(await madeSince(nostro, before), expectedMatches(world))
}

async function matchSome(nostro: Nostro, random: Random): Promise<void> {
  const { lines, items } = await readWorld(nostro)
  if (lines.length === 0 || items.length === 0) return
  const some = [...new Set(several(random, 2, () => pick(random, lines)))]
  const others = [...new Set(several(random, 2, () => pick(random, items)))]
  const sum = (rows: readonly { readonly amount: bigint }[]) =>
    rows.reduce((total, { amount }) => total + amount, 0n)
  const rest_as = sum(some) === sum(others) ? undefined : 'cost'
  const matched = sql.begin(tx =>
    matchByPerson(tx, {
      ...{ lines: some.map(({ id }) => id), items: others.map(({ id }) => id) },
      ...{ rest_as, note: '', by: 'ada' },
    }),
  )
  // A rest of money that another open item explains would be booked twice.
  const left = items.filter(item => item.amount > 0n && !others.includes(item))
  const is_explained = some.some(({ amount, keys }) => {
    const known = new Set(keys.map(fold))
    return (
      amount > 0n && left.some(item => item.keys.some(key => key !== '' && known.has(fold(key))))
    )
  })
  if (rest_as !== undefined && is_explained) {
    await assert.rejects(matched, /has the key of an open item/)
  } else await matched
}

async function undoSome({ name }: Nostro, random: Random): Promise<void> {
  const live = await owner<{ id: bigint }[]>`
    select id from matches where nostro = ${name} and undone_at is null and rule <> 'reversal'
    order by id`
  if (live.length === 0) return
  const { id } = pick(random, live)
  await sql.begin(tx => undoByPerson(tx, { id, note: 'no', by: 'ada' }))
}

async function step(nostro: Nostro, random: Random): Promise<string> {
  const drawn = random()
  if (drawn < 0.3) {
    await giveLines(
      owner,
      nostro,
      several(random, 6, () => randomLine(random)),
    )
    return 'lines'
  }
  if (drawn < 0.6) {
    await giveItems(
      owner,
      nostro,
      several(random, 6, () => randomItem(random)),
    )
    return 'items'
  }
  if (drawn < 0.8) {
    await runRules(nostro)
    return 'rules'
  }
  if (drawn < 0.9) {
    await matchSome(nostro, random)
    return 'match'
  }
  await undoSome(nostro, random)
  return 'undo'
}

/** What the table of nostros shows as open, which reads no open row but the oldest. */
async function shownOpen({ name }: Nostro) {
  const all = await listPositions(owner)
  const found = all.find(({ nostro }) => nostro === name) ?? assert.fail(name)
  const { open_lines, open_lines_count, oldest_line } = found
  const { open_items, open_items_count, oldest_item } = found
  return { open_lines, open_lines_count, oldest_line, open_items, open_items_count, oldest_item }
}

/** The open items by day, as statements have added them up; and from every open row. */
async function daysOf({ name }: Nostro) {
  const summed = await owner`
    select day::text, is_out, sum(count)::bigint as count, sum(amount)::bigint as amount
    from open_days where nostro = ${name} group by 1, 2 having sum(count) <> 0 order by 1, 2`
  const counted = await owner`
    select value_on::text as day, amount < 0 as is_out, count(*)::bigint as count,
      sum(amount)::bigint as amount
    from nostro_items where nostro = ${name} and match is null group by 1, 2 order by 1, 2`
  return { summed: [...summed], counted: [...counted] }
}

/** The same, from every open row. */
async function countedOpen({ name, currency }: Nostro) {
  const [row] = await owner`
    select l.amount as open_lines, l.count as open_lines_count, l.oldest as oldest_line,
      i.amount as open_items, i.count as open_items_count, i.oldest as oldest_item
    from (
      select coalesce(sum(amount) filter (where currency = ${currency}), 0)::bigint as amount,
        count(*) as count, min(booked_on)::text as oldest
      from bank_lines where nostro = ${name} and match is null) l
    cross join (
      select coalesce(sum(amount), 0)::bigint as amount, count(*) as count,
        min(value_on)::text as oldest
      from nostro_items where nostro = ${name} and match is null) i`
  return row
}

test(`${HISTORIES} random histories of ${STEPS} steps, seed ${SEED}: after each, the difference is what is open, and the rules match what the oracle does`, async t => {
  t.diagnostic(`SEED=${SEED}`)
  let automatic = 0
  for (let history = 0; history < HISTORIES; history++) {
    const random = seeded(SEED * 1_000 + history)
    const nostro = await openNostro(owner, `history_${history}`)
    const steps: string[] = []
    try {
      for (let i = 0; i < STEPS; i++) {
        steps.push(await step(nostro, random))
        const { difference, open } = await identityOf(owner, nostro)
        assert.equal(difference, open)
        assert.deepEqual(await shownOpen(nostro), await countedOpen(nostro))
        if (i % 7 === 0) await foldOpenDays(sql)
        const days = await daysOf(nostro)
        assert.deepEqual(days.summed, days.counted)
      }
    } catch (cause) {
      throw new Error(`SEED=${SEED} history ${history}: ${steps.join(' ')}`, { cause })
    }
    automatic += (await madeSince(nostro, 0n)).length
  }
  t.diagnostic(`${automatic} matches by the rules`)
  assert.ok(automatic > HISTORIES)
})
