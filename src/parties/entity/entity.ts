// An entity: its parts, the record that a request makes, and the record that an update makes. Pure.
import type { Maker } from '../../accounts/maker.ts'
import type { Key } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import {
  countryCode,
  type ENTITY_TYPES,
  type EntityRequest,
  type EntityUpdate,
  type Representative,
} from './request.ts'
import { type ApprovalStatus, IN_REVIEW } from './states.ts'

export type EntityType = (typeof ENTITY_TYPES)[number]

/** The request without its type, with country codes in upper case. */
export type EntityDetails = Omit<EntityRequest, 'type'>

export interface EntityRecord {
  readonly type: EntityType
  readonly details: EntityDetails
}

interface ApprovalStep {
  readonly status: ApprovalStatus
  readonly description: string
  readonly at: Instant
}

export interface Entity extends EntityRecord {
  readonly account_id: string
  readonly id: string
  readonly approval_status: ApprovalStatus
  readonly approval_status_description: string
  /** Oldest first. */
  readonly approval_history: readonly ApprovalStep[]
  readonly made_by: Maker
  readonly created_at: Instant
  readonly updated_at: Instant
}

/** A record that the entity has answered as a duplicate. */
export interface FoundDuplicate {
  readonly account_id: string
  readonly entity_id: string
  readonly rule: string
  /** The members of the record that differed from the entity. */
  readonly differs: readonly string[]
  readonly found_at: Instant
}

/**
 * Requests need a name, so a record without a name is an erased one (docs/privacy.md).
 */
export function isErased({ details }: Pick<EntityRecord, 'details'>): boolean {
  return details.name === ''
}

type Address = NonNullable<EntityDetails['registration_address']>

/** The record that a creation makes of a checked request. */
export function recordOf({ type, ...details }: EntityRequest): EntityRecord {
  return { type, details: canonical(details) }
}

/**
 * The record after an update: each member of the update replaces the whole member of the record,
 * and null removes it.
 */
export function updatedRecord({ type, details }: EntityRecord, update: EntityUpdate): EntityRecord {
  const { type: _, ...members } = update
  const set = Object.entries({ ...details, ...members }).filter(([, value]) => value !== null)
  return { type, details: canonical(Object.fromEntries(set) as unknown as EntityDetails) }
}

/**
 * The details as stored: country codes in upper case, all other text as sent. '', {} and [] mean
 * "not set" and are left out, so that a caller who sends an answer back changes nothing.
 */
function canonical(details: EntityDetails): EntityDetails {
  const { registration_address, operating_address, representatives } = details
  const all = {
    ...details,
    ...(registration_address && { registration_address: withCountry(registration_address) }),
    ...(operating_address && { operating_address: withCountry(operating_address) }),
    ...(representatives && { representatives: representatives.map(canonicalRepresentative) }),
  }
  const { metadata, ...others } = all
  // Answers show metadata that is not set as null, so {} is a value of its own.
  return { ...(withoutEmpty(others) as EntityDetails), ...(metadata && { metadata }) }
}

/** Removes empty members, at any depth. Elements of arrays keep their places. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)])
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)))
}

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
}

function canonicalRepresentative(representative: Representative): Representative {
  const { nationality, ownership_percentage, address } = representative
  return {
    ...representative,
    ...(nationality !== undefined && { nationality: countryCode(nationality) }),
    ...(ownership_percentage !== undefined && {
      ownership_percentage: String(ownership_percentage),
    }),
    ...(address && { address: withCountry(address) }),
  }
}

function withCountry(address: Address): Address {
  if (address.country === undefined) return address
  return { ...address, country: countryCode(address.country) }
}

/** The result of an entity's review, for its payouts. */
export interface Approval extends Key {
  readonly approval_status: ApprovalStatus
  readonly updated_at: Instant
  /** When the entity got its status, whatever edits came later. */
  readonly decided_at: Instant
  /** When the account last submitted or changed it; null: never. */
  readonly submitted_at?: Instant | null
  readonly is_erased?: boolean
}

/** By `account_id/id`. */
export type Approvals = ReadonlyMap<string, Approval>

export function approvalOf(entity: Entity): Approval {
  const { account_id, id, approval_status, approval_history, updated_at } = entity
  const submitted = approval_history.filter(({ status }) => IN_REVIEW.includes(status))
  return {
    ...{ account_id, id, approval_status, updated_at },
    decided_at: approval_history.at(-1)?.at ?? updated_at,
    submitted_at: submitted.at(-1)?.at ?? null,
    is_erased: isErased(entity),
  }
}
