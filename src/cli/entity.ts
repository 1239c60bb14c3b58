// corridor entity explain: explains why a record is a duplicate or not. It escapes the texts of
// callers. The other commands are actions and imports.
import type { Command } from 'commander'
import { entities, entityNamed, reviews, titleOf } from '../operator/entities.ts'
import type { ExplainedRule, Explanation } from '../parties/entity/duplicates.ts'
import { explainEntity } from '../parties/entity/operations.ts'
import { presentDuplicateCheck } from '../parties/entity/response.ts'
import { isLive } from '../parties/entity/states.ts'
import { commandsOf } from './action.ts'
import { example, print, withContext } from './context.ts'
import { entityImportCommand } from './entity-import.ts'
import { visible } from './terminal.ts'

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
