// Statements of banks, imported: each line once, whatever comes twice, late or overlapping; and the balance
// at the bank is proved exactly when no statement is missing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect, type Sql, type TransactionSql } from '../../src/sql/connect.ts'
import {
  digestOf,
  importStatements,
  isRefused,
  keepRefused,
} from '../../src/treasury/statement/import.ts'
import { eraseOldLines } from '../../src/treasury/statement/store.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { pickSeed, seeded, spawnCommand } from '../support/service/process.ts'
import { share } from '../support/share.ts'
import {
  asCarried,
  closingOf,
  DIALECTS,
  type Dialect,
  type GivenStatement,
} from '../support/treasury/dialects.ts'
import { addNostro, sourceOf } from '../support/treasury/importing.ts'
import { anyStatement } from '../support/treasury/statements.ts'

const seed = pickSeed()
console.log(`SEED=${seed}`)

let database: TestDatabase
let owner: Sql
let sql: Sql
before(async () => {
  database = await createDatabase()
  owner = database.owner
  sql = connect(database.url, { max: 3, as: 'service', look_ups: true })
})
after(async () => {
  await sql?.end({ timeout: 5 })
  await database?.drop()
})

const [, CAMT, GERMAN] = DIALECTS as [Dialect, Dialect, Dialect]
let made = 0

/** A nostro of its own for a test, with the account of its statements. */
async function freshNostro(given: { opening?: bigint; opening_on?: string } = {}) {
  made += 1
  const name = `nostro_${made}`
  const account = `DE${String(made).padStart(20, '0')}`
  await addNostro(owner, { name, account, ...given })
  return { name, account }
}

const take = (text: string, nostro?: string) => importStatements(sql, sourceOf(text, nostro))

const statementsOf = (nostro: string) => owner<{ id: bigint; state: string; held: number }[]>`
  select id, state, held from bank_statements where nostro = ${nostro} order by closed_on, id`
const statesOf = async (nostro: string) => (await statementsOf(nostro)).map(({ state }) => state)

/** The digests of a nostro's lines, sorted. */
async function linesOf(nostro: string): Promise<string[]> {
  const rows = await owner<{ same: string }[]>`
    select encode(same, 'hex') as same from bank_lines where nostro = ${nostro} order by same`
  return rows.map(({ same }) => same)
}

/** The sum that the trigger keeps is that of the lines. */
async function bankTotal(nostro: string): Promise<bigint> {
  const [row] = await owner<{ kept: bigint; sum: bigint }[]>`
    select coalesce((select amount from nostro_totals
        where nostro = ${nostro} and side = 'bank'), 0)::bigint as kept,
      coalesce(sum(amount), 0)::bigint as sum
    from bank_lines where nostro = ${nostro}`
  assert.equal(row?.kept, row?.sum)
  return row?.sum ?? 0n
}

const dayOf = (number: number) => `2026-11-${String(number).padStart(2, '0')}`

/** One statement over the days of several that follow each other. */
function joined(statements: readonly GivenStatement[]): GivenStatement {
  const [first] = statements
  const last = statements.at(-1)
  if (first === undefined || last === undefined) throw new Error('nothing to join')
  return {
    ...first,
    id: `${first.id}-${last.closed_on}`,
    closed_on: last.closed_on,
    lines: statements.flatMap(({ lines }) => lines),
  }
}

/** Statements that follow each other, on some days two. BAI2 has one day a statement. */
function history(random: () => number, account: string, days: number): GivenStatement[] {
  const statements: GivenStatement[] = []
  let opening = 0n
  for (let day = 2; day < 2 + days; day += 1) {
    const times = random() < 0.2 ? 2 : 1
    for (let time = 1; time <= times; time += 1) {
      const count = 1 + Math.floor(random() * 5)
      const drawn = anyStatement(random, { account, day: dayOf(day), opening, count })
      const twice = random() < 0.3 ? [...drawn.lines, ...drawn.lines.slice(0, 1)] : drawn.lines
      const statement = { ...drawn, id: `${drawn.id}.${time}`, lines: twice }
      statements.push(statement)
      opening = closingOf(statement)
    }
  }
  return statements
}

