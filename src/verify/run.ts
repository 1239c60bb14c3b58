// Runs the whole verification. It reads one snapshot, so it never mistakes a write of the service
// for a fault.
import type { Head } from '../ledger/store.ts'
import { literal, type Sql, type TransactionSql } from '../sql/connect.ts'
import { isSpread } from '../sql/shard.ts'
import { ACTS } from './acts.ts'
import { APPROVALS } from './approvals.ts'
import { ATTEMPTS } from './attempts.ts'
import { BENEFICIARIES, checkFoundBy } from './beneficiaries.ts'
import { checkBookings } from './bookings.ts'
import { type BookTotals, walkBooks } from './books.ts'
import { ON_CHAINS } from './chains.ts'
import { checkConversions } from './conversions.ts'
import { checkEntities } from './entities.ts'
import { checkErasures } from './erasures.ts'
import { CUT_RECORDS, checkChain, checkEvents } from './events.ts'
import { gatherRows } from './gather.ts'
import { checkKeptHeads } from './heads.ts'
import { LIMITS } from './limits.ts'
import { Parts, type Sessions } from './parts.ts'
import { checkReleases, SCHEDULED, STATES } from './payout-states.ts'
import { matchPayouts, type PayoutTotals } from './payouts.ts'
import { EnoughProblems, Findings, type Problem } from './problem.ts'
import { checkPrices, checkUses } from './quotes.ts'
import { RECORDS } from './records.ts'
import { checkReference } from './reference.ts'
import { countOf, nameRows, type Rule } from './rows.ts'
import { SCREENING } from './screening.ts'
import { checkSeals } from './seals.ts'
import { countLines, TREASURY } from './treasury.ts'

interface VerifyOptions {
  /** One account, or null for the whole installation. */
  readonly account_id: string | null
  readonly all?: boolean
  /** Heads of books from a copy outside the database. */
  readonly kept?: readonly Head[]
  /** A pool with a connection for a second session, which halves the time. */
  readonly beside?: Sql
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
  readonly conversions: number
  readonly events: number
  readonly entities: number
  /** Of nostros. No line belongs to one account. */
  readonly items: number
  readonly lines: number
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
  const checked = await inSnapshot(sql, options, sessions =>
    check(sessions, options, findings),
  ).catch(error => {
    if (error instanceof EnoughProblems) return null
    throw error
  })
  const { problems } = findings
  const [problem] = problems
  if (problem !== undefined) return { ok: false, checked: null, problem, problems }
  if (checked === null) throw new Error('a verification without a verdict')
  return { ok: true, checked, problem: null }
}

const READING = 'isolation level repeatable read read only'

/**
 * Opens a second session on the same snapshot, unless the caller has none, or the database is
 * spread: the temporary tables of a session are its own.
 */
async function inSnapshot<T>(
  sql: Sql,
  { account_id, beside }: VerifyOptions,
  work: (sessions: Sessions) => Promise<T>,
): Promise<T> {
  if (isSpread()) {
    return sql.begin('isolation level repeatable read', async tx => {
      await gatherRows(tx, account_id)
      return work({ walks: tx, rules: tx })
    })
  }
  return sql.begin(READING, async walks => {
    if (beside === undefined) return work({ walks, rules: walks })
    const [row] = await walks<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`
    const snapshot = literal(String(row?.snapshot))
    return beside.begin(READING, async rules => {
      await rules.unsafe(`set transaction snapshot ${snapshot}`)
      return work({ walks, rules })
    })
  })
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
  ...ON_CHAINS,
  ...SCHEDULED,
  ...LIMITS,
  ...APPROVALS,
  ...BENEFICIARIES,
  ...SCREENING,
  ...CUT_RECORDS,
  ...ACTS,
  ...TREASURY,
]

/**
 * Plans that read each table once. Each sort and each hash may use `work_mem` before the disk. A
 * row takes more work than PostgreSQL estimates; without its tuple cost it uses several processors
 * for many rows. A nested loop over a table that it believes small reads a whole book for each
 * payout, and a merge join of times and texts takes several times longer than a hash join.
 */
const WHOLE_TABLES = `set local statement_timeout = 0; set local work_mem = '64MB';
  set local idle_in_transaction_session_timeout = 0; set local cursor_tuple_fraction = 1;
  set local jit = off; set local parallel_tuple_cost = 0;
  set local enable_nestloop = off; set local enable_mergejoin = off; set local enable_memoize = off`

async function check(
  sessions: Sessions,
  options: VerifyOptions,
  findings: Findings,
): Promise<Checked | null> {
  for (const tx of new Set(Object.values(sessions))) await tx.unsafe(WHOLE_TABLES)
  const tick = await progressOf(sessions.walks, options)
  const parts = new Parts(sessions, options, findings)
  try {
    return await endParts(parts, beginParts(parts, tick, options), options, findings)
  } finally {
    await parts.stop()
  }
}

/** Begins all parts, in the order in which their problems are reported. */
function beginParts({ walk, judge }: Parts, tick: () => void, { kept = [] }: VerifyOptions) {
  return {
    books: walk('books', run => walkBooks(run, tick)),
    bookings: judge('journals', checkBookings),
    states: judge('payouts', run => nameRows(run, STATES)),
    releases: judge('open_payouts', checkReleases),
    payouts: walk('payouts', run => matchPayouts(run, tick)),
    conversions: walk('journals', checkConversions),
    quotes: judge('quotes', checkUses),
    prices: walk('quotes', checkPrices),
    events: judge('events', checkEvents),
    entities: walk('entities', checkEntities),
    items: judge('nostro_items', run => countOf(run, 'count(*)', 'nostro_items')),
    lines: judge('bank_lines', countLines),
    rest: [
      walk('beneficiaries', checkFoundBy),
      judge('events', checkChain),
      judge('events', checkSeals),
      walk('erasures', checkErasures),
      ...RULES.map(rule => judge(rule.table, run => nameRows(run, rule))),
      judge('audit_log', checkReference),
      judge('books', run => checkKeptHeads(run, kept)),
    ],
  }
}

async function endParts(
  parts: Parts,
  begun: ReturnType<typeof beginParts>,
  { account_id }: VerifyOptions,
  findings: Findings,
): Promise<Checked | null> {
  const books = await parts.end(begun.books)
  for (const part of [begun.bookings, begun.states, begun.releases]) await parts.end(part)
  const payouts = await parts.end(begun.payouts)
  // A wrong row also makes the sums wrong.
  if (books !== null && payouts !== null && findings.problems.length === 0) {
    if (account_id === null) checkInterAccount(books, findings)
    checkInTransit(books, payouts, account_id, findings)
  }
  const conversions = await parts.end(begun.conversions)
  const quotes = await parts.end(begun.quotes)
  await parts.end(begun.prices)
  const events = await parts.end(begun.events)
  const entities = await parts.end(begun.entities)
  const items = await parts.end(begun.items)
  const lines = await parts.end(begun.lines)
  for (const part of begun.rest) await parts.end<unknown>(part)
  if (books === null || payouts === null) return null
  const { inter_account, in_transit, live, ...counts } = books
  return {
    ...counts,
    payouts: payouts.payouts,
    receipts: payouts.receipts,
    quotes: (quotes ?? 0) + payouts.carried,
    conversions: conversions ?? 0,
    events: events ?? 0,
    entities: entities ?? 0,
    items: items ?? 0,
    lines: lines ?? 0,
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
