// The operations that move a payout: steps by the rail, the operator, a review or the account.

import { findAccountIds } from '../account/store.ts'
import {
  findApprovers,
  findOpenApprovals,
  insertApprovedPayees,
  insertDecisions,
  updateEnded,
} from '../approval/store.ts'
import { storeBooks } from '../balance-transaction/operations.ts'
import { findEntries } from '../balance-transaction/store.ts'
import { confineTo } from '../db/confine.ts'
import type { TransactionSql } from '../db/connect.ts'
import { accountsOf } from '../db/shard.ts'
import type { Operation } from '../engine/operation.ts'
import { findApprovals } from '../entity/store.ts'
import { success } from '../http/answer.ts'
import type { Answering, Claiming } from '../http/idempotency/kept-reply.ts'
import { byName, type Key, nameOf, payoutKey, uniqueKeys } from '../id.ts'
import { bookOf } from '../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../ledger/store.ts'
import type { PayoutUse } from '../limit/limit.ts'
import { findUses, giveBackUses } from '../limit/use-store.ts'
import type { StoredMatch } from '../screening/match.ts'
import { findConfirmed, findMatchesOf, keepMatches } from '../screening/match-store.ts'
import type { Advance } from './advance.ts'
import { keepsAttempts } from './attempt.ts'
import { loadAttempts, storeAttempts } from './attempt-store.ts'
import { depositAddressOf } from './destination.ts'
import { likenessOfPayout } from './duplicate.ts'
import { deleteLikenesses } from './duplicate-store.ts'
import { deleteHolds, insertHolds } from './hold-store.ts'
import type { OpenPayout, Payout } from './payout.ts'
import type { ActionRequest } from './request.ts'
import { presentPayout } from './response.ts'
import { isHeldOpen, partiesOfPayout } from './screening-step.ts'
import { updateCompared } from './screening-store.ts'
import { findOpenPayouts, findPaidElsewhere, lockOpenPayouts, writeStates } from './state-store.ts'
import { isGivenBack } from './states.ts'
import { type AdvanceOutcome, type AdvanceState, decideAdvance } from './step.ts'
import { findPayouts } from './store.ts'

/** Moves payouts by steps of the rail, the operator, the review of an entity or the account. */
export const advancePayout = {
  name: 'advance_payout',

  // All books are locked in one order, so the receivers must be known before the locks.
  async prepare(tx, commands) {
    const credits = ['operator', 'review', 'approval']
    const mayCredit = commands.filter(({ by }) => credits.includes(by))
    return loadReceivers(tx, mayCredit.map(payoutKey))
  },

  load(tx, commands, receivers = new Map()) {
    const account_ids = [...commands.map(({ account_id }) => account_id), ...receivers.values()]
    return readUnder(tx, commands, receivers, lockBooks(tx, account_ids))
  },

  decide: decideAdvance,

  store(tx, outcomes, state) {
    const ended = outcomes.flatMap(({ ended_hold }) => ended_hold ?? [])
    const begun = outcomes.flatMap(({ new_hold }) => new_hold ?? [])
    const passed = outcomes.flatMap(outcome => outcome.passed)
    const last = uniqueKeys(outcomes.map(({ payout }) => payout))
    const undone = last.filter(isGivenBack)
    const held = outcomes.flatMap(({ payout: { account_id, id: object_id }, matches }) =>
      matches.length === 0 ? [] : [{ account_id, object_id, matches }],
    )
    return Promise.all([
      ...storeBooks(tx, state.books, outcomes),
      ...storeApprovals(tx, outcomes),
      writeStates(tx, state.read, passed, last),
      deleteHolds(tx, ended),
      insertHolds(tx, begun),
      deleteLikenesses(tx, undone.map(likenessOfPayout)),
      ...giveBackUses(tx, usesOf(state.uses, undone)),
      ...storeAttempts(tx, outcomes),
      keepMatches(tx, held),
      updateCompared(tx, comparedOf(outcomes)),
    ])
  },
} satisfies Operation<Advance, AdvanceState, AdvanceOutcome, Receivers>

