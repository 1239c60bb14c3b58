// The settling worker: finds payouts whose rail is due to be asked, claims them account by account,
// asks the rail outside any transaction, and applies its answer through a lane; ends holds besides.
// It may be killed at any point: an unapplied claim comes due again, and an applied report is not
// applied twice.
import { setTimeout } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Key } from '../id.ts'
import type { Payout } from '../payout/rules.ts'
import {
  type ClaimedPayout,
  claimDuePayouts,
  findPayouts,
  listDuePayouts,
} from '../payout/store.ts'
import type { Rail, RailPayout, RailReport } from '../rail/rail.ts'
import { endHolds } from './end-holds.ts'

export interface Worker {
  /** Resolves when the round in hand is finished. */
  stop(): Promise<void>
}

/** Most payouts of one round. */
const ROUND = 500

/** Longest wait between questions to a rail that does not answer clearly. */
const MAX_BACKOFF_MS = 60_000

export function startSettling(deps: Deps): Worker {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    while (!signal.aborted) {
      const settled = await settleOnce(deps).catch(error => {
        deps.log.warn({ err: error }, 'settling round failed')
        return 0
      })
      // A full round means that more is waiting.
      if (settled < ROUND) {
        await setTimeout(deps.config.settle_poll_ms, undefined, { signal }).catch(() => {})
      }
    }
  }
  const done = run()
  return {
    stop() {
      stopping.abort()
      return done
    },
  }
}

/** One round; returns how many payouts were due to be asked about, or held without need. */
export async function settleOnce(deps: Deps): Promise<number> {
  return (await endHolds(deps)) + (await settleDue(deps))
}

async function settleDue(deps: Deps): Promise<number> {
  const due = await listDuePayouts(deps.sql, ROUND)
  if (due.length === 0) return 0
  const claims = await Promise.all(
    [...Map.groupBy(due, key => key.account_id)].map(([account_id, keys]) =>
      // One account that cannot be claimed now comes due again; the others go on.
      claim(deps, account_id, keys).catch(error => {
        deps.log.warn({ err: error, account_id }, 'payouts could not be claimed')
        return []
      }),
    ),
  )
  const claimed = new Map(claims.flat().map(one => [one.id, one]))
  const payouts = await findPayouts(
    deps.sql,
    due.filter(key => claimed.has(key.id)),
  )
  // Whoever has moved a payout since it was claimed has taken it out of the rail's hands.
  await Promise.all(
    payouts.map(payout => {
      const mine = claimed.get(payout.id)
      return mine?.ask_rail_at === payout.ask_rail_at && settle(deps, payout, mine)
    }),
  )
  return due.length
}

function claim(deps: Deps, account_id: string, keys: readonly Key[]) {
  // The lease outlives the rail's time-out, so nobody else asks while we wait.
  const lease_ms = 2 * deps.config.rail_timeout_ms
  return claimDuePayouts(
    deps.sql,
    account_id,
    keys.map(key => key.id),
    lease_ms,
  )
}

async function settle(deps: Deps, payout: Payout, claimed: ClaimedPayout): Promise<void> {
  const { rail, metrics } = deps
  const count = (result: string) => metrics.railReports.inc({ rail: rail.name, result })
  const report = await askRail(deps, payout, claimed)
  if (report === undefined) count('unclear')
  const { account_id, id: payout_id } = payout
  const steps = report?.steps ?? []
  const ask_again_in_ms =
    report === undefined ? backoff(claimed.rail_attempts) : report.ask_again_in_ms
  const asked = { claim: claimed.ask_rail_at, told: payout.answers.length }
  const advance = { account_id, payout_id, steps, by: 'rail', ask_again_in_ms, ...asked } as const
  try {
    await deps.lanes.advancePayout.run(advance)
    if (report !== undefined) count(steps.length > payout.rail_steps ? 'applied' : 'nothing_new')
  } catch (error) {
    // The claim's lease runs out and the rail is asked again; a refused step needs a person to
    // look.
    const refused = error instanceof Refusal && error.status !== 503
    if (refused) count('refused')
    deps.log[refused ? 'error' : 'warn']({ err: error, payout_id }, 'rail report not applied')
  }
}

/**
 * The rail's report, or undefined when its answer is unclear, which says nothing about the money.
 */
async function askRail(
  deps: Deps,
  payout: Payout,
  { rail_attempts, claimed_at }: ClaimedPayout,
): Promise<RailReport | undefined> {
  try {
    const question = ask(deps.rail, { ...payout, asked_at: claimed_at }, rail_attempts)
    return await withTimeout(question, deps.config.rail_timeout_ms)
  } catch (error) {
    deps.log.warn({ err: error, payout_id: payout.id }, 'rail gave no clear answer')
    return undefined
  }
}

/** First time: hand over. Later: ask, and hand over again only when the rail never saw it. */
async function ask(rail: Rail, payout: RailPayout, attempts: number): Promise<RailReport> {
  if (attempts === 0) return rail.submit(payout)
  return (await rail.inquire(payout)) ?? rail.submit(payout)
}

function backoff(attempts: number): number {
  return Math.min(MAX_BACKOFF_MS, 1000 * 2 ** Math.min(attempts, 6))
}

async function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  const done = new AbortController()
  const late = setTimeout(milliseconds, undefined, { signal: done.signal }).then(() => {
    throw new Error(`no answer in ${milliseconds} ms`)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    done.abort()
    late.catch(() => {})
  }
}
