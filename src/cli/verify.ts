// corridor verify: recomputes the books from their journals.
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { keepRun, type UpkeepRun } from '../ledger/audit/upkeep-store.ts'
import { type Head, listHeads } from '../ledger/store.ts'
import { accountNamed } from '../operator/operator-write.ts'
import { transactConfined } from '../sql/confine.ts'
import { databaseNow } from '../sql/connect.ts'
import { isReadOnly } from '../sql/failure.ts'
import type { Instant } from '../values/instant.ts'
import { describe, MAX_NAMED, type Problem } from '../verify/problem.ts'
import { forgetFaults, listFaulty } from '../verify/proof-store.ts'
import { type Checked, type Verdict, verify } from '../verify/run.ts'
import { type Context, print, running, withContext } from './context.ts'
import { UsageError } from './failure.ts'
import { startBar } from './progress-bar.ts'
import { money, table } from './table.ts'

interface Options {
  account?: string
  all?: boolean
  heads?: string
}

const HELP = `
It recomputes balances and prices, walks every chain, and compares each row with
its event or with the audit log. What a person did (a booking, a step, a review,
an approval, an import) must have its act in the audit log. The times of a book
go back only where somebody has confirmed a corrected clock. It needs no
service, and changes nothing but the note of when it ran.

Examples:
  corridor verify --all
  corridor verify --account acc_7k2m9x4q
  corridor verify --json | jq .heads > heads.json
  corridor verify --heads heads.json`

export function verifyCommand(command: Command): void {
  command
    .option('--account <id>', 'one account instead of all')
    .option('--all', 'name every bad row instead of the first alone')
    .option('--heads <file>', 'hold the books against heads kept elsewhere; see docs/operations.md')
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const kept = options.heads === undefined ? [] : await readHeads(options.heads)
      const { verdict, heads } = await withContext(async context => {
        const began_at = await databaseNow(context.audit)
        const verdict = await verifyWithBar(context, options, kept)
        await record(context, options, { verdict, began_at }).catch(error => {
          // An auditor can prove the books, but cannot record it.
          if (!isReadOnly(error)) throw error
        })
        return { verdict, heads: verdict.ok ? await listHeads(context.audit) : [] }
      })
      print({ ...presentVerdict(verdict), heads }, verdictWords(verdict))
      if (!verdict.ok) process.exitCode = 1
    })
}

interface Run {
  readonly verdict: Verdict
  readonly began_at: Instant
}

/** Books in order have none of the faults that the service has found before. */
async function record({ sql, audit }: Context, { account }: Options, { verdict, began_at }: Run) {
  // The verification of one account proves nothing about the others.
  if (account === undefined) await keepRun(sql, runOf(verdict))
  if (!verdict.ok) return
  for (const account_id of account === undefined ? await listFaulty(audit) : [account]) {
    await transactConfined(sql, [account_id], tx => forgetFaults(tx, account_id, began_at))
  }
}

function runOf(verdict: Verdict): Omit<UpkeepRun, 'finished_at'> {
  const told = verdict.ok
    ? `${verdict.checked.journals} journals of ${verdict.checked.accounts} accounts`
    : describe(verdict.problem)
  return { kind: 'verify', well: verdict.ok, told: told.slice(0, 2000) }
}

async function verifyWithBar(
  { audit: sql }: Context,
  { account, all = false }: Options,
  kept: readonly Head[],
): Promise<Verdict> {
  const account_id = account ?? null
  // People see each problem when it is found; a script gets all of them as a list.
  const onProblem = (problem: Problem) => process.stdout.write(`${describe(problem)}\n`)
  const options = { account_id, all, kept, ...(all && !running.json && { onProblem }) }
  if (account_id !== null) await accountNamed(sql, account_id)
  const bar = startBar('verifying {bar} {percentage}% | {value} of {total} journals passed')
  const progress = (done: number, total: number) => {
    bar?.setTotal(total)
    bar?.update(done)
  }
  try {
    return await verify(sql, { ...options, beside: sql, ...(bar && { progress }) })
  } finally {
    bar?.stop()
  }
}

/** Sums are text: they may exceed the exact integers of JSON. */
export function presentVerdict(verdict: Verdict) {
  if (!verdict.ok) return verdict
  const { ok, checked, problem } = verdict
  const { inter_account, in_transit, sandbox_in_transit } = checked
  const texts = (sums: Readonly<Record<string, bigint>>) =>
    Object.fromEntries(Object.entries(sums).map(([currency, sum]) => [currency, String(sum)]))
  return {
    ok,
    checked: {
      ...checked,
      inter_account: inter_account === null ? null : texts(inter_account),
      in_transit: texts(in_transit),
      sandbox_in_transit: texts(sandbox_in_transit),
    },
    problem,
  }
}

function verdictWords(verdict: Verdict): string {
  if (!verdict.ok) {
    const { problem, problems } = verdict
    if (problems.length === 1) return `Not in order: ${describe(problem)}`
    const more = problems.length === MAX_NAMED ? ' No more are named at once.' : ''
    return `Not in order: ${problems.length} rows are named above.${more}`
  }
  return `${checkedWords(verdict.checked)}\nThe books are in order.`
}

export function checkedWords(checked: Checked): string {
  const rows = [
    ['accounts', `${checked.live_accounts} of them live; book, heads and every balance`],
    ['journals', 'numbered, chained, summing to zero'],
    ['balances', 'the sum of their postings, never below zero'],
    ['balance_transactions', 'one for each movement, with the balance after it'],
    ['payouts', 'debited, settled or given back by their status'],
    ['receipts', 'of payouts between accounts'],
    ['quotes', 'used by one payout or conversion, or by none'],
    ['conversions', 'at their quotes, with both journals'],
    ['events', 'numbered, chained, with the digests of their objects'],
    ['entities', 'with the keys that find duplicates, and no duplicate'],
    ['items', 'of nostros, derived again from the journals'],
    ['lines', 'of banks, open or in one match of equal sums'],
  ] as const
  const lines = rows.map(([name, how]) => {
    return [checked[name].toLocaleString('en'), name.replace('_', ' '), how]
  })
  const sums = [
    ...sumWords('between accounts', checked.inter_account),
    ...sumWords('in transit from live accounts', checked.in_transit),
    ...sumWords('in transit from sandboxes, which is no money', checked.sandbox_in_transit),
  ]
  return [table(['checked', '', ''], lines), ...sums].join('\n')
}

function sumWords(what: string, sums: Readonly<Record<string, bigint>> | null): string[] {
  const entries = Object.entries(sums ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return []
  return [`${what}: ${entries.map(([currency, sum]) => money(currency, sum)).join(', ')}`]
}

async function readHeads(path: string): Promise<Head[]> {
  const text = await readFile(path, 'utf8').catch(error => {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  })
  try {
    const heads: unknown = JSON.parse(text)
    if (Array.isArray(heads) && heads.every(isHead)) return heads
  } catch {
    // Text that is not JSON has no heads; the error below says so.
  }
  throw new UsageError(`${path} is no list of heads as \`corridor verify --json\` prints them`)
}

function isHead(value: unknown): value is Head {
  const { account_id, journals, head_hash, events, event_head } = (value ?? {}) as Head
  const texts = [account_id, journals, head_hash, events, event_head]
  const counts = [journals, events].every(count => /^\d{1,18}$/.test(count))
  return texts.every(text => typeof text === 'string') && counts
}
