// A conversion by hand in PostgreSQL, right or with one fault: what its constraints refuse when the
// transaction ends. And faults planted past them: what corridor verify names.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { stepOn } from '../../src/verify/proof.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { disarm, rechain } from './forgery.ts'

type Row = Readonly<Record<string, unknown>>

interface Parts {
  readonly quote: Row
  readonly sold: Row | null
  readonly bought: Row | null
  readonly conversion: Row | null
}

let service: TestService
let account: Client
let rows: Parts

before(async () => {
  service = await startTestService()
  await service.setRates({ 'EUR/USD': '1.25', 'EUR/JPY': '160' })
  await service.setPricing({ spread_bps: 100 })
  await service.setFees([{ payout_type: 'conversion', fee_currency: 'USD', fixed_amount: 25n }])
  const fund = { USD: 1_000_000n, EUR: 1_000_000n }
  account = await service.openAccount({ currencies: ['USD', 'EUR', 'JPY'], fund })
  for (const total_debit of [1_200, 50_000]) await convert(total_debit)
  rows = await partsOf(await quoteOf(1_200))
})
after(() => service.close())

async function quoteOf(total_debit: number): Promise<string> {
  const holding_info = { currency: 'USD' }
  const body = { holding_info, destination_info: { currency: 'EUR' }, total_debit }
  const { status, text, json } = await account.post('/v3/conversion/quote', body)
  assert.equal(status, 200, text)
  return json.data.id
}

async function convert(total_debit: number): Promise<void> {
  const quote = await quoteOf(total_debit)
  const { status, text } = await account.post('/v3/conversion', { quote })
  assert.equal(status, 200, text)
}

const owner = () => service.database.owner
const mine = () => account.account.account_id

/** The rows of the first conversion, moved to the end of the book and to another quote. */
async function partsOf(quote_id: string): Promise<Parts> {
  const one = async (select: string): Promise<Row> => {
    const [found] = await owner().unsafe<{ row: Row }[]>(
      `select to_jsonb(t) as row from (${select} order by 1 limit 1) t`,
      [mine()],
    )
    return found?.row ?? assert.fail(select)
  }
  const sold = await one(`select * from journals where account_id = $1 and kind = 'conversion_out'`)
  const bought = await one(
    `select * from journals where account_id = $1 and kind = 'conversion_in'`,
  )
  const conversion = await one('select * from conversions where account_id = $1')
  const [made] = await owner()<{ created_at: string; number: string }[]>`
    select to_json(created_at + interval '1 millisecond')::text as created_at,
      (select max(number) + 1 from journals where account_id = ${mine()})::text as number
    from quotes where id = ${quote_id}`
  const created_at = JSON.parse(made?.created_at ?? '')
  const number = Number(made?.number)
  const end = '7'.repeat(20)
  return {
    quote: { id: quote_id, status: 'used', updated_at: created_at },
    sold: { ...sold, number, created_at, source: `cnv_${end}` },
    bought: { ...bought, number: number + 1, created_at, source: `cni_${end}` },
    conversion: { ...conversion, number, created_at, quote_id, id: `cnv_${end}` },
  }
}

/** Writes the rows, lets PostgreSQL judge them, and leaves nothing of them. */
function writeByHand({ quote, ...written }: Parts): Promise<string> {
  return undone(owner(), async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await tx`
      update quotes set status = ${String(quote.status)},
        updated_at = ${String(quote.updated_at)}::timestamptz where id = ${String(quote.id)}`
    const write = async (table: string, row: Row | null) => {
      if (row === null) return
      await tx.unsafe(
        `insert into ${table} select (jsonb_populate_record(null::${table}, $1::jsonb)).*`,
        [JSON.stringify(row)],
      )
    }
    try {
      await write('journals', written.sold)
      await write('journals', written.bought)
      await write('conversions', written.conversion)
      await tx`set constraints all immediate`
      return 'taken'
    } catch (error) {
      const { constraint_name } = error as { constraint_name?: string }
      return constraint_name ?? String(error)
    }
  })
}

