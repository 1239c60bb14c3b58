// The facts of entities' events. They suffice to show the entity as it was, however it changes
// later. Pure.
import type { Maker } from '../../accounts/maker.ts'
import type { Book } from '../../ledger/rules.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { ENTITY_SEAL } from './columns.ts'
import type { Entity, EntityDetails } from './entity.ts'
import type { ApprovalStatus } from './states.ts'

type Books = ReadonlyMap<string, Book>

/**
 * The facts of an update: in `was` the state before it, and the number of approval steps after it.
 */
export interface UpdateFacts {
  readonly was: { readonly details: EntityDetails; readonly steps: number } & Pick<
    Entity,
    'updated_at'
  >
  readonly steps: number
}

export function recordUpdate(books: Books, before: Entity, after: Entity): Event {
  const { details, updated_at, approval_history } = before
  const was = { details, steps: approval_history.length, updated_at }
  const facts: UpdateFacts = { was, steps: after.approval_history.length }
  return recordChange({ books }, after, 'entity.updated', facts, ENTITY_SEAL.digest(after))
}

/** The facts of an approval step. `steps` counts the entity's steps, this one included. */
export interface StepFacts {
  readonly approval_status: ApprovalStatus
  readonly previous_status: ApprovalStatus
  readonly description: string
  readonly was: Pick<Entity, 'updated_at'>
  readonly steps: number
}

export function recordStep(books: Books, before: Entity, after: Entity): Event {
  const { approval_status, approval_status_description: description, approval_history } = after
  const facts: StepFacts = {
    approval_status,
    previous_status: before.approval_status,
    description,
    was: { updated_at: before.updated_at },
    steps: approval_history.length,
  }
  const type = `entity.approval_${approval_status}` as const
  return recordChange({ books }, after, type, facts, ENTITY_SEAL.digest(after))
}

/** The event of a change, with the maker of the change. */
export function madeBy(event: Event, made_by: Maker): Event {
  return { ...event, data: { ...event.data, made_by } }
}
