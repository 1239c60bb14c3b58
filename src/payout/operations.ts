// The writes and reads of payouts: load under the locks of the books, decide by the rules, store
// all at once. Money is not computed here.
import type { Account } from '../account/rules.ts'
import { findAccountIds } from '../account/store.ts'
import { storeBooks } from '../balance-transaction/operations.ts'
import { findEntries } from '../balance-transaction/store.ts'
import { insertBeneficiaries } from '../beneficiary/store.ts'
import { confineTo } from '../db/confine.ts'
import type { TransactionSql } from '../db/connect.ts'
import { Contention } from '../db/failure.ts'
import type { Operation } from '../engine/operation.ts'
import { approvalsByName } from '../entity/rules.ts'
import { findApprovals } from '../entity/store.ts'
import { success } from '../http/envelope.ts'
import { type BookId, type Key, nameOf, uniqueKeys } from '../id.ts'
import type { Answering, Claiming } from '../idempotency/kept-reply.ts'
import { lockBooks } from '../ledger/store.ts'
import type { PricingAt } from '../price/price.ts'
import { insertQuotes, markQuotesUsed } from '../quote/store.ts'
import type { Route } from '../rail/rules.ts'
import { findPaidElsewhere } from './by-hand-store.ts'
import { likenessOfPayout } from './likeness.ts'
import { deleteLikenesses, insertLikenesses } from './likeness-store.ts'
import {
  type Beneficiaries,
  byLikeness,
  loadApprovals,
  loadBeneficiaries,
  loadLikenesses,
  loadPrincipals,
  loadQuotes,
} from './loading.ts'
import { findOpenPayouts, lockOpenPayouts } from './open-store.ts'
import type { CreatePayout, OpenPayout, Payout, PayoutOutcome, PayoutState } from './payout.ts'
import { depositAddressOf } from './receiver.ts'
import type { ActionRequest, PayoutRequest } from './request.ts'
import { presentPayout } from './response.ts'
import { decidePayout, holdOf } from './rules.ts'
import { insertStates, writeStates } from './state-store.ts'
import { isGivenBack } from './states.ts'
import { deleteHolds, findPayouts, insertHolds, insertPayouts } from './store.ts'
import {
  type Advance,
  type AdvanceOutcome,
  type AdvanceState,
  decideAdvance,
} from './transition.ts'

/** What a payout is decided with besides the database: reference data and new ids. */
export interface PayoutReference {
  pricing(price_version: bigint): Promise<PricingAt>
  routes(): readonly Route[]
  accountsByDepositAddress(): ReadonlyMap<string, Account>
  /** '' when the operator has set none. */
  readonly sender_bic: string
  readonly bookId: BookId
}

export type CreatedPayout = PayoutOutcome & Answering

/** POST /v3/payout. */
export function createPayout(
  reference: PayoutReference,
): Operation<CreatePayout, PayoutState, CreatedPayout, Beneficiaries> {
  const creation = payoutCreation(reference)
  return {
    ...creation,
    decide(state, command) {
      const outcome = creation.decide(state, command)
      return { ...outcome, reply: success(presentPayout(outcome.payout)) }
    },
  }
}

/** Makes payouts without writing the answers that a request gets. */
export function payoutCreation(
  reference: PayoutReference,
): Operation<CreatePayout, PayoutState, PayoutOutcome, Beneficiaries> {
  return {
    name: 'create_payout',

    // A receiver's book can only be locked in order once its address is known.
    async prepare(tx, commands) {
      const asked = commands.filter(({ request }) => mayPayAnAccount(request))
      const names = asked.map(command => command.account_id)
      if (names.length > 0) void confineTo(tx, names)
      return loadBeneficiaries(tx, asked)
    },

    load: (tx, commands, prepared) => loadCreation(reference, tx, commands, prepared),

    decide: (state, c) => decidePayout(state, c.account, c.request, c.import_keys),

    store(tx, outcomes, state) {
      const beneficiaries = present(outcomes.map(outcome => outcome.new_beneficiary))
      const newQuotes = present(outcomes.map(outcome => outcome.new_quote))
      const usedQuotes = present(outcomes.map(outcome => outcome.used_quote))
      const holds = outcomes.flatMap(({ payout }) => holdOf(payout) ?? [])
      const likenesses = present(outcomes.map(outcome => outcome.likeness))
      const payouts = outcomes.map(outcome => outcome.payout)
      return Promise.all([
        ...storeBooks(tx, state.books, outcomes),
        beneficiaries.length > 0 && insertBeneficiaries(tx, beneficiaries),
        newQuotes.length > 0 && insertQuotes(tx, newQuotes),
        usedQuotes.length > 0 && markQuotesUsed(tx, usedQuotes),
        insertPayouts(tx, payouts),
        insertStates(tx, payouts),
        holds.length > 0 && insertHolds(tx, holds),
        likenesses.length > 0 && insertLikenesses(tx, likenesses),
      ])
    },
  }
}

