// The operation that writes entities: creation, update, submission and review share one lane, so
// that an account's commands run in order. Also the dry run of the duplicate rules.
import type { Maker } from '../../accounts/maker.ts'
import { unlessLate } from '../../engine/late.ts'
import type { Operation } from '../../engine/operation.ts'
import { success } from '../../http/answer.ts'
import type { Claiming, Reply } from '../../http/idempotency/kept-reply.ts'
import { lockBooks } from '../../ledger/store.ts'
import { transactConfined } from '../../sql/confine.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { inRounds } from '../../sql/rows.ts'
import { accountsOf } from '../../sql/shard.ts'
import { storeBooks } from '../../statements/balance-transaction/operations.ts'
import { type BookId, byName, type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import {
  type Explanation,
  explain,
  type Judged,
  judge,
  type RuleName,
  type Sharing,
} from './duplicates.ts'
import { type Entity, type EntityRecord, updatedRecord } from './entity.ts'
import { presentEntity } from './response.ts'
import {
  checkNamed,
  type Draft,
  decideEntity,
  type EntityChange,
  type EntityOutcome,
  type EntityState,
  identitiesOf,
  identityName,
} from './rules.ts'
import type { ApprovalStatus } from './states.ts'
import {
  type Found,
  findApprovals,
  findByIdentity,
  findEntities,
  findImported,
  findListedEntities,
  type Identity,
  insertDuplicates,
  insertEntities,
  rowOf,
  updateEntities,
} from './store.ts'

export interface WriteEntity extends Claiming {
  readonly change: EntityChange
  /** Who asks for the change. */
  readonly maker: Maker
}

/** Higher rooms act on a review by this function, in the review's transaction. */
type OnReviewed = (
  tx: TransactionSql,
  entities: readonly Key[],
  now: Instant,
) => PromiseLike<unknown>

/**
 * POST and PUT /v3/entity, its submission, the operator's review, and the import of files.
 * `onReviewed` gets the entities that were approved or rejected.
 */
export function writeEntity(
  bookId: BookId,
  onReviewed: OnReviewed,
): Operation<WriteEntity, EntityState, EntityOutcome> {
  return {
    name: 'write_entity',

    async load(tx, commands) {
      const [{ books, now }, entities, sent, imported, listed] = await Promise.all([
        lockBooks(tx, accountsOf(commands)),
        loadNamed(tx, commands),
        loadLive(tx, commands.flatMap(identitiesSent)),
        loadImported(tx, commands),
        findListedEntities(tx, approvedBy(commands)),
      ])
      // The identities of a changed record are known only once it has been read.
      const changes = identitiesAfter(entities, commands)
      const live = new Map([...sent, ...(await loadLive(tx, changes))])
      return { now, books, entities, live, imported, listed, bookId }
    },

    decide: (state, { account_id, change, maker }) =>
      decideEntity(state, account_id, change, maker),

    // Changes before creations: a change may free an identity that a creation of the batch takes.
    // If another order is needed, a unique index refuses the batch, and the lane runs its commands
    // one by one.
    store(tx, outcomes, state) {
      const rows = (did: EntityOutcome['did']) =>
        outcomes.filter(o => o.did === did).map(o => rowOf(o.entity, o.judged, o.import_key))
      const [changed, created] = [rows('changed'), rows('created')]
      const reviewed = changed.filter(row => ENDS_A_HOLD.has(row.approval_status))
      return Promise.all([
        ...storeBooks(tx, state.books, outcomes),
        ...inRounds(changed).map(round => updateEntities(tx, round)),
        insertEntities(tx, created),
        insertDuplicates(
          tx,
          outcomes.flatMap(o => duplicatesOf(o, state)),
        ),
        reviewed.length > 0 && onReviewed(tx, reviewed, state.now),
      ])
    },
  }
}

/** The answer with the entity; for a duplicate, a header names the rule. */
export function answerEntity({ entity, rule }: EntityOutcome): Reply {
  const headers = rule !== null && { headers: { 'duplicate-of': `${entity.id}; rule=${rule}` } }
  return { ...success(presentEntity(entity)), ...headers }
}

/** The facts about a duplicate record that the existing entity keeps. */
function duplicatesOf({ entity, rule, differs }: EntityOutcome, { now }: EntityState) {
  const { account_id, id: entity_id } = entity
  return rule === null ? [] : [{ account_id, entity_id, rule, differs, found_at: now }]
}

const ENDS_A_HOLD: ReadonlySet<ApprovalStatus> = new Set(['approved', 'rejected'])

/** The entities that commands change, and the principals that their records name. */
async function loadNamed(
  tx: TransactionSql,
  commands: readonly WriteEntity[],
): Promise<Map<string, Entity>> {
  const keys = commands.flatMap(({ account_id, change }) => {
    const principal = principalOf(change)
    const ids = change.kind === 'create' ? [principal] : [change.id, principal]
    return ids.filter(id => id !== '').map(id => ({ account_id, id }))
  })
  return byName(await findEntities(tx, uniqueKeys(keys)))
}

function principalOf(change: EntityChange): string {
  if (change.kind === 'create') return change.draft.details.on_behalf_of ?? ''
  return 'update' in change ? (change.update.on_behalf_of ?? '') : ''
}

/** The entities that commands approve, which are few. */
function approvedBy(commands: readonly WriteEntity[]): readonly Key[] {
  const keys = commands.flatMap(({ account_id, change }) =>
    change.kind === 'review' && change.status === 'approved' ? [{ account_id, id: change.id }] : [],
  )
  return uniqueKeys(keys)
}

function identitiesSent({ account_id, change }: WriteEntity): Identity[] {
  return change.kind === 'create' ? identitiesOf(account_id, change.draft.judged) : []
}

/**
 * The identities of records after each change (§duplicate.after_change). An earlier change of the
 * same entity in the batch may be refused, so they are computed with and without it.
 */
function identitiesAfter(entities: ReadonlyMap<string, Entity>, commands: readonly WriteEntity[]) {
  const changed = new Map<string, EntityRecord>()
  return commands.flatMap(({ account_id, change }) => {
    if (change.kind === 'create') return []
    const name = nameOf({ account_id, id: change.id })
    const entity = entities.get(name)
    if (entity === undefined) return []
    const records_before = [entity, changed.get(name) ?? entity]
    const records_after = records_before.map(before =>
      'update' in change ? updatedRecord(before, change.update) : before,
    )
    changed.set(name, records_after[1] ?? entity)
    return records_after.flatMap(after => identitiesOf(account_id, judge(after)))
  })
}

async function loadLive(
  tx: TransactionSql,
  identities: readonly Identity[],
): Promise<[string, Entity[]][]> {
  const found = await findByIdentity(tx, identities, 'live')
  return found.map(({ key, entity }) => [identityName(entity.account_id, key), [entity]])
}

async function loadImported(tx: TransactionSql, commands: readonly WriteEntity[]) {
  const rows = commands.flatMap(({ account_id, change }) => {
    const import_key = change.kind === 'create' ? change.draft.import_key : null
    return import_key === null ? [] : [{ account_id, import_key }]
  })
  const found = await findImported(tx, rows)
  return new Map(found.map(({ key, entity }) => [identityName(entity.account_id, key), entity]))
}

/**
 * Explains the duplicates of a creation at this moment, for POST /v3/entity/duplicate_check.
 * Refuses as the creation would.
 */
export async function checkDuplicate(sql: Sql, account_id: string, { details, judged }: Draft) {
  const id = details.on_behalf_of ?? ''
  const [explanation, approvals] = await onSnapshot(sql, account_id, tx =>
    Promise.all([
      explainJudged(tx, account_id, judged),
      id === '' ? [] : findApprovals(tx, [{ account_id, id }]),
    ]),
  )
  checkNamed(byName(approvals), account_id, id, 'on_behalf_of')
  return explanation
}

/** Explains the duplicates of a stored entity. */
export function explainEntity(sql: Sql, entity: Entity): Promise<Explanation> {
  const { account_id, id } = entity
  return onSnapshot(sql, account_id, tx => explainJudged(tx, account_id, judge(entity), id))
}

/**
 * Runs several statements on one snapshot, so that all of them see the same status of an entity
 * that is rejected meanwhile.
 */
function onSnapshot<T>(sql: Sql, account_id: string, work: (tx: TransactionSql) => Promise<T>) {
  const mode = 'isolation level repeatable read, read only'
  return transactConfined(sql, [account_id], unlessLate(work), mode)
}

async function explainJudged(
  tx: TransactionSql,
  account_id: string,
  judged: readonly Judged[],
  self?: string,
): Promise<Explanation> {
  const identities = identitiesOf(account_id, judged)
  const [live, rejected] = await Promise.all([
    findByIdentity(tx, identities, 'live'),
    findByIdentity(tx, identities, 'rejected'),
  ])
  return explain(judged, { live: sharing(live), rejected: sharing(rejected) }, self)
}

function sharing(found: readonly Found[]): Sharing {
  return (_rule: RuleName, key: string) =>
    found.filter(one => one.key === key).map(({ entity }) => entity)
}
