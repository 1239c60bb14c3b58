// What an import of payouts tells: the report's line of a row, and the summary as data and as text:
// how many rows, why some were refused, and how much money.

import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import { amountToJson } from '../money/json.ts'
import type { Cost, PayoutRowResult } from '../payout/import.ts'
import {
  countRow,
  type ImportSummary,
  presentProblems,
  rowsWere,
  summaryWords,
} from './import-words.ts'
import { table } from './table.ts'
import { padTo, paragraph } from './terminal.ts'

/** What became of all rows so far. */
export interface PayoutSummary extends ImportSummary {
  made: number
  /** Until the entity that the payout is made for is reviewed. */
  held: number
  /** Of those imported before, rows whose payout has failed or was reversed since. */
  failed_since: number
  /** Of those made or held now, rows that ask for the payment that an earlier row asks for. */
  alike: number
  /** By reason; a row with several counts by each. */
  refused_by: Record<string, number>
  paid: Paid[]
  debited: Debited[]
}

/** What payouts made or held now come to, in minor units of what is paid. */
interface Paid {
  currency: string
  rows: number
  amount: bigint
}

/** What leaves a balance for them, with fees, in minor units of it. */
interface Debited {
  holding_currency: string
  rows: number
  total_debit: bigint
  /** Before the first row, when none is written. */
  available: bigint | null
  /** What rows that were refused for lack of money would have taken besides. */
  lacking_rows: number
  lacking: bigint
}

export function startPayouts(base: ImportSummary): PayoutSummary {
  const counts = { made: 0, held: 0, failed_since: 0, alike: 0 }
  return { ...base, ...counts, refused_by: {}, paid: [], debited: [] }
}

export function countPayout(summary: PayoutSummary, row: PayoutRowResult): void {
  countRow(summary, row)
  const { result, status, cost, alike, problems } = row
  for (const reason of new Set(problems.map(problem => problem.reason))) {
    summary.refused_by[reason] = (summary.refused_by[reason] ?? 0) + 1
  }
  if (result === 'imported_before') {
    summary.imported_before += 1
    if (status === 'failed' || status === 'reversed') summary.failed_since += 1
  } else if (result === 'refused') {
    if (cost !== null) countLacking(debitedOf(summary, cost.holding_currency), cost)
  } else {
    summary[result] += 1
    if (alike) summary.alike += 1
    if (cost !== null) countCost(summary, cost)
  }
}

function countCost(summary: PayoutSummary, cost: Cost): void {
  const { currency, amount, holding_currency, total_debit } = cost
  let paid = summary.paid.find(one => one.currency === currency)
  if (paid === undefined) {
    paid = { currency, rows: 0, amount: 0n }
    summary.paid.push(paid)
  }
  paid.rows += 1
  paid.amount += amount
  const debited = debitedOf(summary, holding_currency)
  debited.rows += 1
  debited.total_debit += total_debit
}

function countLacking(debited: Debited, { total_debit }: Cost): void {
  debited.lacking_rows += 1
  debited.lacking += total_debit
}

/** The entry of a holding currency. */
export function debitedOf({ debited }: PayoutSummary, holding_currency: string): Debited {
  const known = debited.find(one => one.holding_currency === holding_currency)
  if (known !== undefined) return known
  const counts = { rows: 0, total_debit: 0n, available: null, lacking_rows: 0, lacking: 0n }
  const entry = { holding_currency, ...counts }
  debited.push(entry)
  return entry
}

/** The summary as data: sums as text, as they may be larger than numbers of JSON are exact. */
export function presentPayouts({ paid, debited, ...summary }: PayoutSummary) {
  return {
    ...summary,
    paid: paid.map(one => ({ ...one, amount: String(one.amount) })),
    debited: debited.filter(isTouched).map(({ total_debit, available, lacking, ...one }) => ({
      ...one,
      total_debit: String(total_debit),
      available: available === null ? null : String(available),
      lacking: String(lacking),
    })),
  }
}

