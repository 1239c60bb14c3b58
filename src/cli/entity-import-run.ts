// The run of an import of entities: rows of a file through the lane of writes, or past the database
// as it is without writing, in the order of the file, and what became of each. Knows neither the
// command line nor how results are shown.
import { setTimeout as delay } from 'node:timers/promises'
import type { Read } from '../csv.ts'
import { databaseNow, type Sql } from '../db/connect.ts'
import { Lane } from '../engine/lane.ts'
import {
  bodyOf,
  type Column,
  created,
  ImportDrafts,
  ImportPreview,
  importedBefore,
  type Known,
  matched,
  type RowResult,
  readColumns,
  refused,
} from '../entity/import.ts'
import { writeEntity } from '../entity/operations.ts'
import { approvalsByName, type Draft, identitiesOf } from '../entity/rules.ts'
import { findApprovals, findByIdentity, findImported } from '../entity/store.ts'
import type { EntityRequest } from '../entity/wire.ts'
import { CATALOGUE, type Problem, Refusal, refusal } from '../errors.ts'
import { toRefusal } from '../http/errors.ts'
import { JsonError, MAX_BODY_BYTES, readJson } from '../http/json.ts'
import { newId } from '../id.ts'
import { invalid } from '../party/rules.ts'
import { upsertEndedReviews } from '../payout/store.ts'
import { CommandFailed } from './context.ts'
import type { EntityProblems } from './entity-reader.ts'
import { refuseProblems } from './files.ts'
import { cellsOf, type FileRecord, readRecords } from './records.ts'
import { visible } from './terminal.ts'

/** Rows in one transaction. */
const BATCH = 500

/** One in the database, one waiting at its locks, one being read. */
const BATCHES_IN_HAND = 3

/** Waits before a row is tried again that the database did not answer for. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000]

/** As many as an answer of the API has. */
const MAX_PROBLEMS = 100

export interface ImportFile {
  readonly path: string
  /** Its last part. */
  readonly name: string
  /** Of a CSV file; null of a file of JSON lines. */
  readonly columns: readonly Column[] | null
}

/** Reads the header of a .csv file; ends the command when it cannot be used. */
export async function openImportFile(path: string, name: string): Promise<ImportFile> {
  if (!/\.csv$/i.test(name)) return { path, name, columns: null }
  for await (const { line, bytes, fault } of recordsOf(path, true)) {
    const read = fault === null ? readHeader(bytes.toString('utf8')) : NO_HEADER
    if (read.messages === undefined) return { path, name, columns: read.value }
    const problems = read.messages.map(message => ({ line, message: visible(message) }))
    refuseProblems(visible(name), problems)
  }
  throw new CommandFailed(`${visible(name)} has no header line; nothing was written`)
}

const NO_HEADER = { messages: ['not a CSV header'] } as const

function readHeader(text: string): Read<readonly Column[]> {
  // As spreadsheets write it where the comma is the decimal point.
  if (/[;\t]/.test(text) && !text.includes(',')) return { messages: ['separate columns by commas'] }
  const cells = cellsOf(text)
  return cells === undefined ? NO_HEADER : readColumns(cells)
}

function recordsOf(path: string, quotes: boolean): AsyncGenerator<FileRecord, void> {
  return readRecords(path, { quotes, max_bytes: MAX_BODY_BYTES })
}

/** A row that was read and, unless it has problems, drafted. */
interface Row {
  readonly line: number
  readonly bytes_read: number
  readonly draft: Draft | null
  readonly problems: readonly Problem[]
}

/** Rows in, results out, each at its row's place; undefined where the database did not answer. */
export type Importer = (rows: readonly Row[]) => Promise<(RowResult | undefined)[]>

export interface ImportRun {
  readonly file: ImportFile
  /** What rows are known by in later runs. */
  readonly import_name: string
  readonly problemsOf: EntityProblems
  readonly importer: Importer
  /** Looked at between batches: true ends the run after the rows in hand. */
  stopped(): boolean
  /** Told the results of each batch, in the order of the file. */
  onResults(results: readonly RowResult[], bytes_read: number): Promise<void> | void
}

