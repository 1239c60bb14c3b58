// The writes of entities: creation, update, submission and review in one lane, so that they come to
// the book in the order in which they were asked for.
import { storeBooks } from '../balance-transaction/operations.ts'
import type { TransactionSql } from '../db/connect.ts'
import { inRounds } from '../db/rows.ts'
import type { Operation } from '../engine/operation.ts'
import { success } from '../http/envelope.ts'
import { type Key, type NewId, nameOf, uniqueKeys } from '../id.ts'
import type { Answering, Claiming } from '../idempotency/rules.ts'
import type { Instant } from '../instant.ts'
import { lockBooks } from '../ledger/store.ts'
import { judge } from './duplicates.ts'
import { type Entity, updatedRecord } from './record.ts'
import {
  decideEntity,
  type EntityChange,
  type EntityOutcome,
  type EntityState,
  identitiesOf,
  identityName,
} from './rules.ts'
import type { ApprovalStatus } from './states.ts'
import {
  findByIdentity,
  findEntities,
  findImported,
  type Identity,
  insertEntities,
  rowOf,
  updateEntities,
} from './store.ts'
import { presentEntity } from './wire.ts'

export interface WriteEntity extends Claiming {
  readonly change: EntityChange
}

export type WrittenEntity = EntityOutcome & Answering

/** What must happen in the transaction of a review, for the rooms above. */
export type OnReviewed = (
  tx: TransactionSql,
  entities: readonly Key[],
  now: Instant,
) => PromiseLike<unknown>

/**
 * POST and PUT /v3/entity, its submission, the operator's review, and the import of files.
 * `onReviewed` is called with the entities that were approved or rejected.
 */
export function writeEntity(
  newId: NewId,
  onReviewed: OnReviewed,
): Operation<WriteEntity, EntityState, WrittenEntity> {
  return {
    name: 'write_entity',

    async load(tx, commands) {
      const account_ids = commands.map(command => command.account_id)
      const [{ books, now }, entities, sent, imported] = await Promise.all([
        lockBooks(tx, account_ids),
        loadNamed(tx, commands),
        loadLive(tx, commands.flatMap(identitiesSent)),
        loadImported(tx, commands),
      ])
      // What a changed record will be is known when it has been read.
      const changes = commands.flatMap(command => identitiesAfter(entities, command))
      const live = new Map([...sent, ...(await loadLive(tx, changes))])
      return { now, books, entities, live, imported, newId }
    },

    decide(state, { account_id, change }) {
      const outcome = decideEntity(state, account_id, change)
      return { ...outcome, reply: success(presentEntity(outcome.entity)) }
    },

    // Changes before creations: they may free an identity that a creation of the same batch takes.
    // Where another order would be needed, a unique index refuses the batch, and the lane runs its
    // commands one by one.
    store(tx, outcomes, state) {
      const rows = (did: EntityOutcome['did']) =>
        outcomes.filter(o => o.did === did).map(o => rowOf(o.entity, o.judged, o.import_key))
      const [changed, created] = [rows('changed'), rows('created')]
      const reviewed = changed.filter(row => ENDS_A_HOLD.has(row.approval_status))
      const writes = outcomes.map(({ events }) => ({ entries: [], events }))
      return Promise.all([
        ...storeBooks(tx, state.books, writes, state.now),
        ...inRounds(changed).map(round => updateEntities(tx, round)),
        created.length > 0 && insertEntities(tx, created),
        reviewed.length > 0 && onReviewed(tx, reviewed, state.now),
      ])
    },
  }
}

const ENDS_A_HOLD: ReadonlySet<ApprovalStatus> = new Set(['approved', 'rejected'])

/** The entities that commands change, and those that their records are to belong to. */
async function loadNamed(
  tx: TransactionSql,
  commands: readonly WriteEntity[],
): Promise<Map<string, Entity>> {
  const keys = commands.flatMap(({ account_id, change }) => {
    const principal = principalOf(change)
    const ids = change.kind === 'create' ? [principal] : [change.id, principal]
    return ids.filter(id => id !== '').map(id => ({ account_id, id }))
  })
  const found = keys.length === 0 ? [] : await findEntities(tx, uniqueKeys(keys))
  return new Map(found.map(entity => [nameOf(entity), entity]))
}

function principalOf(change: EntityChange): string {
  if (change.kind === 'create') return change.draft.details.on_behalf_of ?? ''
  return change.kind === 'update' ? (change.update.on_behalf_of ?? '') : ''
}

function identitiesSent({ account_id, change }: WriteEntity): Identity[] {
  return change.kind === 'create' ? identitiesOf(account_id, change.draft.judged) : []
}

/** Of the record as it would be after the change (contract 23 g). */
function identitiesAfter(
  entities: ReadonlyMap<string, Entity>,
  { account_id, change }: WriteEntity,
): Identity[] {
  if (change.kind === 'create') return []
  const entity = entities.get(nameOf({ account_id, id: change.id }))
  if (entity === undefined) return []
  const after = change.kind === 'update' ? updatedRecord(entity, change.update) : entity
  return identitiesOf(account_id, judge(after))
}

async function loadLive(
  tx: TransactionSql,
  identities: readonly Identity[],
): Promise<[string, Entity[]][]> {
  const found = identities.length === 0 ? [] : await findByIdentity(tx, identities, 'live')
  return found.map(({ key, entity }) => [identityName(entity.account_id, key), [entity]])
}

async function loadImported(
  tx: TransactionSql,
  commands: readonly WriteEntity[],
): Promise<Map<string, Entity>> {
  const rows = commands.flatMap(({ account_id, change }) => {
    const import_key = change.kind === 'create' ? change.draft.import_key : null
    return import_key === null ? [] : [{ account_id, import_key }]
  })
  const found = rows.length === 0 ? [] : await findImported(tx, rows)
  return new Map(found.map(({ key, entity }) => [identityName(entity.account_id, key), entity]))
}
