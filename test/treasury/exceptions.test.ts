// Ten kinds of breaks between a bank and the books: each in its own queue, with what to type next; and
// nothing in a queue when both agree.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { dueDays } from '../../src/treasury/match/exception.ts'
import {
  countCases,
  foldOpenDays,
  insertNote,
  listCases,
} from '../../src/treasury/match/exception-store.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import type { Nostro } from '../../src/treasury/nostro.ts'
import { plusDays } from '../../src/values/calendar/day.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
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
let main: Nostro
let other: Nostro
before(async () => {
  database = await createDatabase()
  owner = database.owner
  sql = connect(database.url, { max: 1, as: 'service', look_ups: true })
  audit = connect(database.url, { max: 2, as: 'auditor' })
  main = await openNostro(owner, 'eur_main')
  other = await openNostro(owner, 'eur_other')
})
after(async () => {
  await Promise.all([sql.end(), audit.end()])
  await database.drop()
})

const days = () => [main, other].map(nostro => dueDays(nostro, TODAY))
const all = { nostro: '', kind: '', owner: '' } as const
const cases = () => listCases(audit, days(), all, 200)

/** Kind and amount of each exception that is new since. */
async function added(give: () => Promise<unknown>): Promise<string[]> {
  const before = new Set((await cases()).map(({ of, number }) => `${of} ${number}`))
  await give()
  await matchNostro(sql, main)
  const found = (await cases()).filter(({ of, number }) => !before.has(`${of} ${number}`))
  return found.map(({ kind, amount, nostro }) => `${nostro} ${kind} ${amount}`).sort()
}

const OLD = plusDays(TODAY, -8)
const lines = (...given: GivenLine[]) => giveLines(owner, main, given)
const items = (...given: GivenItem[]) => giveItems(owner, main, given)

interface Break {
  readonly name: string
  readonly give: () => Promise<unknown>
  readonly found: readonly string[]
}

const BREAKS: readonly Break[] = [
  {
    name: 'debit that nobody knows',
    give: () => lines({ amount: -1n }),
    found: ['eur_main unknown_debit -1'],
  },
  {
    name: 'credit that nobody knows',
    give: () => lines({ amount: 2n }),
    found: ['eur_main unknown_credit 2'],
  },
  {
    name: 'credit that nobody knows for more than three banking days',
    give: () => lines({ amount: 3n, day: OLD }),
    found: ['eur_main stale_suspense 3'],
  },
  {
    name: 'payout that the bank has not booked',
    give: () => items({ amount: -4n, day: OLD }),
    found: ['eur_main missing_debit -4'],
  },
  {
    name: 'return that was told, and no money',
    give: () => items({ amount: 5n, day: OLD }),
    found: ['eur_main missing_credit 5'],
  },
  {
    name: 'return that came short',
    give: async () => {
      await items({ amount: 600n, key: 'RETURN-0006' })
      await lines({ amount: 595n, end_to_end_id: 'RETURN-0006' })
    },
    found: ['eur_main amount_differs 595'],
  },
  {
    name: 'line that came twice',
    give: async () => {
      await items({ amount: -7n, key: 'PAYMENT-0007' })
      const line = { amount: -7n, end_to_end_id: 'PAYMENT-0007', same: 'seven' }
      await lines(line)
      await matchNostro(sql, main)
      await lines(line)
    },
    found: ['eur_main duplicate_line -7'],
  },
  {
    name: 'two lines with one key, in one statement',
    give: async () => {
      await items({ amount: -8n, key: 'PAYMENT-0008' })
      const line = { amount: -8n, end_to_end_id: 'PAYMENT-0008' }
      await lines(line, { ...line, text: 'other words' })
    },
    found: ['eur_main duplicate_line -8', 'eur_main duplicate_line -8'],
  },
  {
    name: 'line in another currency',
    give: () => lines({ amount: -9n, currency: 'USD' }),
    found: ['eur_main wrong_currency -9'],
  },
  {
    name: 'payout of another nostro',
    give: async () => {
      await giveItems(owner, other, [{ amount: -10n, key: 'PAYMENT-0010' }])
      await lines({ amount: -10n, end_to_end_id: 'PAYMENT-0010' })
    },
    found: ['eur_main wrong_nostro -10'],
  },
  {
    name: 'payout of a rail that no nostro has',
    give: () => giveItems(owner, { name: '', currency: 'EUR' }, [{ amount: -11n }]),
    found: [' unassigned -11'],
  },
  {
    name: 'payout of today that the bank has not booked yet',
    give: () => items({ amount: -12n }),
    found: [],
  },
  {
    name: 'line and item that agree',
    give: async () => {
      await items({ amount: -13n, key: 'PAYMENT-0013', day: OLD })
      await lines({ amount: -13n, end_to_end_id: 'PAYMENT-0013', day: OLD })
    },
    found: [],
  },
]

for (const { name, give, found } of BREAKS) {
  test(`exceptions, ${name}: ${found.length === 0 ? 'none' : found.join(', ')}`, async () => {
    assert.deepEqual(await added(give), found)
  })
}

test('exceptions: the oldest first; the counts are those of the list', async () => {
  const found = await cases()
  const since = found.map(one => one.since)
  assert.deepEqual(since, [...since].sort())
  const counted = (await countCases(audit, days())).map(
    ({ nostro, kind, count, amount, oldest }) => {
      return [nostro, kind, count, amount, oldest]
    },
  )
  const groups = Map.groupBy(found, one => `${one.nostro} ${one.kind}`)
  assert.deepEqual(
    counted,
    [...groups.values()]
      .map(([first, ...more]) => {
        if (first === undefined) throw new Error('an empty group')
        const sum = more.reduce((total, { amount }) => total + amount, first.amount)
        return [first.nostro, first.kind, more.length + 1, sum, first.since]
      })
      .sort(([a, b], [c, d]) => (`${a} ${b}` < `${c} ${d}` ? -1 : 1)),
  )
})

test('open items folded by two processes at the same moment: one folds, the other waits for nobody', async () => {
  const rows = async () => {
    const [row] = await owner<{ rows: bigint }[]>`
      select count(*) as rows from open_days where nostro = ${main.name} and day = '2026-01-05'`
    return row?.rows
  }
  for (const amount of [1n, 2n]) await items({ amount, day: '2026-01-05' })
  assert.equal(await rows(), 2n)
  await owner.begin(async tx => {
    await tx`select fold_open_days()`
    await foldOpenDays(sql)
  })
  assert.equal(await rows(), 1n)
})

test('exception with notes: the last owner and the last note are shown; an unknown line has none', async () => {
  const [{ number = 0n } = {}] = await listCases(
    audit,
    days(),
    { ...all, kind: 'unknown_debit' },
    1,
  )
  const note = { of: 'line', row_id: number, by: 'ada' } as const
  const write = (owner: string, words: string) => insertNote(sql, { ...note, owner, note: words })
  assert.ok(await write('ben', 'Asked the bank'))
  assert.ok(await write('', 'It is a fee'))
  const [shown] = await listCases(audit, days(), { ...all, owner: 'ben' }, 10)
  assert.deepEqual([shown?.number, shown?.owner, shown?.note], [number, 'ben', 'It is a fee'])
  assert.equal(await insertNote(sql, { ...note, row_id: 999_999n, owner: '', note: 'x' }), false)
})
