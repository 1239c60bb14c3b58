// Requests about entities: the schemas of bodies and queries, and the checks of fields.
import type { Static } from 'typebox'
import { DOCUMENTED } from '../../http/docs.ts'
import { IdFilter, ListQueryOf, MetadataFilter, NameFilter, TextFilter } from '../../http/list.ts'
import { Several } from '../../http/query.ts'
import { Closed, clearable, Literals, Metadata, optional, Text } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { invalidField, type Problem, refuseIfAny } from '../../values/errors.ts'
import { parseDecimal } from '../../values/money/decimal.ts'
import { checkCountry } from '../../values/network/country.ts'
import {
  Address,
  checkDate,
  checkEmail,
  checkName,
  Document,
  Name,
  Phone,
} from '../beneficiary/contact.ts'
import { comparable } from './comparable.ts'
import { APPROVAL_STATUSES } from './states.ts'

export const ENTITY_TYPES = ['individual', 'business'] as const

const Country = Text(16, {
  title: 'EntityCountry',
  description: 'ISO 3166-1 alpha-2 country code, in any case; stored in upper case.',
  examples: ['HK'],
})

export const EntityAddress = Closed(
  { ...Address.properties, country: Type.Optional(Country) },
  { title: 'EntityAddress' },
)

export const NationalIdentification = Closed(
  {
    type: Type.Optional(Text(64, { examples: ['passport'] })),
    number: Type.Optional(Text(64)),
  },
  { title: 'NationalIdentification' },
)

const Percentage = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 100,
  pattern: '^[0-9]{1,3}(\\.[0-9]{1,4})?$',
  description: 'From 0 to 100: an integer, or text with up to four fractional digits.',
  examples: ['33.34'],
})

export const Representative = Closed(
  {
    first_name: Type.Optional(Text(128)),
    middle_name: Type.Optional(Text(128)),
    last_name: Type.Optional(Text(128)),
    date_of_birth: Type.Optional(Text(10)),
    nationality: Type.Optional(Country),
    ownership_percentage: Type.Optional(Percentage),
    roles: Type.Optional(Type.Array(Text(64, { examples: ['director'] }), { maxItems: 10 })),
    address: Type.Optional(EntityAddress),
    email: Type.Optional(Text(320)),
    phone: Type.Optional(Phone),
    national_identification_number: Type.Optional(NationalIdentification),
  },
  { title: 'Representative' },
)
export type Representative = Static<typeof Representative>

/** The optional members by their schemas. */
const OPTIONAL = {
  email: Text(320),
  phone: Phone,
  description: Text(2000),
  vertical: Text(64, {
    description:
      'The line of business. The duplicate rule by name compares only entities with the same ' +
      'one.',
  }),
  on_behalf_of: Text(24, {
    pattern: '^(ent_.{20})?$',
    description:
      'The entity that this one belongs to. The duplicate rule by name compares only entities ' +
      'with the same one.',
  }),
  national_identification_number: NationalIdentification,
  registration_number: Text(64),
  registration_date: Text(10, { description: 'YYYY-MM-DD.' }),
  registration_address: EntityAddress,
  operating_address: EntityAddress,
  tax_id: Text(64),
  purpose_of_use: Text(500),
  relationship: Text(128, { description: 'What the entity is to the account.' }),
  representatives: Type.Array(Representative, { maxItems: 50 }),
  documents: Type.Array(Document, { maxItems: 20 }),
  reference_id: Text(128),
  metadata: Metadata,
} as const

export const EntityRequest = Closed(
  { name: Name, type: Literals(ENTITY_TYPES), ...optional(OPTIONAL) },
  { title: 'EntityRequest' },
)
export type EntityRequest = Static<typeof EntityRequest>

const UPDATE = {
  name: Type.Optional(Name),
  type: Type.Optional(
    Literals(ENTITY_TYPES, {
      description: 'The type cannot change: leave it out, or send the present one.',
    }),
  ),
  ...clearable(OPTIONAL),
}

export const EntityUpdate = Closed(UPDATE, {
  title: 'EntityUpdate',
  description: 'A member that is sent replaces the earlier value as a whole; null removes it.',
})
export type EntityUpdate = Static<typeof EntityUpdate>

const SUBMISSION = {
  title: 'EntitySubmission',
  description: 'The members of an update; all may be left out.',
}

export const EntitySubmission = Closed(UPDATE, {
  type: ['object', 'null'],
  [DOCUMENTED]: { ...SUBMISSION, anyOf: [EntityUpdate, { type: 'null' }] },
})

export const ApprovalStatus = Literals(APPROVAL_STATUSES, { title: 'ApprovalStatus' })

export const EntityQuery = ListQueryOf('ent', {
  name: NameFilter,
  email: TextFilter(320, 'The exact address, without regard to case.'),
  metadata: MetadataFilter,
  type: Several(Literals(ENTITY_TYPES)),
  approval_status: Several(ApprovalStatus),
  reference_id: TextFilter(128, 'The reference, exactly as it was sent.'),
  on_behalf_of: IdFilter('ent', 'The entity that the listed entities belong to.'),
})

/** Refuses (400) with every problem of the fields of a creation or an update. */
export function checkEntity(request: EntityRequest | EntityUpdate): void {
  const { name, email, registration_date, registration_address, operating_address } = request
  const { representatives } = request
  refuseIfAny([
    ...checkName(name, 'name'),
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
  const { first_name, middle_name, last_name } = representative
  const names = [first_name, middle_name, last_name].filter(Boolean)
  return [
    // Some people have one name alone, and "-" as the other.
    ...checkName(names.length === 0 ? undefined : names.join(' '), `${path}.first_name`),
    ...checkDate(date_of_birth, `${path}.date_of_birth`),
    ...checkTypedCountry(nationality, `${path}.nationality`),
    ...checkTypedEmail(email, `${path}.email`),
    ...checkTypedCountry(address?.country, `${path}.address.country`),
    ...checkPercentage(representative, `${path}.ownership_percentage`),
  ]
}

/** Accepts case, outer spaces and invisible characters, as people type them. */
function checkTypedEmail(value: string | null | undefined, remarks: string): Problem[] {
  return checkEmail(comparable(value ?? ''), remarks)
}

function checkTypedCountry(value: string | undefined, remarks: string): Problem[] {
  const code = countryCode(value ?? '')
  return code === '' ? [] : checkCountry(code, remarks)
}

function checkPercentage({ ownership_percentage }: Representative, remarks: string): Problem[] {
  if (ownershipOf(ownership_percentage) <= WHOLE) return []
  return [invalidField(remarks, 'An ownership percentage is at most 100.')]
}

function checkOwnership(representatives: readonly Representative[]): Problem[] {
  const shares = representatives.map(r => ownershipOf(r.ownership_percentage))
  const total = shares.reduce((sum, share) => sum + share, 0n)
  // A share over 100 is a problem of its own.
  if (total <= WHOLE || shares.some(share => share > WHOLE)) return []
  return [invalidField('representatives', 'The ownership percentages add up to more than 100.')]
}

/** 100 % in ten-thousandths of a percent, the finest step of the schema. */
const WHOLE = 1_000_000n

function ownershipOf(value: number | string | undefined): bigint {
  const decimal = value === undefined ? undefined : parseDecimal(String(value))
  if (decimal === undefined) return 0n
  return decimal.digits * 10n ** BigInt(4 - decimal.scale)
}

export function countryCode(text: string): string {
  return comparable(text).toUpperCase()
}
