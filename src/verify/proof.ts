// A verification in small steps: each reads some journals of one book after those that are proved,
// and the payouts and conversions that they name. It reads one snapshot, so a book that grows
// meanwhile is no fault.
import { hash } from 'node:crypto'
import { listCorrections } from '../ledger/clock-store.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { BOOKS, type BookRow, JOURNALS_AFTER, type JournalRow } from './book-rows.ts'
import { OF_NO_PAYOUT } from './bookings.ts'
import { checkBook, Walk, walkJournal } from './books.ts'
import { CONVERSION_KINDS, checkConversionsAt } from './conversions.ts'
import { matchNamed } from './named-payouts.ts'
import { isAboutData } from './parts.ts'
import { Findings, type Problem, unreadable } from './problem.ts'
import type { Fault, Proof } from './proof-store.ts'

export interface Step {
  /** The proof after the step. */
  readonly proof: Proof
  /** How many journals it has read. */
  readonly journals: number
  /** Whether it has come to the head of the book, which it has compared as well. */
  readonly is_at_head: boolean
  readonly problems: readonly Problem[]
}

/**
 * A transaction confined to the account, or of a role that reads all. A book that cannot be read is
 * a problem as well, and its proof stays where it is.
 */
export async function stepOn(tx: TransactionSql, proof: Proof, most: number): Promise<Step> {
  try {
    return await tx.savepoint(tx => readStep(tx, proof, most))
  } catch (error) {
    if (!isAboutData(error)) throw error
    const place = { table: 'books', account_id: proof.account_id, key: '' }
    return { proof, journals: 0, is_at_head: false, problems: [unreadable(place, error)] }
  }
}

async function readStep(tx: TransactionSql, proof: Proof, most: number): Promise<Step> {
  const { account_id } = proof
  const findings = new Findings(true)
  const [book] = await tx.unsafe<BookRow[]>(BOOKS(account_id), [account_id])
  if (book === undefined) return { proof, journals: 0, is_at_head: true, problems: [] }
  const rows = await tx.unsafe<JournalRow[]>(JOURNALS_AFTER, [
    account_id,
    String(proof.number),
    most,
  ])
  const walk = await resume(tx, proof, book)
  for (const row of rows) {
    const before = findings.problems.length
    walkJournal(walk, row, findings)
    // Each later journal builds on the wrong one, and is no fault of its own.
    if (findings.problems.length > before) walk.resume(row)
  }
  const run = { tx, account_id, findings }
  const named = rows.filter(({ kind }) => !OF_NO_PAYOUT.has(kind))
  if (named.length > 0) await matchNamed(run, named)
  const converting = rows.filter(({ kind }) => CONVERSION_KINDS.includes(kind))
  if (converting.length > 0) {
    const numbers = converting.map(({ number }) => number)
    await checkConversionsAt(run, numbers)
  }
  const next = {
    ...proof,
    number: walk.number,
    hash: walk.hash ?? proof.hash,
    journal_at: walk.created_at || null,
    balances: knownOf(walk),
  }
  const is_at_head = rows.length < most
  if (is_at_head) compareHead(walk, book, findings, next.balances)
  return { proof: next, journals: rows.length, is_at_head, problems: findings.problems }
}

async function resume(tx: TransactionSql, proof: Proof, book: BookRow): Promise<Walk> {
  const walk = new Walk(book.currencies ?? [], await listCorrections(tx))
  if (proof.number === 0n) return walk
  walk.number = proof.number
  walk.hash = proof.hash
  walk.created_at = proof.journal_at ?? ''
  for (const currency of walk.balances.keys()) {
    const known = proof.balances[currency]
    if (known === undefined) walk.unknownBalances.add(currency)
    else walk.balances.set(currency, BigInt(known))
  }
  return walk
}

function knownOf(walk: Walk): Record<string, string> {
  const known = [...walk.balances].filter(([currency]) => !walk.unknownBalances.has(currency))
  return Object.fromEntries(known.map(([currency, amount]) => [currency, String(amount)]))
}

/** A wrong balance is reported once, and counts from then on as it is: `balances` gets it. */
function compareHead(
  walk: Walk,
  book: BookRow,
  findings: Findings,
  balances: Record<string, string>,
): void {
  findings.guard({ table: 'books', account_id: book.account_id, key: '' }, () => checkBook(book))
  for (const { problem } of walk.wrongHeads(book)) {
    findings.add(problem)
    if (problem.table !== 'balances') continue
    if (/^-?\d+$/.test(problem.found)) balances[problem.key] = problem.found
  }
}

/** The fault as it is stored: a walk knows it again while the row is as it was found. */
export function faultOf(problem: Problem): Fault {
  const { table, account_id, key } = problem
  return { table, account_id, key: key.slice(0, 300), mark: hash('sha256', markOf(problem), 'hex') }
}

/** The text that stays the same while the row is as it was found, though its book grows. */
function markOf({ table, expected, found }: Problem): string {
  const [, known] = /^available (-?\d+)$/.exec(expected) ?? []
  if (table === 'balances' && known !== undefined && /^-?\d+$/.test(found)) {
    return `off by ${BigInt(found) - BigInt(known)}`
  }
  return `${expected}; ${found}`
}
