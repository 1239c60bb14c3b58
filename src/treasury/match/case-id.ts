// The ids of bank lines, items, statements and matches, as people see them: `line_42`. Pure.

import { refusal } from '../../values/errors.ts'

/** What a case is about, and the prefix of its id. */
export type CaseKind = 'line' | 'item' | 'statement' | 'match'

/** The id of the row with this number. */
export function caseId(kind: CaseKind, number: bigint): string {
  return `${kind}_${number}`
}

/** The kind and the number in an id. Refuses (404) a text that is no id of these kinds. */
export function readCaseId<Kind extends CaseKind>(id: string, ...kinds: readonly Kind[]) {
  const kind = kinds.find(one => id.startsWith(`${one}_`))
  const digits = /^[a-z]+_([0-9]{1,18})$/.exec(id)?.[1]
  if (kind === undefined || digits === undefined) {
    throw refusal('not_found', `There is no ${kinds.join(' or ')} ${id}.`)
  }
  return { kind, number: BigInt(digits) }
}

/** The number in an id of this kind. Refuses (404) any other text. */
export function caseNumber(kind: CaseKind, id: string): bigint {
  return readCaseId(id, kind).number
}

/** The regular expression of ids of these kinds, for schemas. A number fits PostgreSQL's bigint. */
export function casePattern(...kinds: readonly CaseKind[]): string {
  return `^(?:${kinds.join('|')})_[0-9]{1,18}$`
}
