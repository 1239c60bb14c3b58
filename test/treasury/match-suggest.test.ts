// What is suggested for an open line: each candidate with its rank and its reason, the best first; and
// nothing where there are too many answers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { undoByPerson } from '../../src/treasury/match/by-person.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { findLines, findSurroundings } from '../../src/treasury/match/open-store.ts'
import { subsetsOf } from '../../src/treasury/match/subset-sum.ts'
import { suggest, weekdaysBetween } from '../../src/treasury/match/suggest.ts'
import { plusDays } from '../../src/values/calendar/day.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import {
  type GivenItem,
  type GivenLine,
  giveItems,
  giveLines,
  openNostro,
  TODAY,
} from '../support/treasury/open-rows.ts'

let database: TestDatabase
let owner: Sql
let sql: Sql
let audit: Sql
let opened = 0
before(async () => {
  database = await createDatabase()
  owner = database.owner
  sql = connect(database.url, { max: 1, as: 'service', look_ups: true })
  audit = connect(database.url, { max: 4, as: 'auditor' })
})
after(async () => {
  await Promise.all([sql.end(), audit.end()])
  await database.drop()
})

async function open() {
  opened += 1
  return openNostro(owner, `nostro_${opened}`)
}

/** The suggestions for the first line, as [rank, amounts of items, amounts of further lines, rest]. */
async function suggested(lines: readonly GivenLine[], items: readonly GivenItem[]) {
  const nostro = await open()
  const [line = 0n] = await giveLines(owner, nostro, lines)
  await giveItems(owner, nostro, items)
  await matchNostro(sql, nostro)
  return (await candidatesOf(line)).map(({ rule, items, lines, rest }) => [
    rule,
    items.map(({ amount }) => Number(amount)),
    lines.map(({ amount }) => Number(amount)),
    Number(rest),
  ])
}

async function candidatesOf(line: bigint) {
  const [around] = await findSurroundings(audit, await findLines(audit, [line]))
  return around === undefined ? [] : suggest(around)
}

/** An item of a funding: its payee is the account that it funds. */
const funding = (amount: bigint, account_id: string, day = TODAY): GivenItem => {
  return { amount, kind: 'funding', account_id, day }
}
const A = 'acc_aaaaaaaa'
const B = 'acc_bbbbbbbb'
const KEY = 'C1M7XPM2M0C6HK1'

test('suggestion, same key and another amount: the item, with the rest', async () => {
  const line = { amount: 9_500n, end_to_end_id: KEY }
  const found = await suggested([line], [{ amount: 10_000n, key: KEY }])
  assert.deepEqual(found, [['other_amount', [10_000], [], -500]])
})

test('suggestion, block of another sum: its items, with the rest', async () => {
  const items = [-100n, -200n].map(amount => ({ amount, block: 'BLOCK-1' }))
  const found = await suggested([{ amount: -350n, block: 'BLOCK-1' }], items)
  assert.deepEqual(found, [['other_amount', [-100, -200], [], -50]])
})

test('suggestion, key in two lines: the item for each, without a rest', async () => {
  const line = { amount: 100n, end_to_end_id: KEY }
  const found = await suggested([line, line], [{ amount: 100n, key: KEY }])
  assert.deepEqual(found[0], ['other_amount', [100], [], 0])
})

test('suggestion, amount and date: items up to three banking days away', async () => {
  const far = plusDays(TODAY, -9)
  const found = await suggested([{ amount: 100n }], [funding(100n, A), funding(100n, B, far)])
  assert.deepEqual(found, [['amount', [100], [], 0]])
})

test('suggestion, three fundings of one account sum to the line: shown', async () => {
  const items = [funding(100n, A), funding(200n, A), funding(400n, A), funding(250n, B)]
  const found = await suggested([{ amount: 700n }], items)
  assert.deepEqual(found, [['several', [100, 200, 400], [], 0]])
})

test('suggestion, many sums of regular amounts: none is shown', async () => {
  const items = Array.from({ length: 20 }, () => funding(100n, A))
  assert.deepEqual(await suggested([{ amount: 500n }], items), [])
})

test('suggestion, pair that a person has undone: not proposed again', async () => {
  const nostro = await open()
  const [line = 0n] = await giveLines(owner, nostro, [{ amount: 100n, end_to_end_id: KEY }])
  await giveItems(owner, nostro, [{ amount: 100n, key: KEY }])
  await matchNostro(sql, nostro)
  assert.deepEqual(await candidatesOf(line), [])
  const [row] = await owner<{ id: bigint }[]>`select max(id) as id from matches`
  const asked = { id: row?.id ?? 0n, note: 'not this', by: 'ada' }
  await sql.begin(tx => undoByPerson(tx, asked))
  assert.deepEqual(await candidatesOf(line), [])
})

test('subsets with a sum: those of brute force, in random lists of up to 12 amounts', t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  for (let i = 0; i < 300; i++) {
    const length = Math.floor(random() * 13)
    const amounts = Array.from({ length }, () => BigInt(1 + Math.floor(random() * 30)))
    const sum = BigInt(1 + Math.floor(random() * 60))
    const expected: number[][] = []
    for (let mask = 0; mask < 2 ** length; mask++) {
      const places = amounts.flatMap((_, place) => ((mask >> place) & 1 ? [place] : []))
      const total = places.reduce((all, place) => all + (amounts[place] ?? 0n), 0n)
      if (total === sum && places.length >= 2 && places.length <= 4) expected.push(places)
    }
    const found = subsetsOf(amounts, sum, { least: 2, most: 4, answers: 3 })
    const sorted = (all: readonly (readonly number[])[] | undefined) =>
      all?.map(places => places.join(' ')).sort()
    assert.deepEqual(sorted(found), expected.length > 3 ? undefined : sorted(expected))
  }
})

test('subsets of 24 equal amounts: no answer, found within bounds', () => {
  const amounts = Array.from({ length: 24 }, () => 100n)
  const bounds = { least: 2, most: 12, answers: 3 }
  assert.equal(subsetsOf(amounts, 1_200n, bounds), undefined)
  assert.equal(subsetsOf(amounts, 1_300n, bounds), undefined)
  assert.deepEqual(subsetsOf(amounts, 1_250n, bounds), [])
})

test('weekdays between two days: Saturdays and Sundays do not count', () => {
  assert.equal(weekdaysBetween('2026-11-27', '2026-11-30'), 1)
  assert.equal(weekdaysBetween('2026-11-30', '2026-11-27'), 1)
  assert.equal(weekdaysBetween('2026-11-27', '2026-12-04'), 5)
  assert.equal(weekdaysBetween('2026-11-30', '2026-11-30'), 0)
})