for (const dialect of DIALECTS) {
  test(`any statements in ${dialect.name}, in any order, again and overlapping: each line once, all proved`, async () => {
    const random = seeded(seed)
    for (let round = 0; round < share(4, 100); round += 1) {
      const { name, account } = await freshNostro()
      const days = history(random, account, 3 + Math.floor(random() * 5))
      const files = [...days, ...days.slice(0, 2)].map(one => dialect.write(one))
      if (dialect.format !== 'bai2') {
        const from = Math.floor(random() * (days.length - 1))
        const to = from + 2 + Math.floor(random() * (days.length - from - 1))
        const some = days.slice(from, to)
        // Only whole days overlap: the bank writes none of a day again without the rest of it.
        const whole = days.filter(({ closed_on }) => some.some(one => one.closed_on === closed_on))
        files.push(dialect.write(joined(whole)))
      }
      const order = files
        .map(file => ({ file, at: random() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ file }) => file)
      for (const file of order) {
        await take(file, dialect.format === 'csv' ? name : undefined)
        await bankTotal(name)
      }
      const expected = days.flatMap(({ lines }) =>
        lines.map(line => digestOf(asCarried(dialect, line))),
      )
      assert.deepEqual(await linesOf(name), expected.toSorted(), `round ${round}`)
      const states = await statesOf(name)
      assert.deepEqual(new Set(states), new Set(['proved']), `round ${round}: ${states}`)
    }
  })
}

test('a statement that is missing: a gap from the next one on, until it comes', async () => {
  const { name, account } = await freshNostro()
  const days = history(seeded(seed + 1), account, 5)
  const [missing, ...others] = days.toSpliced(
    0,
    2,
    days[1] as GivenStatement,
    days[0] as GivenStatement,
  )
  for (const one of others) await take(CAMT.write(one))
  assert.deepEqual([...new Set(await statesOf(name))].sort(), ['gap', 'proved'])
  const { statements } = await take(CAMT.write(missing as GivenStatement))
  assert.equal(statements[0]?.state, 'proved')
  assert.deepEqual([...new Set(await statesOf(name))], ['proved'])
})

test('a statement of a whole day before the two that it joins: all proved, and the next day too', async () => {
  const { name, account } = await freshNostro()
  const random = seeded(seed)
  const drawn = { account, day: '2026-11-02', count: 3 }
  const morning = anyStatement(random, { ...drawn, opening: 0n })
  const noon = closingOf(morning)
  const evening = { ...anyStatement(random, { ...drawn, opening: noon }), id: 'evening' }
  const next = { ...drawn, day: '2026-11-03', opening: closingOf(evening) }
  const whole = { ...joined([morning, evening]), id: 'whole' }
  for (const one of [anyStatement(random, next), whole, evening, morning]) {
    await take(CAMT.write(one))
  }
  assert.deepEqual(await statesOf(name), ['proved', 'proved', 'proved', 'proved'])
  assert.equal((await linesOf(name)).length, 9)
})

test('an overlapping statement with one more of equal lines: the one is added', async () => {
  const { name, account } = await freshNostro()
  const day = anyStatement(seeded(seed), { account, day: '2026-11-02', opening: 0n, count: 1 })
  await take(CAMT.write(day))
  const more = { ...day, id: 'again', lines: [...day.lines, ...day.lines] }
  const { statements } = await take(CAMT.write(more))
  assert.deepEqual([statements[0]?.held, (await linesOf(name)).length], [1, 2])
})

test('the same days in another format: adds nothing', async () => {
  const { name, account } = await freshNostro()
  const days = history(seeded(seed + 2), account, 4)
  for (const one of days) await take(GERMAN.write(one))
  const before = await linesOf(name)
  for (const one of days) await take(CAMT.write(one))
  assert.deepEqual(await linesOf(name), before)
  assert.deepEqual([...new Set(await statesOf(name))], ['proved'])
})