/** Of a dry run all balances are known, and most have no part in it. */
function isTouched({ rows, lacking_rows }: Debited): boolean {
  return rows > 0 || lacking_rows > 0
}

/** A line of the report; problems as the API answers them, amounts in minor units. */
export function presentPayoutRow(row: PayoutRowResult) {
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
    problems: presentProblems(row.problems),
  }
}

export function payoutWords(summary: PayoutSummary, report: string | undefined): string {
  const by = Object.entries(summary.refused_by).sort(([, a], [, b]) => b - a)
  const { failed_since, alike } = summary
  const where = (rows: number, what: string): [string, number][] =>
    rows === 0 ? [] : [[`  of which ${what}`, rows]]
  const results: [string, number][] = [
    ['made', summary.made],
    ['held until an entity is reviewed', summary.held],
    ...where(alike, 'like an earlier row'),
    ['imported before', summary.imported_before],
    ...where(failed_since, 'failed or reversed since'),
    ['refused', summary.refused],
    ...by.map(([reason, rows]): [string, number] => [`  ${reason}`, rows]),
  ]
  const parts = [...moneyTables(summary), ...lackingWords(summary), ...failedWords(summary)]
  return summaryWords(summary, results, parts, report, 'paid')
}

function moneyTables({ paid, debited, dry_run }: PayoutSummary): string[] {
  const left = debited.filter(isTouched)
  const payments = paid.map(({ currency, amount, rows }) => [
    currency,
    major(amount, currency),
    rows,
  ])
  const debits = left.map(({ holding_currency: code, total_debit, available, rows }) => [
    code,
    major(total_debit, code),
    rows,
    ...(available === null ? [] : [major(available, code), major(available - total_debit, code)]),
  ])
  const [would, would_be] = dry_run ? ['would be paid', 'would be debited'] : ['paid', 'debited']
  return [
    ...(payments.length === 0 ? [] : [money([would, 'amount', 'rows'], payments)]),
    ...(debits.length === 0
      ? []
      : [
          money(
            [`${would_be}, with fees`, 'amount', 'rows', ...(dry_run ? ['balance', 'left'] : [])],
            debits,
          ),
        ]),
  ]
}

/** All columns but the first to the right. */
function money(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [headings, ...rows].map(row =>
    row.map(cell => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)),
  )
  const widths = headings.map((_, i) => Math.max(...cells.map(row => row[i]?.length ?? 0)))
  const [first = [], ...more] = cells.map(row =>
    row.map((cell, i) => (i === 0 ? padTo(cell, widths[0] ?? 0) : cell.padStart(widths[i] ?? 0))),
  )
  return table(first, more)
}

function major(amount: bigint, currency: string): string {
  return formatMajor(amount, currencyExponent(currency))
}

/** Known of a dry run alone, which decides about such rows once more, aside. */
function lackingWords({ debited }: PayoutSummary): string[] {
  return debited
    .filter(({ lacking_rows }) => lacking_rows > 0)
    .map(({ holding_currency: code, lacking, lacking_rows, available, total_debit }) => {
      const short = lacking - ((available ?? 0n) - total_debit)
      const them = lacking_rows === 1 ? 'it' : 'them'
      return paragraph(
        `${lacking_rows.toLocaleString('en')} of the rows would cost ${code} ` +
          `${major(lacking, code)} more than the others leave. To pay ${them} too, fund the ` +
          `account with another ${code} ${major(short, code)}.`,
      )
    })
}

function failedWords({ failed_since: failed, dry_run }: PayoutSummary): string[] {
  if (failed === 0) return []
  const them = failed === 1 ? 'it' : 'them'
  const words =
    `${rowsWere(failed)} imported before and failed or was reversed since, and ` +
    `${dry_run ? 'would not be' : 'not'} paid again. To pay ${them} anew, import ${them} alone, ` +
    'under another --name.'
  return [paragraph(words)]
}