/** Reads what commands may touch. The locks of the books are sent already, or held. */
export async function readUnder(
  tx: TransactionSql,
  commands: readonly Advance[],
  receivers: Receivers,
  locking: Promise<Pick<LockedBooks, 'books' | 'now' | 'lists_version'>>,
): Promise<AdvanceState> {
  const keys = uniqueKeys(commands.map(payoutKey))
  // These locks keep off a claim at this moment, under which a rail may get the payout.
  const held = commands.filter(
    ({ by, said }) => by !== 'rail' || said?.not_taken !== undefined || said?.is_over,
  )
  // The order of sending matters: payouts are read when no claim can change them.
  const [{ books, now, lists_version }, , found] = await Promise.all([
    locking,
    lockOpenPayouts(tx, uniqueKeys(held.map(payoutKey))),
    findOpenPayouts(tx, keys),
  ])
  const payouts: Map<string, OpenPayout> = byName(found)
  const waiting = entitiesOf(found, commands)
  const asked = commands.filter(({ by }) => by === 'approval').map(payoutKey)
  const pendingOnes = found.filter(({ status }) => status === 'pending_approval')
  const deciding = uniqueKeys([...asked, ...pendingOnes])
  const giving = uniqueKeys(commands.filter(mayGiveBack).flatMap(c => namedIn(payouts, c)))
  const limited = giving.filter(({ account_id }) => bookOf(books, account_id).has_limit_uses)
  const screened = screenedOf(found, commands)
  const [debits, approvals, paid_elsewhere, uses, attempts, pending, listed, matches] =
    await Promise.all([
      loadDebits(tx, giving),
      findApprovals(tx, waiting),
      findPaidElsewhere(tx, commands, payouts),
      findUses(tx, limited),
      loadAttempts(tx, found.filter(keepsAttempts)),
      loadPending(tx, deciding),
      findConfirmed(tx, uniqueKeys(screened.flatMap(partiesOfPayout))),
      findMatchesOf(tx, screened.filter(isHeldOpen)),
    ])
  return {
    now,
    books,
    payouts,
    read: byName(found),
    debits,
    approvals: byName(approvals),
    receivers,
    paid_elsewhere,
    uses,
    lists_version,
    confirmed: new Set(listed.map(objectName)),
    found: Map.groupBy(matches, objectName),
    ...attempts,
    ...pending,
  }
}

export interface CancelPayout extends Claiming {
  readonly payout_id: string
}

export interface AnswerPayout extends CancelPayout {
  readonly request: ActionRequest
}

export type AccountStep = AdvanceOutcome & Answering

/** POST /v3/payout/{id}/cancel. A frozen account may cancel: it brings money back. */
export const cancelPayout: Operation<CancelPayout, AdvanceState, AccountStep> = {
  name: 'cancel_payout',
  while_frozen: true,
  ...accountStep(() => ({})),
}

/** POST /v3/payout/{id}/action, after which the rail is asked at once. */
export const answerPayout: Operation<AnswerPayout, AdvanceState, AccountStep> = {
  name: 'answer_payout',
  ...accountStep(({ request: answer }: AnswerPayout) => ({ answer })),
}

/** A step by the account, which involves no receiver. */
function accountStep<Command extends CancelPayout>(
  factsOf: (command: Command) => Pick<Advance, 'answer'>,
): Omit<Operation<Command, AdvanceState, AccountStep>, 'name'> {
  const advanceOf = (command: Command): Advance => {
    const { account_id, payout_id } = command
    const step = { account_id, payout_id, steps: [], by: 'account', ask_again_in_ms: null } as const
    return { ...step, ...factsOf(command) }
  }
  return {
    load: (tx, commands) => advancePayout.load(tx, commands.map(advanceOf), undefined),
    decide(state, command) {
      const outcome = advancePayout.decide(state, advanceOf(command))
      return { ...outcome, reply: success(presentPayout(outcome.payout)) }
    },
    store: advancePayout.store,
  }
}

/** Account ids by `account_id/payout id`. */
export type Receivers = ReadonlyMap<string, string>

/** The receivers of held payouts to other accounts. */
async function loadReceivers(tx: TransactionSql, keys: readonly Key[]): Promise<Receivers> {
  if (keys.length === 0) return new Map()
  void confineTo(tx, accountsOf(keys))
  const payouts = await findPayouts(tx, uniqueKeys(keys))
  const held = payouts.filter(
    ({ status }) => status === 'compliance_hold' || status === 'pending_approval',
  )
  const addresses = held.flatMap(payout => depositAddressOf(payout.beneficiary_details) ?? [])
  const accounts = addresses.length === 0 ? new Map() : await findAccountIds(tx, addresses)
  return new Map(
    held.flatMap(payout => {
      const account_id = accounts.get(depositAddressOf(payout.beneficiary_details) ?? '')
      return account_id === undefined ? [] : [[nameOf(payout), account_id] as const]
    }),
  )
}

