// Runs an import: several batches at a time, written as the API writes, or decided by a dry run. It
// reports results in the order of the file, and does not know what rows ask for.
import { setTimeout as delay } from 'node:timers/promises'
import type { Maker } from '../accounts/maker.ts'
import type { Account } from '../accounts/rules.ts'
import { Lane } from '../engine/lane.ts'
import { loadOnly } from '../engine/load-only.ts'
import { type Decided, decideOne, type Operation } from '../engine/operation.ts'
import { toRefusal } from '../http/errors.ts'
import { MAX_PROBLEMS } from '../http/problems.ts'
import type { Act } from '../ledger/audit/act.ts'
import { recorded } from '../ledger/audit/recorded.ts'
import { accountNow } from '../ledger/store.ts'
import { readConfined } from '../sql/confine.ts'
import type { Sql } from '../sql/connect.ts'
import { type Problem, Refusal } from '../values/errors.ts'
import { nextTurn } from '../values/event-loop.ts'
import type { Instant } from '../values/instant.ts'
import { type ImportFile, readBody, readRows } from './file.ts'
import type { FileRecord } from './records.ts'

/** Rows in one transaction. */
const BATCH = 500

/** One batch in the database, one waiting at its locks, one being read. */
const BATCHES_IN_HAND = 3

/** Rows that are read in one turn of the event loop, which then handles answers of the database. */
const TURN = 16

/** The waits before the new tries of a write that the database did not answer. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000]

export interface Import<Result> {
  /** A pool with enough connections for the batches that run at the same time. */
  readonly sql: Sql
  readonly account: Account
  readonly file: ImportFile
  /** The name by which a later run recognises the rows. */
  readonly name: string
  readonly dry_run: boolean
  /** The person who runs the import. */
  readonly maker: Maker
  /** True ends the run after the batches in hand. */
  isStopped(): boolean
  /** Called with the results of each batch, in the order of the file. */
  onResults(results: readonly Result[], bytes_read: number): Promise<void> | void
}

export interface Rows<Command, State, Outcome, Result> {
  readonly operation: Operation<Command, State, Outcome>
  /** The command of a row, or everything wrong with its body. Called once a row, in order. */
  read(body: unknown): { readonly command: Command } | { readonly problems: readonly Problem[] }
  /** What the audit log keeps of rows that were written together. */
  acts(outcomes: readonly Outcome[]): readonly Act[]
  /**
   * Null if the first try was answered. Otherwise the run's beginning: only a newer result can be
   * the unanswered try's own.
   */
  writtenResult(line: number, command: Command, outcome: Outcome, since: Instant | null): Result
  refusedResult(line: number, problems: readonly Problem[]): Result
  /** Dry run, before the row is decided: adds to the state what earlier batches would write. */
  addEarlier(state: State, command: Command): void
  dryResult(line: number, command: Command, decided: Decided<Outcome>, state: State): Result
}

export interface RunEnd {
  /** The number of rows without an answer of the database. Any such row ends the run. */
  readonly unanswered: number
  /** True if `isStopped` ended the run before the end of the file. */
  readonly stopped: boolean
}

type Row<Command> = { readonly line: number; readonly bytes_read: number } & (
  | { readonly command: Command }
  | { readonly problems: readonly Problem[] }
)

/**
 * Undefined for a row without an answer. `earlier` resolves when all earlier batches have results.
 */
type RunBatch<Command, Result> = (
  batch: readonly Row<Command>[],
  earlier: Promise<unknown>,
) => Promise<(Result | undefined)[]>

