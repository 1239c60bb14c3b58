// The duplicate rules of entities, in their order (§duplicate.individual, §duplicate.business), and
// the explanation of their decision. Pure.
import { hash } from 'node:crypto'
import { comparable } from './comparable.ts'
import type { Entity, EntityRecord, EntityType } from './entity.ts'

/** The JSON paths of the members that rules compare. */
type Field =
  | 'email'
  | 'name'
  | 'national_identification_number.number'
  | 'national_identification_number.type'
  | 'on_behalf_of'
  | 'registration_address.city'
  | 'registration_address.country'
  | 'registration_address.line1'
  | 'registration_address.postal_code'
  | 'registration_address.state'
  | 'registration_number'
  | 'vertical'

interface Rule {
  readonly name: string
  readonly type: EntityType
  /** Fields that must be set and not blank for the rule to take part (§duplicate.takes_part). */
  readonly needs: readonly Field[]
  /** Fields that are compared as well. A blank field equals only a blank one. */
  readonly also: readonly Field[]
}

/** In order of priority within each type of entity (§duplicate.individual, §duplicate.business). */
const RULES = [
  { name: 'email', type: 'individual', needs: ['email'], also: [] },
  {
    name: 'national_identification_number',
    type: 'individual',
    needs: ['national_identification_number.type', 'national_identification_number.number'],
    also: [],
  },
  {
    name: 'name_and_address',
    type: 'individual',
    needs: [
      'name',
      'registration_address.country',
      'registration_address.line1',
      'registration_address.city',
    ],
    also: [
      'registration_address.state',
      'registration_address.postal_code',
      'on_behalf_of',
      'vertical',
    ],
  },
  {
    name: 'registration_number',
    type: 'business',
    needs: ['registration_number', 'registration_address.country'],
    also: [],
  },
] as const satisfies readonly Rule[]

export type RuleName = (typeof RULES)[number]['name']

/** One rule applied to one record. */
export interface Judged {
  readonly rule: RuleName
  /** 1 is the first. */
  readonly priority: number
  /** The comparable form of each compared field, by its JSON path. */
  readonly values: Readonly<{ [F in Field]?: string }>
  /** Needed fields that are absent or blank. With any of them the rule takes no part. */
  readonly missing: readonly string[]
  /** The identity key, 64 hex digits; null when the rule takes no part. */
  readonly key: string | null
}

/** Identity keys by rule; null where a rule takes no part. */
type Keys = Readonly<{ [Name in RuleName]: string | null }>

/** Applies every rule of the record's type, in order of priority. */
export function judge(record: EntityRecord): Judged[] {
  const rules: readonly (Rule & { name: RuleName })[] = RULES
  return rules
    .filter(rule => rule.type === record.type)
    .map(({ name, needs, also }, i) => {
      const values: { [F in Field]?: string } = {}
      for (const field of [...needs, ...also]) values[field] = comparable(read(record, field))
      const missing = needs.filter(field => values[field] === '')
      const key = missing.length > 0 ? null : keyOf(name, Object.values(values))
      return { rule: name, priority: i + 1, values, missing, key }
    })
}

export function keysByRule(judged: readonly Judged[]): Keys {
  const keys = new Map(judged.map(({ rule, key }) => [rule, key]))
  return Object.fromEntries(RULES.map(({ name }) => [name, keys.get(name) ?? null])) as Keys
}

export type Candidate = Pick<Entity, 'id' | 'created_at'>

/**
 * The entity that a record duplicates. The first rule with a match decides, by its match that was
 * created first (§duplicate.first). `candidates` gives the entities that share a key and are not
 * rejected (§duplicate.rejected). The entity with the id `self` never matches
 * (§duplicate.after_change).
 */
export function findDuplicate<One extends Candidate>(
  judged: readonly Judged[],
  candidates: (rule: RuleName, key: string) => readonly One[],
  self?: string,
): { readonly rule: RuleName; readonly entity: One } | undefined {
  for (const { rule, key } of judged) {
    if (key === null) continue
    const [entity] = candidates(rule, key)
      .filter(({ id }) => id !== self)
      .sort(byCreation)
    if (entity !== undefined) return { rule, entity }
  }
  return undefined
}

export function byCreation(a: Candidate, b: Candidate): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1
  return a.id < b.id ? -1 : 1
}

/** SHA-256 over the rule's name and values as one JSON array, which is unambiguous. */
function keyOf(rule: RuleName, values: readonly string[]): string {
  return hash('sha256', JSON.stringify([rule, ...values]), 'hex')
}

function read({ details }: EntityRecord, field: Field): string {
  const value = field
    .split('.')
    .reduce((part: unknown, name) => (part as { [name: string]: unknown })?.[name], details)
  return typeof value === 'string' ? value : ''
}

/** Finds the entities of the account that share an identity key. */
export type Sharing = (rule: RuleName, key: string) => readonly Candidate[]

export interface ExplainedRule {
  readonly rule: RuleName
  /** 1 is the first. */
  readonly priority: number
  /** False if a needed field is missing. */
  readonly takes_part: boolean
  readonly missing: readonly string[]
  /** The comparable form of each compared field, by its JSON path; '' is absent or blank. */
  readonly compared: Judged['values']
  /** The entity that matches by this rule, or ''. */
  readonly entity: string
  /** Ids of matching entities that are rejected: the oldest MAX_REJECTED, oldest first. */
  readonly rejected: readonly string[]
}

/** The most rejected entities that a rule names. */
export const MAX_REJECTED = 20

export interface Explanation {
  /**
   * The entity that would be the answer, and the deciding rule; undefined for no duplicate.
   */
  readonly duplicate: { readonly rule: RuleName; readonly id: string } | undefined
  /** Every rule of the type, in order of priority. Rules after the deciding one are included. */
  readonly rules: readonly ExplainedRule[]
  /** The rules with more matching rejected entities than `rejected` names. */
  readonly more_rejected: readonly RuleName[]
}

/**
 * Explains the rules for a record. `live` finds entities that are not rejected. `rejected` finds
 * rejected entities, oldest first, at most MAX_REJECTED + 2.
 */
export function explain(
  judged: readonly Judged[],
  { live, rejected }: { readonly live: Sharing; readonly rejected: Sharing },
  self?: string,
): Explanation {
  const first = findDuplicate(judged, live, self)
  const rejectedIds = ({ rule, key }: Judged) =>
    (key === null ? [] : rejected(rule, key)).map(({ id }) => id).filter(id => id !== self)
  const rules = judged.map(one => ({
    rule: one.rule,
    priority: one.priority,
    takes_part: one.key !== null,
    missing: one.missing,
    compared: one.values,
    entity: findDuplicate([one], live, self)?.entity.id ?? '',
    rejected: rejectedIds(one).slice(0, MAX_REJECTED),
  }))
  const more = judged.filter(one => rejectedIds(one).length > MAX_REJECTED)
  return {
    duplicate: first && { rule: first.rule, id: first.entity.id },
    rules,
    more_rejected: more.map(({ rule }) => rule),
  }
}