test('conversion by hand, every row as the service writes it: taken', async () => {
  assert.equal(await writeByHand(rows), 'taken')
})

const amountsOf = (row: Row | null) => (row?.amounts ?? []) as number[]

const moved = (row: Row | null, by: number): Row => ({
  ...row,
  amount: Number(row?.amount) + by,
  amounts: amountsOf(row).map((a, i) => (i === 0 ? a + by : i === 1 ? a - by : a)),
})

const FAULTS: readonly [what: string, fault: (parts: Parts) => Partial<Parts>, refused: string][] =
  [
    ['the debit missing', () => ({ sold: null }), 'conversion_moves_what_was_quoted'],
    ['the credit missing', () => ({ bought: null }), 'conversion_moves_what_was_quoted'],
    ['the conversion missing', () => ({ conversion: null }), 'journal_of_a_conversion'],
    ['the debit alone', () => ({ conversion: null, bought: null }), 'journal_of_a_conversion'],
    [
      'one unit less debited',
      ({ sold }) => ({ sold: moved(sold, 1) }),
      'conversion_moves_what_was_quoted',
    ],
    [
      'one unit more credited',
      ({ bought }) => ({ bought: { ...bought, ...creditOf(bought, 1) } }),
      'conversion_moves_what_was_quoted',
    ],
    [
      'the income left in the position',
      ({ sold }) => ({ sold: withoutIncome(sold) }),
      'conversion_moves_what_was_quoted',
    ],
    [
      'the fee told as principal',
      ({ sold }) => ({
        sold: { ...sold, fixed_fee: 0, amount: Number(sold?.amount) + Number(sold?.fixed_fee) },
      }),
      'conversion_moves_what_was_quoted',
    ],
    [
      'the credit at another time',
      ({ bought }) => ({ bought: { ...bought, created_at: '2026-01-01T00:00:00Z' } }),
      'conversion_moves_what_was_quoted',
    ],
    [
      'a quote that stays active',
      ({ quote }) => ({ quote: { ...quote, status: 'active' } }),
      'conversion_at_its_quote',
    ],
    [
      'a time after the price has ended',
      parts => at(parts, '2100-01-01T00:00:00Z'),
      'conversion_at_its_quote',
    ],
    [
      'a time before the quote',
      parts => at(parts, '2020-01-01T00:00:00Z'),
      'conversion_at_its_quote',
    ],
    [
      'another currency than the quote',
      ({ conversion }) => ({ conversion: { ...conversion, destination_currency: 'JPY' } }),
      'conversion_at_its_quote',
    ],
    [
      'the source of another conversion',
      ({ sold }) => ({ sold: { ...sold, source: `cnv_${'8'.repeat(20)}` } }),
      'journal_of_a_conversion',
    ],
    [
      'a credit that debits',
      ({ sold }) => ({ sold: { ...sold, kind: 'conversion_in' } }),
      'direction_matches_kind',
    ],
  ]

function at({ quote, sold, bought, conversion }: Parts, created_at: string): Parts {
  return {
    quote: { ...quote, updated_at: created_at },
    sold: { ...sold, created_at },
    bought: { ...bought, created_at },
    conversion: { ...conversion, created_at },
  }
}

function creditOf(row: Row | null, by: number): Row {
  const amounts = amountsOf(row).map(a => (a > 0 ? a + by : a - by))
  return { amount: Number(row?.amount) + by, amounts }
}

/** The margin stays in `fx`. */
function withoutIncome(row: Row | null): Row {
  const codes = String(row?.codes).split(' ')
  const amounts = amountsOf(row)
  const income = amounts[codes.indexOf('fx_income')] ?? 0
  const kept = codes.flatMap((code, i) => (code === 'fx_income' ? [] : [i]))
  return {
    ...row,
    codes: kept.map(i => codes[i]).join(' '),
    currencies: kept.map(() => row?.currency).join(' '),
    amounts: kept.map(i => (amounts[i] ?? 0) + (codes[i] === 'fx' ? income : 0)),
  }
}

