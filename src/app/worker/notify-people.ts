// The worker of notifications: looks what is new for people, and tells them by each way that is
// set. It writes nothing but how far it has come, so that no payout ever waits for it. Several
// processes share the work by claims. After a kill the claim runs out, and the next look tells the
// same.
import {
  type Claim,
  KINDS,
  type Kind,
  type News,
  type Period,
  SendFailed,
  type Way,
} from '../../notifications/notification.ts'
import { becameStale, EVERY_S, waitAfter } from '../../notifications/rules.ts'
import { emailWay, TIMEOUT_MS, webhookWay } from '../../notifications/send.ts'
import {
  claimDue,
  endClaim,
  insertWays,
  listApprovals,
  listDeadEndpoints,
  listFailures,
  listFaults,
  listHolds,
  listLowBalances,
} from '../../notifications/store.ts'
import { messageOf } from '../../notifications/words.ts'
import type { Deps } from '../../runtime/deps.ts'
import { isSpread } from '../../sql/shard.ts'
import { plusMilliseconds } from '../../values/instant.ts'
import { startWorker, type Worker, warned } from './worker.ts'

type Needs = Pick<Deps, 'config' | 'log' | 'metrics' | 'operators' | 'reference' | 'sql'>

const LOOK_EVERY_MS = 5_000

/**
 * What was made so lately is told by the next message: its transaction may have begun before
 * another that a look has seen, and end after it.
 */
const LAG_MS = 60_000

/** A way tells one kind after the other. */
const LEASE_S = (KINDS.length * TIMEOUT_MS) / 1000 + 60

/** The ways that the settings name. */
export function waysOf({ mail, people_webhook }: Deps['config']): readonly Way[] {
  return [
    ...(mail === undefined ? [] : [emailWay(mail)]),
    ...(people_webhook === undefined ? [] : [webhookWay(people_webhook)]),
  ]
}

/** Does nothing without a way, or on a spread database, which has only sandboxes. */
export function startNotifying(deps: Needs): Worker {
  const ways = waysOf(deps.config)
  if (ways.length === 0 || isSpread()) return { stop: () => Promise.resolve() }
  return startWorker(async () => {
    await notifyPeople(deps, ways).catch(warned(deps, 'people could not be notified', undefined))
    return LOOK_EVERY_MS
  })
}

/** Tells what is new in all kinds that are due. Returns the number of messages that were sent. */
export async function notifyPeople(
  deps: Needs,
  ways: readonly Way[],
  lag_ms = LAG_MS,
): Promise<number> {
  const names = ways.map(({ name }) => name)
  await insertWays(deps.sql, KINDS, names)
  const claims = await claimDue(deps.sql, names, LEASE_S)
  const sent = ways.map(async way => {
    let count = 0
    for (const claim of claims.filter(claim => claim.way === way.name)) {
      // The claim of a look that fails runs out, and the next look tells the same.
      const failed = warned(deps, 'people could not be notified', false, { kind: claim.kind })
      if (await tell(deps, way, claim, lag_ms).catch(failed)) count += 1
    }
    return count
  })
  return (await Promise.all(sent)).reduce((sum, count) => sum + count, 0)
}

/** Returns whether a message was sent. */
async function tell(deps: Needs, way: Way, claim: Claim, lag_ms: number): Promise<boolean> {
  const { kind, told_until: from, failures } = claim
  const until = plusMilliseconds(claim.now, -lag_ms)
  const to = until > from ? until : from
  const news = await newsOf(deps, kind, { from, to })
  const done = { told_until: to, wait_s: EVERY_S, failures: 0, error: '' }
  if (news.length === 0) {
    // A way that fails is not well again because there was nothing to send.
    await endClaim(deps.sql, claim, { ...done, failures, error: claim.last_error })
    return false
  }
  const labels = { kind, way: way.name }
  try {
    await way.send(messageOf(kind, news, deps.config.public_url))
  } catch (error) {
    const reason = error instanceof SendFailed ? error.message : 'failed'
    deps.metrics.notifications.inc({ ...labels, result: 'failed' })
    deps.log.warn({ ...labels, reason, failures: failures + 1 }, 'notification not sent')
    const wait_s = waitAfter(failures + 1)
    const failed = { told_until: from, wait_s, failures: failures + 1, error: reason }
    await endClaim(deps.sql, claim, failed)
    return false
  }
  deps.metrics.notifications.inc({ ...labels, result: 'sent' })
  await endClaim(deps.sql, claim, done)
  return true
}

function newsOf({ config, operators, reference }: Needs, kind: Kind, period: Period) {
  const { audit } = operators
  const looks: Readonly<Record<Kind, () => Promise<News[]>>> = {
    approval: () => listApprovals(audit, period),
    hold: () => listHolds(audit, period),
    failure: () => listFailures(audit, period),
    low_balance: async () =>
      config.low_balances.length === 0 ? [] : listLowBalances(audit, config.low_balances, period),
    endpoint: () => listDeadEndpoints(audit, period),
    fault: () => listFaults(audit, period),
    stale_rate: async () => {
      const { rates, pricing } = reference.current()
      const { policyOf } = pricing({ account_id: '', sandbox: false }, period.to)
      return becameStale(rates, ({ base, quote }) => policyOf(base, quote).max_age_s, period)
    },
  }
  return looks[kind]()
}
