// The operation by which a person approves or rejects all waiting payouts of a group. One
// transaction reads, decides and stores the payouts in portions.
import type { ApproversOfAccount, OpenApproval } from '../../controls/approval/approval.ts'
import type { AskedDecision } from '../../controls/approval/rules.ts'
import { findApprovers, findOpenApprovals } from '../../controls/approval/store.ts'
import type { LongOperation } from '../../engine/operation.ts'
import { bookOf } from '../../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../../ledger/store.ts'
import { confineTo } from '../../sql/confine.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import type { Page, Wanted } from '../../sql/page.ts'
import { found, refusal } from '../../values/errors.ts'
import { forEachInTurns, nextTurn } from '../../values/event-loop.ts'
import { type Key, nameOf, payoutKey } from '../../values/id.ts'
import type { Advance } from '../advance/advance.ts'
import { advancePayout, type Receivers, readUnder } from '../advance/advance-operation.ts'
import type { AdvanceOutcome, AdvanceState } from '../advance/apply.ts'
import type { Payout } from '../payout.ts'
import type { PayoutStatus } from '../states.ts'
import { findPayouts } from '../store.ts'
import { type DecidedGroup, groupWords, type ShownGroup, type WaitingGroup } from './group.ts'
import { digestOfWaiting, groupsOf, isWaiting, payoutsToDecide } from './rules.ts'
import {
  countApprovals,
  groupExists,
  listImported,
  listWaiting,
  listWaitingParts,
  sumPayouts,
} from './store.ts'

/** How many payouts are read, decided and stored together. */
const PORTION = 128

export interface DecideGroup {
  readonly account_id: string
  readonly group_id: string
  readonly asked: AskedDecision
}

/**
 * The waiting payouts of a group, the oldest first; undefined when the account has no such group.
 */
type Members = readonly Key[] | undefined

interface Prepared {
  readonly members: Members
  readonly receivers: Receivers
}

interface State extends LockedBooks, Prepared {
  readonly open: ReadonlyMap<string, OpenApproval>
  readonly approvers: ApproversOfAccount
}

/** The command that decides about one payout of the group. */
const decision = ({ account_id, id: payout_id }: Key, asked: AskedDecision): Advance => {
  return { account_id, payout_id, by: 'approval', decided: asked }
}

export const decideGroup: LongOperation<DecideGroup, State, DecidedGroup, Prepared> = {
  name: 'decide_payout_group',

  // `load` reads the approvals again under the locks, so that it sees decisions made meanwhile. It
  // leaves out payouts that an import makes meanwhile, because the person was not shown them.
  async prepare(tx, commands) {
    const { account_id, group_id: id, asked } = onlyCommand(commands)
    void confineTo(tx, [account_id])
    const members = await findMembers(tx, { account_id, id })
    const receivers = await inPortions(members ?? [], portion => {
      const advances = portion.map(key => decision(key, asked))
      return advancePayout.prepare(tx, advances)
    })
    return { members, receivers }
  },

  async load(tx, commands, prepared) {
    const { account_id } = onlyCommand(commands)
    const { members, receivers } = prepared ?? { members: undefined, receivers: new Map() }
    // Also locks the book if there is no payout, because the answer is kept under that lock.
    const locking = lockBooks(tx, [account_id, ...receivers.values()])
    const [locked, approvers, open] = await Promise.all([
      locking,
      findApprovers(tx, [account_id]),
      inPortions(members ?? [], portion => findOpenApprovals(tx, portion)),
    ])
    const of_account = approvers.get(account_id) ?? new Map()
    return { ...locked, members, receivers, open, approvers: of_account }
  },

  async settle(tx, state, { account_id, group_id, asked }, answered) {
    const waiting = found(state.members).flatMap(key => {
      const open = state.open.get(nameOf(key))
      return open !== undefined && isWaiting(open) ? [open] : []
    })
    const { now } = bookOf(state.books, account_id)
    const digest = digestOfWaiting(waiting)
    const undecided = payoutsToDecide(group_id, waiting, asked, state.approvers, now)
    await nextTurn()
    const statuses = new Map<PayoutStatus, number>()
    const stores: Promise<unknown>[] = []
    const portions = portionsOf(undecided)
    const read = (portion: readonly OpenApproval[] = []) => readPortion(tx, state, portion, asked)
    let reading = read(portions[0])
    for (const [i, portion] of portions.entries()) {
      const under = await reading
      const next = portions[i + 1]
      // The next portion is read while this one is decided.
      if (next !== undefined) reading = read(next)
      const outcomes = await decidePortion(under, portion, asked)
      for (const { payout } of outcomes) {
        statuses.set(payout.status, (statuses.get(payout.status) ?? 0) + 1)
      }
      if (next === undefined && statuses.size === 0) {
        throw refusal(
          'invalid_transition',
          `All that waits of ${groupWords(group_id)} is under review.`,
        )
      }
      // The events of the last portion carry the digest of the answer.
      if (next === undefined) answered({ account_id, group_id, digest, statuses })
      await nextTurn()
      const stored = advancePayout.store(tx, outcomes, under)
      // The promise is awaited below. A rejection must be handled before.
      stored.catch(() => {})
      stores.push(stored)
      await nextTurn()
    }
    await Promise.all(stores)
    return { account_id, group_id, digest, statuses }
  },
}

