// The scenario recovery: how soon the service is ready again after PostgreSQL was killed with much of
// its log not yet in the tables.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asOwner, asSuperuser, logBytes, logPosition } from './database.ts'
import type { Figure, FigureRound } from './figure.ts'
import type { Options } from './options.ts'
import { type Payer, payerOf } from './payouts.ts'
import { inRounds, say } from './report.ts'
import { makeDue } from './settle-run.ts'
import { readPostgresPid, type Target, withTarget } from './target.ts'

const GIB = 2 ** 30
const FULL = { rounds: 1, log_bytes: 2 * GIB }
const QUICK = { rounds: 1, log_bytes: GIB / 16 }
/** How many payouts are made between two looks at the length of the log. */
const PAYOUTS = 10_000
const POLL_MS = 20

/** By its usual settings PostgreSQL writes a checkpoint after half as much of the log. */
const NO_CHECKPOINT = 'max_wal_size = 16GB\ncheckpoint_timeout = 1d'

export function benchRecovery(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  const postgres = [NO_CHECKPOINT, options.postgres ?? ''].join('\n')
  return withTarget({ postgres }, async target => {
    const payer = await payerOf(target)
    const rounds = await inRounds(plan.rounds, () => recoverOnce(target, payer, plan.log_bytes))
    return [
      {
        name: `ready again after kill -9 of PostgreSQL, ${plan.log_bytes / GIB} GiB of log to repeat`,
        unit: 's',
        rounds,
        goals: [],
        note: 'From the kill until /readyz answers 200. The files of the database are in memory.',
      },
    ]
  })
}

async function recoverOnce(target: Target, payer: Payer, bytes: number): Promise<FigureRound> {
  await asSuperuser(target.database_url, sql => sql`checkpoint`)
  await fillLog(target.database_url, payer, bytes)
  const from = performance.now()
  process.kill(await readPostgresPid(join(target.folder, 'data')), 'SIGKILL')
  await untilReady(target.address, false)
  await untilReady(target.address, true)
  const value = (performance.now() - from) / 1_000
  say(`  ready again after ${value.toFixed(1)} s`)
  return { value, baselines: {} }
}

async function fillLog(database_url: string, payer: Payer, bytes: number): Promise<void> {
  const from = await asOwner(database_url, logPosition)
  for (;;) {
    const written = await asOwner(database_url, async sql => {
      return logBytes(sql, from, await logPosition(sql))
    })
    if (written >= bytes) return say(`  ${(written / GIB).toFixed(2)} GiB of log to repeat`)
    await makeDue(payer, PAYOUTS)
  }
}

async function untilReady(address: string, ready: boolean): Promise<void> {
  for (;;) {
    const { ok } = await fetch(`${address}/readyz`)
    if (ok === ready) return
    await delay(POLL_MS)
  }
}
