// Compares the parties of payouts with the sanctions lists: new payouts before the decision, open
// payouts for the worker. Reads clearances only for matches.
import type { Account } from '../../accounts/rules.ts'
import { hasTooManyWords } from '../../parties/beneficiary/contact.ts'
import type { Entity } from '../../parties/entity/entity.ts'
import { findEntities } from '../../parties/entity/store.ts'
import { matchesOf, type PresentLists } from '../../screening/lists-in-memory.ts'
import {
  clearName,
  holdsPayouts,
  type Match,
  NOT_SCREENED,
  openMatches,
  type Screened,
  type StoredMatch,
} from '../../screening/match.ts'
import { findCleared, findWaiting } from '../../screening/match-store.ts'
import { partiesOf } from '../../screening/parties.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { runInTurns } from '../../values/event-loop.ts'
import { byName, type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import type { Intent } from '../payout.ts'

/** The parties of a payout: whom it pays, and the entity that it is for. */
export interface PayoutParties {
  readonly account_id: string
  readonly account: Pick<Account, 'sandbox'>
  readonly beneficiary: Parameters<typeof partiesOf>[0] | undefined
  /** The entity that the payout is for, '' for none. */
  readonly entity_id: string
  /** The stored beneficiary that the payout pays, '' for inline details. */
  readonly beneficiary_id: string
}

/** The stored parties of payouts. */
export interface StoredParties {
  /** The entities that payouts are for, by `account_id/id`. */
  readonly entities: ReadonlyMap<string, Entity>
  /** Matches of entities and beneficiaries that nobody has cleared. */
  readonly waiting: readonly StoredMatch[]
}

/**
 * How much processor time comparisons of new payouts take under the lock of their book. The worker
 * screens the others.
 */
const BUDGET_MS = 50

/** The result of screening stored payouts, in their order. */
export async function screenAll(
  tx: TransactionSql,
  lists: PresentLists,
  payouts: readonly PayoutParties[],
): Promise<readonly Screened[]> {
  const [entities, waiting] = await Promise.all([
    findEntities(tx, uniqueKeys(payouts.flatMap(entityKeys))),
    findWaiting(tx, uniqueKeys(payouts.flatMap(partyKeys))),
  ])
  const stored = { entities: byName(entities), waiting }
  return screenWith(tx, lists, payouts, stored, Number.POSITIVE_INFINITY)
}

/** The results of screening requested payouts, in their order. Without lists, none is screened. */
export async function screenIntents(
  tx: TransactionSql,
  lists: PresentLists | undefined,
  intents: readonly Intent[],
  stored: StoredParties,
): Promise<readonly Screened[]> {
  if (lists === undefined) return intents.map(() => NOT_SCREENED)
  const payouts = intents.map(({ account_id, account, request, details, on_behalf_of }) => {
    const beneficiary_id = request.beneficiary ?? ''
    return { account_id, account, beneficiary: details, entity_id: on_behalf_of, beneficiary_id }
  })
  return screenWith(tx, lists, payouts, stored, BUDGET_MS)
}

/** The payouts that are left after `budget_ms` are not screened. */
async function screenWith(
  tx: TransactionSql,
  lists: PresentLists,
  payouts: readonly PayoutParties[],
  { entities, waiting }: StoredParties,
  budget_ms: number,
): Promise<readonly Screened[]> {
  const rules = payouts.map(({ account }) => lists.ruleFor(account))
  const compared = lists.is_empty ? [] : payouts.filter((_, i) => rules[i] === 'screen')
  const waitingOf = Map.groupBy(waiting, ({ account_id, object_id: id }) =>
    nameOf({ account_id, id }),
  )
  const found = await runInTurns(comparing(lists, compared, entities, budget_ms))
  const ofParties = (one: PayoutParties) =>
    partyKeys(one).flatMap(key => waitingOf.get(nameOf(key)) ?? [])
  const named = [...found].map(([one, { matches } = NOTHING]) => {
    return { account_id: one.account_id, matches: [...matches, ...ofParties(one)] }
  })
  const cleared = await findCleared(tx, named)
  return payouts.map((one, i) => {
    if (rules[i] === 'wait') return NOT_SCREENED
    const compared_one = found.has(one) ? found.get(one) : NOTHING
    if (compared_one === undefined) return NOT_SCREENED
    const { matches, hashes } = compared_one
    const isCleared = (match: Match) => cleared.has(`${one.account_id}/${clearName(match)}`)
    const holding = ofParties(one).filter(match => holdsPayouts(match, hashes, isCleared))
    const open = openMatches(matches, holding, isCleared)
    const entity = entities.get(nameOf({ account_id: one.account_id, id: one.entity_id }))
    const result = { version: lists.version, matches: open }
    return entity === undefined ? result : { ...result, entity_at: entity.updated_at }
  })
}

/** The stored parties of a payout, whose matches may hold it. */
function partyKeys({ account_id, entity_id, beneficiary_id }: PayoutParties): Key[] {
  const ids = [entity_id, beneficiary_id].filter(id => id !== '')
  return ids.map(id => ({ account_id, id }))
}

function entityKeys({ account_id, entity_id: id }: PayoutParties): Key[] {
  return id === '' ? [] : [{ account_id, id }]
}

/** The result of one payout's comparison. */
interface Compared {
  readonly matches: readonly Match[]
  /** The hashes of its parties. */
  readonly hashes: ReadonlySet<string>
}

const NOTHING: Compared = { matches: [], hashes: new Set() }

/** The matches of each payout; undefined for a payout that was not compared. In short steps. */
function* comparing(
  lists: PresentLists,
  payouts: readonly PayoutParties[],
  entities: ReadonlyMap<string, Entity>,
  budget_ms: number,
): Generator<void, ReadonlyMap<PayoutParties, Compared | undefined>> {
  const budget = { left_ms: budget_ms }
  const found = new Map<PayoutParties, Compared | undefined>()
  for (const one of payouts) {
    const { account_id, beneficiary, entity_id: id } = one
    // A payout without a known beneficiary must not count as screened.
    if (beneficiary === undefined || budget.left_ms < 0) {
      found.set(one, undefined)
      continue
    }
    const parties = partiesOf(beneficiary, entities.get(nameOf({ account_id, id })))
    // A request with such a name is refused. It is compared before that.
    if (parties.some(({ query }) => hasTooManyWords(query.name))) {
      found.set(one, undefined)
      continue
    }
    const matches = yield* within(budget, matchesOf(lists, parties))
    const hashes = new Set(parties.map(({ hash }) => hash))
    found.set(one, matches && { matches, hashes })
  }
  return found
}

/**
 * The result of the steps; undefined when they take longer than the budget. It counts the processor
 * time of this thread: a busy process or machine would else leave every payout to the worker.
 */
function* within<T>(
  budget: { left_ms: number },
  steps: Generator<void, T>,
): Generator<void, T | undefined> {
  for (;;) {
    const began = process.threadCpuUsage()
    const { done, value } = steps.next()
    const { user, system } = process.threadCpuUsage(began)
    budget.left_ms -= (user + system) / 1000
    if (done === true) return value
    if (budget.left_ms < 0) return undefined
    yield
  }
}
