// Lists and shows entities to operators, and makes the deed of a review.
import type { Account } from '../account/rules.ts'
import { listAccounts } from '../account/store.ts'
import type { Sql } from '../db/connect.ts'
import type { Page } from '../db/page.ts'
import type { Entity, FoundDuplicate } from '../entity/entity.ts'
import { writeEntity } from '../entity/operations.ts'
import { type ApprovalStatus, IN_REVIEW, type ReviewResult } from '../entity/states.ts'
import {
  findEntities,
  findListedEntities,
  listByStatus,
  listDuplicates,
  listInReview,
  listWaiting,
} from '../entity/store.ts'
import { previousStatus } from '../event/event.ts'
import { bookId, type Key, nameOf } from '../id.ts'
import type { Instant } from '../instant.ts'
import { countHeldPayouts, listHoldingEntities, upsertEndedReviews } from '../payout/hold-store.ts'
import { accountIdOf } from './accounts.ts'
import { deedOf, known } from './deed.ts'

/** An entity, with what its account does not see. */
export interface ListedEntity {
  readonly entity: Entity
  /** How many payouts wait for its review. */
  readonly held: number
  /**
   * `open` while a person must decide about a match, `confirmed` after one is; null for neither.
   */
  readonly screening: 'open' | 'confirmed' | null
}

/**
 * Entities of all accounts, or of one. Without a status it lists the entities that wait for a
 * review, the longest wait first.
 */
export async function listEntities(
  audit: Sql,
  { status, account_id }: { readonly status?: ApprovalStatus; readonly account_id: string | null },
  limit: number,
): Promise<Page<ListedEntity>> {
  const page = await listFor(audit, status, account_id, limit)
  return { ...page, rows: await withHolds(audit, page.rows) }
}

async function withHolds(audit: Sql, entities: readonly Entity[]): Promise<ListedEntity[]> {
  const [held, listed] = await Promise.all([
    countHeldPayouts(audit, entities),
    findListedEntities(audit, entities),
  ])
  return entities.map(entity => {
    const name = nameOf(entity)
    return { entity, held: held.get(name) ?? 0, screening: listed.get(name) ?? null }
  })
}

async function listFor(
  audit: Sql,
  status: ApprovalStatus | undefined,
  account_id: string | null,
  limit: number,
): Promise<Page<Entity>> {
  if (status === undefined) {
    return listWaiting(audit, await listHoldingEntities(audit, account_id), account_id, limit)
  }
  return IN_REVIEW.includes(status)
    ? listInReview(audit, [status], account_id, limit)
    : listByStatus(audit, status, account_id, limit)
}

/** An entity of any account. Refuses (404) an unknown id. */
export async function entityNamed(audit: Sql, id: string): Promise<Entity> {
  const account_id = await accountIdOf(audit, 'entity', id)
  const [entity] = await findEntities(audit, [{ account_id, id }])
  return known('entity', id, entity)
}

export interface ShownEntity extends ListedEntity {
  readonly account: Account | undefined
  /** Records that were answered with the entity, the oldest first. */
  readonly duplicates: readonly FoundDuplicate[]
}

export async function showEntity(audit: Sql, id: string): Promise<ShownEntity> {
  const entity = await entityNamed(audit, id)
  const [accounts, [listed], duplicates] = await Promise.all([
    listAccounts(audit),
    withHolds(audit, [entity]),
    listDuplicates(audit, entity),
  ])
  const account = accounts.find(({ account_id }) => account_id === entity.account_id)
  return { entity, held: 0, screening: null, ...listed, account, duplicates }
}

interface AskedReview {
  readonly status: ReviewResult
  /** The description that the account reads. */
  readonly description: string
  /**
   * The `updated_at` of the record that the operator has seen. Another version is refused (409).
   */
  readonly seen: Instant
}

/** The deed of a review. */
export function reviewDeed({ account_id, id }: Key, { status, description, seen }: AskedReview) {
  const change = { kind: 'review', id, status, description, seen } as const
  const command = { account_id, claim: null, change }
  return deedOf(writeEntity(bookId, upsertEndedReviews), command, ({ events }) => ({
    table_name: 'entities',
    reason: description,
    before: { account_id, id, approval_status: previousStatus(events) },
    after: { account_id, id, approval_status: status },
  }))
}
