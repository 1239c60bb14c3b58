// The settling worker. It asks rails outside any transaction, and applies their reports through a
// lane. The worker may be killed at any point: a claim without an applied report comes due again,
// and no report is applied twice.
import type { AttemptReport, NextRail } from '../../payouts/advance/advance.ts'
import { keepsAttempts } from '../../payouts/advance/attempt.ts'
import {
  type AtGates,
  type ClaimedPayout,
  claimCovered,
  claimDuePayouts,
  type DuePayout,
  listDuePayouts,
  listOldestDue,
} from '../../payouts/advance/claim-store.ts'
import { atRails, type Gate, listGates } from '../../payouts/advance/cover-store.ts'
import { nextRoute, sameRoute, wantedOf } from '../../payouts/advance/failover.ts'
import { findQuotes } from '../../quotes/store.ts'
import { planFor, sentOf } from '../../rails/plan.ts'
import { mayTake, type RailReport } from '../../rails/rail.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readConfined } from '../../sql/confine.ts'
import { byShard } from '../../sql/shard.ts'
import { during } from '../../values/diagnostics.ts'
import { Refusal } from '../../values/errors.ts'
import { waitAtMost } from '../../values/event-loop.ts'
import type { Instant } from '../../values/instant.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { askOver, startAskingOver } from './ask-over.ts'
import { type AskedPayout, askRails, type LeasedPayout } from './ask-rails.ts'
import {
  countAwaitingFunds,
  countBankFiles,
  countChains,
  countWaiting,
  measureAges,
  startCounting,
} from './counts.ts'
import { endHolds, expireApprovals, leaveOutReviewed } from './end-holds.ts'
import { screenPayouts } from './screen-payouts.ts'
import { RailSlots, startWorker, type Worker, warned } from './worker.ts'

/** Most payouts of one round. */
const ROUND = 500

/** Concurrent rounds of a rail: one writes its reports, one asks the rail and one claims. */
const ROUNDS_IN_HAND = 3

/** The database cancels a longer statement (sql/connect.ts), so no claim takes longer. */
const CLAIM_MS = 5_000

/** The longest wait before a rail without a clear answer is asked again. */
const MAX_BACKOFF_MS = 60_000

export function startSettling(deps: Deps): Worker {
  const stopCounting = startCounting(
    () =>
      Promise.all([
        countWaiting(deps),
        countBankFiles(deps),
        countChains(deps),
        measureAges(deps),
        countAwaitingFunds(deps),
      ]),
    warned(deps, 'payouts that wait could not be counted', undefined),
  )
  const { settle_poll_ms } = deps.config
  const slots = new RailSlots(ROUNDS_IN_HAND)
  const looked: LooksAtGates = new Map()
  const settling = startWorker(async () => {
    // Without the database the list of rails is refused as well.
    const begin = async () => beginRound(deps, slots.free(deps.rails.keys()), looked)
    const failed = 'settling round failed'
    const { more, asked } = await begin().catch(warned(deps, failed, NOTHING_FOUND))
    for (const { rail, done } of asked) {
      slots.fill(rail, done.catch(warned(deps, failed, [])))
    }
    if (more) return 0
    if (slots.areFree()) return settle_poll_ms
    // A full rail may have more due payouts.
    await waitAtMost(settle_poll_ms, slots.nextFree())
    return 0
  })
  const askingOver = startAskingOver(deps)
  return {
    async stop() {
      stopCounting()
      await Promise.all([settling.stop(), askingOver.stop()])
      await slots.end()
    },
  }
}

/** Returns how many payouts had a due rail or a hold that could end, plus the due attempts over. */
export async function settleOnce(deps: Deps): Promise<number> {
  const [{ found, asked }, over] = await Promise.all([
    beginRound(deps, [...deps.rails.keys()]),
    askOver(deps),
  ])
  await Promise.all(asked.map(({ done }) => done))
  return found + over
}

interface Round {
  /** The number of payouts whose rail was due or whose hold could end. */
  readonly found: number
  readonly more: boolean
  /** The rails that it asks. `done` never rejects, and waits for one rail alone. */
  readonly asked: readonly { readonly rail: string; readonly done: Promise<unknown> }[]
}

const NOTHING_FOUND: Round = { found: 0, more: false, asked: [] }

