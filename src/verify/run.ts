// Runs the whole verification. It reads one snapshot, so it never mistakes a write of the service
// for a fault.
import type { Head } from '../ledger/store.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { isSpread } from '../sql/shard.ts'
import { ACTS } from './acts.ts'
import { APPROVALS } from './approvals.ts'
import { ATTEMPTS } from './attempts.ts'
import { BENEFICIARIES, checkFoundBy } from './beneficiaries.ts'
import { checkBookings } from './bookings.ts'
import { type BookTotals, walkBooks } from './books.ts'
import { checkEntities } from './entities.ts'
import { checkErasures } from './erasures.ts'
import { CUT_RECORDS, checkChain, checkEvents } from './events.ts'
import { gatherRows } from './gather.ts'
import { checkKeptHeads } from './heads.ts'
import { LIMITS } from './limits.ts'
import { checkReleases, SCHEDULED, STATES } from './payout-states.ts'
import { matchPayouts, type PayoutTotals } from './payouts.ts'
import { EnoughProblems, Findings, type Problem, unreadable } from './problem.ts'
import { checkPrices, checkUses } from './quotes.ts'
import { RECORDS } from './records.ts'
import { checkReference } from './reference.ts'
import { countOf, nameRows, type Rule, type Verification } from './rows.ts'
import { SCREENING } from './screening.ts'
import { checkSeals } from './seals.ts'

interface VerifyOptions {
  /** One account, or null for the whole installation. */
  readonly account_id: string | null
  readonly all?: boolean
  /** Heads of books from a copy outside the database. */
  readonly kept?: readonly Head[]
  readonly onProblem?: (problem: Problem) => void
  /** Called during the work, with the units of work done and in all. */
  readonly progress?: (done: number, total: number) => void
}

export interface Checked {
  readonly accounts: number
  readonly journals: number
  readonly balances: number
  readonly balance_transactions: number
  readonly payouts: number
  readonly receipts: number
  readonly quotes: number
  readonly events: number
  readonly entities: number
  /** Minor units by currency over all books, each zero; null for the books of one account. */
  readonly inter_account: Readonly<Record<string, bigint>> | null
  readonly live_accounts: number
  /** Minor units by currency in transit from live accounts. */
  readonly in_transit: Readonly<Record<string, bigint>>
  /** The same from sandboxes, whose balances are not money. */
  readonly sandbox_in_transit: Readonly<Record<string, bigint>>
}

export type Verdict =
  | { readonly ok: true; readonly checked: Checked; readonly problem: null }
  | {
      readonly ok: false
      readonly checked: null
      readonly problem: Problem
      /** Only the first, unless `all` asks for every one up to MAX_NAMED. */
      readonly problems: readonly Problem[]
    }

/** The ticks between two calls of `progress`: a progress bar need not move with every row. */
const TICKS = 1_000

/** Verifies, and returns wrong rows in the verdict. Throws any other error. */
export async function verify(sql: Sql, options: VerifyOptions): Promise<Verdict> {
  const findings = new Findings(options.all ?? false, options.onProblem)
  const checked = await sql
    .begin(`isolation level repeatable read${isSpread() ? '' : ' read only'}`, async tx => {
      if (isSpread()) await gatherRows(tx, options.account_id)
      return check(tx, options, findings)
    })
    .catch(error => {
      if (error instanceof EnoughProblems) return null
      throw error
    })
  const { problems } = findings
  const [problem] = problems
  if (problem !== undefined) return { ok: false, checked: null, problem, problems }
  if (checked === null) throw new Error('a verification without a verdict')
  return { ok: true, checked, problem: null }
}

/** Verifies the audit log and the rows whose digests it has. Returns every wrong row. */
export async function verifyAudit(sql: Sql): Promise<readonly Problem[]> {
  const findings = new Findings(true)
  await sql
    .begin('isolation level repeatable read read only', tx =>
      checkReference({ tx, account_id: null, findings }),
    )
    .catch(error => {
      if (!(error instanceof EnoughProblems)) throw error
    })
  return findings.problems
}

const RULES: readonly Rule[] = [
  ...RECORDS,
  ...ATTEMPTS,
  ...SCHEDULED,
  ...LIMITS,
  ...APPROVALS,
  ...BENEFICIARIES,
  ...SCREENING,
  ...CUT_RECORDS,
  ...ACTS,
]

