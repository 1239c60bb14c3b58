// What an entity says about itself, as pure functions: from a request to the record that is kept,
// and a record with a change applied. Knows nothing of other entities.
import { type Problem, refuseIfAny } from '../errors.ts'
import type { Instant } from '../instant.ts'
import { parseDecimal } from '../money/decimal.ts'
import { checkCountry, checkDate, checkEmail, invalid } from '../party/rules.ts'
import { comparable, isBlank } from './comparable.ts'
import type { ENTITY_TYPES, EntityRequest, EntityUpdate } from './request.ts'
import type { ApprovalStatus } from './states.ts'

export type EntityType = (typeof ENTITY_TYPES)[number]

/** The request without its type, with country codes in upper case. */
export type EntityDetails = Omit<EntityRequest, 'type'>

export interface EntityRecord {
  readonly type: EntityType
  readonly details: EntityDetails
}

export interface ApprovalStep {
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
  readonly created_at: Instant
  readonly updated_at: Instant
}

type Address = NonNullable<EntityDetails['registration_address']>
type Representative = NonNullable<EntityDetails['representatives']>[number]

/** Every problem with the fields of a creation or an update at once (400). */
export function checkEntity(request: EntityRequest | EntityUpdate): void {
  const { name, email, registration_date, registration_address, operating_address } = request
  const { representatives } = request
  refuseIfAny([
    ...(name !== undefined && isBlank(name) ? [invalid('name', 'name must not be blank.')] : []),
    ...checkTypedEmail(email, 'email'),
    ...checkDate(registration_date ?? undefined, 'registration_date'),
    ...checkTypedCountry(registration_address?.country, 'registration_address.country'),
    ...checkTypedCountry(operating_address?.country, 'operating_address.country'),
    ...(representatives ?? []).flatMap((representative, i) =>
      checkRepresentative(representative, `representatives[${i}]`),
    ),
    ...checkOwnership(representatives ?? []),
  ])
}

function checkRepresentative(representative: Representative, path: string): Problem[] {
  const { date_of_birth, nationality, email, address } = representative
  return [
    ...checkDate(date_of_birth, `${path}.date_of_birth`),
    ...checkTypedCountry(nationality, `${path}.nationality`),
    ...checkTypedEmail(email, `${path}.email`),
    ...checkTypedCountry(address?.country, `${path}.address.country`),
    ...checkPercentage(representative, `${path}.ownership_percentage`),
  ]
}

/** As a person has typed it: case, outer spaces and invisible characters are no mistake. */
function checkTypedEmail(value: string | null | undefined, remarks: string): Problem[] {
  return checkEmail(comparable(value ?? ''), remarks)
}

function checkTypedCountry(value: string | undefined, remarks: string): Problem[] {
  const code = countryCode(value ?? '')
  return code === '' ? [] : checkCountry(code, remarks)
}

function checkPercentage({ ownership_percentage }: Representative, remarks: string): Problem[] {
  if (ownershipOf(ownership_percentage) <= WHOLE) return []
  return [invalid(remarks, 'An ownership percentage is at most 100.')]
}

function checkOwnership(representatives: readonly Representative[]): Problem[] {
  const shares = representatives.map(r => ownershipOf(r.ownership_percentage))
  const total = shares.reduce((sum, share) => sum + share, 0n)
  // A share over 100 has been named by itself.
  if (total <= WHOLE || shares.some(share => share > WHOLE)) return []
  return [invalid('representatives', 'The ownership percentages add up to more than 100.')]
}

/** 100 % in ten-thousandths of a per cent, the finest that the schema lets through. */
const WHOLE = 1_000_000n

function ownershipOf(value: number | string | undefined): bigint {
  const decimal = value === undefined ? undefined : parseDecimal(String(value))
  if (decimal === undefined) return 0n
  return decimal.digits * 10n ** BigInt(4 - decimal.scale)
}

/** The record that a creation asks for; the request has been checked. */
export function recordOf({ type, ...details }: EntityRequest): EntityRecord {
  return { type, details: canonical(details) }
}

/**
 * The record with the members of an update in place of the whole of what was there; null takes a
 * member away.
 */
export function updatedRecord({ type, details }: EntityRecord, update: EntityUpdate): EntityRecord {
  const { type: _, ...members } = update
  const set = Object.entries({ ...details, ...members }).filter(([, value]) => value !== null)
  return { type, details: canonical(Object.fromEntries(set) as unknown as EntityDetails) }
}

/**
 * Codes of a standard are kept as the standard writes them; all other text as it was sent. '', {}
 * and [] say "not set" and are not kept, so that sending back what was shown changes nothing.
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
  // Metadata that is not set is shown as null, so that {} is something else.
  return { ...(withoutEmpty(others) as EntityDetails), ...(metadata && { metadata }) }
}

/** Without members that say "not set", at any depth; elements of an array stay where they are. */
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

function countryCode(text: string): string {
  return comparable(text).toUpperCase()
}