/** Resolves once the due payouts are claimed: the next round does not find them again. */
async function beginRound(
  deps: Deps,
  rails: readonly string[],
  looked: LooksAtGates = new Map(),
): Promise<Round> {
  const ended = (await endHolds(deps)) + (await screenPayouts(deps)) + (await expireApprovals(deps))
  const gates = rails.length === 0 ? [] : await listGates(deps.sql)
  const listed = await listDue(deps, rails, gates, looked)
  const askable = listed.filter(payout => mayAsk(deps, payout))
  const due = await leaveOutReviewed(deps, askable)
  const gateFor = ({ rail }: DuePayout) => gates.some(gate => gate.rails.includes(rail))
  const gated = due.filter(gateFor)
  const free = due.filter(payout => !gateFor(payout))
  // Claims each shard's payouts apart, so that a silent shard does not delay those of other shards.
  const claims = byShard(free).map(keys => claim(deps, keys, gates))
  if (gated.length > 0) claims.push(claimAtGates(deps, { gates, rails, found: gated }))
  const asking = claims.map(async claiming => {
    const { claimed } = await claiming
    return askRails(deps, claimed).map(asked => {
      return { rail: asked.payout.rail, done: settle(deps, asked) }
    })
  })
  const byRail = Map.groupBy((await Promise.all(asking)).flat(), ({ rail }) => rail)
  const asked = Array.from(byRail, ([rail, payouts]) => {
    return { rail, done: Promise.all(payouts.map(({ done }) => done)) }
  })
  const is_complete = (await Promise.all(claims)).every(claim => claim.is_complete)
  // What waits at a gate would be found again at once. If all pass, the next ones may pass now.
  const stays = gated.length === 0 ? 0 : gated.length - ((await claims.at(-1))?.claimed.length ?? 0)
  if (gated.length > 0 && stays === 0) looked.clear()
  const found = ended + askable.length - stays
  // A full round suggests more work, unless the next round would only find its unclaimed payouts.
  return { found, more: is_complete && found >= ROUND, asked }
}

/** When this process last looked at the payouts that wait at a gate, by its name. */
type LooksAtGates = Map<string, number>

/** A look reads what waits there, the oldest first. */
const LOOK_AT_GATE_MS = 1_000

/** Due payouts of these rails, and now and then those that wait at the gates. */
async function listDue(
  { finder }: Deps,
  rails: readonly string[],
  gates: readonly Gate[],
  looked: LooksAtGates,
): Promise<readonly DuePayout[]> {
  if (rails.length === 0) return []
  const now = performance.now()
  const due = gates
    .map(gate => atRails(gate, rails))
    .filter(gate => gate.rails.length > 0)
    .filter(({ name }) => now >= (looked.get(name) ?? Number.NEGATIVE_INFINITY) + LOOK_AT_GATE_MS)
  for (const { name } of due) looked.set(name, now)
  const lists = await Promise.all([
    listDuePayouts(finder, rails, ROUND, gates),
    ...due.map(gate => listOldestDue(finder, gate, 'waiting', ROUND)),
  ])
  return lists.flat()
}

/** An account that is not known here yet is known in a moment. */
function mayAsk(deps: Deps, { account_id, rail }: DuePayout): boolean {
  const account = deps.reference.current().accounts.get(account_id)
  return account !== undefined && deps.rails.has(rail) && mayTake(rail, account)
}

/**
 * One statement for all, because one for each account would take most of a round's time. If it
 * fails, claims account by account; payouts whose claim fails again stay due.
 */
async function claim(deps: Deps, due: readonly DuePayout[], gates: readonly Gate[]) {
  const claimOf = (keys: readonly DuePayout[]) =>
    leased(deps, keys, lease_ms => claimDuePayouts(deps.sql, keys, lease_ms, gates))
  try {
    return { claimed: await claimOf(due), is_complete: true }
  } catch (error) {
    deps.log.warn({ err: error }, 'payouts could not be claimed at once')
  }
  // A payout that another process claimed first is no failure.
  let is_complete = true
  const claims = [...Map.groupBy(due, key => key.account_id)].map(([account_id, keys]) =>
    claimOf(keys).catch(error => {
      deps.log.warn({ err: error, account_id }, 'payouts could not be claimed')
      is_complete = false
      return []
    }),
  )
  const claimed = (await Promise.all(claims)).flat()
  return { claimed, is_complete }
}

/** Claims payouts whose rails are behind gates. If it fails, they stay due. */
async function claimAtGates(deps: Deps, { gates, rails, found }: AtGates) {
  const at = gates.filter(gate => found.some(({ rail }) => gate.rails.includes(rail)))
  const failed = warned(deps, 'payouts at a gate could not be claimed', undefined)
  const claimOf = (lease_ms: number) => claimCovered(deps, { gates: at, rails, found }, lease_ms)
  const claimed = await leased(deps, found, claimOf).catch(failed)
  return { claimed: claimed ?? [], is_complete: claimed !== undefined }
}

