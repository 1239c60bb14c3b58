// Why a record is or is not a duplicate, rule by rule, as the dry run and the operator are told.
// Pure: decides by the same function as a write, and knows nothing of where entities are kept.
import { type Candidate, findDuplicate, type Judged, type RuleName } from './duplicates.ts'

/** Entities of the account that share an identity. */
export type Sharing = (rule: RuleName, key: string) => readonly Candidate[]

export interface ExplainedRule {
  readonly rule: RuleName
  /** 1 is looked at first. */
  readonly priority: number
  /** False while a needed field is missing. */
  readonly takes_part: boolean
  /** JSON paths of the needed fields that are absent or blank. */
  readonly missing: readonly string[]
  /** What is compared, normalised, by its JSON path; '' is absent or blank. */
  readonly compared: Judged['values']
  /** The entity that is the same by this rule, or ''. */
  readonly entity: string
  /** Ids that would be the same, but are rejected; the oldest MAX_REJECTED, oldest first. */
  readonly rejected: readonly string[]
}

/** Most rejected entities that a rule names. */
export const MAX_REJECTED = 20

export interface Explanation {
  /** The entity that answers in place of the record, and the rule that decides; undefined: none. */
  readonly duplicate: { readonly rule: RuleName; readonly id: string } | undefined
  /** Every rule of the type, in order of priority, those after the deciding one too. */
  readonly rules: readonly ExplainedRule[]
  /** Rules that have more rejected entities than they name. */
  readonly more_rejected: readonly RuleName[]
}

/**
 * `live` gives those that are not rejected, `rejected` the others, oldest first, two more than are
 * named if there are as many.
 */
export function explain(
  judged: readonly Judged[],
  { live, rejected }: { readonly live: Sharing; readonly rejected: Sharing },
  self?: string,
): Explanation {
  const first = findDuplicate(judged, live, self)
  const passedOver = ({ rule, key }: Judged) =>
    (key === null ? [] : rejected(rule, key)).map(({ id }) => id).filter(id => id !== self)
  const rules = judged.map(one => ({
    rule: one.rule,
    priority: one.priority,
    takes_part: one.key !== null,
    missing: one.missing,
    compared: one.values,
    entity: findDuplicate([one], live, self)?.entity.id ?? '',
    rejected: passedOver(one).slice(0, MAX_REJECTED),
  }))
  const more = judged.filter(one => passedOver(one).length > MAX_REJECTED)
  return {
    duplicate: first && { rule: first.rule, id: first.entity.id },
    rules,
    more_rejected: more.map(({ rule }) => rule),
  }
}
