// What checks share: statements about one account or all, rules, and problems by table.
import type { LedgerCode, Posting } from '../ledger/rules.ts'
import { type PostingColumns, readPostings } from '../ledger/store.ts'
import type { TransactionSql } from '../sql/connect.ts'
import type { Key } from '../values/id.ts'
import { BadRow, type Findings, MAX_NAMED, type Problem } from './problem.ts'

interface Snapshot {
  /** A repeatable-read transaction. */
  readonly tx: TransactionSql
  /** One account, or null for the whole installation. */
  readonly account_id: string | null
}

export interface Verification extends Snapshot {
  readonly findings: Findings
}

/** $1 is the account; null stands for all. */
export type Statement = (account_id: string | null) => string

/** Parts of the template may depend on the account, as `ofAccount` does. */
export function statement(
  texts: TemplateStringsArray,
  ...parts: readonly (string | number | Statement)[]
): Statement {
  return account_id =>
    String.raw(
      { raw: texts },
      ...parts.map(part => (typeof part === 'function' ? part(account_id) : part)),
    )
}

/** The condition for one account, or for all. Two texts let PostgreSQL plan each statement. */
export function ofAccount(column: string): Statement {
  return account_id => (account_id === null ? '$1::text is null' : `${column} = $1`)
}

export function rowsOf<Row extends object>({ tx, account_id }: Snapshot) {
  return (...template: Parameters<typeof statement>): Promise<Row[]> => {
    const text = statement(...template)(account_id)
    return tx.unsafe<Row[]>(text, text.includes('$1') ? [account_id] : [])
  }
}

export async function countOf(run: Snapshot, count: string, table: string): Promise<number> {
  const [row] = await rowsOf<{ count: string }>(run)`
    select (${count})::text as count from ${table} where ${ofAccount('account_id')}`
  return Number(row?.count ?? 0)
}

export const lastCut = (column: 'sequence' | 'hash' | 'created_at', account: string) =>
  `(select c.${column} from event_cuts c where c.account_id = ${account}
    order by c.sequence desc limit 1)`

/** Whether the account's events of this time are archived. */
export const isArchived = (time: string, account: string) =>
  `${time} <= coalesce(${lastCut('created_at', account)}, '-infinity')`

const OF_STATE = `status, status_description, failure, rail_steps, rail_attempts, answers,
  rail, rail_reference, taken_by, taken_at, taken_over_at, metadata`

/** The SQL of states. It reads the tables, since whoever edits rows may change a view. */
const statesOf = (condition: string) => `(select account_id, id, '' as held_for, ${OF_STATE},
    succeeded_at, updated_at
  from payout_outcomes where ${condition} union all
  select account_id, id, held_for, ${OF_STATE}, null::timestamptz, updated_at
  from open_payouts where status <> 'succeeded' and ${condition})`

/**
 * The SQL of payouts with the columns of their state; null for a payout without a state.
 * `condition` is that of the states: a union is not narrowed by what the payouts are joined to.
 */
export const statedPayouts = (condition: string) => `(select p.*, s.status, s.status_description,
    s.failure, s.rail_steps, s.rail_attempts, s.held_for, s.answers, s.rail, s.rail_reference,
    s.taken_by, s.taken_at, s.taken_over_at, s.succeeded_at, s.updated_at, s.metadata
  from payouts p
  left join ${statesOf(condition)} s on s.account_id = p.account_id and s.id = p.id)`

export const STATED_PAYOUTS = statedPayouts('true')

/** A rule as a select of the rows that break it: account_id, key, expected, found. */
export interface Rule {
  readonly table: string
  readonly select: Statement
}

/** Makes a rule about a table's rows from the template of its select. */
export function rule(table: string) {
  return (...template: Parameters<typeof statement>): Rule => ({
    table,
    select: statement(...template),
  })
}

/** Postings as text, for people. */
export function postingsText(...postings: readonly Posting[]): string {
  return postings.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`).join(', ')
}

/**
 * The postings of a journal as text, if they are others than these or in another order. Text of
 * the columns is compared: to read it takes several times as long.
 */
export function otherPostings(
  { codes, currencies, amounts }: PostingColumns,
  expected: readonly Posting[],
): string | undefined {
  const isSame =
    codes === expected.map(({ code }) => code).join(' ') &&
    currencies === expected.map(({ currency }) => currency).join(' ') &&
    amounts === expected.map(({ amount }) => amount).join(' ')
  if (isSame) return undefined
  return postingsText(...(readPostings({ codes, currencies, amounts }) ?? []))
}

/** Adds the postings on this code to the sums by currency. */
export function addTo(sums: Map<string, bigint>, postings: readonly Posting[], code: LedgerCode) {
  for (const posting of postings) {
    if (posting.code !== code) continue
    sums.set(posting.currency, (sums.get(posting.currency) ?? 0n) + posting.amount)
  }
}

function problemOf<Row extends { readonly account_id: string }>(
  table: string,
  keyOf: (row: Row) => string,
) {
  return (row: Row, expected: string, found: string) =>
    new BadRow({ table, account_id: row.account_id, key: keyOf(row), expected, found })
}

type OfAccount = Pick<Key, 'account_id'>

const idOf = ({ id }: Key) => id
export const payoutProblem = problemOf('payouts', idOf)
export const entityProblem = problemOf('entities', idOf)
export const quoteProblem = problemOf('quotes', idOf)
export const bookProblem = problemOf('books', (_: OfAccount) => '')
export const journalProblem = problemOf(
  'journals',
  ({ number }: OfAccount & { readonly number: bigint }) => `number ${number}`,
)
export const balanceProblem = problemOf(
  'balances',
  ({ currency }: OfAccount & { readonly currency: string }) => currency,
)

type BrokenRow = Pick<Problem, 'account_id' | 'key' | 'expected' | 'found'>

export async function nameRows(run: Verification, { table, select }: Rule): Promise<void> {
  const wrong = await rowsOf<BrokenRow>(run)`${select} order by 1, 2 limit ${MAX_NAMED}`
  for (const { account_id, key, expected, found } of wrong) {
    run.findings.add({ table, account_id, key: key ?? '', expected, found: found ?? 'nothing' })
  }
}