test('lines that do not lead to the closing balance: sum_differs, and the lines are used', async () => {
  const { name, account } = await freshNostro()
  const one = anyStatement(seeded(seed), { account, day: '2026-11-02', opening: 0n, count: 3 })
  const text = CAMT.write(one).replace(/(<Cd>CLBD.*?<Amt Ccy="EUR">)[\d.]+/, '$19999999.99')
  const { statements } = await take(text)
  assert.equal(statements[0]?.state, 'sum_differs')
  assert.equal((await linesOf(name)).length, 3)
})

test('a statement that begins before the opening: its later lines alone, and it is proved', async () => {
  const given = { account: '', day: '2026-11-02', opening: 500n, count: 3 }
  const early = anyStatement(seeded(seed), given)
  const middle = closingOf(early)
  const { name, account } = await freshNostro({ opening: middle, opening_on: '2026-11-03' })
  const late = anyStatement(seeded(seed + 3), { ...given, day: '2026-11-03', opening: middle })
  const whole = joined([
    { ...early, account },
    { ...late, account },
  ])
  const { statements } = await take(CAMT.write(whole))
  assert.deepEqual(
    statements.map(({ lines, left_out, opening, state }) => ({ lines, left_out, opening, state })),
    [{ lines: 3, left_out: 3, opening: middle, state: 'proved' }],
  )
  assert.equal(await bankTotal(name), closingOf(whole) - middle)
  const before = await take(CAMT.write({ ...early, account }))
  assert.deepEqual(
    before.statements.map(({ id, lines }) => ({ id, lines })),
    [{ id: undefined, lines: 0 }],
  )
})

test('a report of the running day, and a statement with an interim balance: no lines', async () => {
  const { name, account } = await freshNostro()
  const one = anyStatement(seeded(seed), { account, day: '2026-11-02', opening: 0n, count: 3 })
  const report = CAMT.write(one).replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt')
  const interim = CAMT.write(one).replace('CLBD', 'ITBD')
  for (const text of [report, interim]) {
    const { statements } = await take(text)
    assert.equal(statements[0]?.is_final, false)
  }
  assert.deepEqual(await linesOf(name), [])
  assert.deepEqual(await statesOf(name), [])
})

test('an account in two currencies: each statement is of the nostro in its currency', async () => {
  const { name, account } = await freshNostro()
  const drawn = { account, day: '2026-11-02', opening: 0n, count: 3 }
  const dollars = CAMT.write(anyStatement(seeded(seed), { ...drawn, currency: 'USD' }))
  await assert.rejects(take(dollars), /in USD, and no nostro has this account/)
  await addNostro(owner, { name: `${name}_usd`, account, currency: 'USD' })
  await take(dollars)
  assert.deepEqual([await linesOf(name), (await linesOf(`${name}_usd`)).length], [[], 3])
})

test('one file with statements of two nostros: both; of an unknown account: nothing of it', async () => {
  const [first, second] = [await freshNostro(), await freshNostro()]
  const of = (account: string, opening: bigint) =>
    GERMAN.write(
      anyStatement(seeded(seed + Number(opening)), {
        account,
        day: '2026-11-02',
        opening,
        count: 2,
      }),
    )
  const unknown = of('DE00999999999999999999', 5n)
  const source = sourceOf(of(first.account, 0n) + unknown)
  const error = await importStatements(sql, source).then(
    () => assert.fail('it was taken'),
    (refused: unknown) => (isRefused(refused) ? refused : assert.fail(String(refused))),
  )
  assert.match(error.message, /of DE00999999999999999999 in EUR, and no nostro has this account/)
  assert.deepEqual(await linesOf(first.name), [])
  assert.equal(await keepRefused(sql, source, error), 'refused')
  const [row] = await owner`select state, account, reason from statement_files
    where sha256 = decode(${source.sha256}, 'hex')`
  assert.deepEqual(row?.state, 'refused')
  await addNostro(owner, { name: 'late_nostro', account: 'DE00999999999999999999' })
  assert.equal((await importStatements(sql, source)).is_known, false)
  await take(of(first.account, 0n) + of(second.account, 0n))
  const counts = [first, second].map(async ({ name }) => (await linesOf(name)).length)
  assert.deepEqual(await Promise.all(counts), [2, 2])
})