/** Entities whose review payouts wait for, or may wait for, and those that were screened. */
function entitiesOf(payouts: readonly OpenPayout[], commands: readonly Advance[]): Key[] {
  const screened = new Set(screenedOf(payouts, commands))
  const keys = payouts.map(payout => {
    const { account_id, status, particulars, held_for } = payout
    const isAsked = status === 'pending_approval' || isScheduled(payout) || screened.has(payout)
    return { account_id, id: isAsked ? particulars.on_behalf_of : held_for }
  })
  return uniqueKeys(keys.filter(({ id }) => id !== ''))
}

/**
 * Whether nothing holds a scheduled payout. Its entity is checked once more before anybody gets it.
 */
function isScheduled({ held_for, execute_at }: OpenPayout): boolean {
  return held_for === '' && execute_at !== null
}

/** The version with which each held payout was compared last. */
function comparedOf(outcomes: readonly AdvanceOutcome[]): (Key & { readonly compared: bigint })[] {
  const rows = outcomes.flatMap(({ payout: { account_id, id }, compared }) =>
    compared === null ? [] : [{ account_id, id, compared }],
  )
  return uniqueKeys(rows)
}

function objectName({ account_id, object_id: id }: StoredMatch): string {
  return nameOf({ account_id, id })
}

/** The payouts for which commands bring what screening has found. */
function screenedOf(payouts: readonly OpenPayout[], commands: readonly Advance[]): OpenPayout[] {
  const screened = commands.filter(command => command.screened !== undefined)
  const names = new Set(screened.map(command => nameOf(payoutKey(command))))
  return payouts.filter(payout => names.has(nameOf(payout)))
}

function namedIn(payouts: ReadonlyMap<string, OpenPayout>, command: Advance): Payout[] {
  const payout = payouts.get(nameOf(payoutKey(command)))
  return payout === undefined ? [] : [payout]
}

/**
 * Whether the steps may give money back, for which the debit is needed. Before the decision, only
 * the steps of a rail and of an operator are known.
 */
function mayGiveBack({ by, steps }: Advance): boolean {
  return (by !== 'rail' && by !== 'operator') || steps.some(isGivenBack)
}

/** The approvals of payouts that people decide or that wait, and who may decide. */
async function loadPending(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Pick<AdvanceState, 'pending' | 'approvers'>> {
  if (keys.length === 0) return { pending: new Map(), approvers: new Map() }
  const account_ids = keys.map(({ account_id }) => account_id)
  const [pending, approvers] = await Promise.all([
    findOpenApprovals(tx, keys),
    findApprovers(tx, account_ids),
  ])
  return { pending, approvers }
}

/** Writes decisions, then the ends of approvals: a payout leaves its approval after that. */
function storeApprovals(tx: TransactionSql, outcomes: readonly AdvanceOutcome[]) {
  const decisions = outcomes.flatMap(({ approval }) => approval.decision ?? [])
  const ended = outcomes.flatMap(({ approval }) => approval.ended ?? [])
  const payees = outcomes.flatMap(({ approval }) => approval.payee ?? [])
  return [insertDecisions(tx, decisions), updateEnded(tx, ended), insertApprovedPayees(tx, payees)]
}

/** The debit of each payout and its journal. */
async function loadDebits(
  tx: TransactionSql,
  payouts: readonly Payout[],
): Promise<AdvanceState['debits']> {
  const keys = payouts.map(p => ({ account_id: p.account_id, id: p.balance_transaction_id }))
  const entries = await findEntries(tx, keys)
  return new Map(
    entries.map(entry => [
      nameOf({ account_id: entry.line.account_id, id: entry.line.source }),
      entry,
    ]),
  )
}

function usesOf(uses: readonly PayoutUse[], payouts: readonly Payout[]): PayoutUse[] {
  const names = new Set(payouts.map(nameOf))
  return uses.filter(use => names.has(nameOf(payoutKey(use))))
}
