// Decides creations, updates, submissions and reviews of entities, and checks each for duplicates.
// The state advances, so that the next command of a batch sees the change. Pure.
import { isDeepStrictEqual } from 'node:util'
import type { Maker } from '../../accounts/maker.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { checkDetailsSize, checkSteps } from '../../values/bounds.ts'
import { found, invalidField, type Refusal, refusal, refuseIfAny } from '../../values/errors.ts'
import { type BookId, byName, nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { ENTITY_SEAL } from './columns.ts'
import { comparable } from './comparable.ts'
import { findDuplicate, type Judged, judge, type RuleName } from './duplicates.ts'
import {
  type Approvals,
  approvalOf,
  type Entity,
  type EntityDetails,
  type EntityRecord,
  isErased,
  recordOf,
  updatedRecord,
} from './entity.ts'
import { madeBy, recordStep, recordUpdate } from './events.ts'
import type { EntityRequest, EntityUpdate } from './request.ts'
import {
  APPROVAL_TRANSITIONS,
  type ApprovalStatus,
  IN_REVIEW,
  isLive,
  type ReviewResult,
} from './states.ts'

/** A record with the results of its duplicate rules, computed once. */
export interface Draft extends EntityRecord {
  readonly judged: readonly Judged[]
  /** The key of the imported row, 64 hex digits; null when the record is not from a file. */
  readonly import_key: string | null
}

export type EntityChange =
  | { readonly kind: 'create'; readonly draft: Draft }
  | { readonly kind: 'update'; readonly id: string; readonly update: EntityUpdate }
  | { readonly kind: 'submit'; readonly id: string; readonly update: EntityUpdate }
  | {
      readonly kind: 'review'
      readonly id: string
      readonly status: ReviewResult
      readonly description: string
      /** The `updated_at` that the operator has seen. If absent, the review is of any version. */
      readonly seen?: Instant
    }

/** Everything that a batch may touch, read under the locks of its books. */
export interface EntityState {
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
  /** The entities that commands name, by `account_id/id`. */
  readonly entities: Map<string, Entity>
  /** Entities that are not rejected, by `identityName`. */
  readonly live: Map<string, Entity[]>
  /** Entities made from rows of files, by `account_id/import_key`. */
  readonly imported: Map<string, Entity>
  /**
   * The match status of entities that are to be approved and may be on a list, by `account_id/id`.
   */
  readonly listed: ReadonlyMap<string, 'open' | 'confirmed'>
  readonly bookId: BookId
}

export interface EntityOutcome {
  /** The entity that answers: the new one, the changed one, or the first duplicate. */
  readonly entity: Entity
  readonly did: 'created' | 'changed' | 'nothing'
  /** The rule that found the duplicate. */
  readonly rule: RuleName | null
  /** The members of the sent record that differ from the duplicate. */
  readonly differs: readonly string[]
  /** The entity's rules as applied to the new record; empty when nothing changed. */
  readonly judged: readonly Judged[]
  readonly import_key: string | null
  readonly events: readonly Event[]
}

export function draftOf(request: EntityRequest, import_key: string | null = null): Draft {
  const record = recordOf(request)
  return { ...record, judged: judge(record), import_key }
}

/** The record's identity under each rule that takes part. */
export function identitiesOf(account_id: string, judged: readonly Judged[]) {
  return judged.flatMap(({ rule, key }) => (key === null ? [] : [{ account_id, rule, key }]))
}

/** The key of an identity in `EntityState.live`. */
export function identityName(account_id: string, key: string): string {
  return `${account_id}/${key}`
}

export function decideEntity(
  state: EntityState,
  account_id: string,
  change: EntityChange,
  maker: Maker,
): EntityOutcome {
  if (change.kind === 'create') return decideCreation(state, account_id, change.draft, maker)
  const entity = findNamed(state, account_id, change.id)
  const outcome = decideChange(state, entity, change)
  return { ...outcome, events: outcome.events.map(event => madeBy(event, maker)) }
}

function decideChange(
  state: EntityState,
  entity: Entity,
  change: Exclude<EntityChange, { kind: 'create' }>,
): EntityOutcome {
  switch (change.kind) {
    case 'update':
      return decideUpdate(state, entity, change.update)
    case 'submit':
      return decideSubmission(state, entity, change.update)
    case 'review':
      return decideReview(state, entity, change)
  }
}

/**
 * A new entity, or the first entity that it duplicates. Refuses with entity_not_found if the entity
 * that it belongs to does not exist or is rejected.
 */
function decideCreation(
  state: EntityState,
  account_id: string,
  draft: Draft,
  made_by: Maker,
): EntityOutcome {
  const { type, details, judged, import_key } = draft
  const before = import_key && state.imported.get(`${account_id}/${import_key}`)
  if (before) return unchanged(before)
  checkPrincipal(state, account_id, details)
  checkDetailsSize(details)
  const duplicate = findDuplicate(judged, candidatesOf(state, account_id))
  if (duplicate !== undefined) return answeredBy(duplicate, details)
  // After this point it succeeds.

  const book = bookOf(state.books, account_id)
  const { now } = book
  const entity: Entity = {
    account_id,
    id: state.bookId(book, 'ent'),
    type,
    details,
    approval_status: 'pending',
    approval_status_description: '',
    approval_history: [{ status: 'pending', description: '', at: now }],
    made_by,
    created_at: now,
    updated_at: now,
  }
  remember(state, entity, judged)
  if (import_key !== null) state.imported.set(`${account_id}/${import_key}`, entity)
  const event = recordChange(state, entity, 'entity.created', {}, ENTITY_SEAL.digest(entity))
  return { entity, did: 'created', rule: null, differs: [], judged, import_key, events: [event] }
}

/** The details after an update. Refuses a change of the type. Also refuses as a creation does. */
function updatedDetails(state: EntityState, entity: Entity, update: EntityUpdate): EntityDetails {
  if (update.type !== undefined && update.type !== entity.type) {
    const message = `The type of an entity is fixed at creation; this one is ${entity.type}.`
    throw refusal('invalid_field', message, 'type')
  }
  const { details } = updatedRecord(entity, update)
  if (details.on_behalf_of !== entity.details.on_behalf_of) {
    checkPrincipal(state, entity.account_id, details)
  }
  if (details.on_behalf_of === entity.id) {
    const message = 'An entity cannot belong to itself.'
    throw refusal('invalid_field', message, 'on_behalf_of')
  }
  checkDetailsSize(details)
  return details
}

/**
 * The changed entity, or the first other one that it would duplicate. Refuses a business in review
 * that would lose a field that a submission needs.
 */
function decideUpdate(state: EntityState, entity: Entity, update: EntityUpdate): EntityOutcome {
  const details = updatedDetails(state, entity, update)
  const judged = judge({ type: entity.type, details })
  const duplicate = findDuplicate(judged, candidatesOf(state, entity.account_id), entity.id)
  if (duplicate !== undefined) return answeredBy(duplicate, details)
  const changed = changedMembers(entity.details, details)
  if (changed.length === 0) return unchanged(entity)
  const needs_review = changed.some(name => !UNREVIEWED.has(name))
  const is_resubmitted = entity.approval_status === 'approved' && needs_review
  if (is_resubmitted) checkSteps(entity)
  if (is_resubmitted || IN_REVIEW.includes(entity.approval_status)) checkRegistered(entity, judged)
  // After this point it succeeds.

  forget(state, entity)
  const { now } = bookOf(state.books, entity.account_id)
  const written = { ...entity, details, updated_at: now }
  const next = is_resubmitted ? withStep(written, 'resubmitted', '', now) : written
  remember(state, next, judged)
  const events = [recordUpdate(state.books, entity, next)]
  if (is_resubmitted) events.push(recordStep(state.books, entity, next))
  return { entity: next, did: 'changed', rule: null, differs: [], judged, import_key: null, events }
}

/** The account's own notes. Their changes need no new review. */
const UNREVIEWED: ReadonlySet<keyof EntityDetails> = new Set([
  'description',
  'reference_id',
  'metadata',
])

/**
 * The submitted entity, after its update, or the first other one that it would duplicate. Looks for
 * duplicates before it checks the status. Refuses what an update refuses, a business
 * without registration number and country, and, with invalid_transition, a status other than
 * pending and requires_action.
 */
function decideSubmission(state: EntityState, entity: Entity, update: EntityUpdate): EntityOutcome {
  const details = updatedDetails(state, entity, update)
  const judged = judge({ type: entity.type, details })
  const duplicate = findDuplicate(judged, candidatesOf(state, entity.account_id), entity.id)
  if (duplicate !== undefined) return answeredBy(duplicate, details)
  checkRegistered(entity, judged)
  const status = entity.approval_status === 'requires_action' ? 'resubmitted' : 'submitted'
  checkStep(entity, status)
  checkSteps(entity)
  // After this point it succeeds.

  const changed = changedMembers(entity.details, details)
  const { now } = bookOf(state.books, entity.account_id)
  const next = { ...entity, details, updated_at: now }
  const updated = changed.length === 0 ? [] : [recordUpdate(state.books, entity, next)]
  const submitted = step(state, entity, { ...entity, details }, judged, status, '')
  return { ...submitted, events: [...updated, ...submitted.events] }
}

/** Refuses a business without the fields that identify it to the reviewer (§entity.submission). */
function checkRegistered({ type }: Entity, judged: readonly Judged[]): void {
  if (type !== 'business') return
  const missing = judged.flatMap(rule => rule.missing)
  const message = (path: string) => `A business needs its ${path} before it is submitted.`
  refuseIfAny(missing.map(path => invalidField(path, message(path))))
}

/**
 * The reviewed entity. Refuses with entity_changed when the operator has not seen its version.
 * Refuses with invalid_transition a step that the table does not have, and the approval of an
 * entity that may be on a sanctions list. Refuses with entity_duplicate the return of a rejected
 * entity that has a live duplicate.
 */
function decideReview(
  state: EntityState,
  entity: Entity,
  { status, description, seen }: Extract<EntityChange, { kind: 'review' }>,
): EntityOutcome {
  if (seen !== undefined && seen !== entity.updated_at) {
    const message = `Entity ${entity.id} has changed: its updated_at is ${entity.updated_at}.`
    throw refusal('entity_changed', message)
  }
  checkStep(entity, status)
  if (status === 'approved') checkUnlisted(state, entity)
  const judged = judge(entity)
  const duplicate = findDuplicate(judged, candidatesOf(state, entity.account_id), entity.id)
  if (duplicate !== undefined && !isLive(entity.approval_status)) {
    const message =
      `Entity ${entity.id} cannot be ${status}: ${duplicate.entity.id}, which is not rejected, ` +
      `is the same by the rule ${duplicate.rule}.`
    throw refusal('entity_duplicate', message)
  }
  return step(state, entity, entity, judged, status, description)
}

/** Refuses the approval of an entity with a match that a person must decide first. */
function checkUnlisted({ listed }: EntityState, { account_id, id }: Entity): void {
  const screening = listed.get(nameOf({ account_id, id }))
  if (screening === undefined) return
  const what = `${screening === 'open' ? 'may be' : 'is confirmed to be'} on a sanctions list`
  const act = 'look at its screening, then clear the match or reject the entity.'
  const message = `Entity ${id} ${what}: ${act}`
  throw refusal('invalid_transition', message, 'approval_status')
}

/** Writes a step of approval. `entity` replaces the record `before`. */
function step(
  state: EntityState,
  before: Entity,
  entity: Entity,
  judged: readonly Judged[],
  status: ApprovalStatus,
  description: string,
): EntityOutcome {
  const { now } = bookOf(state.books, entity.account_id)
  const next = withStep({ ...entity, updated_at: now }, status, description, now)
  forget(state, before)
  remember(state, next, judged)
  const events = [recordStep(state.books, before, next)]
  return { entity: next, did: 'changed', rule: null, differs: [], judged, import_key: null, events }
}

function withStep(entity: Entity, status: ApprovalStatus, description: string, at: Instant) {
  return {
    ...entity,
    approval_status: status,
    approval_status_description: description,
    approval_history: [...entity.approval_history, { status, description, at }],
  }
}

/**
 * The approval status of the entity that a request names; undefined when it names none ('').
 * Refuses an entity that the account does not have or that is rejected (§quote.entity).
 */
export function checkNamed(approvals: Approvals, account_id: string, id: string, remarks: string) {
  if (id === '') return undefined
  const approval = approvals.get(nameOf({ account_id, id }))
  if (approval?.is_erased) throw erasedEntity(id, remarks)
  const status = approval?.approval_status
  if (status !== undefined && isLive(status)) return status
  const message =
    status === undefined ? `No entity ${id} in this account.` : `Entity ${id} is rejected.`
  throw refusal('entity_not_found', message, remarks)
}

function checkPrincipal(state: EntityState, account_id: string, details: EntityDetails): void {
  const id = details.on_behalf_of ?? ''
  const principal = state.entities.get(nameOf({ account_id, id }))
  const approvals = byName(principal === undefined ? [] : [approvalOf(principal)])
  checkNamed(approvals, account_id, id, 'on_behalf_of')
}

function erasedEntity(id: string, remarks: string): Refusal {
  return refusal('party_erased', `The data of entity ${id} is erased.`, remarks)
}

function findNamed(state: EntityState, account_id: string, id: string): Entity {
  const entity = found(state.entities.get(nameOf({ account_id, id })))
  if (isErased(entity)) throw erasedEntity(id, '')
  return entity
}

function candidatesOf(state: EntityState, account_id: string) {
  return (_rule: RuleName, key: string) => state.live.get(identityName(account_id, key)) ?? []
}

/** Advances the state: later commands of the batch see this entity. */
function remember(state: EntityState, entity: Entity, judged: readonly Judged[]): void {
  state.entities.set(nameOf(entity), entity)
  if (!isLive(entity.approval_status)) return
  for (const { key } of judged) {
    if (key === null) continue
    const name = identityName(entity.account_id, key)
    state.live.set(name, [...(state.live.get(name) ?? []), entity])
  }
}

function forget(state: EntityState, entity: Entity): void {
  for (const { key } of judge(entity)) {
    if (key === null) continue
    const name = identityName(entity.account_id, key)
    const others = (state.live.get(name) ?? []).filter(({ id }) => id !== entity.id)
    state.live.set(name, others)
  }
}

function changedMembers(before: EntityDetails, after: EntityDetails): (keyof EntityDetails)[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof EntityDetails)[])
  return [...names].filter(name => !isDeepStrictEqual(before[name], after[name]))
}

function unchanged(entity: Entity, rule: RuleName | null = null): EntityOutcome {
  return { entity, did: 'nothing', rule, differs: [], judged: [], import_key: null, events: [] }
}

/** Answers with the existing entity, and names the members that were sent otherwise. */
function answeredBy(
  { entity, rule }: { readonly entity: Entity; readonly rule: RuleName },
  sent: EntityDetails,
): EntityOutcome {
  const textOf = (value: unknown) => comparable(JSON.stringify(value))
  const differs = changedMembers(entity.details, sent).filter(
    name => sent[name] !== undefined && textOf(sent[name]) !== textOf(entity.details[name] ?? ''),
  )
  return { ...unchanged(entity, rule), differs: differs.sort() }
}

function checkStep(entity: Entity, status: ApprovalStatus): void {
  if (APPROVAL_TRANSITIONS[entity.approval_status].includes(status)) return
  const message = `Entity ${entity.id} cannot go from ${entity.approval_status} to ${status}.`
  throw refusal('invalid_transition', message, 'approval_status')
}
