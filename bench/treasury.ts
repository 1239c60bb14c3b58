// The scenario treasury: how fast the house's books are derived from a million journals of live
// accounts, and how long a trial balance and the table of nostros then take.
import { connect, type Sql } from '../src/sql/connect.ts'
import { listPositions, trialBalance } from '../src/treasury/balance-store.ts'
import { deriveSome } from '../src/treasury/derive.ts'
import { foldOpenDays } from '../src/treasury/match/exception-store.ts'
import { logIn, timePages } from './console.ts'
import { type Figure, type FigureRound, percentile } from './figure.ts'
import type { Options } from './options.ts'
import { inRounds, say, whole } from './report.ts'
import { benchStatements } from './statement.ts'
import { type Target, withTarget } from './target.ts'

/** Each payout has two journals: its debit and its settlement. */
const FULL = { rounds: 3, payouts: 500_000, accounts: 100, nostros: 50, pages: 50 }
const QUICK = { rounds: 1, payouts: 10_000, accounts: 10, nostros: 5, pages: 10 }

type Plan = typeof FULL

/** The worker of the service would derive at the same time. */
const ALONE = { env: { CORRIDOR_SETTLE: 'off', CORRIDOR_USER: 'bench0' } }

export async function benchTreasury(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  const books = await withTarget({ ...options, ...ALONE }, async target => {
    const owner = connect(target.database_url, { max: 1, as: 'owner' })
    try {
      return await measure(target, owner, plan)
    } finally {
      await owner.end({ timeout: 5 })
    }
  })
  return [...books, ...(await benchStatements(options))]
}

async function measure(target: Target, owner: Sql, plan: Plan): Promise<readonly Figure[]> {
  await fillJournals(owner, plan)
  const derived = await inRounds(plan.rounds, () => deriveAll(target, owner, plan))
  // As the service does after each round of matching, and autovacuum after that.
  await foldOpenDays(owner)
  await owner.unsafe('vacuum analyze open_days')
  const at = new Date(Date.now() + 60_000).toISOString()
  const reading = (work: () => Promise<unknown>) => inRounds(plan.rounds, () => timed(work))
  const [cookie = ''] = await logIn(target, 1)
  const page = `${target.address}/console/installation/treasury`
  return [
    {
      name: `derive ${whole(2 * plan.payouts)} journals of ${plan.accounts} accounts`,
      unit: 'journals/s',
      rounds: derived,
      goals: [{ what: 'value', at_least: 30_000 }],
      note: 'Sums of days and items, by one process; half of the journals make an item.',
    },
    {
      name: 'trial balance of the present',
      unit: 'ms',
      rounds: await reading(() => trialBalance(owner, at)),
      goals: [{ what: 'value', at_most: 2_000 }],
    },
    {
      name: `table of ${plan.nostros} nostros, ${whole(plan.payouts)} open items`,
      unit: 'ms',
      rounds: await reading(() => listPositions(owner)),
      goals: [{ what: 'value', at_most: 200 }],
    },
    {
      name: `page of the treasury, ${plan.nostros} nostros, ${whole(plan.payouts)} open items, p95`,
      unit: 'ms',
      rounds: await inRounds(plan.rounds, async () => {
        const took = await timePages(page, cookie, plan.pages)
        return { value: percentile(took, 0.95), baselines: {} }
      }),
      goals: [{ what: 'value', at_most: 200 }],
      note: 'Each item is late at its bank, which is the worst case: the page counts all of them.',
    },
  ]
}

async function timed(work: () => Promise<unknown>): Promise<FigureRound> {
  const from = performance.now()
  await work()
  return { value: performance.now() - from, baselines: {} }
}

const DERIVED = ['account_cursors', 'account_days', 'nostro_items', 'nostro_totals', 'open_days']