async function loadCreation(
  reference: PayoutReference,
  tx: TransactionSql,
  commands: readonly CreatePayout[],
  prepared: Beneficiaries = new Map(),
): Promise<PayoutState> {
  const accountsByDepositAddress = reference.accountsByDepositAddress()
  // All beneficiaries under the locks, those read before too: a payout that comes after a change in
  // the book has the details that the change left.
  const [locked, quotes, approvals, beneficiaries, alike] = await Promise.all([
    lockBooks(tx, bookOwners(commands, prepared, accountsByDepositAddress)),
    loadQuotes(tx, commands),
    loadApprovals(tx, commands),
    loadBeneficiaries(tx, commands),
    loadLikenesses(tx, commands, new Map()),
  ])
  // A second round trip, for those alone of which the first has said what to ask for.
  const known = commands.filter(({ request }) => request.beneficiary !== undefined)
  const [alikeToo, principals] = await Promise.all([
    loadLikenesses(tx, known, beneficiaries),
    loadPrincipals(tx, commands, quotes),
  ])
  const mayCredit = commands.filter(({ request }) => mayPayAnAccount(request))
  checkLocked(locked.books, bookOwners(mayCredit, beneficiaries, accountsByDepositAddress))
  return {
    ...locked,
    quotes,
    beneficiaries,
    approvals,
    accountsByDepositAddress,
    likenesses: byLikeness([...alike, ...alikeToo]),
    principals,
    sender_bic: reference.sender_bic,
    pricing: await reference.pricing(locked.price_version),
    routes: reference.routes(),
    bookId: reference.bookId,
  }
}

/** Steps of payouts, by the rail, by the operator, by the review of an entity or by the account. */
export const advancePayout = {
  name: 'advance_payout',

  // As in a creation: which other books will be credited must be known before locking.
  async prepare(tx, commands) {
    const mayCredit = commands.filter(({ by }) => by === 'operator' || by === 'review')
    return loadReceivers(tx, mayCredit.map(payoutKey))
  },

  async load(tx, commands, receivers = new Map()) {
    const keys = uniqueKeys(commands.map(payoutKey))
    const account_ids = [...keys.map(key => key.account_id), ...receivers.values()]
    const byPeople = commands.filter(({ by }) => by === 'operator' || by === 'account')
    // Sent in this order: what is read is as it stands once no claim can change it.
    const [{ books, now }, , found] = await Promise.all([
      lockBooks(tx, account_ids),
      byPeople.length > 0 && lockOpenPayouts(tx, uniqueKeys(byPeople.map(payoutKey))),
      findOpenPayouts(tx, keys),
    ])
    const payouts = new Map(found.map((p): [string, OpenPayout] => [nameOf(p), p]))
    const held = found.filter(payout => payout.held_for !== '')
    const waiting = uniqueKeys(held.map(p => ({ account_id: p.account_id, id: p.held_for })))
    const [debits, approvals, paid_elsewhere] = await Promise.all([
      loadDebits(tx, uniqueKeys(commands.filter(mayGiveBack).flatMap(c => namedIn(payouts, c)))),
      waiting.length === 0 ? [] : findApprovals(tx, waiting),
      findPaidElsewhere(tx, commands, payouts),
    ])
    return {
      now,
      books,
      payouts,
      read: new Map(found.map(p => [nameOf(p), p])),
      debits,
      approvals: approvalsByName(approvals),
      receivers,
      paid_elsewhere,
    }
  },

  decide: decideAdvance,

  store(tx, outcomes, state) {
    const ended = outcomes.flatMap(({ ended_hold }) => ended_hold ?? [])
    const last = [...new Map(outcomes.map(({ payout }) => [nameOf(payout), payout])).values()]
    const undone = last.filter(isGivenBack)
    return Promise.all([
      ...storeBooks(tx, state.books, outcomes),
      writeStates(
        tx,
        state.read,
        outcomes.flatMap(outcome => outcome.passed),
        last,
      ),
      ended.length > 0 && deleteHolds(tx, ended),
      undone.length > 0 && deleteLikenesses(tx, undone.map(likenessOfPayout)),
    ])
  },
} satisfies Operation<Advance, AdvanceState, AdvanceOutcome, Receivers>

export interface CancelPayout extends Claiming {
  readonly payout_id: string
}

export type CancelledPayout = AdvanceOutcome & Answering

/** POST /v3/payout/{id}/cancel: a step by the account, in which no receiver takes part. */
export const cancelPayout: Operation<CancelPayout, AdvanceState, CancelledPayout> = {
  name: 'cancel_payout',
  // It brings money back.
  while_frozen: true,
  load: (tx, commands) => advancePayout.load(tx, commands.map(cancelling), undefined),
  decide(state, command) {
    const outcome = advancePayout.decide(state, cancelling(command))
    return { ...outcome, reply: success(presentPayout(outcome.payout)) }
  },
  store: advancePayout.store,
}

