// Takes the statements of a file: reads all of it, then writes the lines that no other statement
// has, and judges whether the statements follow each other. One transaction writes a file.
import { hash } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import { join } from 'node:path'
import { SCRATCH } from '../../adapters/bank-file/pgp.ts'
import { OtherFile } from '../../adapters/iso20022/reader.ts'
import { readManyRows, type Sql, type TransactionSql } from '../../sql/connect.ts'
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import type { Nostro } from '../nostro.ts'
import { listNostros, lockNostros } from '../nostro-store.ts'
import { type Continuity, inCommon, judge } from './continuity.ts'
import { StatementRefused, UnknownFormat } from './nostro-of.ts'
import { Spool } from './spool.ts'
import type { StatementLine, StatementPart } from './statement.ts'
import {
  type BankStatement,
  countLike,
  countSame,
  findClosingBefore,
  insertLines,
  insertStatement,
  isFileRead,
  listStatementsFrom,
  type NewLine,
  nextStatementId,
  type StatementFile,
  updateState,
  upsertFile,
} from './store.ts'
import { type Reads, readParts, type Surveyed, survey } from './survey.ts'

export interface StatementSource
  extends Pick<StatementFile, 'sha256' | 'size' | 'name' | 'rail' | 'by'> {
  /** The plain files in it: one, or those of an archive; or the parts of statements themselves. */
  readonly files: readonly Reads[]
  readonly parts?: AsyncIterable<StatementPart>
  /** The nostro that the caller has named; undefined to find it by the account. */
  readonly nostro?: string | undefined
}

/** What became of one statement of a file. */
export interface TakenStatement extends Surveyed {
  /** Undefined where nothing was written. */
  readonly id: bigint | undefined
  /** Lines that other statements had. */
  readonly held: number
  /** Undefined for one that was not taken: it is not final, or from before the opening. */
  readonly state: Continuity | undefined
}

export interface ImportedFile {
  readonly sha256: string
  /** Whether the same bytes were taken before; then nothing was done. */
  readonly is_known: boolean
  readonly statements: readonly TakenStatement[]
}

/** The lines that one statement of SQL writes. */
const LINES_AT_ONCE = 1_000
/** The payments of lines that one statement of SQL writes. */
const DETAILS_AT_ONCE = 20_000

/** Throws UnreadableFile or StatementRefused; nothing of the file is then written. */
export async function importStatements(sql: Sql, source: StatementSource): Promise<ImportedFile> {
  const { sha256 } = source
  if (await isFileRead(sql, sha256)) return { sha256, is_known: true, statements: [] }
  const { nostros, named } = await nostrosFor(sql, source.nostro)
  await using scratch = await mkdtempDisposable(SCRATCH)
  await using spool = await Spool.make(join(scratch.path, 'parts'))
  const found = await survey(partsOf(source, named), nostros, named, part => spool.add(part))
  return await sql.begin(async tx => {
    void readManyRows(tx)
    const { size, name, rail, by } = source
    const file = { ...{ sha256, size, rail, by }, name: name.slice(0, 300) }
    if (!(await upsertFile(tx, { ...file, state: 'read', reason: '', account: '' }))) {
      return { sha256, is_known: true, statements: [] }
    }
    await lockNostros(tx, [...new Set(found.map(({ nostro }) => nostro.name))])
    const statements = await writeAll(tx, sha256, found, spool.read())
    const states = await judgeAll(tx, statements)
    return {
      sha256,
      is_known: false,
      statements: statements.map(one => ({
        ...one,
        state: one.id === undefined ? one.state : states.get(one.id),
      })),
    }
  })
}

/** The first lines of a file and its statements, of which nothing is written. */
export async function previewStatements(sql: Sql, source: StatementSource, most: number) {
  const { nostros, named } = await nostrosFor(sql, source.nostro)
  const lines: StatementLine[] = []
  const statements = await survey(partsOf(source, named), nostros, named, part => {
    if (part.kind === 'line' && lines.length < most) lines.push(part)
  })
  return { statements, lines }
}

/** Whether nothing of a file was taken for a reason that its sender can mend. */
export function isRefused(error: unknown): error is UnreadableFile | StatementRefused {
  return error instanceof UnreadableFile || error instanceof StatementRefused
}

/**
 * Keeps why nothing of a file was taken. `other` is for a file of an inbox that is no statement, or
 * one of an account that is none of ours: nobody need look at it.
 */
