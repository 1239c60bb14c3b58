// Works out each event's object as it was right after the event. An update stores the values that
// it replaced, so the next update has them, or without one the row. Pure.
import { isDeepStrictEqual } from 'node:util'
import type { ArchiveFacts } from '../../parties/beneficiary/archive.ts'
import type { Beneficiary } from '../../parties/beneficiary/beneficiary.ts'
import { detailsOf } from '../../parties/beneficiary/columns.ts'
import { presentBeneficiary } from '../../parties/beneficiary/response.ts'
import type { UpdateFacts as BeneficiaryFacts } from '../../parties/beneficiary/rules.ts'
import { type Entity, isErased } from '../../parties/entity/entity.ts'
import type { UpdateFacts as EntityFacts, StepFacts } from '../../parties/entity/events.ts'
import { presentEntity } from '../../parties/entity/response.ts'
import { factsOf, type ShownState, statesAround } from '../../payouts/advance/event-state.ts'
import type { Payout } from '../../payouts/payout.ts'
import { presentPayout } from '../../payouts/response.ts'
import type { EventWithObject, NamedEvent } from '../../statements/event/event.ts'

export interface Later {
  readonly update: NamedEvent | undefined
  readonly next: NamedEvent | undefined
}

/** Creations and erasures have no previous attributes. */
const WITHOUT_BEFORE = /\.(created|erased)$/

export function withEntity(entity: Entity, event: NamedEvent, { update }: Later): EventWithObject {
  const erased = isErased(entity)
  if (event.type === 'entity.erased') {
    return { ...event, object: presentEntity(entity), previous_attributes: {}, erased }
  }
  const { steps = 1 } = event.data as Partial<StepFacts>
  // An erasure has removed the details that updates stored.
  const { was: later } = (update?.data ?? {}) as Partial<EntityFacts>
  const details = (erased ? undefined : later?.details) ?? entity.details
  const { created_at } = event
  const updated_at = event.type === 'entity.created' ? entity.created_at : created_at
  const object = asOf({ ...entity, details, updated_at }, steps)
  const shared = { ...event, object, erased }
  const { was } = event.data as { readonly was?: Partial<EntityFacts['was']> }
  if (was === undefined || WITHOUT_BEFORE.test(event.type)) {
    return { ...shared, previous_attributes: {} }
  }
  const before = { ...entity, updated_at: was.updated_at ?? updated_at }
  const previous = asOf({ ...before, details: was.details ?? details }, was.steps ?? steps - 1)
  return { ...shared, previous_attributes: changedMembers(previous, object) }
}

/** An entity after this many steps of its approval. */
function asOf(entity: Entity, steps: number) {
  const approval_history = entity.approval_history.slice(0, steps)
  const { status = 'pending', description = '' } = approval_history.at(-1) ?? {}
  return presentEntity({
    ...entity,
    approval_history,
    approval_status: status,
    approval_status_description: description,
  })
}

export function withBeneficiary(
  beneficiary: Beneficiary,
  event: NamedEvent,
  later: Later,
): EventWithObject {
  const erased = beneficiary.details.status === 'erased'
  if (event.type === 'beneficiary.erased') {
    return { ...event, object: presentBeneficiary(beneficiary), previous_attributes: {}, erased }
  }
  const { id, created_at } = beneficiary
  const facts = event.data as Facts
  const { was: replaced } = (later.update?.data ?? {}) as Partial<BeneficiaryFacts>
  const after: Beneficiary = {
    ...beneficiary,
    details: erased || !replaced ? beneficiary.details : detailsOf(replaced.details, id),
    approval: approvalAfter(event, facts.approval_status, later.next),
    archived_at: facts.archived_at ?? null,
    updated_at: facts.updated_at ?? created_at,
  }
  const object = presentBeneficiary(after)
  const before = beforeOf(after, event, facts)
  const previous_attributes = before ? changedMembers(presentBeneficiary(before), object) : {}
  return { ...event, object, previous_attributes, erased }
}

type Approval = Beneficiary['approval']
type Facts = Partial<BeneficiaryFacts & ArchiveFacts>

function approvalAfter(
  { type, sequence }: NamedEvent,
  decided: Approval | undefined,
  next: NamedEvent | undefined,
): Approval {
  if (decided !== undefined) return decided
  if (type === APPROVAL_REQUESTED) return 'pending_approval'
  // A beneficiary needs its approval from its creation on; the event that asks comes next.
  const is_requested = next?.type === APPROVAL_REQUESTED && next.sequence === sequence + 1n
  return is_requested ? 'pending_approval' : ''
}

const APPROVAL_REQUESTED = 'beneficiary.pending_approval'

/** Undefined if nothing changed or its old values are erased. */
function beforeOf(
  after: Beneficiary,
  { type }: NamedEvent,
  { was, approval_status, was_archived_at }: Facts,
): Beneficiary | undefined {
  if (was_archived_at !== undefined) return { ...after, archived_at: was_archived_at }
  if (was !== undefined) return { ...after, ...was, details: detailsOf(was.details, after.id) }
  return approval_status === undefined || WITHOUT_BEFORE.test(type)
    ? undefined
    : { ...after, approval: 'pending_approval' }
}

/** `update` is the first later `payout.updated`. */
export function withPayout(
  payout: Payout,
  event: NamedEvent,
  update: NamedEvent | undefined,
): EventWithObject {
  const erased = payout.beneficiary_details.status === 'erased'
  const { before, after } = statesAround(payout, event)
  const metadata = metadataBefore(update, payout)
  const object = shown({ ...payout, metadata }, after)
  const shared = { ...event, object, erased }
  if (WITHOUT_BEFORE.test(event.type)) return { ...shared, previous_attributes: {} }
  const replaced = event.type === 'payout.updated' ? metadataBefore(event, payout) : metadata
  const previous = shown({ ...payout, metadata: replaced }, before)
  return { ...shared, previous_attributes: changedMembers(previous, object) }
}

function shown(payout: Payout, { answered, ...state }: ShownState) {
  return presentPayout({ ...payout, ...state, answers: payout.answers.slice(0, answered) })
}

/** Null when an erasure has removed it. */
function metadataBefore(update: NamedEvent | undefined, payout: Payout): Payout['metadata'] {
  return update === undefined ? payout.metadata : (factsOf(update).was_metadata ?? null)
}

function changedMembers(before: object, after: object): object {
  const values = after as Readonly<Record<string, unknown>>
  const altered = Object.entries(before).filter(
    ([name, value]) => !isDeepStrictEqual(value, values[name]),
  )
  return Object.fromEntries(altered)
}