function cancelling({ account_id, payout_id }: CancelPayout): Advance {
  return { account_id, payout_id, steps: [], by: 'account', ask_again_in_ms: null }
}

export interface AnswerPayout extends Claiming {
  readonly payout_id: string
  readonly request: ActionRequest
}

/** POST /v3/payout/{id}/action: a step by the account, which the rail is told of at once. */
export const answerPayout: Operation<AnswerPayout, AdvanceState, CancelledPayout> = {
  name: 'answer_payout',
  load: (tx, commands) => advancePayout.load(tx, commands.map(answering), undefined),
  decide(state, command) {
    const outcome = advancePayout.decide(state, answering(command))
    return { ...outcome, reply: success(presentPayout(outcome.payout)) }
  },
  store: advancePayout.store,
}

function answering({ account_id, payout_id, request: answer }: AnswerPayout): Advance {
  return { account_id, payout_id, steps: [], by: 'account', answer, ask_again_in_ms: null }
}

/** Account ids by `account_id/payout id`. */
type Receivers = ReadonlyMap<string, string>

/** Of payouts to other accounts that are held. */
async function loadReceivers(tx: TransactionSql, keys: readonly Key[]): Promise<Receivers> {
  if (keys.length === 0) return new Map()
  void confineTo(
    tx,
    keys.map(key => key.account_id),
  )
  const payouts = await findPayouts(tx, uniqueKeys(keys))
  const held = payouts.filter(({ status }) => status === 'compliance_hold')
  const addresses = held.flatMap(payout => depositAddressOf(payout.beneficiary_details) ?? [])
  const accounts = addresses.length === 0 ? new Map() : await findAccountIds(tx, addresses)
  return new Map(
    held.flatMap(payout => {
      const account_id = accounts.get(depositAddressOf(payout.beneficiary_details) ?? '')
      return account_id === undefined ? [] : [[nameOf(payout), account_id] as const]
    }),
  )
}

function payoutKey({ account_id, payout_id }: Advance): Key {
  return { account_id, id: payout_id }
}

function namedIn(payouts: ReadonlyMap<string, OpenPayout>, command: Advance): Payout[] {
  const payout = payouts.get(nameOf(payoutKey(command)))
  return payout === undefined ? [] : [payout]
}

/** Whether the debit must be known; a review may end either way. */
function mayGiveBack({ by, steps }: Advance): boolean {
  return (
    by === 'review' ||
    by === 'account' ||
    steps.some(s => s.status === 'failed' || s.status === 'reversed')
  )
}

/** Whose books a batch writes: payers, and receivers within the installation. */
function bookOwners(
  commands: readonly CreatePayout[],
  beneficiaries: Beneficiaries,
  accountsByDepositAddress: ReadonlyMap<string, Account>,
): string[] {
  return commands.flatMap(command => {
    const address = depositAddress(command, beneficiaries)
    const receiver = address === undefined ? undefined : accountsByDepositAddress.get(address)
    return receiver === undefined ? [command.account_id] : [command.account_id, receiver.account_id]
  })
}

/** What was read before the locks said whose they must be; by now it may say otherwise. */
function checkLocked(books: PayoutState['books'], account_ids: readonly string[]): void {
  if (account_ids.every(account_id => books.has(account_id))) return
  throw new Contention('a deposit address changed before the book of its account was locked')
}

/** Of a request with a quote the type may be known from the quote alone. */
function mayPayAnAccount({ type, quote }: PayoutRequest): boolean {
  return type === 'service_account' || (type === undefined && quote !== undefined)
}

function depositAddress(
  { account_id, request }: CreatePayout,
  beneficiaries: Beneficiaries,
): string | undefined {
  const details =
    request.beneficiary === undefined
      ? request.beneficiary_details
      : beneficiaries.get(nameOf({ account_id, id: request.beneficiary }))?.details
  return details && depositAddressOf(details)
}

/** The debit and its journal of each payout, from which money is given back. */
async function loadDebits(tx: TransactionSql, payouts: readonly Payout[]) {
  const debits: Map<
    string,
    AdvanceState['debits'] extends ReadonlyMap<string, infer D> ? D : never
  > = new Map()
  if (payouts.length === 0) return debits
  const entries = await findEntries(
    tx,
    payouts.map(p => ({ account_id: p.account_id, id: p.balance_transaction_id })),
  )
  for (const { line, journal } of entries) {
    debits.set(nameOf({ account_id: line.account_id, id: line.source }), { line, journal })
  }
  return debits
}

function present<T>(values: readonly (T | null)[]): T[] {
  return values.filter(value => value !== null)
}