async function check(
  tx: TransactionSql,
  options: VerifyOptions,
  findings: Findings,
): Promise<Checked | null> {
  const { account_id } = options
  // Each sort may use `work_mem` before the disk. A row takes more work than PostgreSQL estimates;
  // without its tuple cost it uses several processors for many rows.
  await tx.unsafe(`set local statement_timeout = 0; set local work_mem = '64MB';
    set local cursor_tuple_fraction = 1; set local jit = off; set local parallel_tuple_cost = 0`)
  const tick = await progressOf(tx, options)
  const part = <T>(table: string, work: (run: Verification) => Promise<T>) =>
    partOf({ tx, account_id, findings }, table, work)
  const books = await part('books', run => walkBooks(run, tick))
  await part('journals', checkBookings)
  await part('payouts', run => nameRows(run, STATES))
  await part('open_payouts', checkReleases)
  const payouts = await part('payouts', run => matchPayouts(run, tick))
  // A wrong row also makes the sums wrong.
  if (books !== null && payouts !== null && findings.problems.length === 0) {
    if (account_id === null) checkInterAccount(books, findings)
    checkInTransit(books, payouts, account_id, findings)
  }
  const quotes = await part('quotes', checkUses)
  await part('quotes', checkPrices)
  const events = await part('events', checkEvents)
  const entities = await part('entities', checkEntities)
  await part('beneficiaries', checkFoundBy)
  await part('events', checkChain)
  await part('events', checkSeals)
  await part('erasures', checkErasures)
  for (const rule of RULES) await part(rule.table, run => nameRows(run, rule))
  await part('audit_log', checkReference)
  await part('books', run => checkKeptHeads(run, options.kept ?? []))
  if (books === null || payouts === null) return null
  const { inter_account, in_transit, live, ...counts } = books
  return {
    ...counts,
    payouts: payouts.payouts,
    receipts: payouts.receipts,
    quotes: (quotes ?? 0) + payouts.carried,
    events: events ?? 0,
    entities: entities ?? 0,
    inter_account: account_id === null ? Object.fromEntries(inter_account) : null,
    live_accounts: live.accounts,
    in_transit: Object.fromEntries(live.in_transit),
    sandbox_in_transit: Object.fromEntries(
      [...in_transit].flatMap(([currency, sum]) => {
        const sandbox = sum - (live.in_transit.get(currency) ?? 0n)
        return sandbox === 0n ? [] : [[currency, sandbox]]
      }),
    ),
  }
}

/** If PostgreSQL or a check cannot read a row, the part ends with a problem about its table. */
async function partOf<T>(
  run: Verification,
  table: string,
  work: (run: Verification) => Promise<T>,
): Promise<T | null> {
  try {
    return await run.tx.savepoint(tx => work({ ...run, tx }))
  } catch (error) {
    if (!isAboutData(error)) throw error
    run.findings.add(unreadable({ table, account_id: '', key: '' }, error))
    return null
  }
}

/** An SQLSTATE of class 22 or 23, or JavaScript's errors about a value of the wrong type. */
function isAboutData(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) {
    return true
  }
  return /^2[23]/.test(String((error as { code?: unknown } | null)?.code ?? ''))
}

/** Counts each journal twice: the walk of the books reads it, and so does that of the payouts. */
async function progressOf(tx: TransactionSql, { account_id, progress }: VerifyOptions) {
  const total = 2 * (await countOf({ tx, account_id }, 'coalesce(sum(journal_count), 0)', 'books'))
  let done = 0
  progress?.(0, total)
  return () => {
    done += 1
    if (done % TICKS === 0) progress?.(Math.min(done, total), total)
  }
}

/** The postings on inter_account over all books must sum to zero. */
function checkInterAccount({ inter_account }: BookTotals, findings: Findings): void {
  for (const [currency, sum] of inter_account) {
    if (sum === 0n) continue
    const key = `inter_account ${currency} over all books`
    findings.add({ table: 'journals', account_id: '', key, expected: '0', found: `${sum}` })
  }
}

/** The books' sum in transit must equal the destination amounts of open payouts. */
function checkInTransit(
  books: BookTotals,
  payouts: PayoutTotals,
  account_id: string | null,
  findings: Findings,
): void {
  for (const currency of new Set([...books.in_transit.keys(), ...payouts.in_transit.keys()])) {
    const found = books.in_transit.get(currency) ?? 0n
    const open = payouts.in_transit.get(currency) ?? 0n
    if (found === open) continue
    findings.add({
      table: 'journals',
      account_id: account_id ?? '',
      key: `in_transit ${currency}`,
      expected: `${open}, the open payouts' destination amounts`,
      found: `${found}`,
    })
  }
}