test('two at once of one file: one takes it, the other says that it is known', async () => {
  const { name, account } = await freshNostro()
  const one = anyStatement(seeded(seed), { account, day: '2026-11-02', opening: 0n, count: 9 })
  const text = CAMT.write(one)
  const both = await Promise.all([take(text), take(text)])
  assert.deepEqual(both.map(({ is_known }) => is_known).sort(), [false, true])
  assert.equal((await linesOf(name)).length, 9)
})

test('two at once of files with the same lines: each line once', async () => {
  const { name, account } = await freshNostro()
  const one = anyStatement(seeded(seed), { account, day: '2026-11-02', opening: 0n, count: 9 })
  const text = CAMT.write(one)
  await Promise.all([text, `${text} `, `${text}\n`].map(file => take(file)))
  assert.equal((await linesOf(name)).length, 9)
  assert.deepEqual(await statesOf(name), ['proved'])
})

test('an import killed behind its lines: nothing is left, and again takes all', async () => {
  const { name, account } = await freshNostro()
  const one = anyStatement(seeded(seed), { account, day: '2026-11-02', opening: 0n, count: 1_500 })
  const text = CAMT.write(one)
  const path = join(tmpdir(), `${name}.xml`)
  await writeFile(path, text)
  const main = fileURLToPath(new URL('../support/treasury/import-child.ts', import.meta.url))
  await owner.begin(async tx => {
    await tx`lock table bank_statements in share row exclusive mode`
    const child = spawnCommand([database.url, path], {}, main)
    const [pid] = await untilBlocked(owner)
    assert.ok(pid)
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  assert.deepEqual(await linesOf(name), [])
  const files = await owner`select from statement_files
    where sha256 = decode(${sourceOf(text).sha256}, 'hex')`
  assert.equal(files.length, 0)
  await take(text)
  assert.equal((await linesOf(name)).length, 1_500)
})

test('a line older than payments are kept: its other side is erased, its amount and keys stay', async () => {
  const { name, account } = await freshNostro({ opening_on: '2016-01-01' })
  const old = anyStatement(seeded(seed), { account, day: '2016-01-05', opening: 0n, count: 4 })
  const young = anyStatement(seeded(seed + 1), {
    ...{ account, day: '2026-11-05', count: 4 },
    opening: closingOf(old),
  })
  await take(CAMT.write(old))
  await take(CAMT.write(young))
  const written = await linesOf(name)
  assert.equal(await eraseOldLines({ sql }), 4)
  assert.equal(await eraseOldLines({ sql }), 0)
  const rows = await owner<{ day: string; named: number }[]>`
    select booked_on::text as day,
      count(*) filter (where counterparty || counterparty_name || text <> '')::integer as named
    from bank_lines where nostro = ${name} group by booked_on order by booked_on`
  assert.deepEqual(rows, [
    { day: '2016-01-05', named: 0 },
    { day: '2026-11-05', named: 4 },
  ])
  assert.deepEqual(await linesOf(name), written)
  await assert.rejects(sql`update bank_lines set text = 'other' where nostro = ${name}`, /erased/)
})

test('an amount changed by SQL: verify names the statement', async () => {
  const { name, account } = await freshNostro()
  await take(
    CAMT.write(anyStatement(seeded(seed), { account, day: '2026-11-05', opening: 0n, count: 4 })),
  )
  const [statement] = await statementsOf(name)
  const problemsIn = async (tx: TransactionSql) => {
    const verdict = await verdictIn(tx, true)
    return verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`)
  }
  assert.deepEqual(await undone(owner, problemsIn), [])
  const found = await undone(owner, async tx => {
    await tx`alter table bank_lines disable trigger user`
    await tx`update bank_lines set amount = amount * 2 where statement = ${statement?.id ?? 0n}
      and position = 1`
    return problemsIn(tx)
  })
  assert.ok(found.includes(`bank_statements statement ${statement?.id}`), found.join('; '))
})
