// Entities from the rows of a file, as pure functions: what columns mean, what makes a row known
// again in a later run, and what each row would come to if nothing were written. Knows neither
// files nor the database.
import { createHash } from 'node:crypto'
import type { Read } from '../csv.ts'
import { type Problem, Refusal } from '../errors.ts'
import { hashRequest } from '../idempotency/rules.ts'
import { type Candidate, findDuplicate, type RuleName } from './duplicates.ts'
import { HashNumbers } from './hash-numbers.ts'
import type { Entity } from './record.ts'
import { type Approvals, checkNamed, type Draft, draftOf } from './rules.ts'
import type { ApprovalStatus } from './states.ts'
import { EntityRequest } from './wire.ts'

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

/** A member of the creation's body, or a member of that member. */
export interface Column {
  readonly member: string
  readonly part: string | null
}

interface Shape {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
}

const MEMBERS = Object.entries(EntityRequest.properties as Readonly<Record<string, Shape>>)

/** Every text of the body, by its path; lists have no columns. */
const COLUMNS: ReadonlyMap<string, Column> = new Map(
  MEMBERS.flatMap(([member, { type, properties = {} }]): [string, Column][] => {
    if (type === 'string') return [[member, { member, part: null }]]
    return Object.keys(properties).map(part => [`${member}.${part}`, { member, part }])
  }),
)

const REQUIRED = ['name', 'type']
const LISTS = MEMBERS.filter(([, { type }]) => type === 'array').map(([member]) => member)
const METADATA = 'metadata.'

export const COLUMN_NAMES: readonly string[] = [...COLUMNS.keys(), `${METADATA}<name>`]

/** Wrong columns that are named. */
const MAX_NAMED = 10

/** The columns that a header names, in any order and, but for names of metadata, in any case. */
export function readColumns(header: readonly string[]): Read<readonly Column[]> {
  const names = header.map(canonicalName)
  const columns = names.flatMap(name => columnOf(name) ?? [])
  const wrong = [...new Set(names.filter(name => columnOf(name) === undefined))]
  const lists = wrong.filter(isOfList)
  const unknown = wrong.filter(name => !isOfList(name))
  const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  const messages = [
    ...REQUIRED.filter(name => !names.includes(name)).map(name => `no column ${name}`),
    ...named('unknown', unknown, '; --help lists those there are'),
    ...named('not in CSV:', lists, `; ${LISTS.join(' and ')} are read from .jsonl`),
    ...[...twice].map(name => `column ${name} twice`),
  ]
  return messages.length > 0 ? { messages } : { value: columns }
}

function isOfList(name: string): boolean {
  return LISTS.some(member => name === member || name.startsWith(`${member}.`))
}

function named(what: string, names: readonly string[], hint: string): string[] {
  if (names.length === 0) return []
  const first = names.slice(0, MAX_NAMED).map(name => `"${name}"`)
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return [`${what} ${names.length === 1 ? 'column' : 'columns'} ${first.join(', ')}${more}${hint}`]
}

function canonicalName(cell: string): string {
  const name = cell.trim()
  const folded = name.toLowerCase()
  return folded.startsWith(METADATA) ? METADATA + name.slice(METADATA.length) : folded
}

function columnOf(name: string): Column | undefined {
  if (!name.startsWith(METADATA)) return COLUMNS.get(name)
  const part = name.slice(METADATA.length)
  // Of __proto__, JSON bodies are free as well.
  return part === '' || part === '__proto__' ? undefined : { member: 'metadata', part }
}

/** The body of a creation; an empty cell is a member that is not set. */
export function bodyOf(columns: readonly Column[], cells: readonly string[]): object {
  const body: Record<string, string | Record<string, string>> = {}
  for (const [i, { member, part }] of columns.entries()) {
    const cell = cells[i] ?? ''
    if (cell === '') continue
    if (part === null) body[member] = cell
    else body[member] = { ...(body[member] as Record<string, string> | undefined), [part]: cell }
  }
  return body
}

/**
 * Drafts of the valid rows of one file, each with the key by which a later run knows it again:
 * SHA-256 over the import's name, the row's content whatever the order of its members, and the
 * number of times that this content has come so far.
 */
export class ImportDrafts {
  readonly #name: string
  readonly #times = new HashNumbers()

  constructor(name: string) {
    this.#name = name
  }

  /** To be asked for row after row; `request` is valid. */
  next(request: EntityRequest): Draft {
    const content = hashRequest(request)
    const time = this.#times.get(content) + 1
    this.#times.set(content, time)
    const hash = createHash('sha256').update(JSON.stringify([this.#name, content, time]))
    return draftOf(request, hash.digest('hex'))
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
