// The operation by which a person approves or rejects a batch: all of its payouts that wait, in one
// transaction, decided and stored in portions.
import type { OpenApproval } from '../approval/approval.ts'
import type { AskedDecision } from '../approval/rules.ts'
import { findOpenApprovals } from '../approval/store.ts'
import { confineTo } from '../db/confine.ts'
import type { TransactionSql } from '../db/connect.ts'
import type { LongOperation } from '../engine/operation.ts'
import { forEachInTurns, nextTurn } from '../engine/turns.ts'
import { found } from '../errors.ts'
import { type Key, nameOf } from '../id.ts'
import { bookOf } from '../ledger/rules.ts'
import type { PayoutStatus } from '../payout/states.ts'
import type { Advance, AdvanceOutcome, AdvanceState } from '../payout/step.ts'
import { advancePayout } from '../payout/step-operation.ts'
import { decidedBy, digestOfWaiting, isWaiting } from './approval.ts'
import { findBatches, listPayoutIds, sumWaiting, type WaitingTotal } from './store.ts'

/** How many decisions are stored together. */
const PORTION = 128

export interface DecideBatch {
  readonly account_id: string
  readonly batch_id: string
  readonly asked: AskedDecision
}

export interface DecidedBatch {
  readonly account_id: string
  readonly batch_id: string
  /** Of all that waited. */
  readonly digest: string
  /** What the payouts are now that the decision was about, by status. */
  readonly statuses: ReadonlyMap<PayoutStatus, number>
}

/** The payouts of a batch, in its order; undefined when there is no such batch. */
type Members = readonly Key[] | undefined

interface Prepared {
  readonly members: Members
  readonly receivers: Awaited<ReturnType<typeof advancePayout.prepare>>
}

interface State extends AdvanceState {
  readonly members: Members
}

const decision = ({ account_id, id: payout_id }: Key, asked: AskedDecision): Advance => {
  return { account_id, payout_id, steps: [], by: 'approval', ask_again_in_ms: null, act: asked }
}

export const decideBatch: LongOperation<DecideBatch, State, DecidedBatch, Prepared> = {
  name: 'decide_payout_batch',

  // Items are written once, so they can be read before the locks.
  async prepare(tx, commands) {
    const { account_id, batch_id: id, asked } = one(commands)
    void confineTo(tx, [account_id])
    const members = await findMembers(tx, { account_id, id })
    const advances = (members ?? []).map(key => decision(key, asked))
    return { members, receivers: await advancePayout.prepare(tx, advances) }
  },

  async load(tx, commands, prepared) {
    const { account_id, asked } = one(commands)
    const { members, receivers = new Map() } = prepared ?? { members: undefined }
    const advances = (members ?? []).map(key => decision(key, asked))
    // The book is locked of a batch without payouts, too: an answer is kept under that lock.
    const locked = new Map([...receivers, ['', account_id]])
    return { ...(await advancePayout.load(tx, advances, locked)), members }
  },

  async settle(tx, state, { account_id, batch_id, asked }, answered) {
    const waiting = found(state.members).flatMap(key => {
      const open = state.pending.get(nameOf(key))
      return open !== undefined && isWaiting(open) ? [open] : []
    })
    const { now } = bookOf(state.books, account_id)
    const approvers = state.approvers.get(account_id) ?? new Set()
    const digest = digestOfWaiting(waiting)
    const left = decidedBy(batch_id, waiting, asked, approvers, now)
    const statuses = new Map<PayoutStatus, number>()
    const stores: Promise<unknown>[] = []
    for (let i = 0; i < left.length; i += PORTION) {
      const outcomes = await decidePortion(state, left.slice(i, i + PORTION), asked)
      for (const { payout } of outcomes) {
        statuses.set(payout.status, (statuses.get(payout.status) ?? 0) + 1)
      }
      // The events of the last portion carry the digest of the answer.
      if (i + PORTION >= left.length) answered({ account_id, batch_id, digest, statuses })
      const stored = advancePayout.store(tx, outcomes, state)
      // Awaited below; until then a failure is not unhandled.
      stored.catch(() => {})
      stores.push(stored)
      await nextTurn()
    }
    await Promise.all(stores)
    return { account_id, batch_id, digest, statuses }
  },
}

async function decidePortion(
  state: State,
  portion: readonly OpenApproval[],
  asked: AskedDecision,
): Promise<AdvanceOutcome[]> {
  const outcomes: AdvanceOutcome[] = []
  await forEachInTurns(portion, ({ approval: { account_id, payout_id: id, digest } }) => {
    outcomes.push(advancePayout.decide(state, decision({ account_id, id }, { ...asked, digest })))
  })
  return outcomes
}

/** Undefined when there is no such batch. */
async function findMembers(tx: TransactionSql, key: Key): Promise<Members> {
  const [[batch], ids] = await Promise.all([findBatches(tx, [key]), listPayoutIds(tx, key)])
  return batch && ids.map(id => ({ account_id: key.account_id, id }))
}

/** What a batch waits for. */
export interface ShownBatchApproval {
  /** Of all payouts of the batch that have needed one, in its order. */
  readonly approvals: readonly OpenApproval[]
  /** Of those that wait. */
  readonly totals: readonly WaitingTotal[]
}

/** Undefined when there is no such batch. */
export async function findBatchApproval(
  tx: TransactionSql,
  key: Key,
): Promise<ShownBatchApproval | undefined> {
  const members = await findMembers(tx, key)
  if (members === undefined) return undefined
  const [open, totals] = await Promise.all([findOpenApprovals(tx, members), sumWaiting(tx, key)])
  return { approvals: members.flatMap(member => open.get(nameOf(member)) ?? []), totals }
}

/** Lanes give long operations one command at a time. */
function one(commands: readonly DecideBatch[]): DecideBatch {
  const [command] = commands
  if (command === undefined) throw new Error('no command')
  return command
}
