// Makes due payouts through the API, and measures how fast a worker settles them. The worker is a
// process of its own, and its rail reports success at once.

import { setTimeout } from 'node:timers/promises'
import { MAX_PAYOUTS } from '../src/payouts/batch/request.ts'
import type { Sql } from '../src/sql/connect.ts'
import { type Cost, withCost } from './cpu.ts'
import { asOwner } from './database.ts'
import { vacuumTables } from './fill.ts'
import { type Generator, sendLoad } from './load.ts'
import { type Payer, payoutBody, payoutLoad } from './payouts.ts'
import { say, whole, wordCost } from './report.ts'
import type { Caller, Target } from './target.ts'

/** Makes payouts of one account, all due at once. */
export function makeDue(payer: Payer, count: number): Promise<void> {
  return payInBatches(payer, payoutBody('USD→USD', payer.beneficiary), count)
}

/** Makes `count` equal payouts. */
export async function payInBatches(payer: Caller, body: object, count: number): Promise<void> {
  for (let left = count; left > 0; left -= MAX_PAYOUTS) {
    const payouts = Array.from({ length: Math.min(left, MAX_PAYOUTS) }, () => body)
    const { status, text } = await payer.post('/v3/payout_batch', { payouts })
    if (status !== 200) throw new Error(`a batch was answered ${status}: ${text.slice(0, 300)}`)
  }
}

/**
 * Makes at least `count` payouts by random payers, so that due payouts are not ordered by account.
 */
export async function makeDueAtRandom(
  generator: Generator,
  target: Target,
  payers: readonly Payer[],
  count: number,
): Promise<void> {
  const load = { ...payoutLoad(target.address, payers, CONNECTIONS), seconds: LOAD_S }
  for (let made = 0; made < count; ) made += (await sendLoad(generator, load)).requests
}

const CONNECTIONS = 256
const LOAD_S = 2

interface Settled extends Cost {
  readonly requests: number
  readonly per_second: number
}

/** The settings of a process that settles. */
export const WORKER = { CORRIDOR_SETTLE: 'on', CORRIDOR_SIMULATOR_DELAY_MS: '0' }

/** Settles all due payouts; measures from the start of the worker to the last settlement. */
export async function settleDue(target: Target): Promise<Settled> {
  return asOwner(target.database_url, async sql => {
    const requests = await countDue(sql)
    const all = (await countJournals(sql)) + requests
    const worker = await target.startAnother(WORKER)
    const settled = await withCost([worker.pid], target.postgres_pid, async () => {
      const started = performance.now()
      await untilWritten(sql, all)
      return { requests, per_second: requests / ((performance.now() - started) / 1000) }
    }).finally(() => worker.stop())
    const left = await countDue(sql)
    if (left > 0) throw new Error(`of ${requests} payouts, ${left} were not settled`)
    return settled
  })
}

/**
 * Vacuums these tables, as autovacuum would at some time, then settles all due payouts and prints
 * the result.
 */
export async function settleVacuumed(
  name: string,
  target: Target,
  tables: readonly string[],
): Promise<Settled> {
  await vacuumTables(target.database_url, tables)
  const settled = await settleDue(target)
  const { requests, per_second } = settled
  say(`  ${name}: ${whole(requests)} payouts settled, ${whole(per_second)}/s; ${wordCost(settled)}`)
  return settled
}

async function countDue(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: string }[]>`
    select count(*)::text as count from open_payouts
    where ask_rail_at <= statement_timestamp()
      and (claimed_until is null or claimed_until <= statement_timestamp())`
  return Number(row?.count)
}

const POLL_MS = 50
/** Far longer than any claim lasts. */
const STUCK_MS = 60_000

/**
 * Waits until the books count this many journals: each settlement writes one journal. The books
 * have one short row for each account.
 */
async function untilWritten(sql: Sql, journals: number): Promise<void> {
  let last = 0
  let since = performance.now()
  for (;;) {
    const written = await countJournals(sql)
    if (written >= journals) return
    if (written > last) since = performance.now()
    if (performance.now() - since > STUCK_MS) throw new Error('the worker settles no payouts')
    last = written
    await setTimeout(POLL_MS)
  }
}

async function countJournals(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: string }[]>`select sum(journal_count)::text as count from books`
  return Number(row?.count)
}
