// What an import of entities tells: the report's line of a row, and the summary as data and as
// text.
import type { RowResult } from '../entity/import.ts'
import {
  countRow,
  type ImportSummary,
  presentProblems,
  rowsWere,
  summaryWords,
} from './import-words.ts'
import { paragraph } from './terminal.ts'

/** What became of all rows so far. */
export interface EntitySummary extends ImportSummary {
  created: number
  matched: number
  /** By the rule that decided. */
  matched_by: Record<string, number>
  /** Of those imported before, rows whose entity has been rejected since. */
  rejected_since: number
}

export function startEntities(base: ImportSummary): EntitySummary {
  return { ...base, created: 0, matched: 0, matched_by: {}, rejected_since: 0 }
}

export function countEntity(summary: EntitySummary, row: RowResult): void {
  countRow(summary, row)
  const { result, rule, approval_status } = row
  if (result !== 'refused') summary[result] += 1
  if (rule !== null) summary.matched_by[rule] = (summary.matched_by[rule] ?? 0) + 1
  if (result === 'imported_before' && approval_status === 'rejected') summary.rejected_since += 1
}

/** A line of the report; problems as the API answers them. */
export function presentEntityRow(row: RowResult) {
  const { line, result, entity, approval_status, rule, matched_line, problems } = row
  const errors = presentProblems(problems)
  return { line, result, entity, approval_status, rule, matched_line, problems: errors }
}

export function entityWords(summary: EntitySummary, report: string | undefined): string {
  const { rejected_since } = summary
  const by = Object.entries(summary.matched_by).sort(([, a], [, b]) => b - a)
  const results: [string, number][] = [
    ['created', summary.created],
    ['matched', summary.matched],
    ...by.map(([rule, times]): [string, number] => [`  by ${rule}`, times]),
    ['imported before', summary.imported_before],
    ...(rejected_since === 0
      ? []
      : [['  of which rejected since', rejected_since] as [string, number]]),
    ['refused', summary.refused],
  ]
  return summaryWords(summary, results, rejectedWords(summary), report, 'written')
}

function rejectedWords({ rejected_since: rejected, dry_run }: EntitySummary): string[] {
  if (rejected === 0) return []
  const [stays, them] = rejected === 1 ? ['stays', 'it'] : ['stay', 'them']
  const words =
    `${rowsWere(rejected)} imported before and rejected since, and ` +
    `${dry_run ? 'would stay' : stays} so. ` +
    `To create ${them} anew, import ${them} alone, under another --name.`
  return [paragraph(words)]
}