/** Reads the state of one portion. All portions share the books, which the decisions change. */
function readPortion(
  tx: TransactionSql,
  { books, now, lists_version, receivers }: State,
  portion: readonly OpenApproval[],
  asked: AskedDecision,
): Promise<AdvanceState> {
  const advances = portion.map(({ approval }) => decision(payoutKey(approval), asked))
  const reading = readUnder(tx, advances, receivers, Promise.resolve({ books, now, lists_version }))
  reading.catch(() => {})
  return reading
}

async function decidePortion(
  state: AdvanceState,
  portion: readonly OpenApproval[],
  asked: AskedDecision,
): Promise<AdvanceOutcome[]> {
  const outcomes: AdvanceOutcome[] = []
  await forEachInTurns(portion, ({ approval }) => {
    const key = payoutKey(approval)
    // A rejection skips payouts with a confirmed match, and ends the others.
    const is_blocked = state.payouts.get(nameOf(key))?.screening === 'confirmed'
    if (asked.decision === 'reject' && is_blocked) return
    outcomes.push(advancePayout.decide(state, decision(key, { ...asked, digest: approval.digest })))
  })
  return outcomes
}

function portionsOf<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / PORTION)
  return Array.from({ length: count }, (_, i) => items.slice(i * PORTION, (i + 1) * PORTION))
}

/** Reads about these payouts, one portion after the other, and merges the results. */
async function inPortions<T>(
  members: readonly Key[],
  read: (portion: readonly Key[]) => Promise<ReadonlyMap<string, T>>,
): Promise<ReadonlyMap<string, T>> {
  const all = new Map<string, T>()
  for (const portion of portionsOf(members)) {
    for (const [name, one] of await read(portion)) all.set(name, one)
  }
  return all
}

/** The waiting payouts of a group; undefined when the account has no such group. */
async function findMembers(tx: TransactionSql, key: Key): Promise<Members> {
  return (await groupExists(tx, key)) ? listWaiting(tx, key) : undefined
}

/** The group before a decision; undefined when the account has no such group. */
export async function findGroup(tx: TransactionSql, key: Key): Promise<ShownGroup | undefined> {
  const members = await findMembers(tx, key)
  if (members === undefined) return undefined
  const totals = await sumPayouts(tx, members)
  const counts = await countApprovals(tx, key)
  const open = await inPortions(members, portion => findOpenApprovals(tx, portion))
  return { waiting: members.flatMap(member => open.get(nameOf(member)) ?? []), totals, counts }
}

/** The account's batches and imports with waiting payouts, the newest first. */
export async function listWaitingGroups(
  tx: TransactionSql,
  account_id: string,
): Promise<WaitingGroup[]> {
  return groupsOf(account_id, await listWaitingParts(tx, account_id))
}

/**
 * A page of the payouts of an import; undefined when the account has no such import. `page` is
 * undefined when the cursor names no payout.
 */
export async function listPayouts(
  tx: TransactionSql,
  key: Key,
  wanted: Wanted,
): Promise<{ readonly page: Page<Payout> | undefined } | undefined> {
  if (!(await groupExists(tx, key))) return undefined
  const page = await listImported(tx, key, wanted)
  if (page === undefined) return { page }
  const payouts = await findPayouts(tx, page.rows)
  const named = new Map(payouts.map(payout => [payout.id, payout]))
  return { page: { ...page, rows: page.rows.flatMap(({ id }) => named.get(id) ?? []) } }
}

/** The only command: lanes give long operations one command at a time. */
function onlyCommand(commands: readonly DecideGroup[]): DecideGroup {
  const [command] = commands
  if (command === undefined) throw new Error('no command')
  return command
}
