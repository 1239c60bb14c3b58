// corridor payout: approves payouts and makes them from files. The other commands are actions.
import { type Command, Option } from 'commander'
import { presentProblem } from '../http/errors.ts'
import { importIdOf } from '../imports/paid-once.ts'
import { importPayouts, PAYOUT_COLUMNS, type PayoutRow } from '../imports/payouts.ts'
import type { Cost } from '../imports/store.ts'
import { payouts } from '../operator/payouts.ts'
import { amountToJson } from '../values/money/json.ts'
import { commandsOf } from './action.ts'
import { payoutApprovalCommands } from './approvals.ts'
import {
  addImportCommand,
  anewWords,
  countRow,
  type ImportKind,
  type ImportOptions,
  type ImportSummary,
  importFrom,
  mostFirst,
  ofWhich,
  type Results,
  summaryWords,
} from './import.ts'
import { major, money, table } from './table.ts'
import { padTo, paragraph, wrapped } from './terminal.ts'

export function payoutCommands(payout: Command): void {
  commandsOf(payouts)(payout)
  payoutApprovalCommands(payout)
  payoutImportCommand(payout)
}

const HELP = `
.jsonl: one payout a line, as POST /v3/payout takes it.
.csv: cells separated by commas, semicolons or tabs under a header of columns,
in any order; an empty cell is a member that is not set. Amounts stand in minor
units in the column amount, or as 1250.00, with a point and never with a comma,
in the column amount_major. The beneficiary is an
id in the column beneficiary, or the columns beneficiary.<member>; those of its
bank account have no longer names, and beneficiary.destination_type may be left
out where only one kind of destination is filled in. The columns:
${wrapped(PAYOUT_COLUMNS.names.join(', ').split(' '), { first: '  ' }).join('\n')}
A member may have its whole path as its column too, as in JSON.

Every row is known again under the name of the import, for ever, so the same
file may be run any number of times and pays each row once: go on after a stop,
correct what was refused, add rows, and run it again. Under another file name,
give the first one as --name. A new list of the same payments, such as next
month's salaries, needs a name of its own.

Rows of one file that are alike are all paid, and counted. A row is refused as a
possible duplicate when the account has just made such a payout otherwise, or
when this import has paid it before and the row was changed since, unless
--allow-duplicates.

A row whose payout has failed since stays imported before. To pay it anew,
import it alone, under another --name.

Exit code 1 when a row was refused or the run has not come to the end.

Examples:
  corridor payout import payouts.csv --dry-run \\
    --account acc_7k2m9x4q
  corridor payout import payouts.csv --report results.csv \\
    --account acc_7k2m9x4q`

interface Options extends ImportOptions {
  readonly allowDuplicates?: boolean
}

export function payoutImportCommand(payout: Command): void {
  addImportCommand(payout, {
    description: 'make payouts from a file, each row once however often it is run',
    account: 'the account that pays',
    help: HELP,
  })
    .addOption(new Option('--allow-duplicates', 'pay rows too that look as if they were paid'))
    .action((path: string, options: Options) => importFrom(payoutKind(options), path, options))
}

function payoutKind({ allowDuplicates = false }: Options): ImportKind<PayoutRow, PayoutSummary> {
  return {
    columns: PAYOUT_COLUMNS,
    start,
    run: (options, summary, { config }) =>
      importPayouts({
        ...options,
        sender_bic: config.bic,
        made_by: config.user_is_login ? '' : config.user,
        allow_duplicates: allowDuplicates,
        onBalances(balances) {
          for (const [code, available] of balances) debitedOf(summary, code).available = available
        },
      }),
    count,
    present: presentRow,
    data: present,
    words,
  }
}

type PayoutSummary = ReturnType<typeof start>

function start(base: ImportSummary) {
  return {
    ...base,
    /** People approve all payouts of the import by it. */
    payout_import: importIdOf(base.account, base.import),
    made: 0,
    /** This run or an earlier one made them. */
    pending_approval: 0,
    /** They wait for the review of an entity. */
    held: 0,
    /** Rows that were imported before, and whose payout has failed or was reversed since. */
    failed_since: 0,
    /** Rows that this run made or held, and that ask for the same payment as an earlier row. */
    alike: 0,
    /** By reason. A row with several reasons counts for each. */
    refused_by: {} as Record<string, number>,
    paid: new Map<string, Paid>(),
    debited: new Map<string, Debited>(),
  }
}

/** Of this run, made or held, in minor units. */
interface Paid {
  currency: string
  rows: number
  amount: bigint
}

/** Fees included, in minor units. */
interface Debited {
  holding_currency: string
  rows: number
  total_debit: bigint
  /** The balance before the first row of a dry run. */
  available: bigint | null
  /** What the rows that lack nothing but money would take besides. */
  lacking_rows: number
  lacking: bigint
}

function count(summary: PayoutSummary, row: PayoutRow): void {
  countRow(summary, row)
  const { result, status, cost, alike, problems } = row
  for (const reason of new Set(problems.map(problem => problem.reason))) {
    summary.refused_by[reason] = (summary.refused_by[reason] ?? 0) + 1
  }
  if (status === 'pending_approval') summary.pending_approval += 1
  if (result === 'imported_before') {
    summary.imported_before += 1
    if (status === 'failed' || status === 'reversed') summary.failed_since += 1
  } else if (result === 'refused') {
    if (cost === null) return
    const debited = debitedOf(summary, cost.holding_currency)
    debited.lacking_rows += 1
    debited.lacking += cost.total_debit
  } else {
    summary[result] += 1
    if (alike) summary.alike += 1
    if (cost !== null) countCost(summary, cost)
  }
}

