// The ids of bank lines, items, statements and matches, as people see them: `line_42`. Pure.

/** What a case is about, and the prefix of its id. */
export type CaseKind = 'line' | 'item' | 'statement' | 'match'

/** The id of the row with this number. */
export function caseId(kind: CaseKind, number: bigint): string {
  return `${kind}_${number}`
}

/** The number in an id that has the pattern of `casePattern`. */
export function caseNumber(id: string): bigint {
  return BigInt(id.slice(id.indexOf('_') + 1))
}

/** The kind of an id that has the pattern of `casePattern`. */
export function caseKind(id: string): CaseKind {
  return id.slice(0, id.indexOf('_')) as CaseKind
}

/** The regular expression of ids of these kinds, for schemas. A number fits PostgreSQL's bigint. */
export function casePattern(...kinds: readonly CaseKind[]): string {
  return `^(?:${kinds.join('|')})_[0-9]{1,18}$`
}