export async function runImport<Command, State, Outcome, Result>(
  { sql, account, file, dry_run, isStopped, onResults }: Import<Result>,
  rows: Rows<Command, State, Outcome, Result>,
): Promise<RunEnd> {
  const { account_id } = account
  const started_at = await readConfined(sql, [account_id], tx => accountNow(tx, account_id))
  const runBatch = dry_run ? decider(sql, account, rows) : writer(sql, rows, started_at)
  const in_hand: { batch: Row<Command>[]; results: ReturnType<typeof runBatch> }[] = []
  let earlier: Promise<unknown> = Promise.resolve()
  let unanswered = 0
  const reportOldest = async () => {
    const oldest = in_hand.shift()
    if (oldest === undefined) return
    const results = await oldest.results
    const answered = results.filter(result => result !== undefined)
    unanswered += results.length - answered.length
    await onResults(answered, oldest.batch.at(-1)?.bytes_read ?? 0)
  }
  const take = async (batch: Row<Command>[]) => {
    const results = runBatch(batch, earlier)
    // allSettled handles a rejection at once. Node would end the process before a later await does.
    earlier = Promise.allSettled([earlier, results])
    in_hand.push({ batch, results })
    if (in_hand.length === BATCHES_IN_HAND) await reportOldest()
  }
  let batch: Row<Command>[] = []
  const is_csv = file.columns !== null
  let at_header = is_csv
  let is_stopped = false
  for await (const record of readRows(file.path, is_csv)) {
    if (batch.length === BATCH) {
      await take(batch)
      batch = []
      is_stopped = isStopped()
      if (is_stopped || unanswered > 0) break
    }
    if (!at_header) batch.push(readRow(file, rows, record))
    at_header = false
    if (batch.length % TURN === 0) await nextTurn()
  }
  if (batch.length > 0) await take(batch)
  while (in_hand.length > 0) await reportOldest()
  return { unanswered, stopped: is_stopped }
}

function readRow<Command>(
  { columns }: ImportFile,
  rows: Pick<Rows<Command, never, never, unknown>, 'read'>,
  record: FileRecord,
): Row<Command> {
  const { line, bytes_read } = record
  const body = readBody(columns, record)
  const read = body instanceof Refusal ? body : rows.read(body)
  if ('command' in read) return { line, bytes_read, command: read.command }
  return { line, bytes_read, problems: read.problems.slice(0, MAX_PROBLEMS) }
}

function writer<Command, State, Outcome, Result>(
  sql: Sql,
  rows: Rows<Command, State, Outcome, Result>,
  started_at: Instant,
): RunBatch<Command, Result> {
  const operation = recorded(rows.operation, outcomes => rows.acts(outcomes))
  const lane = new Lane(sql, operation, { max_batch: BATCH })
  const write = async (line: number, command: Command, earlier: Promise<unknown>) => {
    let tries = 0
    try {
      const answer = await untilAnswered(async () => {
        tries += 1
        return { outcome: await lane.run(command) }
      }, earlier)
      const since = tries > 1 ? started_at : null
      return answer && rows.writtenResult(line, command, answer.outcome, since)
    } catch (error) {
      return rows.refusedResult(line, problemsOf(error))
    }
  }
  return (batch, earlier) =>
    Promise.all(
      batch.map(row =>
        'problems' in row
          ? rows.refusedResult(row.line, row.problems)
          : write(row.line, row.command, earlier),
      ),
    )
}

/** Decides one row after the other, on one state for the batch, and writes nothing. */
function decider<Command, State, Outcome, Result>(
  sql: Sql,
  { account_id }: Account,
  rows: Rows<Command, State, Outcome, Result>,
): RunBatch<Command, Result> {
  const lane = new Lane(sql, loadOnly(rows.operation), { max_batch: 1 })
  return async (batch, earlier) => {
    const commands = batch.flatMap(row => ('command' in row ? [row.command] : []))
    const load = async () => ({ state: await lane.run({ account_id, commands }) })
    const loading = commands.length === 0 ? undefined : untilAnswered(load)
    // Batches load in any order, and are decided in the order of the file.
    const [loaded] = await Promise.all([loading, earlier])
    return batch.map(row => {
      if ('problems' in row) return rows.refusedResult(row.line, row.problems)
      if (loaded === undefined) return undefined
      const { state } = loaded
      rows.addEarlier(state, row.command)
      const decided = decideOne(rows.operation, state, row.command)
      return rows.dryResult(row.line, row.command, decided, state)
    })
  }
}

/**
 * Undefined if the database never answers. Each new try waits for the earlier batches, so that the
 * first of two equal rows is written first.
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
      // All rows of a batch wait equally long, so they stay in order.
      if (wait_ms !== null) await Promise.all([delay(wait_ms), earlier])
    }
  }
  return undefined
}

/** A Refusal's problems, or the message of a fault, which the operator may read. */
function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof Refusal) return error.problems
  return [{ reason: 'internal', message: (error as Error).message, remarks: '' }]
}
