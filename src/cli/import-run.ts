// The run of an import: rows of a file, in batches of which several are in hand, past whoever
// decides about them, and what became of each in the order of the file. Knows neither what rows
// stand for nor how results are shown.
import { setTimeout as delay } from 'node:timers/promises'
import { nextTurn } from '../engine/turns.ts'
import { type Problem, Refusal } from '../errors.ts'
import { toRefusal } from '../http/errors.ts'
import { MAX_PROBLEMS } from '../http/problems.ts'
import { type ImportFile, readRowBody, readRows } from './import-file.ts'
import type { FileRecord } from './records.ts'

/** Rows in one transaction. */
export const BATCH = 500

/** One in the database, one waiting at its locks, one being read. */
const BATCHES_IN_HAND = 3

/** Rows read before the event loop may turn to the batch that the database has an answer for. */
const TURN = 16

/** Waits before a row is tried again that the database did not answer for. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000]

/** A row that was read and, unless it has problems, drafted. */
export interface Row<Draft> {
  readonly line: number
  readonly bytes_read: number
  readonly draft: Draft | null
  readonly problems: readonly Problem[]
}

/** Rows in, results out, each at its row's place; undefined where the database did not answer. */
export type Importer<Draft, Result> = (
  rows: readonly Row<Draft>[],
) => Promise<(Result | undefined)[]>

export interface ImportRun<Draft, Result> {
  readonly file: ImportFile
  /** What a row asks for, or everything wrong with its body; asked row after row. */
  draft(body: unknown): { readonly of: Draft } | readonly Problem[]
  readonly importer: Importer<Draft, Result>
  /** Looked at between batches: true ends the run after the rows in hand. */
  stopped(): boolean
  /** Told the results of each batch, in the order of the file. */
  onResults(results: readonly Result[], bytes_read: number): Promise<void> | void
}

export interface RunEnd {
  /** Rows that the database did not answer for, with which the run ends. */
  readonly unanswered: number
  /** Whether it ended before the file did, because it was told to. */
  readonly stopped: boolean
}

/** Runs through the file. */
export async function runImport<Draft, Result>(run: ImportRun<Draft, Result>): Promise<RunEnd> {
  const inHand: { rows: Row<Draft>[]; results: ReturnType<typeof run.importer> }[] = []
  let unanswered = 0
  const settleOldest = async () => {
    const oldest = inHand.shift()
    if (oldest === undefined) return
    const results = await oldest.results
    const answered = results.filter(result => result !== undefined)
    unanswered += results.length - answered.length
    await run.onResults(answered, oldest.rows.at(-1)?.bytes_read ?? 0)
  }
  const take = async (rows: Row<Draft>[]) => {
    const results = run.importer(rows)
    // Awaited in its turn; until then a fault must not count as unhandled.
    results.catch(() => {})
    inHand.push({ rows, results })
    if (inHand.length === BATCHES_IN_HAND) await settleOldest()
  }
  let rows: Row<Draft>[] = []
  let header = run.file.columns !== null
  let stopped = false
  for await (const record of readRows(run.file.path, header)) {
    if (rows.length === BATCH) {
      await take(rows)
      rows = []
      stopped = run.stopped()
      if (stopped || unanswered > 0) break
    }
    if (!header) rows.push(readRow(run, record))
    header = false
    if (rows.length % TURN === 0) await nextTurn()
  }
  if (rows.length > 0) await take(rows)
  while (inHand.length > 0) await settleOldest()
  return { unanswered, stopped }
}

function readRow<Draft>(run: ImportRun<Draft, unknown>, record: FileRecord): Row<Draft> {
  const { line, bytes_read } = record
  const body = readRowBody(run.file.columns, record)
  const drafted = body instanceof Refusal ? body.problems : run.draft(body)
  if ('of' in drafted) return { line, bytes_read, draft: drafted.of, problems: [] }
  return { line, bytes_read, draft: null, problems: drafted.slice(0, MAX_PROBLEMS) }
}

/** One row after the other is written as its draft asks, all of a batch at once. */
export interface RowWriter<Draft, Outcome, Result> {
  write(draft: Draft): Promise<Outcome>
  /** `tries` it took; of those before the last one it is not known whether they took effect. */
  written(line: number, draft: Draft, outcome: Outcome, tries: number): Result
  refused(line: number, problems: readonly Problem[]): Result
}

export function writingImporter<Draft, Outcome, Result>(
  writer: RowWriter<Draft, Outcome, Result>,
): Importer<Draft, Result> {
  const write = async (
    line: number,
    draft: Draft,
    earlier: Promise<unknown>,
  ): Promise<Result | undefined> => {
    let tries = 0
    try {
      const answer = await untilAnswered(async () => {
        tries += 1
        return { outcome: await writer.write(draft) }
      }, earlier)
      return answer && writer.written(line, draft, answer.outcome, tries)
    } catch (error) {
      return writer.refused(line, problemsOfFault(error))
    }
  }
  let before: Promise<unknown> = Promise.resolve()
  return rows => {
    const earlier = before
    const results = Promise.all(
      rows.map(({ line, draft, problems }) =>
        draft === null ? writer.refused(line, problems) : write(line, draft, earlier),
      ),
    )
    before = Promise.all([earlier, results])
    return results
  }
}

/** One row after the other is decided as it would be, on what is loaded for all of a batch. */
export interface RowPreview<Draft, Known, Result> {
  load(drafts: readonly Draft[]): Promise<Known>
  decide(line: number, draft: Draft, known: Known): Result
  refused(line: number, problems: readonly Problem[]): Result
}

/** Decides about rows in the order of the file, and writes nothing. */
export function previewingImporter<Draft, Known, Result>(
  preview: RowPreview<Draft, Known, Result>,
): Importer<Draft, Result> {
  let before: Promise<unknown> = Promise.resolve()
  return rows => {
    const drafts = rows.flatMap(({ draft }) => (draft === null ? [] : [draft]))
    const loading = untilAnswered(async () => ({ known: await preview.load(drafts) }))
    const results = before.then(async () => {
      const loaded = await loading
      return rows.map(({ line, draft, problems }) => {
        if (draft === null) return preview.refused(line, problems)
        return loaded && preview.decide(line, draft, loaded.known)
      })
    })
    loading.catch(() => {})
    // In the order of the file, whichever is loaded first.
    before = results
    return results
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

/** A fault of one row is told with its cause, which the operator may read, and stops no other. */
function problemsOfFault(error: unknown): readonly Problem[] {
  if (error instanceof Refusal) return error.problems
  return [{ reason: 'internal', message: (error as Error).message, remarks: '' }]
}
