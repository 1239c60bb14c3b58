// The settling worker: finds payouts whose rail is due to be asked, claims them, asks the rail
// outside any transaction, and applies its answer through a lane; ends holds besides. It may be
// killed at any point: an unapplied claim comes due again, and an applied report is not applied
// twice.
import { setTimeout as delay } from 'node:timers/promises'
import { byShard } from '../db/shard.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { countByHand, countLeftAlone } from '../payout/desk-store.ts'
import {
  type ClaimedPayout,
  claimDuePayouts,
  type DuePayout,
  listDuePayouts,
} from '../payout/open-store.ts'
import { mayTake, type Rail, type RailPayout, type RailReport } from '../rail/rail.ts'
import { during } from '../steps.ts'
import { endHolds } from './end-holds.ts'

export interface Worker {
  /** Resolves when the rounds in hand are finished. */
  stop(): Promise<void>
}

/** Most payouts of one round. */
const ROUND = 500

/** While what the rail said of one round is written, the next is claimed, and one more waits. */
const ROUNDS_IN_HAND = 3

/** How often it is told which payouts wait. */
const TELL_EVERY_MS = 30_000

/** Claiming takes no longer: the database stops a statement that does (db/connect.ts). */
const CLAIM_MS = 5_000

/** Longest wait between questions to a rail that does not answer clearly. */
const MAX_BACKOFF_MS = 60_000

export function startSettling(deps: Deps): Worker {
  const stopping = new AbortController()
  const { signal } = stopping
  const tell = () => {
    tellWaiting(deps).catch(error => {
      deps.log.warn({ err: error }, 'payouts that wait could not be counted')
    })
  }
  const telling = setInterval(tell, TELL_EVERY_MS)
  tell()
  const run = async () => {
    const inHand = new Set<Promise<void>>()
    while (!signal.aborted) {
      const { more, done } = await beginRound(deps).catch(error => {
        deps.log.warn({ err: error }, 'settling round failed')
        return NOTHING_FOUND
      })
      const round = done.finally(() => inHand.delete(round))
      inHand.add(round)
      if (!more) {
        await delay(deps.config.settle_poll_ms, undefined, { signal }).catch(() => {})
      }
      if (inHand.size === ROUNDS_IN_HAND) await Promise.race(inHand)
    }
    await Promise.all(inHand)
  }
  const done = run()
  return {
    stop() {
      stopping.abort()
      clearInterval(telling)
      return done
    },
  }
}

/** One round; returns how many payouts were due to be asked about, or held without need. */
export async function settleOnce(deps: Deps): Promise<number> {
  const { found, done } = await beginRound(deps)
  await done
  return found
}

interface Round {
  /** How many payouts were due to be asked about, or held without need. */
  readonly found: number
  /** Is more waiting that can be claimed at once? */
  readonly more: boolean
  /** Never rejects. */
  readonly done: Promise<void>
}

const NOTHING_FOUND: Round = { found: 0, more: false, done: Promise.resolve() }

/** Resolves when what is due has been claimed, so that nobody finds it again. */
async function beginRound(deps: Deps): Promise<Round> {
  const ended = await endHolds(deps)
  const listed = await listDuePayouts(deps.finder, [...deps.rails.keys()], ROUND)
  const due = listed.filter(payout => mayAsk(deps, payout))
  // Each shard by itself: what one has claimed is asked about though another does not answer.
  const claims = byShard(due).map(keys => claim(deps, keys))
  const settled = claims.map(async claims => {
    await Promise.all((await claims).claimed.map(payout => settle(deps, payout)))
  })
  const done = Promise.all(settled).then(() => {})
  const all = (await Promise.all(claims)).every(({ all }) => all)
  const found = ended + due.length
  // A full round means so, unless some of it will be found again in the next.
  return { found, more: all && found >= ROUND, done }
}

/**
 * Whether this process asks the rail of a payout: it has an adapter for it, and the account is one
 * that the rail takes payouts of. An account that is not known here yet will be in a moment.
 */
function mayAsk(deps: Deps, { account_id, rail }: DuePayout): boolean {
  const account = deps.reference.current().accounts.get(account_id)
  return account !== undefined && deps.rails.has(rail) && mayTake(rail, account)
}

/**
 * Tells of payouts that a rail is due to be asked about and that this process leaves alone, and of
 * those that wait for people.
 */
export async function tellWaiting(deps: Deps): Promise<void> {
  const { finder, rails, log, metrics } = deps
  const left = await countLeftAlone(finder, [...rails.keys()])
  metrics.payoutsLeftAlone.reset()
  for (const { rail, payouts } of left) {
    metrics.payoutsLeftAlone.set({ rail }, payouts)
    log.error({ rail, payouts }, 'payouts are left alone: this process may not ask their rail')
  }
  const byHand = await countByHand(finder)
  metrics.payoutsByHand.reset()
  metrics.payoutsByHandOldest.reset()
  for (const { status, payouts, oldest_s } of byHand) {
    metrics.payoutsByHand.set({ status }, payouts)
    metrics.payoutsByHandOldest.set({ status }, oldest_s)
  }
}

