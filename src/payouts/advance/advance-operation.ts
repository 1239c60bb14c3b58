// The operations that move a payout: steps by the rail, the operator, a review, the account or an
// approval.
import type { Maker } from '../../accounts/maker.ts'
import { findAccountIds } from '../../accounts/store.ts'
import {
  findApprovers,
  findOpenApprovals,
  insertApprovedPayees,
  insertDecisions,
  updateEnded,
} from '../../controls/approval/store.ts'
import type { PayoutUse } from '../../controls/limit/limit.ts'
import { findUses, giveBackUses } from '../../controls/limit/use-store.ts'
import type { Operation } from '../../engine/operation.ts'
import type { Claiming } from '../../http/idempotency/kept-reply.ts'
import { bookOf } from '../../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../../ledger/store.ts'
import { findApprovals } from '../../parties/entity/store.ts'
import type { StoredMatch } from '../../screening/match.ts'
import { findConfirmed, findMatchesOf, keepMatches } from '../../screening/match-store.ts'
import { confineTo } from '../../sql/confine.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { accountsOf } from '../../sql/shard.ts'
import { storeBooks } from '../../statements/balance-transaction/operations.ts'
import { findEntries } from '../../statements/balance-transaction/store.ts'
import { byName, type Key, nameOf, payoutKey, uniqueKeys } from '../../values/id.ts'
import { depositAddressOf } from '../create/destination.ts'
import { fingerprintOfPayout } from '../create/duplicate.ts'
import { deleteFingerprints } from '../create/duplicate-store.ts'
import type { OpenPayout, Payout } from '../payout.ts'
import type { ActionRequest } from '../request.ts'
import { findOpenPayouts, findPaidElsewhere, lockOpenPayouts, writeStates } from '../state-store.ts'
import { isGivenBack } from '../states.ts'
import { findPayouts } from '../store.ts'
import type { Advance, ByAccount, ByOperator, ByRail } from './advance.ts'
import { type AdvanceOutcome, type AdvanceState, decideAdvance } from './apply.ts'
import { keepsAttempts } from './attempt.ts'
import { loadAttempts, storeAttempts } from './attempt-store.ts'
import { deleteHolds, insertHolds } from './hold-store.ts'
import { loadPresent } from './rate-difference-store.ts'
import { isHeldForMatch, partiesOfPayout } from './release.ts'
import { updateCompared } from './screening-store.ts'

export const advancePayout = {
  name: 'advance_payout',

  // All books are locked in one order, so the receivers must be known before the locks.
  async prepare(tx, commands) {
    const causes = ['operator', 'review', 'approval']
    const crediting = commands.filter(({ by }) => causes.includes(by))
    return loadReceivers(tx, crediting.map(payoutKey))
  },

  load(tx, commands, receivers = new Map()) {
    const account_ids = [...commands.map(({ account_id }) => account_id), ...receivers.values()]
    return readUnder(tx, commands, receivers, lockBooks(tx, account_ids))
  },

  decide: decideAdvance,

  store(tx, outcomes, state) {
    const ended = outcomes.flatMap(({ ended_hold }) => ended_hold ?? [])
    const begun = outcomes.flatMap(({ new_hold }) => new_hold ?? [])
    const versions = outcomes.flatMap(outcome => outcome.versions)
    const last = uniqueKeys(outcomes.map(({ payout }) => payout))
    const given_back = last.filter(isGivenBack)
    const held = outcomes.flatMap(({ payout: { account_id, id: object_id }, matches }) =>
      matches.length === 0 ? [] : [{ account_id, object_id, matches }],
    )
    return Promise.all([
      ...storeBooks(tx, state.books, outcomes),
      ...storeApprovals(tx, outcomes),
      writeStates(tx, state.read, versions, last),
      deleteHolds(tx, ended),
      insertHolds(tx, begun),
      deleteFingerprints(tx, given_back.map(fingerprintOfPayout)),
      ...giveBackUses(tx, usesOf(state.uses, given_back)),
      ...storeAttempts(tx, outcomes),
      keepMatches(tx, held),
      updateCompared(tx, comparedOf(outcomes)),
    ])
  },
} satisfies Operation<Advance, AdvanceState, AdvanceOutcome, Receivers>

