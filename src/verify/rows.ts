// What checks share: reading postings from the database, and naming the rows of a book.

import type { TransactionSql } from '../db/connect.ts'
import type { Key } from '../id.ts'
import type { LedgerCode, Posting } from '../ledger/rules.ts'
import { BadRow, type Findings, MAX_NAMED, type Problem } from './problem.ts'

/** One verification: the snapshot that it reads, the account, and what it has found. */
export interface Verifying {
  readonly tx: TransactionSql
  /** One account, or null for the whole installation. */
  readonly account_id: string | null
  readonly findings: Findings
}

/**
 * The condition for one account, or for all. The two are different texts, so that PostgreSQL plans
 * each.
 */
export function ofAccount(column: string, account_id: string | null): string {
  return account_id === null ? '$1::text is null' : `${column} = $1`
}

/** The number, the hash or the time of the last event of this account that an archive has. */
export const lastCut = (column: 'sequence' | 'hash' | 'created_at', account: string) =>
  `(select c.${column} from event_cuts c where c.account_id = ${account}
    order by c.sequence desc limit 1)`

/** Whether only an archive may have events of this time. */
export const isArchived = (time: string, account: string) =>
  `${time} <= coalesce(${lastCut('created_at', account)}, '-infinity')`

const OF_STATE = `status, status_description, failure, rail_steps, rail_attempts, answers,
  rail, rail_reference, taken_by, taken_at, taken_over_at, metadata`

/** Reads the tables: a view such as payout_states says whatever its maker wants it to say. */
const STATES = `(select account_id, id, '' as held_for, ${OF_STATE}, succeeded_at, updated_at
  from payout_outcomes union all
  select account_id, id, held_for, ${OF_STATE}, null::timestamptz, updated_at
  from open_payouts where status <> 'succeeded')`

/** Payouts with the columns of their state, which are null for a payout without one. */
export const STATED_PAYOUTS = `(select p.*, s.status, s.status_description, s.failure, s.rail_steps,
    s.rail_attempts, s.held_for, s.answers, s.rail, s.rail_reference, s.taken_by, s.taken_at,
    s.taken_over_at, s.succeeded_at, s.updated_at, s.metadata
  from payouts p left join ${STATES} s on s.account_id = p.account_id and s.id = p.id)`

/** A select of the rows that break a rule: account_id, key, expected, found. */
export interface Rule {
  readonly table: string
  select(account_id: string | null): string
}

/** Postings as text, for people and for comparing. */
export function words(...postings: readonly Posting[]): string {
  return postings.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`).join(', ')
}

export function addTo(
  sums: Map<string, bigint>,
  postings: readonly Posting[],
  code: LedgerCode,
): void {
  for (const posting of postings) {
    if (posting.code !== code) continue
    sums.set(posting.currency, (sums.get(posting.currency) ?? 0n) + posting.amount)
  }
}

export function journalProblem(
  { account_id, number }: { account_id: string; number: bigint },
  expected: string,
  found: string,
): BadRow {
  return new BadRow({ table: 'journals', account_id, key: `number ${number}`, expected, found })
}

export function bookProblem(
  { account_id }: { account_id: string },
  expected: string,
  found: string,
): BadRow {
  return new BadRow({ table: 'books', account_id, key: '', expected, found })
}

export function balanceProblem(
  account_id: string,
  currency: string,
  expected: string,
  found: string,
): BadRow {
  return new BadRow({ table: 'balances', account_id, key: currency, expected, found })
}

/** How a row of this table with an id is named. */
function problemOf(table: string) {
  return ({ account_id, id: key }: Key, expected: string, found: string) =>
    new BadRow({ table, account_id, key, expected, found })
}

export const payoutProblem = problemOf('payouts')
export const entityProblem = problemOf('entities')
export const quoteProblem = problemOf('quotes')

/** The columns of a select of bad rows. */
type Bad = Pick<Problem, 'account_id' | 'key' | 'expected' | 'found'>

/**
 * Names the rows that a select gives, as account_id, key, expected and found; its only parameter,
 * if it has one, is the account.
 */
export async function nameRows(
  { tx, account_id, findings }: Verifying,
  { table, select }: Rule,
): Promise<void> {
  const rows = select(account_id)
  const parameters = rows.includes('$1') ? [account_id] : []
  const wrong = await tx.unsafe<Bad[]>(`${rows} order by 1, 2 limit ${MAX_NAMED}`, parameters)
  for (const { account_id: of, key, expected, found } of wrong) {
    findings.add({ table, account_id: of, key: key ?? '', expected, found: found ?? 'nothing' })
  }
}
