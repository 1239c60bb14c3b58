// Entities from the rows of a file, as pure functions: what makes a row known again in a later run,
// and what each row would come to if nothing were written. Knows neither files nor the database.
import { type Problem, Refusal } from '../errors.ts'
import { hashJson } from '../seal.ts'
import { type Candidate, findDuplicate, type RuleName } from './duplicates.ts'
import type { Entity } from './entity.ts'
import { HashNumbers } from './hash-numbers.ts'
import type { EntityRequest } from './request.ts'
import { RowKeys } from './row-keys.ts'
import { type Approvals, checkNamed, type Draft, draftOf } from './rules.ts'
import type { ApprovalStatus } from './states.ts'

/** What became of a row, or would. */
export interface RowResult {
  /** Counted from 1; a row that spans lines counts at its last one. */
  readonly line: number
  readonly result: 'created' | 'matched' | 'imported_before' | 'refused'
  /** The entity that is the answer; null when there is none, or none yet. */
  readonly entity: string | null
  /** Of an entity that was there before the row. */
  readonly approval_status: ApprovalStatus | null
  /** The rule by which it was matched. */
  readonly rule: RuleName | null
  /** Without an entity yet: the earlier line of the file that would create it. */
  readonly matched_line: number | null
  readonly problems: readonly Problem[]
}

const NOTHING = {
  entity: null,
  approval_status: null,
  rule: null,
  matched_line: null,
  problems: [],
} as const

type There = Pick<Entity, 'id' | 'approval_status'>

export function created(line: number, entity: string | null): RowResult {
  return { ...NOTHING, line, result: 'created', entity }
}

export function matched(line: number, rule: RuleName, { id, approval_status }: There): RowResult {
  return { ...NOTHING, line, result: 'matched', entity: id, approval_status, rule }
}

export function importedBefore(line: number, { id, approval_status }: There): RowResult {
  return { ...NOTHING, line, result: 'imported_before', entity: id, approval_status }
}

export function refused(line: number, problems: readonly Problem[]): RowResult {
  return { ...NOTHING, line, result: 'refused', problems }
}

/**
 * Drafts of the valid rows of one file, each with the key by which a later run knows it again,
 * whatever the order of its members.
 */
export class ImportDrafts {
  readonly #keys: RowKeys

  constructor(name: string) {
    this.#keys = new RowKeys(name)
  }

  /** To be asked for row after row; `request` is valid. */
  next(request: EntityRequest): Draft {
    return draftOf(request, this.#keys.next(hashJson(request)).key)
  }
}

/** What the database has that some rows touch. */
export interface Known {
  /** Entities that are not rejected, by the key of an identity. */
  readonly live: ReadonlyMap<string, Entity>
  /** By import key. */
  readonly imported: ReadonlyMap<string, Entity>
  readonly approvals: Approvals
}

/** An entity that is there, or the line that would create one. */
interface Earlier extends Candidate {
  readonly there: Entity | null
  readonly line: number
}

/**
 * What the rows of one file would come to: decided as creations are, against the database and
 * against those earlier rows that would have been created.
 */
export class ImportPreview {
  readonly #account_id: string
  /** Lines by the key of an identity. */
  readonly #lines = new HashNumbers()

  constructor(account_id: string) {
    this.#account_id = account_id
  }

  /** To be asked for row after row. */
  decide(line: number, draft: Draft, known: Known): RowResult {
    const { judged, details, import_key } = draft
    const before = known.imported.get(import_key ?? '')
    if (before !== undefined) return importedBefore(line, before)
    try {
      const principal = details.on_behalf_of ?? ''
      checkNamed(known.approvals, this.#account_id, principal, 'on_behalf_of')
    } catch (error) {
      if (error instanceof Refusal) return refused(line, error.problems)
      throw error
    }
    const duplicate = findDuplicate(judged, (_rule, key) => this.#candidates(known, key))
    if (duplicate !== undefined) {
      const { rule, entity: earlier } = duplicate
      if (earlier.there !== null) return matched(line, rule, earlier.there)
      return { ...NOTHING, line, result: 'matched', rule, matched_line: earlier.line }
    }
    for (const { key } of judged) if (key !== null) this.#lines.set(key, line)
    return created(line, null)
  }

  #candidates({ live }: Known, key: string): Earlier[] {
    const there = live.get(key)
    if (there !== undefined) return [{ id: there.id, created_at: there.created_at, there, line: 0 }]
    const line = this.#lines.get(key)
    return line === 0 ? [] : [{ id: '', created_at: '', there: null, line }]
  }
}
