// Imports entities: each row of a file is a creation under the duplicate rules.
import type { Decided } from '../engine/operation.ts'
import { actOfImport } from '../ledger/audit/recorded.ts'
import type { RuleName } from '../parties/entity/duplicates.ts'
import type { Entity } from '../parties/entity/entity.ts'
import { type WriteEntity, writeEntity } from '../parties/entity/operations.ts'
import { checkEntity, EntityRequest } from '../parties/entity/request.ts'
import {
  type Draft,
  draftOf,
  type EntityOutcome,
  type EntityState,
  identityName,
} from '../parties/entity/rules.ts'
import type { ApprovalStatus } from '../parties/entity/states.ts'
import { upsertEndedReviews } from '../payouts/advance/hold-store.ts'
import { hashJson } from '../values/digest.ts'
import type { Problem } from '../values/errors.ts'
import { bookId } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { openBodyCheck } from './body-check.ts'
import { columnsOf } from './file.ts'
import { HashNumbers, RowKeys } from './keys.ts'
import { type Import, type Rows, type RunEnd, runImport } from './run.ts'

export const ENTITY_COLUMNS = columnsOf(EntityRequest, [['name'], ['type']])

export interface EntityRow {
  /** From 1; the last line of a row that spans several. */
  readonly line: number
  readonly result: 'created' | 'matched' | 'imported_before' | 'refused'
  readonly entity: string | null
  /** The status of an entity that existed before the row. */
  readonly approval_status: ApprovalStatus | null
  /** The rule by which the row matched. */
  readonly rule: RuleName | null
  /** If there is no entity yet: the earlier line of the file that would create it. */
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

export function importEntities(options: Import<EntityRow>): Promise<RunEnd> {
  return runImport(options, new EntityRows(options))
}

interface CreateEntity extends WriteEntity {
  readonly change: { readonly kind: 'create'; readonly draft: Draft }
}

/** The id of an entity that a dry run does not write. */
const NOT_WRITTEN = ''

class EntityRows implements Rows<CreateEntity, EntityState, EntityOutcome, EntityRow> {
  readonly operation: ReturnType<typeof writeEntity>
  readonly #options: Import<EntityRow>
  readonly #problemsOf = openBodyCheck(EntityRequest, body => checkEntity(body as EntityRequest))
  readonly #keys: RowKeys
  /** Dry run: the line that would have created an entity, by the key of each identity. */
  readonly #lines = new HashNumbers()
  /** The last of those entities. It stands for all of them. */
  #unwritten: Entity | undefined

  constructor(options: Import<EntityRow>) {
    this.operation = writeEntity(options.dry_run ? () => NOT_WRITTEN : bookId, upsertEndedReviews)
    this.#options = options
    this.#keys = new RowKeys(options.name)
  }

  read(body: unknown) {
    const problems = this.#problemsOf(body)
    if (problems.length > 0) return { problems }
    const request = body as EntityRequest
    const draft = draftOf(request, this.#keys.next(hashJson(request)).key)
    const change = { kind: 'create', draft } as const
    const { account, maker } = this.#options
    return { command: { account_id: account.account_id, claim: null, change, maker } }
  }

  acts(outcomes: readonly EntityOutcome[]) {
    const created = outcomes.filter(({ did }) => did === 'created').map(({ entity }) => entity)
    return actOfImport('entities', this.#options.name, created)
  }

  writtenResult(
    line: number,
    _: CreateEntity,
    outcome: EntityOutcome,
    since: Instant | null,
  ): EntityRow {
    const { entity, did, rule } = outcome
    if (rule !== null) return matched(line, rule, entity)
    const is_created_now = did === 'created' || (since !== null && entity.created_at >= since)
    if (!is_created_now) return importedBefore(line, entity)
    return { ...NOTHING, line, result: 'created', entity: entity.id }
  }

  refusedResult(line: number, problems: readonly Problem[]): EntityRow {
    return { ...NOTHING, line, result: 'refused', problems }
  }

  addEarlier({ live }: EntityState, { change: { draft } }: CreateEntity): void {
    if (this.#unwritten === undefined) return
    for (const { key } of draft.judged) {
      if (key === null || this.#lines.get(key) === 0) continue
      const name = identityName(this.#options.account.account_id, key)
      // A live entity in the database has priority: somebody has created it meanwhile.
      if ((live.get(name) ?? []).length === 0) live.set(name, [this.#unwritten])
    }
  }

  dryResult(line: number, command: CreateEntity, decided: Decided<EntityOutcome>): EntityRow {
    if ('refusal' in decided) return this.refusedResult(line, decided.refusal.problems)
    const { judged } = command.change.draft
    const { entity, did, rule } = decided.outcome
    if (did === 'created') {
      this.#unwritten = entity
      for (const { key } of judged) if (key !== null) this.#lines.set(key, line)
      return { ...NOTHING, line, result: 'created' }
    }
    if (rule === null) return importedBefore(line, entity)
    if (entity.id !== NOT_WRITTEN) return matched(line, rule, entity)
    const matched_line = this.#lines.get(judged.find(one => one.rule === rule)?.key ?? '')
    return { ...NOTHING, line, result: 'matched', rule, matched_line }
  }
}

function matched(line: number, rule: RuleName, { id, approval_status }: Entity): EntityRow {
  return { ...NOTHING, line, result: 'matched', entity: id, approval_status, rule }
}

function importedBefore(line: number, { id, approval_status }: Entity): EntityRow {
  return { ...NOTHING, line, result: 'imported_before', entity: id, approval_status }
}