export interface RunEnd {
  /** Rows that the database did not answer for, with which the run ends. */
  readonly unanswered: number
  /** Whether it ended before the file did, because it was told to. */
  readonly stopped: boolean
}

/** Runs through the file. */
export async function runImport(run: ImportRun): Promise<RunEnd> {
  const drafts = new ImportDrafts(run.import_name)
  const inHand: { rows: Row[]; results: ReturnType<Importer> }[] = []
  let unanswered = 0
  const settleOldest = async () => {
    const oldest = inHand.shift()
    if (oldest === undefined) return
    const results = await oldest.results
    const answered = results.filter(result => result !== undefined)
    unanswered += results.length - answered.length
    await run.onResults(answered, oldest.rows.at(-1)?.bytes_read ?? 0)
  }
  const take = async (rows: Row[]) => {
    const results = run.importer(rows)
    // Awaited in its turn; until then a fault must not count as unhandled.
    results.catch(() => {})
    inHand.push({ rows, results })
    if (inHand.length === BATCHES_IN_HAND) await settleOldest()
  }
  let rows: Row[] = []
  let header = run.file.columns !== null
  let stopped = false
  for await (const record of recordsOf(run.file.path, header)) {
    if (rows.length === BATCH) {
      await take(rows)
      rows = []
      stopped = run.stopped()
      if (stopped || unanswered > 0) break
    }
    if (!header) rows.push(readRow(run, drafts, record))
    header = false
  }
  if (rows.length > 0) await take(rows)
  while (inHand.length > 0) await settleOldest()
  return { unanswered, stopped }
}

function readRow({ file, problemsOf }: ImportRun, drafts: ImportDrafts, record: FileRecord): Row {
  const { line, bytes_read } = record
  const body = readRowBody(file.columns, record)
  const problems = body instanceof Refusal ? body.problems : problemsOf(body)
  const draft = problems.length > 0 ? null : drafts.next(body as EntityRequest)
  return { line, bytes_read, draft, problems }
}

function readRowBody(columns: ImportFile['columns'], { bytes, fault }: FileRecord): unknown {
  if (fault === 'too_long') {
    const { meaning: message } = CATALOGUE.payload_too_large
    return new Refusal([{ reason: 'payload_too_large', message, remarks: '' }])
  }
  try {
    return columns === null ? readJson(bytes) : readCells(columns, bytes, fault)
  } catch (error) {
    return error instanceof JsonError ? refusedJson(error) : toRefusal(error)
  }
}