for (const [what, fault, refused] of FAULTS) {
  test(`conversion by hand, ${what}: refused by ${refused}`, async () => {
    assert.equal(await writeByHand({ ...rows, ...fault(rows) }), refused)
  })
}

test('conversion by hand, quote of an earlier conversion: refused by conversion_quote_used_once', async () => {
  const [used] = await owner()<{ quote_id: string }[]>`
    select quote_id from conversions where account_id = ${mine()} order by id limit 1`
  const conversion = { ...rows.conversion, quote_id: used?.quote_id }
  assert.equal(await writeByHand({ ...rows, conversion }), 'conversion_quote_used_once')
})

test('conversion by hand, rule that asks for approval of any payout, or key that only makes: refused by conversion_without_approval', async () => {
  const remove = await addApprovalRule(service, { account_id: mine() })
  assert.equal(await writeByHand(rows), 'conversion_without_approval')
  await remove()
  const narrow = await addApprovalRule(service, { account_id: mine(), payout_type: 'swift' })
  assert.equal(await writeByHand(rows), 'taken')
  await narrow()
  const key_id = `key_${'7'.repeat(20)}`
  await owner()`
    insert into api_keys (key_id, account_id, secret_hash, scope, name, makes_only)
    values (${key_id}, ${mine()}, sha256('7'), 'write', 'maker', true)`
  const conversion = { ...rows.conversion, made_by: key_id }
  assert.equal(await writeByHand({ ...rows, conversion }), 'conversion_without_approval')
})

test('journals of a conversion, written a second time: refused by booked_once', async () => {
  const [sold, bought] = [rows.sold, rows.bought].map((row, i) => ({
    ...row,
    number: Number(row?.number) + 2 + i,
  }))
  const twice = undone(owner(), async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    const insert = (row: Row | null | undefined) =>
      tx.unsafe(
        'insert into journals select (jsonb_populate_record(null::journals, $1::jsonb)).*',
        [JSON.stringify(row)],
      )
    for (const row of [rows.sold, rows.bought]) await insert(row)
    const refusals: string[] = []
    for (const row of [sold, bought]) {
      await tx
        .savepoint(async () => insert(row))
        .catch(error => {
          refusals.push((error as { constraint_name: string }).constraint_name)
        })
    }
    return refusals
  })
  assert.deepEqual(await twice, ['booked_once', 'booked_once'])
})

test('quote of a conversion, with another id or other terms: refused by conversion_of_two_balances', async () => {
  for (const change of [
    `id = 'poq_' || substr(id, 5)`,
    `payout_type = 'local'`,
    `payout_currency = holding_currency`,
    `destination_currency = 'JPY'`,
    'destination_amount = destination_amount + 1',
  ]) {
    const refused = undone(owner(), async tx => {
      await tx`select set_config('corridor.maintenance', 'on', true)`
      return tx
        .unsafe(`update quotes set ${change} where id = $1`, [String(rows.quote.id)])
        .then(() => 'taken')
        .catch(error => (error as { constraint_name?: string }).constraint_name)
    })
    assert.equal(await refused, 'conversion_of_two_balances', change)
  }
})