/** Derives all, after what an earlier round has derived is forgotten. */
async function deriveAll(target: Target, owner: Sql, plan: Plan): Promise<FigureRound> {
  await owner.begin(async tx => {
    for (const table of DERIVED) {
      await tx.unsafe(`alter table ${table} disable trigger user`)
      await tx.unsafe(`delete from ${table}`)
      await tx.unsafe(`alter table ${table} enable trigger user`)
    }
  })
  await owner.unsafe('vacuum analyze nostro_items, account_days, open_days')
  const sql = connect(target.database_url, { max: 1, as: 'service', look_ups: true })
  const finder = connect(target.database_url, { max: 1, as: 'finder' })
  const from = performance.now()
  let journals = 0n
  for (let more = 1n; more > 0n; journals += more)
    more = (await deriveSome({ sql, finder })).journals
  const seconds = (performance.now() - from) / 1_000
  await sql.end({ timeout: 5 })
  await finder.end({ timeout: 5 })
  const value = Number(journals) / seconds
  if (journals !== BigInt(2 * plan.payouts)) throw new Error(`${journals} journals were derived`)
  say(`  ${whole(value)} journals/s, ${seconds.toFixed(1)} s`)
  return { value, baselines: {} }
}

/** Live accounts with settled payouts by a rail, over 90 days; the hashes are of no chain. */
async function fillJournals(owner: Sql, { payouts, accounts, nostros }: Plan): Promise<void> {
  const each = payouts / accounts
  await owner.begin(async tx => {
    const guarded = [
      'accounts',
      'books',
      'journals',
      'payout_outcomes',
      'payout_attempts',
      'nostros',
    ]
    for (const table of guarded) await tx.unsafe(`alter table ${table} disable trigger user`)
    await tx.unsafe(`
      insert into nostros (name, kind, currency, purpose, rails, opening_balance, opening_on)
      select 'usd_' || n, 'bank', 'USD', 'client', array['bank_' || n], 0, '2026-01-01'
      from generate_series(1, ${nostros}) n`)
    await tx.unsafe(`
      insert into accounts (account_id, name, currencies, primary_currency, sandbox, deposit_address)
      select 'acc_bench' || lpad(n::text, 3, '0'), 'bench', array['USD'], 'USD', false, 'bench' || n
      from generate_series(1, ${accounts}) n`)
    await tx.unsafe(`
      insert into books (account_id, journal_count, head_hash)
      select 'acc_bench' || lpad(n::text, 3, '0'), ${2 * each}, sha256('') from generate_series(1, ${accounts}) n`)
    await tx.unsafe(`
      insert into payout_outcomes (updated_at, rail_steps, rail_attempts, account_id, id, status, rail,
        status_description, rail_reference, taken_by, answers)
      select now(), 1, 1, a.account_id, 'pot_' || lpad(n::text, 20, '0'), 'succeeded',
        'bank_' || 1 + n % ${nostros}, '', 'REF' || n, '', '[]'
      from accounts a, generate_series(1, ${each}) n where a.name = 'bench'`)
    await tx.unsafe(`
      insert into payout_attempts (number, opened_at, asked_at, ended_at, account_id, payout_id, rail, uetr, ended_as)
      select 1, now(), now(), now(), account_id, id, rail, gen_random_uuid()::text, 'paid'
      from payout_outcomes where account_id like 'acc_bench%'`)
    await tx.unsafe(`
      insert into journals (number, created_at, amount, fixed_fee, variable_fee, balance_after,
        account_id, kind, source, currency, codes, currencies, amounts, hash)
      select 2 * n - 1 + s, timestamptz '2026-08-01' + (2 * n + s) * interval '90 days' / ${2 * each},
        case s when 0 then -1000 end, case s when 0 then -5 end, case s when 0 then 0 end,
        case s when 0 then 1000000 end, a.account_id, case s when 0 then 'payout' else 'settlement' end,
        'pot_' || lpad(n::text, 20, '0'), case s when 0 then 'USD' end,
        case s when 0 then 'available fees in_transit' else 'in_transit settled' end,
        case s when 0 then 'USD USD USD' else 'USD USD' end,
        case s when 0 then array[-1005, 5, 1000] else array[-1000, 1000] end, sha256('')
      from accounts a, generate_series(1, ${each}) n, generate_series(0, 1) s
      where a.name = 'bench' order by a.account_id, 1`)
    for (const table of guarded) await tx.unsafe(`alter table ${table} enable trigger user`)
  })
  await owner.unsafe('vacuum analyze')
  say(`${whole(2 * payouts)} journals are there`)
}