/**
 * Reads everything that the commands may touch. The statements that lock the books are already
 * sent, or the locks are held. `locking` resolves to the locked books.
 */
export async function readUnder(
  tx: TransactionSql,
  commands: readonly Advance[],
  receivers: Receivers,
  locking: Promise<Pick<LockedBooks, 'books' | 'now' | 'lists_version'>>,
): Promise<AdvanceState> {
  const keys = uniqueKeys(commands.map(payoutKey))
  // These locks keep workers from claiming the payouts until the transaction ends.
  const to_lock = commands.filter(
    command => command.by !== 'rail' || command.report?.not_taken || command.report?.is_over,
  )
  // The order of the statements matters: payouts are read when no claim can change them.
  const [{ books, now, lists_version }, , found] = await Promise.all([
    locking,
    lockOpenPayouts(tx, uniqueKeys(to_lock.map(payoutKey))),
    findOpenPayouts(tx, keys),
  ])
  const payouts: Map<string, OpenPayout> = byName(found)
  const entities = entitiesOf(found, commands)
  const decided = commands.filter(({ by }) => by === 'approval').map(payoutKey)
  const unapproved = found.filter(({ status }) => status === 'pending_approval')
  const in_approval = uniqueKeys([...decided, ...unapproved])
  const refundable = uniqueKeys(commands.filter(mayGiveBack).flatMap(c => namedIn(payouts, c)))
  const limited = refundable.filter(({ account_id }) => bookOf(books, account_id).has_limit_uses)
  const screened = screenedOf(found, commands)
  const wished = uniqueKeys(commands.filter(mayBeAtWish).flatMap(c => namedIn(payouts, c)))
  const [debits, approvals, paid_elsewhere, uses, attempts, pending, confirmed, matches, present] =
    await Promise.all([
      loadDebits(tx, refundable),
      findApprovals(tx, entities),
      findPaidElsewhere(tx, commands, payouts),
      findUses(tx, limited),
      loadAttempts(tx, found.filter(keepsAttempts)),
      loadPending(tx, in_approval),
      findConfirmed(tx, uniqueKeys(screened.flatMap(partiesOfPayout))),
      findMatchesOf(tx, screened.filter(isHeldForMatch)),
      loadPresent(tx, wished, books, now),
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
    present,
    uses,
    lists_version,
    confirmed: new Set(confirmed.map(objectName)),
    stored_matches: Map.groupBy(matches, objectName),
    ...attempts,
    ...pending,
  }
}

export interface CancelPayout extends Claiming {
  readonly payout_id: string
  readonly maker: Maker
}

export interface AnswerPayout extends CancelPayout {
  readonly request: ActionRequest
}

/**
 * POST /v3/payout/{id}/cancel. A frozen account may cancel, because a cancellation brings money
 * back.
 */
export const cancelPayout: Operation<CancelPayout, AdvanceState, AdvanceOutcome> = {
  name: 'cancel_payout',
  while_frozen: true,
  ...accountStep(() => ({})),
}

/** POST /v3/payout/{id}/action, after which the rail is asked at once. */
export const answerPayout: Operation<AnswerPayout, AdvanceState, AdvanceOutcome> = {
  name: 'answer_payout',
  ...accountStep(({ request: answer }: AnswerPayout) => ({ answer })),
}

/** A step by the account, which involves no receiver. */
function accountStep<Command extends CancelPayout>(
  factsOf: (command: Command) => Pick<ByAccount, 'answer'>,
): Omit<Operation<Command, AdvanceState, AdvanceOutcome>, 'name'> {
  const advanceOf = (command: Command): Advance => {
    const { account_id, payout_id, maker } = command
    return { account_id, payout_id, by: 'account', maker, ...factsOf(command) }
  }
  return {
    load: (tx, commands) => advancePayout.load(tx, commands.map(advanceOf), undefined),
    decide: (state, command) => advancePayout.decide(state, advanceOf(command)),
    store: advancePayout.store,
  }
}

/** Ids of receiving accounts, by `account_id/payout id`. */
export type Receivers = ReadonlyMap<string, string>

/** The receivers of payouts to other accounts that are held or wait for an approval. */
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

/** The entities that hold the payouts, may hold them, or were screened with them. */
function entitiesOf(payouts: readonly OpenPayout[], commands: readonly Advance[]): readonly Key[] {
  const screened = new Set(screenedOf(payouts, commands))
  const keys = payouts.map(payout => {
    const { account_id, status, particulars, held_for, execute_at } = payout
    // The entity of a scheduled payout is checked again before the hand-over.
    const is_scheduled = held_for === '' && execute_at !== null
    const isNeeded = status === 'pending_approval' || is_scheduled || screened.has(payout)
    return { account_id, id: isNeeded ? particulars.on_behalf_of : held_for }
  })
  return uniqueKeys(keys.filter(({ id }) => id !== ''))
}

/** The version of the lists that each held payout was compared with last. */
function comparedOf(
  outcomes: readonly AdvanceOutcome[],
): readonly (Key & { readonly compared: bigint })[] {
  const rows = outcomes.flatMap(({ payout: { account_id, id }, compared }) =>
    compared === null ? [] : [{ account_id, id, compared }],
  )
  return uniqueKeys(rows)
}

function objectName({ account_id, object_id: id }: StoredMatch): string {
  return nameOf({ account_id, id })
}

/** The payouts with a screening result among their commands. */
function screenedOf(payouts: readonly OpenPayout[], commands: readonly Advance[]): OpenPayout[] {
  const screened = commands.filter(command => command.by === 'review' && command.screened)
  const names = new Set(screened.map(command => nameOf(payoutKey(command))))
  return payouts.filter(payout => names.has(nameOf(payout)))
}

function namedIn(payouts: ReadonlyMap<string, OpenPayout>, command: Advance): Payout[] {
  const payout = payouts.get(nameOf(payoutKey(command)))
  return payout === undefined ? [] : [payout]
}

/**
 * Whether the steps may give money back, which needs the debit. Before the decision, only the steps
 * of a rail and of an operator are known.
 */
function mayGiveBack(advance: Advance): boolean {
  return !bringsSteps(advance) || advance.steps.some(isGivenBack)
}

function bringsSteps(advance: Advance): advance is ByRail | ByOperator {
  return advance.by === 'rail' || advance.by === 'operator'
}

/** Whether the steps may give money back at the wish of the account or the payee. */
function mayBeAtWish(advance: Advance): boolean {
  if (bringsSteps(advance)) return advance.steps.some(({ at_wish }) => at_wish === true)
  return advance.by !== 'account' || advance.answer === undefined
}

async function loadPending(tx: TransactionSql, keys: readonly Key[]) {
  if (keys.length === 0) return { pending: new Map(), approvers: new Map() }
  const account_ids = keys.map(({ account_id }) => account_id)
  const [pending, approvers] = await Promise.all([
    findOpenApprovals(tx, keys),
    findApprovers(tx, account_ids),
  ])
  return { pending, approvers }
}

/** Writes decisions, then the ends of approvals. The states of payouts are written after both. */
function storeApprovals(tx: TransactionSql, outcomes: readonly AdvanceOutcome[]) {
  const decisions = outcomes.flatMap(({ approval }) => approval.decision ?? [])
  const ended = outcomes.flatMap(({ approval }) => approval.ended ?? [])
  const payees = outcomes.flatMap(({ approval }) => approval.payee ?? [])
  return [insertDecisions(tx, decisions), updateEnded(tx, ended), insertApprovedPayees(tx, payees)]
}

/** The debit of each payout and its journal, by `account_id/payout id`. */
async function loadDebits(tx: TransactionSql, payouts: readonly Payout[]) {
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