/** Planted past every constraint; $1 is the account. The chain is recomputed. */
const PLANTED: readonly [what: string, statement: string, table: string, words: RegExp][] = [
  [
    'conversion deleted',
    `delete from conversions where account_id = $1 and number = 3`,
    'journals',
    /^conversion cnv_\w+; none$/,
  ],
  [
    'number of a conversion changed',
    `update conversions set number = 4 where account_id = $1 and number = 3`,
    'journals',
    /^number 4 of conversion cnv_\w+; 3$/,
  ],
  [
    'quote of a conversion made active again',
    `update quotes set status = 'active' where account_id = $1 and status = 'used'
      and id = (select quote_id from conversions where account_id = $1 and number = 3)`,
    'journals',
    /^a used quote of conversion cnv_\w+; conversion active$/,
  ],
  [
    'debit and position changed alike',
    `update journals set amount = amount + 1, balance_after = balance_after + 1,
      amounts[1] = amounts[1] + 1, amounts[3] = amounts[3] - 1
      where account_id = $1 and number = 3`,
    'journals',
    /^available USD -\d+, fees USD 25, fx USD \d+, fx_income USD \d+; available/,
  ],
  [
    'income moved into the position',
    `update journals set amounts[3] = amounts[3] + 1, amounts[4] = amounts[4] - 1
      where account_id = $1 and number = 3`,
    'journals',
    /^available USD -\d+, fees USD 25, fx USD \d+, fx_income USD \d+; available/,
  ],
  [
    'the counterpart of a line changed',
    `update journals set metadata = '{"counterpart":"btr_x"}' where account_id = $1 and number = 4`,
    'journals',
    /^the other journal of cnv_\w+, named btr_\w+; cnv_\w+, named btr_x$/,
  ],
  [
    'time of a conversion changed',
    `update conversions set created_at = created_at - interval '1 second'
      where account_id = $1 and number = 3`,
    'journals',
    /^the time of conversion cnv_\w+/,
  ],
]

describe('corridor verify, a conversion changed past every constraint', () => {
  before(async () => {
    await verifyBooks(owner())
    await disarm(owner())
    await owner()`alter table conversions disable trigger user`
  })

  for (const [what, statement, table, words] of PLANTED) {
    test(`corridor verify and the step of the running service, ${what}: named`, async () => {
      const found = await undone(owner(), async tx => {
        await tx`select set_config('corridor.maintenance', 'on', true)`
        await tx.unsafe(statement, [mine()])
        await rechain(tx as never, mine())
        const start = { number: 0n, hash: '0'.repeat(64), journal_at: null, balances: {} }
        const proof = { account_id: mine(), walk: 'again' as const, ...start }
        return { step: await stepOn(tx, proof, 100), verdict: await verdictIn(tx, true) }
      })
      assert.ok(!found.verdict.ok, 'nothing was found')
      const named = (problems: readonly { table: string; expected: string; found: string }[]) =>
        problems.some(one => one.table === table && words.test(`${one.expected}; ${one.found}`))
      const all = found.verdict.ok ? [] : found.verdict.problems
      assert.ok(named(all), JSON.stringify(all, null, 1))
      assert.ok(named(found.step.problems), JSON.stringify(found.step.problems, null, 1))
    })
  }

  test('corridor verify, unused quote of a conversion deleted: named, unless it is older than 90 days', async () => {
    const unused = String(rows.quote.id)
    const old = unused.replace(/^coq_.{11}/, 'coq_00000000001')
    for (const [id, expected] of [
      [unused, [unused]],
      [old, []],
    ] as const) {
      const verdict = await undone(owner(), async tx => {
        await tx`select set_config('corridor.maintenance', 'on', true)`
        await tx`update events set object_id = ${id} where object_id = ${unused}`
        await tx`delete from quotes where id = ${unused}`
        return verdictIn(tx, true)
      })
      const problems = verdict.ok ? [] : verdict.problems
      const named = problems.filter(({ table }) => table === 'quotes').map(({ key }) => key)
      assert.deepEqual(named, expected)
    }
  })

  test('corridor verify, both journals of a conversion removed: its row named', async () => {
    const verdict = await undone(owner(), async tx => {
      await tx`select set_config('corridor.maintenance', 'on', true)`
      await tx`delete from journals where account_id = ${mine()} and number in (5, 6)`
      return verdictIn(tx, true)
    })
    assert.ok(!verdict.ok)
    const problem = verdict.problems.find(one => one.table === 'conversions')
    assert.match(problem?.expected ?? '', /^journals 5 and 6 of this conversion$/)
    assert.equal(problem?.found, 'none')
  })
})