function countCost(summary: PayoutSummary, cost: Cost): void {
  const { currency, amount, holding_currency, total_debit } = cost
  const paid = summary.paid.getOrInsert(currency, { currency, rows: 0, amount: 0n })
  paid.rows += 1
  paid.amount += amount
  const debited = debitedOf(summary, holding_currency)
  debited.rows += 1
  debited.total_debit += total_debit
}

function debitedOf({ debited }: PayoutSummary, holding_currency: string): Debited {
  const counts = { rows: 0, total_debit: 0n, available: null, lacking_rows: 0, lacking: 0n }
  return debited.getOrInsert(holding_currency, { holding_currency, ...counts })
}

/** Sums are text: they may exceed the exact numbers of JSON. */
function present({ paid, debited, ...summary }: PayoutSummary) {
  return {
    ...summary,
    paid: Array.from(paid.values(), one => ({ ...one, amount: String(one.amount) })),
    debited: touched(debited).map(({ total_debit, available, lacking, ...one }) => ({
      ...one,
      total_debit: String(total_debit),
      available: available === null ? null : String(available),
      lacking: String(lacking),
    })),
  }
}

/** A dry run knows all balances, also those that no row uses. */
function touched(debited: PayoutSummary['debited']): Debited[] {
  return [...debited.values()].filter(({ rows, lacking_rows }) => rows > 0 || lacking_rows > 0)
}

function presentRow(row: PayoutRow) {
  const { line, result, payout, status, cost } = row
  return {
    line,
    result,
    payout,
    status,
    currency: cost?.currency ?? null,
    amount: cost === null ? null : amountToJson(cost.amount),
    holding_currency: cost?.holding_currency ?? null,
    total_debit: cost === null ? null : amountToJson(cost.total_debit),
    problems: row.problems.map(presentProblem),
  }
}

function words(summary: PayoutSummary, report: string | undefined): string {
  const { failed_since, dry_run } = summary
  const results: Results = [
    ['made', summary.made],
    ['held until an entity is reviewed', summary.held],
    ...ofWhich(summary.alike, 'like an earlier row'),
    ['imported before', summary.imported_before],
    ...ofWhich(failed_since, 'failed or reversed since'),
    ['refused', summary.refused],
    ...mostFirst(summary.refused_by),
  ]
  const not = dry_run ? 'would not be' : 'not'
  const failed = `failed or was reversed since, and ${not} paid again`
  const parts = [
    ...moneyTables(summary),
    ...lackingWords(summary),
    anewWords(failed_since, failed, 'pay'),
    pendingWords(summary),
  ]
  return summaryWords(summary, results, parts, report, 'paid')
}

function moneyTables({ paid, debited, dry_run }: PayoutSummary): string[] {
  const payments = Array.from(paid, ([code, { amount, rows }]) => [code, major(code, amount), rows])
  const debits = touched(debited).map(one => {
    const { holding_currency: code, total_debit, available, rows } = one
    const left = available === null ? [] : [available, available - total_debit]
    return [code, major(code, total_debit), rows, ...left.map(amount => major(code, amount))]
  })
  const [would, would_be] = dry_run ? ['would be paid', 'would be debited'] : ['paid', 'debited']
  const balance = dry_run ? ['balance', 'left'] : []
  return [
    rightAligned([would, 'amount', 'rows'], payments),
    rightAligned([`${would_be}, with fees`, 'amount', 'rows', ...balance], debits),
  ]
}

/** Aligned to the right, except the first column; '' without rows. */
function rightAligned(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  if (rows.length === 0) return ''
  const cells = [headings, ...rows].map(row =>
    row.map(cell => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)),
  )
  const widths = headings.map((_, i) => Math.max(...cells.map(row => row[i]?.length ?? 0)))
  const [first = [], ...more] = cells.map(row =>
    row.map((cell, i) => (i === 0 ? padTo(cell, widths[0] ?? 0) : cell.padStart(widths[i] ?? 0))),
  )
  return table(first, more)
}

/** Only a dry run knows the cost of refused rows. */
function lackingWords({ debited }: PayoutSummary): string[] {
  return [...debited.values()]
    .filter(({ lacking_rows }) => lacking_rows > 0)
    .map(({ holding_currency: code, lacking, lacking_rows, available, total_debit }) => {
      const short = lacking - ((available ?? 0n) - total_debit)
      const them = lacking_rows === 1 ? 'it' : 'them'
      return paragraph(
        `${lacking_rows.toLocaleString('en')} of the rows would cost ` +
          `${money(code, lacking)} more than the others leave. To pay ${them} too, fund the ` +
          `account with another ${money(code, short)}.`,
      )
    })
}

function pendingWords({ pending_approval: waits, payout_import }: PayoutSummary): string {
  if (waits === 0) return ''
  const payouts = waits === 1 ? '1 payout waits' : `${waits.toLocaleString('en')} payouts wait`
  const text =
    `${payouts} for approvers, who look at all of them by "corridor payout approval ` +
    `${payout_import}" and approve them as one.`
  return paragraph(text)
}