export async function keepRefused(
  sql: Sql,
  source: StatementSource,
  error: UnreadableFile | StatementRefused,
): Promise<'refused' | 'other'> {
  const { sha256, size, rail, by } = source
  const account = error instanceof StatementRefused ? error.account.slice(0, 64) : ''
  const is_none = error instanceof OtherFile || error instanceof UnknownFormat || account !== ''
  const state = rail !== '' && is_none ? 'other' : 'refused'
  const [name, reason] = [source.name.slice(0, 300), error.message.slice(0, 1000)]
  await upsertFile(sql, { sha256, size, name, rail, by, state, reason, account })
  return state
}

function partsOf({ files, parts }: StatementSource, named: Nostro | undefined) {
  return parts ?? readParts(files, named)
}

async function nostrosFor(sql: Sql, name: string | undefined) {
  const nostros = (await listNostros(sql)).filter(({ closed_at }) => closed_at === null)
  const named = nostros.find(nostro => nostro.name === name)
  if (name !== undefined && named === undefined) {
    throw new StatementRefused(`there is no open nostro ${name}`)
  }
  return { nostros, named }
}

/** Writes the statements that the survey has found, from the parts that it has kept. */
async function writeAll(
  tx: TransactionSql,
  sha256: string,
  found: readonly Surveyed[],
  parts: AsyncIterable<StatementPart>,
): Promise<TakenStatement[]> {
  const taken: TakenStatement[] = []
  let writer: StatementWriter | undefined
  for await (const part of parts) {
    if (part.kind === 'head') {
      const surveyed = found[taken.length]
      if (surveyed === undefined) throw new Error('more statements than the survey has found')
      writer = await StatementWriter.open(tx, sha256, surveyed)
    } else if (part.kind === 'line') await writer?.add(part)
    else if (writer !== undefined) taken.push(await writer.close())
  }
  return taken
}

/** What makes two lines one booking. Names and texts are not part of it: they may be erased. */
export function digestOf(line: StatementLine): string {
  const { amount, currency, booked_on, value_on, code, end_to_end_id, uetr } = line
  const { instruction, block, file, bank_reference, own_account } = line
  const parts = [
    ...[String(amount), currency, booked_on, value_on, code, end_to_end_id, uetr],
    ...[instruction, block, file, bank_reference, own_account],
  ]
  return hash('sha256', JSON.stringify(parts), 'hex')
}

const likeOf = ({ booked_on, amount, currency }: StatementLine) =>
  `${booked_on} ${amount} ${currency}`

/**
 * Writes the lines of one statement, as far as no other statement has them. Equal lines of a day
 * are genuine, so they are counted: a line is held if a statement with the same days has one more
 * of its kind. A statement in another format has other references: there day and amount count.
 */
class StatementWriter {
  readonly #tx: TransactionSql
  readonly #sha256: string
  readonly #statement: Surveyed
  readonly #id: bigint | undefined
  readonly #statement_id: string
  readonly #common: readonly bigint[]
  /** Lines of other formats that are not yet found again, by day and amount. */
  readonly #like: Map<string, number>
  /** Lines that were held, by digest, as far as they are found again. */
  readonly #found = new Map<string, number>()
  #waiting: { readonly line: StatementLine; readonly position: number }[] = []
  #details = 0
  #position = 0
  #held = 0

  private constructor(
    tx: TransactionSql,
    sha256: string,
    statement: Surveyed,
    { id, statement_id, common, like }: Target,
  ) {
    this.#tx = tx
    this.#sha256 = sha256
    this.#statement = statement
    this.#id = id
    this.#statement_id = statement_id
    this.#common = common
    this.#like = new Map(like.map(({ key, common }) => [key, common]))
  }

  static async open(tx: TransactionSql, sha256: string, statement: Surveyed) {
    return new StatementWriter(tx, sha256, statement, await targetOf(tx, statement))
  }

