// corridor entity: explains duplicates, and imports entities. The other commands are actions.
import type { Command } from 'commander'
import { presentProblem } from '../http/errors.ts'
import { ENTITY_COLUMNS, type EntityRow, importEntities } from '../imports/entities.ts'
import { entities, entityNamed, reviews, titleOf } from '../operator/entities.ts'
import type { ExplainedRule, Explanation } from '../parties/entity/duplicates.ts'
import { explainEntity } from '../parties/entity/operations.ts'
import { presentDuplicateCheck } from '../parties/entity/response.ts'
import { isLive } from '../parties/entity/states.ts'
import { commandsOf } from './action.ts'
import { example, print, withContext } from './context.ts'
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
import { visible, wrapped } from './terminal.ts'

export function entityCommands(entity: Command): void {
  commandsOf(entities)(entity)
  commandsOf(reviews)(entity)
  entity
    .command('explain')
    .description('say rule by rule what an entity is a duplicate of; writes nothing')
    .argument('<entity>', 'entity id')
    .option('--json', 'print JSON, as POST /v3/entity/duplicate_check answers it')
    .addHelpText('after', example('entity explain ent_01m7xpm2kyj94bggdx1c'))
    .action(explainAction)
  entityImportCommand(entity)
}

async function explainAction(id: string): Promise<void> {
  const { entity, explanation } = await withContext(async ({ audit: sql }) => {
    const entity = await entityNamed(sql, id)
    return { entity, explanation: await explainEntity(sql, entity) }
  })
  const verdict = entityVerdict(explanation, isLive(entity.approval_status))
  const words = explanationWords(titleOf(entity), verdict, explanation)
  print(presentDuplicateCheck(explanation), words)
}

function explanationWords(
  title: string,
  verdict: readonly string[],
  { rules, more_rejected }: Explanation,
): string {
  const words = rules.flatMap(rule => ['', ...ruleWords(rule, more_rejected.includes(rule.rule))])
  return [title, '', ...verdict, ...words].join('\n')
}

function entityVerdict({ duplicate, rules }: Explanation, live: boolean): string[] {
  if (duplicate === undefined) return [`No duplicate: ${noDuplicateReason(rules)}`]
  const same = `The same as ${duplicate.id} by the rule ${duplicate.rule}.`
  return live ? [same] : [same, 'While that one is not rejected, this one cannot be approved.']
}

function noDuplicateReason(rules: readonly ExplainedRule[]): string {
  if (rules.every(rule => !rule.takes_part)) return 'no rule takes part.'
  if (rules.some(rule => rule.rejected.length > 0)) return 'only rejected ones are the same.'
  return 'no other is the same.'
}

function ruleWords(rule: ExplainedRule, more: boolean): string[] {
  const found = rule.entity === '' ? 'nothing is the same' : `${rule.entity} is the same`
  const compared = Object.entries(rule.compared).map(([path, value]) => {
    if (value !== '') return [path, visible(value)]
    return [path, rule.missing.includes(path) ? '(missing)' : '(not set)']
  })
  const rejected = rule.rejected.map((id, i) => [i === 0 ? 'passed over, rejected' : '', id])
  if (more) rejected.push(['', `and more; these ${rule.rejected.length} are the oldest`])
  const facts = [...compared, ...rejected] as [string, string][]
  const width = Math.max(...facts.map(([label]) => label.length))
  return [
    `${rule.priority}. ${rule.rule}: ${rule.takes_part ? found : 'takes no part'}`,
    ...facts.map(([label, value]) => `   ${label.padEnd(width)}  ${value}`),
  ]
}

const HELP = `
.jsonl: one creation a line, as POST /v3/entity takes it.
.csv: cells separated by commas, semicolons or tabs under a header of columns,
in any order, of which name and type must be there; an empty cell is a member
that is not set.
The columns:
${wrapped(ENTITY_COLUMNS.names.join(', ').split(' '), { first: '  ' }).join('\n')}

A row that the account has already is matched, by the rules of POST /v3/entity,
and creates nothing. A refused row stops no other.

Every row is known again under the name of the import, so the same file may be
run any number of times: correct what was refused, or go on after a stop, and
run it again. Under another file name, give the first one as --name.

A row that created an entity stays imported before when that one was rejected
since, with its approval_status in the report: run again, it does not bring back
what was rejected. To create it anew, import it alone, under another --name. A
row that was matched is judged again.

Exit code 1 when a row was refused or the run has not come to the end.

Examples:
  corridor entity import people.csv --dry-run \\
    --account acc_7k2m9x4q
  corridor entity import people.csv --report results.jsonl \\
    --account acc_7k2m9x4q`

const ENTITIES: ImportKind<EntityRow, EntitySummary> = {
  columns: ENTITY_COLUMNS,
  start,
  run: importEntities,
  count,
  present,
  data: summary => summary,
  words,
}

export function entityImportCommand(entity: Command): void {
  addImportCommand(entity, {
    description: 'create entities from a file, passing over those that are there already',
    account: 'the account they belong to',
    help: HELP,
  }).action((path: string, options: ImportOptions) => importFrom(ENTITIES, path, options))
}

type EntitySummary = ReturnType<typeof start>

function start(base: ImportSummary) {
  return {
    ...base,
    created: 0,
    matched: 0,
    /** By the rule that matched. */
    matched_by: {} as Record<string, number>,
    /** Rows that were imported before, and whose entity was rejected since. */
    rejected_since: 0,
  }
}

function count(summary: EntitySummary, row: EntityRow): void {
  countRow(summary, row)
  const { result, rule, approval_status } = row
  if (result !== 'refused') summary[result] += 1
  if (rule !== null) summary.matched_by[rule] = (summary.matched_by[rule] ?? 0) + 1
  if (result === 'imported_before' && approval_status === 'rejected') summary.rejected_since += 1
}

function present(row: EntityRow) {
  const { line, result, entity, approval_status, rule, matched_line, problems } = row
  const errors = problems.map(presentProblem)
  return { line, result, entity, approval_status, rule, matched_line, problems: errors }
}

function words(summary: EntitySummary, report: string | undefined): string {
  const { created, matched, matched_by, imported_before, rejected_since, refused } = summary
  const results: Results = [
    ['created', created],
    ['matched', matched],
    ...mostFirst(matched_by, 'by '),
    ['imported before', imported_before],
    ...ofWhich(rejected_since, 'rejected since'),
    ['refused', refused],
  ]
  const stay = summary.dry_run ? 'would stay' : rejected_since === 1 ? 'stays' : 'stay'
  const rejected = anewWords(rejected_since, `rejected since, and ${stay} so`, 'create')
  return summaryWords(summary, results, [rejected], report, 'written')
}
