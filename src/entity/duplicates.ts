// When two entities are the same one: the rules in their order
// (§duplicate.individual, §duplicate.business). Pure; knows records, not where they are kept.
import { hash } from 'node:crypto'
import { comparable } from './comparable.ts'
import type { EntityRecord, EntityType } from './record.ts'

/** A member of a record by its JSON path, as far as rules compare it. */
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
  /** All of them must be there and not blank, or the rule takes no part (§duplicate.takes_part). */
  readonly needs: readonly Field[]
  /** Compared as well; blank equals blank, and nothing else. */
  readonly also: readonly Field[]
}

/** In order of priority within each type of entity (§duplicate.individual, §duplicate.business). */
const RULES = [
  // An individual: first `email`, across the whole account;
  { name: 'email', type: 'individual', needs: ['email'], also: [] },
  // then `national_identification_number.type` together with `.number`, across the whole account;
  {
    name: 'national_identification_number',
    type: 'individual',
    needs: ['national_identification_number.type', 'national_identification_number.number'],
    also: [],
  },
  // then `name` together with `registration_address`, within the same `on_behalf_of` and
  // `vertical`; state and postal code may be blank on both sides (§duplicate.takes_part).
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
  // 5. Businesses. (1) `registration_number` together with `registration_address.country`, across
  // the whole account.
  {
    name: 'registration_number',
    type: 'business',
    needs: ['registration_number', 'registration_address.country'],
    also: [],
  },
] as const satisfies readonly Rule[]

export type RuleName = (typeof RULES)[number]['name']

/** One rule held against one record. */
export interface Judged {
  readonly rule: RuleName
  /** 1 is looked at first. */
  readonly priority: number
  /** The comparable form of each field compared, by its JSON path. */
  readonly values: Readonly<{ [F in Field]?: string }>
  /** Needed fields that are absent or blank: with any, the rule takes no part. */
  readonly missing: readonly string[]
  /** What equal identities share, 64 hex digits; null when the rule takes no part. */
  readonly key: string | null
}

/** Identity keys by rule; null where a rule takes no part. */
export type Keys = Readonly<{ [Name in RuleName]: string | null }>

/** Every rule for records of this type, in order of priority. */
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
  return {
    email: keys.get('email') ?? null,
    national_identification_number: keys.get('national_identification_number') ?? null,
    name_and_address: keys.get('name_and_address') ?? null,
    registration_number: keys.get('registration_number') ?? null,
  }
}

/** What the rules need to know of an entity that may be matched. */
export interface Candidate {
  readonly id: string
  readonly created_at: string
}

/**
 * The entity that a record duplicates: the first rule with a match decides, and among its matches
 * the earliest created (§duplicate.first). `candidates` are the entities that are not
 * rejected (§duplicate.rejected) and share a key; `self` is none of them (§duplicate.after_change).
 */
export function findDuplicate<Entity extends Candidate>(
  judged: readonly Judged[],
  candidates: (rule: RuleName, key: string) => readonly Entity[],
  self?: string,
): { readonly rule: RuleName; readonly entity: Entity } | undefined {
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

/** SHA-256 over the rule's name and its values as one JSON array, which no two lists share. */
function keyOf(rule: RuleName, values: readonly string[]): string {
  return hash('sha256', JSON.stringify([rule, ...values]), 'hex')
}

function read({ details }: EntityRecord, field: Field): string {
  const value = field
    .split('.')
    .reduce((part: unknown, name) => (part as { [name: string]: unknown })?.[name], details)
  return typeof value === 'string' ? value : ''
}
