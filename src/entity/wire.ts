// The shapes of entities on the wire: request and response schemas, and the response itself. Text
// is stored as it was sent; what is not set is not stored, and shown as '', {}, [] or null.
import Type, { type Static } from 'typebox'
import { DOCUMENTED, EXAMPLES } from '../http/docs.ts'
import { ListQueryOf, TextFilter } from '../http/list.ts'
import {
  Closed,
  clearable,
  Id,
  Literals,
  Metadata,
  optional,
  Text,
  Timestamp,
} from '../http/schema.ts'
import { Document, Phone } from '../party/wire.ts'
import { duplicateCheckAnswers, entityAnswers } from './examples.ts'
import type { Explanation } from './explain.ts'
import type { Entity } from './record.ts'
import { APPROVAL_STATUSES } from './states.ts'

export const ENTITY_TYPES = ['individual', 'business'] as const

const Country = Text(16, {
  title: 'EntityCountry',
  description: 'ISO 3166-1 alpha-2 country code, in any case; stored in upper case.',
  examples: ['HK'],
})

const EntityAddress = Closed(
  {
    line1: Type.Optional(Text(255)),
    line2: Type.Optional(Text(255)),
    city: Type.Optional(Text(128)),
    state: Type.Optional(Text(128)),
    country: Type.Optional(Country),
    postal_code: Type.Optional(Text(32)),
  },
  { title: 'EntityAddress' },
)

const NationalIdentification = Closed(
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

const Representative = Closed(
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

const Name = Type.String({ pattern: '\\S', maxLength: 255 })

/** What may be left out, by its schema. */
const OPTIONAL = {
  email: Text(320),
  phone: Phone,
  description: Text(2000),
  vertical: Text(64, { description: 'The line of business, a scope of the name rule.' }),
  on_behalf_of: Text(24, {
    pattern: '^(ent_.{20})?$',
    description: 'The entity this one belongs to, a scope of the name rule.',
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
  type: Type.Optional(Literals(ENTITY_TYPES, { description: 'Fixed: only as it is.' })),
  ...clearable(OPTIONAL),
}

export const EntityUpdate = Closed(UPDATE, {
  title: 'EntityUpdate',
  description: 'A member replaces the whole of what was there; null takes it away.',
})
export type EntityUpdate = Static<typeof EntityUpdate>

const SUBMISSION = {
  title: 'EntitySubmission',
  description: 'The members of an update, or nothing.',
}

export const EntitySubmission = Closed(UPDATE, {
  type: ['object', 'null'],
  [DOCUMENTED]: { ...SUBMISSION, anyOf: [EntityUpdate, { type: 'null' }] },
})

const ApprovalStatus = Literals(APPROVAL_STATUSES, { title: 'ApprovalStatus' })

const ApprovalStep = Type.Object(
  { status: ApprovalStatus, description: Type.String(), at: Timestamp },
  { title: 'ApprovalStep' },
)

export const EntityResponse = Type.Object(
  {
    id: Id('ent', 'Entity id.'),
    object: Type.Literal('entity'),
    type: Literals(ENTITY_TYPES),
    name: Type.String(),
    email: Type.String(),
    phone: Phone,
    description: Type.String(),
    vertical: Type.String(),
    on_behalf_of: Type.String(),
    national_identification_number: NationalIdentification,
    registration_number: Type.String(),
    registration_date: Type.String(),
    registration_address: EntityAddress,
    operating_address: EntityAddress,
    tax_id: Type.String(),
    purpose_of_use: Type.String(),
    relationship: Type.String(),
    representatives: Type.Array(Representative),
    documents: Type.Array(Document),
    reference_id: Type.String(),
    metadata: Type.Union([Metadata, Type.Null()]),
    approval_status: ApprovalStatus,
    approval_status_description: Type.String({ description: 'The reason given at the last step.' }),
    approval_history: Type.Array(ApprovalStep, { description: 'Every step, oldest first.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: 'Entity',
    description: 'A person or a business in whose name the account pays.',
    [EXAMPLES]: entityAnswers,
  },
)

export const EntityQuery = ListQueryOf('ent', {
  type: Literals(ENTITY_TYPES),
  approval_status: ApprovalStatus,
  reference_id: TextFilter(128, 'As it was sent.'),
  on_behalf_of: Id('ent', 'The entity that the listed ones belong to.'),
})

/** The entity as every endpoint shows it: a duplicate's answer is byte for byte that of GET. */
export function presentEntity(entity: Entity) {
  const { details } = entity
  return {
    id: entity.id,
    object: 'entity',
    type: entity.type,
    name: details.name,
    email: details.email ?? '',
    phone: details.phone ?? {},
    description: details.description ?? '',
    vertical: details.vertical ?? '',
    on_behalf_of: details.on_behalf_of ?? '',
    national_identification_number: details.national_identification_number ?? {},
    registration_number: details.registration_number ?? '',
    registration_date: details.registration_date ?? '',
    registration_address: details.registration_address ?? {},
    operating_address: details.operating_address ?? {},
    tax_id: details.tax_id ?? '',
    purpose_of_use: details.purpose_of_use ?? '',
    relationship: details.relationship ?? '',
    representatives: details.representatives ?? [],
    documents: details.documents ?? [],
    reference_id: details.reference_id ?? '',
    metadata: details.metadata ?? null,
    approval_status: entity.approval_status,
    approval_status_description: entity.approval_status_description,
    approval_history: entity.approval_history,
    created_at: entity.created_at,
    updated_at: entity.updated_at,
  }
}

const RuleCheck = Type.Object(
  {
    rule: Type.String({ examples: ['email'] }),
    priority: Type.Integer({ description: '1 is looked at first.' }),
    takes_part: Type.Boolean({ description: 'Whether every field that the rule needs is set.' }),
    missing: Type.Array(Type.String(), { description: 'Needed fields that are absent or blank.' }),
    compared: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'What is compared, by JSON path: composed (Unicode NFC), without invisible characters, ' +
        'trimmed and case-folded.',
    }),
    entity: Type.String({ description: 'The entity that is the same by this rule, or empty.' }),
    rejected: Type.Array(Type.String(), {
      description: 'Passed over because they are rejected; the 20 oldest, oldest first.',
    }),
  },
  { title: 'DuplicateRule' },
)

export const DuplicateCheckResponse = Type.Object(
  {
    object: Type.Literal('entity_duplicate_check'),
    duplicate: Type.Boolean({ description: 'Whether a creation would create nothing.' }),
    entity: Type.String({ description: 'The entity that would be the answer, or empty.' }),
    rule: Type.String({
      description: 'The rule that decides, or empty. More rules may come.',
      examples: ['email'],
    }),
    rules: Type.Array(RuleCheck, {
      description: 'Every rule for the type, by priority, those after the deciding one too.',
    }),
  },
  {
    title: 'EntityDuplicateCheck',
    description: 'What the duplicate rules say of a record, at this moment.',
    [EXAMPLES]: duplicateCheckAnswers,
  },
)

export function presentDuplicateCheck({ duplicate, rules }: Explanation) {
  return {
    object: 'entity_duplicate_check',
    duplicate: duplicate !== undefined,
    entity: duplicate?.id ?? '',
    rule: duplicate?.rule ?? '',
    rules,
  }
}