/** The place is one in the row, beside which stands the line of the file. */
function refusedJson({ message, path }: JsonError): Refusal {
  return refusal('invalid_json', message.replace(' at line 1, column ', ' at column '), path)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The body that a CSV record stands for; refuses what no body in JSON could hold. */
function readCells(
  columns: readonly Column[],
  bytes: Buffer,
  fault: FileRecord['fault'],
): object | Refusal {
  const refuse = (message: string) => new Refusal([invalid('', message)])
  if (fault === 'open_quote') return refuse('The row opens a quote that is not closed.')
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return refuse('The row is not UTF-8 text.')
  }
  if (text.includes('\0')) return refuse('The row holds the character U+0000.')
  const cells = cellsOf(text)
  if (cells === undefined) return refuse('A quote stands where CSV has none.')
  if (cells.length !== columns.length) {
    const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`
    return refuse(`The row has ${count} where the header has ${columns.length}.`)
  }
  return bodyOf(columns, cells)
}

/** Writes rows. `sql` has at least two connections, so that batches follow each other at once. */
export async function writingImporter(sql: Sql, account_id: string): Promise<Importer> {
  const lane = new Lane(sql, writeEntity(newId, upsertEndedReviews), { max_batch: BATCH })
  const started_at = await databaseNow(sql)
  const write = async (
    line: number,
    draft: Draft,
    earlier: Promise<unknown>,
  ): Promise<RowResult | undefined> => {
    let attempts = 0
    const command = { account_id, claim: null, change: { kind: 'create', draft } } as const
    try {
      const outcome = await untilAnswered(() => {
        attempts += 1
        return lane.run(command)
      }, earlier)
      if (outcome === undefined) return undefined
      const { entity, did, rule } = outcome
      if (rule !== null) return matched(line, rule, entity)
      // Of a try without an answer it is not known whether it took effect; here it did.
      const ours = attempts > 1 && entity.created_at >= started_at
      return did === 'created' || ours ? created(line, entity.id) : importedBefore(line, entity)
    } catch (error) {
      return refused(line, problemsOfFault(error))
    }
  }
  let before: Promise<unknown> = Promise.resolve()
  return rows => {
    const earlier = before
    const results = Promise.all(
      rows.map(({ line, draft, problems }) =>
        draft === null ? refusedRow(line, problems) : write(line, draft, earlier),
      ),
    )
    before = Promise.all([earlier, results])
    return results
  }
}

/** Decides about rows as they would be decided, and writes nothing. */
export function previewingImporter(sql: Sql, account_id: string): Importer {
  const preview = new ImportPreview(account_id)
  let before: Promise<unknown> = Promise.resolve()
  return rows => {
    const drafts = rows.flatMap(({ draft }) => (draft === null ? [] : [draft]))
    const loading = untilAnswered(() => loadKnown(sql, account_id, drafts))
    const results = before.then(async () => {
      const known = await loading
      return rows.map(({ line, draft, problems }) => {
        if (draft === null) return refusedRow(line, problems)
        return known && preview.decide(line, draft, known)
      })
    })
    loading.catch(() => {})
    // In the order of the file, whichever is loaded first.
    before = results
    return results
  }
}

async function loadKnown(sql: Sql, account_id: string, drafts: readonly Draft[]): Promise<Known> {
  const identities = drafts.flatMap(({ judged }) => identitiesOf(account_id, judged))
  const imports = drafts.flatMap(({ import_key }) =>
    import_key === null ? [] : [{ account_id, import_key }],
  )
  const principals = new Set(drafts.map(({ details }) => details.on_behalf_of ?? ''))
  principals.delete('')
  const [live, imported, approvals] = await Promise.all([
    findByIdentity(sql, identities, 'live'),
    findImported(sql, imports),
    findApprovals(
      sql,
      [...principals].map(id => ({ account_id, id })),
    ),
  ])
  return {
    live: new Map(live.map(({ key, entity }) => [key, entity])),
    imported: new Map(imported.map(({ key, entity }) => [key, entity])),
    approvals: approvalsByName(approvals),
  }
}

/**
 * Tries again while the database does not answer; undefined when it goes on not answering. Not
 * before what came `earlier` has its answer: of rows that are the same, the first is to be kept.
 */
async function untilAnswered<T>(
  ask: () => Promise<T>,
  earlier: Promise<unknown> = Promise.resolve(),
): Promise<T | undefined> {
  for (const wait_ms of [...RETRY_AFTER_MS, null]) {
    try {
      return await ask()
    } catch (error) {
      if (toRefusal(error).status !== 503) throw error
      // All rows of a batch wait equally long, and so keep their order.
      if (wait_ms !== null) await Promise.all([delay(wait_ms), earlier])
    }
  }
  return undefined
}

function refusedRow(line: number, problems: readonly Problem[]): RowResult {
  return refused(line, problems.slice(0, MAX_PROBLEMS))
}

/** A fault of one row is told with its cause, which the operator may read, and stops no other. */
function problemsOfFault(error: unknown): readonly Problem[] {
  if (error instanceof Refusal) return error.problems
  return [{ reason: 'internal', message: (error as Error).message, remarks: '' }]
}
