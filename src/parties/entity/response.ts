// Entities as callers see them, and the result of the duplicate rules.
import { shownMaker } from '../../accounts/maker.ts'
import { Id, Literals, MadeBy, Metadata, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { Document, Phone } from '../beneficiary/contact.ts'
import type { Explanation } from './duplicates.ts'
import type { Entity, FoundDuplicate } from './entity.ts'
import {
  ApprovalStatus,
  ENTITY_TYPES,
  EntityAddress,
  NationalIdentification,
  Representative,
} from './request.ts'

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
    made_by: MadeBy,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: 'Entity',
    description: 'A person or a business in whose name the account pays.',
  },
)

/** The entity as every endpoint shows it. A duplicate is answered byte for byte as GET answers. */
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
    made_by: shownMaker(entity.made_by),
    created_at: entity.created_at,
    updated_at: entity.updated_at,
  }
}

export const DuplicateFound = Type.Object(
  {
    at: Timestamp,
    rule: Type.String({ examples: ['email'], description: 'The rule by which it is the same.' }),
    differs: Type.Array(Type.String(), {
      description: 'The members that were sent and differ from the entity, such as `name`.',
    }),
  },
  {
    title: 'DuplicateFound',
    description: 'A record that was answered with an existing entity. The same one is kept once.',
  },
)

export function presentDuplicate({ found_at: at, rule, differs }: FoundDuplicate) {
  return { at, rule, differs }
}

export const EntityTimeline = Type.Object(
  {
    object: Type.Literal('entity_timeline'),
    entity: Id('ent', 'The entity.'),
    approval_history: EntityResponse.properties.approval_history,
    duplicates: Type.Array(DuplicateFound),
  },
  { title: 'EntityTimeline', description: 'The reviews of an entity, and its duplicates.' },
)

export function presentTimeline(
  { id: entity, approval_history }: Entity,
  duplicates: readonly FoundDuplicate[],
) {
  const found = duplicates.map(presentDuplicate)
  return { object: 'entity_timeline', entity, approval_history, duplicates: found }
}

const RuleCheck = Type.Object(
  {
    rule: Type.String({ examples: ['email'] }),
    priority: Type.Integer({ description: 'Rules are checked in this order, from 1.' }),
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
      description:
        'Entities that are the same but are ignored because they are rejected; the 20 oldest, ' +
        'oldest first.',
    }),
  },
  { title: 'DuplicateRule' },
)

export const DuplicateCheckResponse = Type.Object(
  {
    object: Type.Literal('entity_duplicate_check'),
    duplicate: Type.Boolean({
      description: 'Whether a creation would return an existing entity and create none.',
    }),
    entity: Type.String({
      description: 'The existing entity that a creation would return, or empty.',
    }),
    rule: Type.String({
      description: 'The rule that decides, or empty. More rules may be added.',
      examples: ['email'],
    }),
    rules: Type.Array(RuleCheck, {
      description:
        'Every rule for the type, by priority, including the rules after the one that ' +
        'decides.',
    }),
  },
  {
    title: 'EntityDuplicateCheck',
    description: 'What the duplicate rules say about a record at this moment.',
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