/** A payout that this process alone may hand over. */
interface HeldPayout extends ClaimedPayout {
  /** Until when, by performance.now(): early enough to be heard before another may ask. */
  readonly hand_over_until: number
}

interface Claims {
  readonly claimed: HeldPayout[]
  /** False when some could not be claimed; what others have claimed before us counts as well. */
  readonly all: boolean
}

/**
 * All in one statement, as one for each account of many takes most of the time that settling has.
 * Where that fails, one account that cannot be claimed now comes due again; the others go on.
 */
async function claim(deps: Deps, due: readonly DuePayout[]): Promise<Claims> {
  // The lease outlives the rail's time-out, so nobody else asks while we wait.
  const { rail_timeout_ms } = deps.config
  const lease_ms = CLAIM_MS + 2 * rail_timeout_ms
  const claimOf = async (keys: readonly DuePayout[]): Promise<HeldPayout[]> => {
    // From before it is sent: in the database the lease begins later.
    const hand_over_until = performance.now() + lease_ms - rail_timeout_ms
    const claimed = await during('claim', 'payouts', keys.length, () =>
      claimDuePayouts(deps.sql, keys, lease_ms),
    )
    return claimed.map(payout => ({ ...payout, hand_over_until }))
  }
  try {
    return { claimed: await claimOf(due), all: true }
  } catch (error) {
    deps.log.warn({ err: error }, 'payouts could not be claimed at once')
  }
  let all = true
  const claims = [...Map.groupBy(due, key => key.account_id)].map(([account_id, keys]) =>
    claimOf(keys).catch(error => {
      deps.log.warn({ err: error, account_id }, 'payouts could not be claimed')
      all = false
      return []
    }),
  )
  const claimed = (await Promise.all(claims)).flat()
  return { claimed, all }
}

async function settle(deps: Deps, payout: HeldPayout): Promise<void> {
  const { rail } = payout
  const count = (result: string) => deps.metrics.railReports.inc({ rail, result })
  const report = await askRail(deps, payout)
  if (report === undefined) count('unclear')
  const { account_id, id: payout_id } = payout
  const steps = report?.steps ?? []
  const ask_again_in_ms =
    report === undefined ? backoff(payout.rail_attempts) : report.ask_again_in_ms
  const asked = { claim: payout.claim, told: payout.answers.length }
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
async function askRail(deps: Deps, payout: HeldPayout): Promise<RailReport | undefined> {
  const question: Question = { is_over: false }
  try {
    const asked = { ...payout, asked_at: payout.claimed_at }
    const rail = deps.rails.get(payout.rail)
    if (rail === undefined) throw new Error(`no adapter for rail ${payout.rail}`)
    const asking = () => ask(rail, asked, question)
    const answer = during('rail', payout.rail, 1, asking, { ids: { payout_id: payout.id } })
    return await withTimeout(answer, deps.config.rail_timeout_ms)
  } catch (error) {
    deps.log.warn({ err: error, payout_id: payout.id }, 'rail gave no clear answer')
    return undefined
  } finally {
    question.is_over = true
  }
}

/** A question that nobody waits for any more is over, though the rail may still answer it. */
interface Question {
  is_over: boolean
}

/** First time: hand over. Later: ask, and hand over again only when the rail never saw it. */
async function ask(
  rail: Rail,
  payout: HeldPayout & RailPayout,
  question: Readonly<Question>,
): Promise<RailReport> {
  const known = payout.rail_attempts === 0 ? undefined : await rail.inquire(payout)
  return known ?? handOver(rail, payout, question)
}

/**
 * Not once the claim may have run out or was given back, be it that the database or the rail was
 * slow, or that this process stood still: another may have handed it over meanwhile. The clock of a
 * machine that was suspended does not tell; the payout's id then keeps the rail from paying twice.
 */
function handOver(
  rail: Rail,
  payout: HeldPayout & RailPayout,
  question: Readonly<Question>,
): Promise<RailReport> {
  const is_ours = !question.is_over && performance.now() < payout.hand_over_until
  if (is_ours) return rail.submit(payout)
  throw new Error('not handed over: it was claimed too long ago')
}

function backoff(attempts: number): number {
  return Math.min(MAX_BACKOFF_MS, 1000 * 2 ** Math.min(attempts, 6))
}

/** One timer a payout: an AbortController each is a tenth of what settling costs. */
async function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new Error(`no answer in ${milliseconds} ms`))
  }, milliseconds)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
