// The SQL statements of imports: the files, the statements in them, and their lines.
import { rowsAsJson, type Sql, type TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import type { Continuity, Link } from './continuity.ts'
import type { StatementFormat, StatementLine } from './statement.ts'

export interface StatementFile {
  /** Hex digits. */
  readonly sha256: string
  readonly size: number
  readonly name: string
  /** The rail whose inbox had the file; '' for one that a person has given. */
  readonly rail: string
  readonly by: string
  readonly state: 'read' | 'refused' | 'other'
  /** Why nothing of it was taken; '' for `read`. */
  readonly reason: string
  /** The account that no nostro has. */
  readonly account: string
}

/** Stores what became of a file; false when it was read before. Waits for another import of it. */
export async function upsertFile(sql: Tag, file: StatementFile): Promise<boolean> {
  const { sha256, size, name, rail, by, state, reason, account } = file
  const { count } = await sql`
    insert into statement_files as f (sha256, size, name, rail, by, state, reason, account)
    values (decode(${sha256}, 'hex'), ${size}, ${name}, ${rail}, ${by}, ${state}, ${reason},
      ${account})
    on conflict (sha256) do update set received_at = clock_timestamp(), name = excluded.name,
      rail = excluded.rail, by = excluded.by, state = excluded.state, reason = excluded.reason,
      account = excluded.account
    where f.state <> 'read'`
  return count === 1
}

export async function isFileRead(sql: Tag, sha256: string): Promise<boolean> {
  const [row] = await sql`
    select from statement_files where sha256 = decode(${sha256}, 'hex') and state = 'read'`
  return row !== undefined
}

export interface BankStatement extends Link {
  readonly nostro: string
  readonly format: StatementFormat
  readonly statement_id: string
  readonly sequence: string
  readonly state: Continuity
}

/** The statements of a nostro from one that ends on this day or later. */
export function listStatementsFrom(sql: Tag, nostro: string, day: string) {
  return sql<BankStatement[]>`
    select id, nostro, format, statement_id, sequence, opened_on::text, closed_on::text, opening,
      closing, lines, amount, held, state
    from bank_statements where nostro = ${nostro} and closed_on >= ${day}::date
    order by closed_on, id`
}

/**
 * The closing balance of the last statement that ends before this day; undefined without one. Of
 * several that end on one day it is the one that no other follows.
 */
export async function findClosingBefore(sql: Tag, nostro: string, day: string) {
  const [row] = await sql<{ closing: bigint | null }[]>`
    select closing from bank_statements s
    where nostro = ${nostro} and closed_on = (
      select max(closed_on) from bank_statements
      where nostro = ${nostro} and closed_on < ${day}::date)
    order by exists (
      select from bank_statements f where f.nostro = s.nostro and f.closed_on = s.closed_on
        and f.id <> s.id and f.opening = s.closing and f.opening <> f.closing), id desc
    limit 1`
  return row?.closing ?? undefined
}

export async function nextStatementId(tx: TransactionSql): Promise<bigint> {
  const [row] = await tx<{ id: bigint }[]>`select nextval('bank_statement_ids') as id`
  if (row === undefined) throw new Error('no id for a statement')
  return row.id
}

/** How many lines with a content are held, and how many of them stand in certain statements. */
export interface HeldCount {
  readonly key: string
  readonly all: number
  readonly common: number
}

/** By the digest of their content. */
export function countSame(
  tx: TransactionSql,
  nostro: string,
  same: readonly string[],
  common: readonly bigint[],
) {
  return tx<HeldCount[]>`
    select encode(same, 'hex') as key, count(*)::integer as all,
      (count(*) filter (where statement = any (${common.map(String)}::text[]::bigint[])))::integer
        as common
    from bank_lines where nostro = ${nostro} and same = any (
      select decode(digest, 'hex') from unnest(${[...same]}::text[]) as s (digest))
    group by same`
}

/** Lines of these statements by their day and amount alone, as another format has them. */
export function countLike(tx: TransactionSql, statements: readonly bigint[]) {
  return tx<{ key: string; common: number }[]>`
    select concat(booked_on, ' ', amount, ' ', currency) as key, count(*)::integer as common
    from bank_lines where statement = any (${statements.map(String)}::text[]::bigint[])
    group by booked_on, amount, currency`
}

export interface NewLine extends Omit<StatementLine, 'kind'> {
  readonly statement: bigint
  readonly position: number
  readonly occurrence: number
  /** Hex digits. */
  readonly same: string
  readonly nostro: string
}

export async function insertLines(tx: TransactionSql, lines: readonly NewLine[]): Promise<void> {
  if (lines.length === 0) return
  await tx`
    insert into bank_lines (amount, statement, position, booked_on, value_on, occurrence, same,
      nostro, currency, code, end_to_end_id, uetr, instruction, block, file, bank_reference,
      own_account, counterparty, counterparty_name, text, details)
    select amount, statement, position, booked_on, value_on, occurrence, decode(same, 'hex'),
      nostro, currency, code, end_to_end_id, uetr, instruction, block, file, bank_reference,
      own_account, counterparty, counterparty_name, text, details
    from json_to_recordset(${rowsAsJson(lines)}::text::json)
      as r(amount bigint, statement bigint, position integer, booked_on date, value_on date,
        occurrence integer, same text, nostro text, currency text, code text, end_to_end_id text,
        uetr text, instruction text, block text, file text, bank_reference text, own_account text,
        counterparty text, counterparty_name text, text text, details jsonb)`
}

export async function insertStatement(
  tx: TransactionSql,
  sha256: string,
  statement: BankStatement,
): Promise<void> {
  const { id, nostro, format, statement_id, sequence, opened_on, closed_on } = statement
  const { opening, closing, lines, amount, held, state } = statement
  await tx`
    insert into bank_statements (id, sha256, nostro, format, statement_id, sequence, opened_on,
      closed_on, opening, closing, lines, amount, held, state)
    values (${id}, decode(${sha256}, 'hex'), ${nostro}, ${format}, ${statement_id}, ${sequence},
      ${opened_on}::date, ${closed_on}::date, ${opening}::bigint, ${closing}::bigint, ${lines},
      ${amount}, ${held}, ${state})`
}

export async function updateState(
  tx: TransactionSql,
  id: bigint,
  state: Continuity,
): Promise<void> {
  await tx`update bank_statements set state = ${state} where id = ${id}`
}

export interface ShownStatement extends BankStatement {
  /** The name of the file. */
  readonly file: string
  readonly received_at: Instant
}

/** Those that end on this day or before it, the newest first. */
export function listStatements(
  sql: Tag,
  nostro: string,
  { until, limit }: { readonly until: string | undefined; readonly limit: number },
) {
  return sql<ShownStatement[]>`
    select s.id, s.nostro, s.format, s.statement_id, s.sequence, s.opened_on::text,
      s.closed_on::text, s.opening, s.closing, s.lines, s.amount, s.held, s.state, f.name as file,
      f.received_at
    from bank_statements s join statement_files f on f.sha256 = s.sha256
    where s.nostro = ${nostro} and s.closed_on <= coalesce(${until ?? null}::date, 'infinity')
    order by s.closed_on desc, s.id desc limit ${limit}`
}

/** The lines that one transaction erases. */
const ERASED_AT_ONCE = 10_000

/** Erases the other side of lines that are older than payments are kept; returns their number. */
export async function eraseOldLines({ sql }: { readonly sql: Sql }): Promise<number> {
  for (let erased = 0; ; ) {
    const [row] = await sql<{ count: number }[]>`
      select erase_old_lines(${ERASED_AT_ONCE}::integer) as count`
    const count = row?.count ?? 0
    erased += count
    if (count < ERASED_AT_ONCE) return erased
  }
}
