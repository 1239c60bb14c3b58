// The operation that makes payouts: load under the locks of the books, decide, store.

import type { Account } from '../../accounts/rules.ts'
import type { ApprovalRules, KeyFacts } from '../../controls/approval/approval.ts'
import { findApprovedPayees, insertApprovals } from '../../controls/approval/store.ts'
import { emptyState, type Limits } from '../../controls/limit/limit.ts'
import { findPayees, findSums, storeUses, upsertPayees } from '../../controls/limit/use-store.ts'
import type { Operation } from '../../engine/operation.ts'
import { lockBooks } from '../../ledger/store.ts'
import type { Beneficiary } from '../../parties/beneficiary/beneficiary.ts'
import { findBeneficiaries, insertBeneficiaries } from '../../parties/beneficiary/store.ts'
import { approvalOf, type Entity } from '../../parties/entity/entity.ts'
import { findEntities } from '../../parties/entity/store.ts'
import type { PricingAt } from '../../prices/price.ts'
import {
  findEntitiesOfQuotes,
  findQuotes,
  insertQuotes,
  markQuotesUsed,
} from '../../quotes/store.ts'
import type { Carriage } from '../../rails/carriage.ts'
import type { Route } from '../../rails/rules.ts'
import type { Lists } from '../../screening/lists-in-memory.ts'
import { NOT_SCREENED } from '../../screening/match.ts'
import { findWaiting, keepMatches } from '../../screening/match-store.ts'
import { confineTo } from '../../sql/confine.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { Contention } from '../../sql/failure.ts'
import { accountsOf } from '../../sql/shard.ts'
import { storeBooks } from '../../statements/balance-transaction/operations.ts'
import { type BookId, byName, type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import { insertHolds } from '../advance/hold-store.ts'
import { insertMetadata } from '../metadata-store.ts'
import {
  type CreatePayout,
  type Fingerprint,
  type Fingerprints,
  holdOf,
  type Intent,
  type PayoutState,
  type Principals,
} from '../payout.ts'
import { insertStates } from '../state-store.ts'
import { insertPayouts } from '../store.ts'
import { payeesUnderRules } from './approval-need.ts'
import { decidePayout } from './create.ts'
import { depositAddressOf } from './destination.ts'
import { findFingerprints, insertFingerprints } from './duplicate-store.ts'
import { intentIn, intentOf, withNamed } from './intent.ts'
import { countersOf, payeesUnderLimits } from './limit-use.ts'
import type { PayoutOutcome } from './new-row.ts'
import { screenIntents } from './screen.ts'

/** What a decision needs besides the database: reference data and new ids. */
export interface PayoutReference {
  pricing(price_version: bigint | null): Promise<PricingAt>
  routes(): readonly Route[]
  carriage(): Carriage
  limits(): Limits
  approvalRules(): ApprovalRules
  keys(): ReadonlyMap<string, KeyFacts>
  /** The sanctions lists that this process has in memory. */
  readonly lists: Pick<Lists, 'at' | 'latest'>
  accountsByDepositAddress(): ReadonlyMap<string, Account>
  /** '' when the operator has set none. */
  readonly sender_bic: string
  readonly bookId: BookId
}

/** POST /v3/payout, and each payout of a batch or of an imported file. */
export function createPayout(
  reference: PayoutReference,
): Operation<CreatePayout, PayoutState, PayoutOutcome, Beneficiaries> {
  return {
    name: 'create_payout',
    ofOneShard: command => !mayCredit(command),

    // All books are locked in one order, so the receivers must be known before the locks.
    async prepare(tx, commands) {
      const crediting = commands.filter(mayCredit)
      const account_ids = crediting.map(command => command.account_id)
      if (account_ids.length > 0) void confineTo(tx, account_ids)
      return loadBeneficiaries(tx, crediting)
    },

    load: (tx, commands, prepared) => loadCreation(reference, tx, commands, prepared),

    decide: (state, { request }) => decidePayout(state, intentIn(state, request)),

    store(tx, outcomes, state) {
      const beneficiaries = outcomes.flatMap(({ new_beneficiary, payout: { screened } }) =>
        new_beneficiary === null ? [] : [{ ...new_beneficiary, screened }],
      )
      const payouts = outcomes.map(outcome => outcome.payout)
      const uses = outcomes.flatMap(({ payout, uses }) =>
        uses.map(use => ({ ...use, payout_id: payout.id })),
      )
      const held = outcomes.flatMap(({ payout: { account_id, id: object_id }, matches }) =>
        matches.length === 0 ? [] : [{ account_id, object_id, matches }],
      )
      return Promise.all([
        ...storeBooks(tx, state.books, outcomes),
        insertBeneficiaries(tx, beneficiaries),
        insertQuotes(tx, nonNull(outcomes.map(outcome => outcome.new_quote))),
        markQuotesUsed(tx, nonNull(outcomes.map(outcome => outcome.used_quote))),
        // Comes before the payouts: where a rule asks for approval, their trigger checks that they
        // wait.
        insertStates(tx, payouts),
        insertPayouts(
          tx,
          outcomes.map(outcome => outcome.row),
        ),
        insertMetadata(tx, payouts),
        insertHolds(tx, nonNull(payouts.map(holdOf))),
        insertFingerprints(tx, nonNull(outcomes.map(outcome => outcome.fingerprint))),
        ...storeUses(tx, state.books, state.limits, uses),
        upsertPayees(tx, nonNull(outcomes.map(outcome => outcome.new_payee))),
        keepMatches(tx, held),
        // After the payouts and their states.
        insertApprovals(tx, nonNull(outcomes.map(outcome => outcome.approval))),
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
  const asked = commands.map(intentOf)
  const receiversOf = receivers(reference.accountsByDepositAddress())
  const known = { quotes: new Map(), beneficiaries: prepared }
  const parties = uniqueKeys(keysNamed(commands, 'on_behalf_of', 'beneficiary'))
  // Read all beneficiaries again under the locks: `prepare` may have read outdated details.
  const [locked, quotes, entities, beneficiaries, earlier, waiting] = await Promise.all([
    lockBooks(tx, [
      ...accountsOf(commands),
      ...receiversOf(asked.filter(mayCredit).map(one => withNamed(one, known))),
    ]),
    findQuotes(tx, keysNamed(commands, 'quote')).then(byName),
    loadEntities(tx, commands),
    loadBeneficiaries(tx, commands),
    loadFingerprints(tx, asked),
    findWaiting(tx, parties),
  ])
  const intents = asked.map(one => withNamed(one, { quotes, beneficiaries }))
  checkLocked(locked.books, receiversOf(intents.filter(mayCredit)))
  // Limits and the rules of approvals are of the same version as the prices.
  const pricing = await reference.pricing(locked.price_version)
  // A second round trip reads by what the first has read, where there is anything to read.
  const [earlier_of_named, waiting_of_quoted, controls] = await Promise.all([
    loadFingerprints(
      tx,
      intents.filter(({ request }) => request.beneficiary !== undefined),
    ),
    findWaiting(tx, entitiesOfQuotes(intents, parties)),
    loadControls(reference, tx, intents, locked.books),
  ])
  const { lists_version } = locked
  const { lists: in_memory } = reference
  const lists = lists_version === null ? in_memory.latest() : in_memory.at(lists_version)
  const stored = { entities, waiting: [...waiting, ...waiting_of_quoted] }
  const screened = await screenIntents(tx, lists, intents, stored)
  return {
    ...locked,
    ...controls,
    quotes,
    beneficiaries,
    approvals: byName([...entities.values()].map(approvalOf)),
    accountsByDepositAddress: reference.accountsByDepositAddress(),
    fingerprints: byFingerprint([...earlier, ...earlier_of_named]),
    principals: principalsOf(entities, intents),
    intents: new Map(
      intents.map((one, i) => [one.request, { ...one, screened: screened[i] ?? NOT_SCREENED }]),
    ),
    sender_bic: reference.sender_bic,
    pricing,
    routes: reference.routes(),
    carriage: reference.carriage(),
    bookId: reference.bookId,
  }
}

/** What limits and the rules of approvals judge by. */
async function loadControls(
  reference: PayoutReference,
  tx: TransactionSql,
  intents: readonly Intent[],
  books: PayoutState['books'],
): Promise<Pick<PayoutState, 'limits' | 'approving'>> {
  const limits = reference.limits()
  const rules = reference.approvalRules()
  const [sums, payees, approved] = await Promise.all([
    findSums(tx, countersOf(limits, intents, books)),
    findPayees(tx, payeesUnderLimits(limits, intents)),
    findApprovedPayees(tx, payeesUnderRules(rules, intents)),
  ])
  return {
    limits: { ...emptyState(limits), sums, payees },
    approving: { rules, keys: reference.keys(), payees: approved },
  }
}

/** Finds the accounts of this installation that payouts name by their deposit addresses. */
function receivers(accounts: ReadonlyMap<string, Account>) {
  return (intents: readonly Intent[]): string[] =>
    intents.flatMap(({ details }) => {
      const address = details && depositAddressOf(details)
      const receiver = address === undefined ? undefined : accounts.get(address)
      return receiver === undefined ? [] : [receiver.account_id]
    })
}

/** Retries the batch when a receiver has changed between `prepare` and the locks. */
function checkLocked(books: PayoutState['books'], account_ids: readonly string[]): void {
  if (account_ids.every(account_id => books.has(account_id))) return
  throw new Contention('a deposit address changed before the book of its account was locked')
}

/** Whether a payout may credit another account; a quote may set the type that the request omits. */
function mayCredit({ request: { type, quote } }: Pick<CreatePayout, 'request'>): boolean {
  return type === 'service_account' || (type === undefined && quote !== undefined)
}

function nonNull<T>(values: readonly (T | null)[]): T[] {
  return values.filter(value => value !== null)
}

/** The keys of the objects that requests name by these members. */
function keysNamed(
  commands: readonly CreatePayout[],
  ...members: readonly ('quote' | 'on_behalf_of' | 'beneficiary')[]
): Key[] {
  return commands.flatMap(({ account_id, request }) =>
    members.flatMap(member => {
      const id = request[member]
      return id === undefined ? [] : [{ account_id, id }]
    }),
  )
}

/** The entities that quotes name, and none of the requests. */
function entitiesOfQuotes(intents: readonly Intent[], named: readonly Key[]): readonly Key[] {
  const known = new Set(named.map(nameOf))
  const all = intents.map(({ account_id, on_behalf_of: id }) => ({ account_id, id }))
  return uniqueKeys(all.filter(key => key.id !== '' && !known.has(nameOf(key))))
}

/** The entities that the requests or their quotes name, by `account_id/id`. */
async function loadEntities(tx: TransactionSql, commands: readonly CreatePayout[]) {
  const [named, quoted] = await Promise.all([
    findEntities(tx, uniqueKeys(keysNamed(commands, 'on_behalf_of'))),
    findEntitiesOfQuotes(tx, keysNamed(commands, 'quote')),
  ])
  return byName([...named, ...quoted])
}

/** By `account_id/id`. */
export type Beneficiaries = ReadonlyMap<string, Beneficiary>

async function loadBeneficiaries(
  tx: TransactionSql,
  commands: readonly CreatePayout[],
): Promise<Beneficiaries> {
  return byName(await findBeneficiaries(tx, uniqueKeys(keysNamed(commands, 'beneficiary'))))
}

/**
 * The newest payouts that these could duplicate. A payout whose payee is unknown so far is not
 * compared.
 */
function loadFingerprints(tx: TransactionSql, intents: readonly Intent[]): Promise<Fingerprint[]> {
  const compared = intents.flatMap(({ account_id, request, fingerprint }) =>
    fingerprint === null || request.allow_duplicate === true ? [] : [{ account_id, fingerprint }],
  )
  return findFingerprints(tx, compared)
}

function byFingerprint(fingerprints: readonly Fingerprint[]): Fingerprints {
  return new Map(
    fingerprints.map(one => [nameOf({ account_id: one.account_id, id: one.fingerprint }), one]),
  )
}

/** The entities that payouts are made for: messages to banks carry their names. */
function principalsOf(
  entities: ReadonlyMap<string, Entity>,
  intents: readonly Intent[],
): Principals {
  const keys = intents.flatMap(({ account_id, type, on_behalf_of: id }) =>
    type === 'service_account' ? [] : [{ account_id, id }],
  )
  const found = keys.flatMap(key => entities.get(nameOf(key)) ?? [])
  return new Map(found.map(({ type, ...entity }) => [nameOf(entity), { ...entity.details, type }]))
}