  async add(line: StatementLine): Promise<void> {
    if (this.#id === undefined || line.booked_on < this.#statement.nostro.opening_on) return
    this.#position += 1
    this.#details += line.details.length
    this.#waiting.push({ line, position: this.#position })
    if (this.#waiting.length >= LINES_AT_ONCE || this.#details >= DETAILS_AT_ONCE) {
      await this.#write(this.#id)
    }
  }

  async close(): Promise<TakenStatement> {
    const { nostro, format, sequence, opened_on, closed_on } = this.#statement
    const { opening, closing, lines, amount, is_taken } = this.#statement
    const [id, statement_id] = [this.#id, this.#statement_id]
    if (id === undefined) {
      // The same statement is known, or none of it counts.
      return { ...this.#statement, id, held: is_taken ? lines : 0, state: undefined }
    }
    await this.#write(id)
    const state = 'gap'
    await insertStatement(this.#tx, this.#sha256, {
      ...{ id, nostro: nostro.name, format, statement_id, sequence, opened_on, closed_on },
      ...{ opening, closing, lines, amount, held: this.#held, state },
    })
    return { ...this.#statement, statement_id, id, held: this.#held, state }
  }

  async #write(statement: bigint): Promise<void> {
    const waiting = this.#waiting.map(one => ({ ...one, same: digestOf(one.line) }))
    this.#waiting = []
    this.#details = 0
    if (waiting.length === 0) return
    const { name: nostro } = this.#statement.nostro
    const digests = [...new Set(waiting.map(({ same }) => same))]
    const counts = await countSame(this.#tx, nostro, digests, this.#common)
    const known = new Map(counts.map(count => [count.key, count]))
    const last = new Map(counts.map(({ key, all }) => [key, all]))
    const rows: NewLine[] = []
    for (const { line, position, same } of waiting) {
      if (this.#isHeld(line, same, known.get(same)?.common ?? 0)) {
        this.#held += 1
        continue
      }
      const occurrence = (last.get(same) ?? 0) + 1
      last.set(same, occurrence)
      const { kind: _, ...content } = line
      rows.push({ ...content, statement, position, occurrence, same, nostro })
    }
    await insertLines(this.#tx, rows)
  }

  #isHeld(line: StatementLine, same: string, common: number): boolean {
    const found = this.#found.get(same) ?? 0
    if (found < common) {
      this.#found.set(same, found + 1)
      return true
    }
    const like = likeOf(line)
    const left = this.#like.get(like) ?? 0
    if (left > 0) this.#like.set(like, left - 1)
    return left > 0
  }
}

interface Target {
  /** Undefined where nothing is to be written. */
  readonly id: bigint | undefined
  readonly statement_id: string
  /** Statements of the same format with bookings in common. */
  readonly common: readonly bigint[]
  /** The lines of statements of other formats with bookings in common. */
  readonly like: readonly { readonly key: string; readonly common: number }[]
}

/** Banks use ids again, even on one day: the second statement of an id gets a number behind it. */
async function targetOf(tx: TransactionSql, statement: Surveyed): Promise<Target> {
  const { nostro, statement_id, opened_on, closed_on, is_taken } = statement
  const nothing = { id: undefined, statement_id, common: [], like: [] }
  if (!is_taken) return nothing
  const others = await listStatementsFrom(tx, nostro.name, opened_on)
  const of_day = others.filter(other => other.closed_on === closed_on)
  if (of_day.some(other => isEqual(other, statement))) return nothing
  const ids = new Set(of_day.map(other => other.statement_id))
  let [free, number] = [statement_id, 1]
  while (ids.has(free)) {
    number += 1
    free = `${statement_id} #${number}`
  }
  const common = inCommon(statement, others)
  const idsOf = (is_same: boolean) =>
    common.filter(({ format }) => (format === statement.format) === is_same).map(({ id }) => id)
  const id = await nextStatementId(tx)
  const unlike = idsOf(false)
  const like = unlike.length === 0 ? [] : await countLike(tx, unlike)
  return { id, statement_id: free, common: idsOf(true), like }
}

function isEqual(other: BankStatement, { statement_id, ...statement }: Surveyed): boolean {
  const { opening, closing, lines, amount, format } = statement
  const is_named = other.statement_id.replace(/ #\d+$/, '') === statement_id
  return (
    is_named &&
    other.format === format &&
    other.opening === opening &&
    other.closing === closing &&
    other.lines === lines &&
    other.amount === amount
  )
}

/** Judges the statements of these nostros again, from the days of the new ones on. */
async function judgeAll(tx: TransactionSql, taken: readonly TakenStatement[]) {
  const all = new Map<bigint, Continuity>()
  const written = taken.filter(({ id }) => id !== undefined)
  for (const [name, statements] of Map.groupBy(written, ({ nostro }) => nostro.name)) {
    const [{ nostro } = { nostro: undefined }] = statements
    if (nostro === undefined) continue
    let from = statements.map(({ opened_on }) => opened_on).toSorted()[0] ?? ''
    let links = await listStatementsFrom(tx, name, from)
    // A statement over many days must be judged with all that stand in its days.
    for (;;) {
      const first = links.map(({ opened_on }) => opened_on).toSorted()[0] ?? from
      if (first >= from) break
      from = first
      links = await listStatementsFrom(tx, name, from)
    }
    const before = (await findClosingBefore(tx, name, from)) ?? nostro.opening_balance
    const states = judge(links, before)
    for (const { id, state } of links) {
      const judged = states.get(id) ?? state
      if (judged !== state) await updateState(tx, id, judged)
      all.set(id, judged)
    }
  }
  return all
}
