// The scenario matching: how long the lines of a bank take to match with twice as many open items
// of the books. One line in forty names no item, and stays open.
import { connect, type Sql } from '../src/sql/connect.ts'
import { matchNostro } from '../src/treasury/match/match-nostro.ts'
import { findSurroundings, listLines } from '../src/treasury/match/open-store.ts'
import { suggest } from '../src/treasury/match/suggest.ts'
import { listNostros } from '../src/treasury/nostro-store.ts'
import type { Figure, FigureRound } from './figure.ts'
import type { Options } from './options.ts'
import { inRounds, say, whole } from './report.ts'
import { type Target, withTarget } from './target.ts'

const FULL = { rounds: 3, lines: 100_000 }
const QUICK = { rounds: 1, lines: 5_000 }
const PAGE = 50

type Plan = typeof FULL

/** The worker of the service would match at the same time. */
const ALONE = { env: { CORRIDOR_SETTLE: 'off' } }

export function benchMatching(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget({ ...options, ...ALONE }, async target => {
    const owner = connect(target.database_url, { max: 1, as: 'owner' })
    try {
      return await measure(target, owner, plan)
    } finally {
      await owner.end({ timeout: 5 })
    }
  })
}

async function measure(target: Target, owner: Sql, plan: Plan): Promise<readonly Figure[]> {
  const pages: FigureRound[] = []
  let nth = 0
  const rounds = await inRounds(plan.rounds, async () => {
    nth += 1
    const name = `bench_${nth}`
    await fill(owner, name, plan.lines)
    const value = await matchAll(target, owner, { name, lines: plan.lines })
    pages.push({ value: await suggestPage(target, name), baselines: {} })
    return { value, baselines: {} }
  })
  return [
    {
      name: `match ${whole(plan.lines)} lines against ${whole(2 * plan.lines)} open items`,
      unit: 's',
      rounds,
      goals: [{ what: 'value', at_most: 30 }],
      note: 'By exact key; one line in forty names no item. A second run finds nothing.',
    },
    {
      name: `suggestions for ${PAGE} lines, ${whole(plan.lines)} open items`,
      unit: 'ms',
      rounds: pages,
      goals: [{ what: 'value', at_most: 1_000 }],
    },
  ]
}

/** Items of two amounts a key, of which every second one is named by a line. */
async function fill(owner: Sql, name: string, lines: number): Promise<void> {
  await owner`
    insert into nostros (name, kind, currency, purpose, opening_balance, opening_on)
    values (${name}, 'bank', 'EUR', 'client', 0, '2026-01-01')`
  await owner`
    insert into nostro_items (amount, booked_at, number, value_on, nostro, currency, kind,
      account_id, payout_id, key, block)
    select -(1 + i % 5000), now(), i + coalesce((select max(number) from nostro_items), 0),
      current_date, ${name}, 'EUR', 'payout', 'acc_00000001', '',
      'C' || lpad(i::text, 14, '0'), 'B' || i / 300
    from generate_series(1, ${2 * lines}::integer) i`
  await owner`
    insert into statement_files (sha256, size, name, state)
    values (sha256(convert_to(${name}, 'UTF8')), 1, ${name}, 'read')`
  await owner`
    insert into bank_statements (id, sha256, nostro, format, statement_id, opened_on, closed_on,
      opening, closing, lines, amount, state)
    select nextval('bank_statement_ids'), sha256(convert_to(${name}, 'UTF8')), ${name}, 'csv', '1',
      current_date, current_date, 0, sum(-(1 + 2 * i % 5000)), count(*), sum(-(1 + 2 * i % 5000)),
      'proved'
    from generate_series(1, ${lines}::integer) i`
  await owner`
    insert into bank_lines (amount, statement, position, booked_on, value_on, occurrence, same,
      nostro, currency, end_to_end_id)
    select -(1 + 2 * i % 5000), (select max(id) from bank_statements), i, current_date, current_date,
      1, sha256(convert_to(${name} || i, 'UTF8')), ${name}, 'EUR',
      case when i % 40 = 0 then '' else 'C' || lpad((2 * i)::text, 14, '0') end
    from generate_series(1, ${lines}::integer) i`
}

/** Seconds. */
async function matchAll(
  target: Target,
  owner: Sql,
  { name, lines }: { name: string; lines: number },
): Promise<number> {
  const sql = connect(target.database_url, { max: 2, as: 'service', look_ups: true })
  try {
    const nostro = (await listNostros(owner)).find(one => one.name === name)
    if (nostro === undefined) throw new Error(`no nostro ${name}`)
    const from = performance.now()
    const { by_key } = await matchNostro(sql, nostro)
    const value = (performance.now() - from) / 1_000
    const expected = lines - Math.floor(lines / 40)
    if (by_key !== expected) throw new Error(`${by_key} of ${expected} lines are matched`)
    const again = await matchNostro(sql, nostro)
    if (again.by_key !== 0) throw new Error(`a second run has matched ${again.by_key} lines`)
    say(`  ${value.toFixed(1)} s for ${whole(by_key)} matches`)
    return value
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Milliseconds. */
async function suggestPage(target: Target, nostro: string): Promise<number> {
  const audit = connect(target.database_url, { max: 4, as: 'auditor' })
  try {
    const page = { nostro, state: 'open', after: 0n, limit: PAGE } as const
    const lines = await listLines(audit, page)
    const from = performance.now()
    const around = await findSurroundings(audit, lines)
    for (const one of around) suggest(one)
    return performance.now() - from
  } finally {
    await audit.end({ timeout: 5 })
  }
}