/** The lease outlives the rail's time-out, so that no other process asks while this one waits. */
async function leased(
  { config: { rail_timeout_ms } }: Deps,
  due: readonly DuePayout[],
  claimFor: (lease_ms: number) => Promise<ClaimedPayout[]>,
): Promise<LeasedPayout[]> {
  const lease_ms = CLAIM_MS + 2 * rail_timeout_ms
  // Starts before the statement. The lease in the database begins later, and so ends later.
  const hand_over_until = performance.now() + lease_ms - rail_timeout_ms
  const claimed = await during('claim', 'payouts', due.length, () => claimFor(lease_ms))
  return claimed.map(payout => ({ ...payout, hand_over_until }))
}

async function settle(deps: Deps, asked_about: AskedPayout): Promise<void> {
  const { payout } = asked_about
  const { rail } = payout
  const count = (result: string) => deps.metrics.railReports.inc({ rail, result })
  const report = await asked_about.report
  if (report === undefined) count('unclear')
  const { account_id, id: payout_id } = payout
  const steps = report?.steps ?? []
  const ask_again_in_ms =
    report === undefined ? backoff(payout.rail_attempts) : report.ask_again_in_ms
  const asked = { claim: payout.claim, answers_seen: payout.answers.length }
  try {
    const attempt_report = keepsAttempts(payout) ? await wordsOf(deps, payout, report) : undefined
    const reported = omitUndefined({ report: attempt_report, expected_at: report?.expected_at })
    const about = { account_id, payout_id, ...asked, ...reported }
    const advance = { ...about, steps, by: 'rail', ask_again_in_ms } as const
    await deps.lanes.advancePayout.run(advance)
    if (report !== undefined) count(steps.length > payout.rail_steps ? 'applied' : 'nothing_new')
  } catch (error) {
    // The lease runs out and the rail is asked again. A refused step needs an operator.
    const refused = error instanceof Refusal && error.status !== 503
    if (refused) count('refused')
    deps.log[refused ? 'error' : 'warn']({ err: error, payout_id }, 'rail report not applied')
  }
}

/** Adds the next rail if the rail has not taken the payout. */
async function wordsOf(
  deps: Deps,
  payout: LeasedPayout,
  report: RailReport | undefined,
): Promise<AttemptReport> {
  const { not_taken, exception, references, released_at, expected_at } = report ?? {}
  const next = not_taken && (await nextRail(deps, payout, not_taken, expected_at))
  return omitUndefined({
    attempt: payout.attempt.number,
    exception,
    references,
    released_at,
    expected_at,
    not_taken: not_taken && { ...not_taken, next: next ?? null },
  })
}

/**
 * The same rail, if its report allows that and the payout has not had it too often. Otherwise the
 * next route's rail; null when no route is left.
 */
async function nextRail(
  deps: Deps,
  payout: LeasedPayout,
  { again_from }: NonNullable<RailReport['not_taken']>,
  expected_at: Instant | undefined,
): Promise<NextRail | null> {
  const country = payout.quote_id === '' ? '' : await quotedCountry(deps, payout)
  const wanted = wantedOf(payout, country)
  const { routes } = deps.reference.current()
  const same = again_from === undefined ? undefined : sameRoute(routes, wanted, payout.attempt)
  const next = same ?? nextRoute(routes, wanted, payout.tried)
  if (next === undefined) return null
  const { rail, ...route } = next
  const { claimed_at: now } = payout
  const from = same !== undefined && again_from !== undefined && again_from > now ? again_from : now
  const plan = planFor({ rail, route }, sentOf(payout), from)
  // Without a calendar the time of the rail's release is unknown, so a person decides.
  if (plan === undefined) return null
  const release_at = plan.release_at ?? (from === now ? null : from)
  // If the same rail takes the payout again, its own report of the arrival is the best one.
  const expected = same === undefined ? undefined : expected_at
  return { rail, route, release_at, expected_at: expected ?? plan.expected_at }
}

async function quotedCountry(deps: Deps, { account_id, quote_id: id }: LeasedPayout) {
  const [quote] = await readConfined(deps.sql, [account_id], tx =>
    findQuotes(tx, [{ account_id, id }]),
  )
  return quote?.destination_country ?? ''
}

function backoff(attempts: number): number {
  return Math.min(MAX_BACKOFF_MS, 1000 * 2 ** Math.min(attempts, 6))
}
