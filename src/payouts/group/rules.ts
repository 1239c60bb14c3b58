// The approval of a group as one. A person decides about all of its waiting payouts, with one
// digest of what they were shown. Each payout keeps its own approval, so that every rule about a
// payout also applies in a group. Pure.
import { hash } from 'node:crypto'
import type { ApproversOfAccount, OpenApproval } from '../../controls/approval/approval.ts'
import { type AskedDecision, checkDecision } from '../../controls/approval/rules.ts'
import { refusal } from '../../values/errors.ts'
import { importId } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { groupWords, type WaitingGroup, type WaitingPart } from './group.ts'

/**
 * SHA-256, in hex, of the digests of all waiting payouts, in order. It changes with each of them.
 */
export function digestOfWaiting(waiting: readonly OpenApproval[]): string {
  const lines = waiting.map(({ approval: { payout_id, digest } }) => `${payout_id} ${digest}\n`)
  return hash('sha256', lines.join(''), 'hex')
}

export function isWaiting({ approval }: OpenApproval): boolean {
  return approval.outcome === ''
}

/** The makers of the waiting payouts, or the owners of the keys that made them. */
export function makersOf(waiting: readonly OpenApproval[]): string[] {
  const names = new Set(waiting.map(({ approval }) => approval.made_by))
  names.delete('')
  return [...names].sort()
}

/** The people who have approved every waiting payout, and so have nothing more to decide. */
export function approversOf(waiting: readonly OpenApproval[]): string[] {
  const [first, ...others] = waiting.map(
    ({ decisions }) => new Set(decisions.map(({ user_name }) => user_name)),
  )
  if (first === undefined) return []
  return others
    .reduce((all, one) => all.intersection(one), first)
    .values()
    .toArray()
    .sort()
}

/** Joins the parts of each group. The groups come newest first. */
export function groupsOf(account_id: string, parts: readonly WaitingPart[]): WaitingGroup[] {
  const idOf = ({ batch_id, beginning }: WaitingPart) =>
    batch_id === '' ? importId(account_id, beginning) : batch_id
  const groups = Array.from(Map.groupBy(parts, idOf), ([id, of]) => {
    const made_by = [...new Set(of.flatMap(part => part.made_by))].sort()
    const totals = of.map(({ currency, payouts, amount }) => ({ currency, payouts, amount }))
    return { id, since: of.map(({ since }) => since).reduce(earlier), made_by, totals }
  })
  return groups.sort((a, b) => (a.since < b.since ? 1 : -1))
}

const earlier = (a: Instant, b: Instant) => (a < b ? a : b)

/**
 * The waiting payouts that the person has not decided yet. Refuses with invalid_transition when no
 * payout waits, and with approval_outdated for another digest than that of the waiting payouts.
 * Also refuses as `checkDecision` does.
 */
export function payoutsToDecide(
  group_id: string,
  waiting: readonly OpenApproval[],
  asked: AskedDecision,
  approvers: ApproversOfAccount,
  now: Instant,
): readonly OpenApproval[] {
  if (waiting.length === 0) {
    const message = `No payout of ${groupWords(group_id)} waits for an approval.`
    throw refusal('invalid_transition', message)
  }
  const { digest, ...decision } = asked
  const { user_name } = asked
  const undecided = waiting.filter(open => !open.decisions.some(one => one.user_name === user_name))
  for (const open of undecided.length === 0 ? waiting : undecided) {
    checkDecision(`payout ${open.approval.payout_id}`, open, decision, approvers, now)
  }
  if (digest !== undefined && digest !== digestOfWaiting(waiting)) {
    const message = `The digest is not what waits of ${groupWords(group_id)}: look at it again.`
    throw refusal('approval_outdated', message, 'digest')
  }
  return undecided
}
